#include "views/trace/state_dump.h"

#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "views/trace/control_text.h"

namespace smsim::views {
namespace {

constexpr std::uint8_t kPredicates = isa::kPt;
constexpr std::uint8_t kUniforms = isa::kUrz;

/// A member with the condition flags that are set in some thread; none where no flag is set in any thread.
void add_flags(fmt::memory_buffer &text, const ConditionFlags &flags) {
    const char *before = R"(,"flags":{)";
    for (const auto &[name, threads] : {std::pair('Z', flags.zero), std::pair('S', flags.sign),
                                        std::pair('C', flags.carry), std::pair('O', flags.overflow)}) {
        if (threads.any()) {
            fmt::format_to(std::back_inserter(text), R"({}"{}":"{:#010x}")", before, name, threads.bits());
            before = ",";
        }
    }
    if (std::string_view(before) == ",") {
        text.push_back('}');
    }
}

} // namespace

StateDump::StateDump(std::ostream &out, ReadShared read_shared, ControlStateOf state_of)
    : out_(out), read_shared_(std::move(read_shared)), state_of_(std::move(state_of)) {}

void StateDump::ended(const WarpStart &start, const sm::compute::WarpRegisters &registers) {
    write(start, registers, true);
}

void StateDump::unfinished(const WarpStart &start, const sm::compute::WarpRegisters &registers) {
    write(start, registers, false);
}

void StateDump::write(const WarpStart &start, const sm::compute::WarpRegisters &registers, bool has_ended) {
    fmt::memory_buffer text;
    const auto add = [&text](auto format, const auto &...values) {
        fmt::format_to(std::back_inserter(text), fmt::runtime(format), values...);
    };
    const std::string place =
        (launch_ == 0 ? "" : fmt::format(R"("launch":{},)", launch_)) + fmt::format(R"("sm":{})", start.sm.value());
    add(R"({{"state":"warp",{},"cta":{},"warp":{},"ended":{},"valid":"{:#010x}","registers":{{)", place,
        start.cta_number, start.warp_in_cta, has_ended, start.valid.bits());
    for (unsigned reg = 0; reg < registers.count(); ++reg) {
        const sm::compute::Row &row = registers.read(static_cast<std::uint8_t>(reg));
        add(R"({}"R{}":[)", reg == 0 ? "" : ",", reg);
        for (unsigned lane = 0; lane < kLanes; ++lane) {
            add(R"({}"{:#010x}")", lane == 0 ? "" : ",", row.lane[lane]);
        }
        add("]");
    }
    add(R"(}},"predicates":{{)");
    for (std::uint8_t p = 0; p < kPredicates; ++p) {
        add(R"({}"P{}":"{:#010x}")", p == 0 ? "" : ",", p, registers.predicate(p).bits());
    }
    add(R"(}},"uniform":{{)");
    bool first = true;
    for (std::uint8_t reg = 0; reg < kUniforms; ++reg) {
        if (registers.uniform(reg) != 0) {
            add(R"({}"UR{}":"{:#010x}")", first ? "" : ",", reg, registers.uniform(reg));
            first = false;
        }
    }
    add("}}");
    add_flags(text, registers.flags());
    if (!has_ended) {
        std::string control = R"(,"control":{)";
        add_fields(control, state_of_(start.warp, std::nullopt));
        add("{}}}", control);
    }
    add("}}\n");
    const bool is_last = ++seen_[start.cta_number] == start.warps_in_cta;
    if (is_last) {
        seen_.erase(start.cta_number);
    }
    if (is_last && start.shared_bytes != 0) {
        add(R"({{"state":"shared",{},"cta":{},"ended":{},"bytes":")", place, start.cta_number, has_ended);
        for (const std::uint8_t byte : read_shared_(start.shared_base, start.shared_bytes)) {
            add("{:02x}", byte);
        }
        add("\"}}\n");
    }
    out_.write(text.data(), static_cast<std::streamsize>(text.size()));
}

} // namespace smsim::views
