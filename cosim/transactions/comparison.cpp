#include "cosim/transactions/comparison.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cosim/transactions/listing.h"

namespace smsim::cosim::transactions {
namespace {

/// Collects fields that differ.
class Fields {
  public:
    explicit Fields(const char *whose) : whose_(whose) {}

    template <typename Value, typename Text>
    void compare(const char *name, const Value &recorded, const Value &there, Text shown) {
        if (recorded != there) {
            add(name, shown(recorded), shown(there));
        }
    }
    void masks(const char *name, LaneMask recorded, LaneMask there) {
        compare(name, recorded, there, [](LaneMask one) { return fmt::format("{:#010x}", one.bits()); });
    }
    void numbers(const char *name, std::uint64_t recorded, std::uint64_t there) {
        compare(name, recorded, there, [](std::uint64_t one) { return fmt::format("{:#x}", one); });
    }
    void add(const char *name, const std::string &recorded, const std::string &there) {
        text_ += (text_.empty() ? "" : "; ") + field_difference(name, recorded, whose_, there);
    }
    const std::string &text() const { return text_; }

  private:
    const char *whose_;
    std::string text_;
};

/// Whether both messages name the same thread and target, if the pins report these and both messages do: one message
/// begins with the other, and does not end within a number.
bool same_place(Fault fault, const std::string &first, const std::string &second) {
    constexpr std::string_view kThread = "thread ";
    if ((fault != Fault::kIllegalTarget && fault != Fault::kWarpSyncMembership) || !first.starts_with(kThread) ||
        !second.starts_with(kThread)) {
        return true;
    }
    const std::string &shorter = first.size() < second.size() ? first : second;
    const std::string &longer = first.size() < second.size() ? second : first;
    return longer.starts_with(shorter) &&
           (longer.size() == shorter.size() || std::isxdigit(static_cast<unsigned char>(longer[shorter.size()])) == 0);
}

/// Compares exceptions; returns whether neither side has one.
template <typename Answer> bool none_raised(Fields &fields, const Answer &recorded, const Answer &there) {
    if (recorded.fault != there.fault ||
        (recorded.fault && !same_place(*recorded.fault, recorded.detail, there.detail))) {
        fields.add("exception", recorded.fault ? text_of(recorded) : "none", there.fault ? text_of(there) : "none");
    }
    return !recorded.fault && !there.fault;
}

std::string yes_no(bool value) {
    return value ? "yes" : "no";
}

void compare_told(Fields &fields, const BranchDetail &recorded, const BranchDetail &there) {
    fields.masks("active before", recorded.active, there.active);
    fields.masks("jumped", recorded.jumped, there.jumped);
    fields.compare("split", recorded.split, there.split, yes_no);
    constexpr const char *kSyncs[] = {"none", "passed", "another path goes on"};
    fields.compare("sync", recorded.sync, there.sync, [&](std::uint8_t one) { return std::string(kSyncs[one]); });
    constexpr const char *kKinds[] = {"complete", "yield", "sleep", "turn", "blocked"};
    fields.compare("release", recorded.release, there.release, [&](const std::optional<ReleaseKind> &kind) {
        return std::string(kind ? kKinds[static_cast<std::size_t>(*kind)] : "none");
    });
}

} // namespace

std::string field_difference(const std::string &field, const std::string &recorded, const char *whose,
                             const std::string &there) {
    return fmt::format("{}: recorded {}, {} {}", field, recorded, whose, there);
}

std::string differences(const BranchAnswer &recorded, const BranchAnswer &there, const char *whose) {
    Fields fields(whose);
    if (!none_raised(fields, recorded, there)) {
        return fields.text();
    }
    fields.compare("outcome", recorded.outcome, there.outcome, outcome_name);
    if (recorded.outcome != Outcome::kExited) {
        fields.numbers("next PC", recorded.next_pc, there.next_pc);
    }
    fields.masks("next active", recorded.next_active, there.next_active);
    fields.masks("written lanes", recorded.write_lanes, there.write_lanes);
    if (recorded.write_lanes.any()) {
        fields.numbers("value", recorded.value, there.value);
    }
    if (recorded.told && there.told) {
        compare_told(fields, *recorded.told, *there.told);
    }
    return fields.text();
}

std::string differences(const BarrierAnswer &recorded, const BarrierAnswer &there, const char *whose) {
    Fields fields(whose);
    if (!none_raised(fields, recorded, there)) {
        return fields.text();
    }
    fields.compare("outcome", recorded.outcome, there.outcome, outcome_name);
    fields.compare("written", recorded.writes, there.writes, yes_no);
    if (recorded.writes && there.writes) {
        fields.numbers("value", recorded.value, there.value);
        fields.compare("predicate", recorded.predicate, there.predicate, yes_no);
    }
    return fields.text();
}

std::string differences(const AccessAnswer &recorded, const AccessAnswer &there, const char *whose) {
    Fields fields(whose);
    fields.compare("status", recorded.status, there.status, [](int status) { return status_name(status); });
    fields.compare("performed", recorded.performed, there.performed, yes_no);
    fields.compare("bytes", recorded.bytes, there.bytes, [](const std::vector<std::uint8_t> &bytes) {
        return bytes.empty() ? "none" : fmt::format("{:02x}", fmt::join(bytes, ""));
    });
    return fields.text();
}

std::string operation_of(const Record &record) {
    if (const auto *event = std::get_if<Event>(&record)) {
        return event_name(event->kind);
    }
    if (const auto *branch = std::get_if<Branch>(&record)) {
        return std::string(branch->insn.spec().name);
    }
    if (const auto *barrier = std::get_if<Barrier>(&record)) {
        return std::string(barrier->insn.spec().name);
    }
    if (const auto *access = std::get_if<Access>(&record)) {
        constexpr const char *kNames[] = {"read", "write", "atomic", "nothing"};
        return kNames[static_cast<std::size_t>(access->kind)];
    }
    return "start";
}

} // namespace smsim::cosim::transactions
