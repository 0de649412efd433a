#include "model/transactions/coding.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>

namespace smsim::transactions {
namespace {

// The first byte of a record; those below are events.
constexpr std::uint8_t kEventKinds = 5;
constexpr std::uint8_t kStart = 5;
constexpr std::uint8_t kBranch = 6;
constexpr std::uint8_t kBarrier = 7;
constexpr std::uint8_t kAccess = 8;
constexpr unsigned kMaskBytes = 4;
// How the lanes of a vector are written.
constexpr std::uint8_t kAllZero = 0;
constexpr std::uint8_t kAllEqual = 1;
constexpr std::uint8_t kEach = 2;
constexpr std::uint8_t kVectorForms = 3;

constexpr std::uint8_t kBool = 2;
constexpr std::uint8_t kOutcomes = 4;
constexpr std::uint8_t kSyncs = 3;
constexpr std::int8_t kStatusZero = 16;     // statuses are -5 to 1
constexpr std::uint32_t kMostBytes = 65536; // of an access

// --- writing -------------------------------------------------------------------------------------------------------

void mask(ByteWriter &to, LaneMask value) {
    to.fixed(value.bits(), kMaskBytes);
}

template <typename Value> void vector(ByteWriter &to, const std::array<Value, kLanes> &lanes) {
    if (std::ranges::all_of(lanes, [&](Value one) { return one == lanes[0]; })) {
        to.byte(lanes[0] == 0 ? kAllZero : kAllEqual);
        if (lanes[0] != 0) {
            to.number(lanes[0]);
        }
        return;
    }
    to.byte(kEach);
    for (const Value one : lanes) {
        to.number(one);
    }
}

void instruction(ByteWriter &to, const isa::Instruction &insn) {
    const auto word = std::get<isa::Word>(isa::encode(insn));
    to.fixed(word.lo, 8);
    to.fixed(word.hi, 8);
    to.number(insn.pc);
}

/// The beginning of an answer: 0 there is none, 1 it is one, 2 it is an exception, which is complete with this.
template <typename Answer> bool answer_begins(ByteWriter &to, Cycle request, const std::optional<Answer> &answer) {
    if (!answer) {
        to.byte(0);
        return false;
    }
    to.byte(answer->fault ? 2 : 1);
    to.number(answer->at - request);
    if (answer->fault) {
        to.text(fault_name(*answer->fault));
        to.text(answer->detail);
    }
    return !answer->fault;
}

void write(ByteWriter &to, const Event &event) {
    to.number(event.warp.value());
    if (event.kind == Event::Kind::kRequest) {
        to.number(event.cycles);
    }
}

void write(ByteWriter &to, const Start &start) {
    to.number(start.warp.value());
    to.number(start.entry);
    to.number(start.code_bytes);
    mask(to, start.valid);
    to.number(start.cta.value());
    to.number(start.cta_number);
    to.number(start.warp_in_cta);
    to.number(start.warps_in_cta);
}

void write(ByteWriter &to, const Branch &branch) {
    to.number(branch.warp.value());
    instruction(to, branch.insn);
    mask(to, branch.guard);
    mask(to, branch.guard_pp);
    vector(to, branch.vector);
    to.number(branch.scalar);
    if (!answer_begins(to, branch.at, branch.answer)) {
        return;
    }
    const BranchAnswer &answer = *branch.answer;
    to.byte(static_cast<std::uint8_t>(answer.outcome));
    to.number(answer.next_pc);
    mask(to, answer.next_active);
    mask(to, answer.write_lanes);
    to.number(answer.value);
    to.byte(answer.told ? 1 : 0);
    if (answer.told) {
        mask(to, answer.told->active);
        mask(to, answer.told->jumped);
        to.byte(answer.told->split ? 1 : 0);
        to.byte(answer.told->sync);
        to.byte(answer.told->release ? static_cast<std::uint8_t>(static_cast<unsigned>(*answer.told->release) + 1) : 0);
    }
}

void write(ByteWriter &to, const Barrier &barrier) {
    to.number(barrier.warp.value());
    instruction(to, barrier.insn);
    mask(to, barrier.pmask);
    mask(to, barrier.contribution);
    for (const auto &lanes : barrier.vectors) {
        vector(to, lanes);
    }
    if (!answer_begins(to, barrier.at, barrier.answer)) {
        return;
    }
    const BarrierAnswer &answer = *barrier.answer;
    to.byte(static_cast<std::uint8_t>(answer.outcome));
    to.byte(answer.writes ? 1 : 0);
    to.number(answer.value);
    to.byte(answer.predicate ? 1 : 0);
}

void write(ByteWriter &to, const Access &access) {
    to.byte(static_cast<std::uint8_t>(access.kind));
    to.byte(access.group ? 1 : 0);
    if (access.group) {
        to.number(*access.group);
    }
    to.number(access.address);
    to.number(access.length);
    to.number(access.width);
    to.byte(access.enabled.empty() ? 0 : 1);
    for (std::size_t i = 0; i < access.enabled.size(); i += 8) {
        std::uint8_t bits = 0;
        for (std::size_t k = i; k < std::min(i + 8, access.enabled.size()); ++k) {
            bits = static_cast<std::uint8_t>(bits | (access.enabled[k] ? 1U : 0U) << (k - i));
        }
        to.byte(bits);
    }
    if (access.kind == Access::Kind::kWrite) {
        to.raw(access.data);
    } else if (access.kind == Access::Kind::kAtomic) {
        to.byte(access.op);
        to.byte(access.type);
        to.number(access.operand);
        to.number(access.compare);
    }
    to.byte(access.answer ? 1 : 0);
    if (access.answer) {
        to.number(access.answer->at - access.at);
        to.byte(static_cast<std::uint8_t>(access.answer->status + kStatusZero));
        to.byte(access.answer->performed ? 1 : 0);
        to.byte(access.answer->bytes.empty() ? 0 : 1);
        to.raw(access.answer->bytes);
    }
}

// --- reading -------------------------------------------------------------------------------------------------------

LaneMask mask(ByteReader &from) {
    return LaneMask(static_cast<std::uint32_t>(from.fixed(kMaskBytes)));
}

Cycle later(ByteReader &from, Cycle than) {
    const std::uint64_t cycles = from.number();
    if (cycles >= kNever - than) {
        from.refuse("a cycle beyond the last one");
    }
    return than + cycles;
}

template <typename Value> void vector(ByteReader &from, std::array<Value, kLanes> &lanes) {
    const auto value = [&from] {
        if constexpr (sizeof(Value) == sizeof(std::uint32_t)) {
            return from.number32();
        } else {
            return from.number();
        }
    };
    switch (from.below(kVectorForms, "form of a vector")) {
    case kAllZero:
        break;
    case kAllEqual:
        lanes.fill(value());
        break;
    default:
        for (Value &one : lanes) {
            one = value();
        }
        break;
    }
}

isa::Instruction instruction(ByteReader &from, isa::Unit unit) {
    isa::Word word;
    word.lo = from.fixed(8);
    word.hi = from.fixed(8);
    const Pc pc = from.number();
    auto decoded = isa::decode(word, pc);
    if (const auto *error = std::get_if<isa::DecodeError>(&decoded)) {
        from.refuse(error->message());
    }
    auto &insn = std::get<isa::Instruction>(decoded);
    if (insn.unit != unit) {
        from.refuse(fmt::format("{} is no instruction of this unit", insn.spec().name));
    }
    return insn;
}

Fault fault(ByteReader &from) {
    const std::string name = from.text();
    for (unsigned i = 0; i <= static_cast<unsigned>(Fault::kRtlViolation); ++i) {
        if (name == fault_name(static_cast<Fault>(i))) {
            return static_cast<Fault>(i);
        }
    }
    from.refuse("an exception that does not exist");
}

WarpSlot warp(ByteReader &from) {
    return WarpSlot(from.number32());
}

/// What answer_begins has written; whether the fields of an answer follow.
template <typename Answer> bool answer_begins(ByteReader &from, Cycle request, std::optional<Answer> &answer) {
    constexpr std::uint8_t kForms = 3;
    const std::uint8_t form = from.below(kForms, "form of an answer");
    if (form == 0) {
        return false;
    }
    answer.emplace();
    answer->at = later(from, request);
    if (form == 2) {
        answer->fault = fault(from);
        answer->detail = from.text();
    }
    return form == 1;
}

Record read_start(ByteReader &from, Cycle at) {
    Start start;
    start.at = at;
    start.warp = warp(from);
    start.entry = from.number();
    start.code_bytes = from.number();
    start.valid = mask(from);
    start.cta = CtaSlot(from.number32());
    start.cta_number = from.number();
    start.warp_in_cta = from.number32();
    start.warps_in_cta = from.number32();
    return start;
}

Record read_branch(ByteReader &from, Cycle at) {
    Branch branch;
    branch.at = at;
    branch.warp = warp(from);
    branch.insn = instruction(from, isa::Unit::kBranch);
    branch.guard = mask(from);
    branch.guard_pp = mask(from);
    vector(from, branch.vector);
    branch.scalar = from.number();
    if (!answer_begins(from, at, branch.answer)) {
        return branch;
    }
    BranchAnswer &answer = *branch.answer;
    answer.outcome = static_cast<Outcome>(from.below(kOutcomes, "outcome"));
    answer.next_pc = from.number();
    answer.next_active = mask(from);
    answer.write_lanes = mask(from);
    answer.value = from.number();
    if (from.below(kBool, "flag") != 0) {
        BranchDetail &told = answer.told.emplace();
        told.active = mask(from);
        told.jumped = mask(from);
        told.split = from.below(kBool, "flag") != 0;
        told.sync = from.below(kSyncs, "result of a sync");
        if (const std::uint8_t kind = from.below(kReleaseKinds + 1, "kind of a release"); kind != 0) {
            told.release = static_cast<ReleaseKind>(kind - 1);
        }
    }
    return branch;
}

Record read_barrier(ByteReader &from, Cycle at) {
    Barrier barrier;
    barrier.at = at;
    barrier.warp = warp(from);
    barrier.insn = instruction(from, isa::Unit::kBarrier);
    barrier.pmask = mask(from);
    barrier.contribution = mask(from);
    for (auto &lanes : barrier.vectors) {
        vector(from, lanes);
    }
    if (!answer_begins(from, at, barrier.answer)) {
        return barrier;
    }
    BarrierAnswer &answer = *barrier.answer;
    answer.outcome = static_cast<Outcome>(from.below(kOutcomes, "outcome"));
    answer.writes = from.below(kBool, "flag") != 0;
    answer.value = from.number32();
    answer.predicate = from.below(kBool, "flag") != 0;
    return barrier;
}

void read_atomic(ByteReader &from, Access &access) {
    access.op = from.below(static_cast<std::uint8_t>(isa::AtomicOp::kCas) + 1, "atomic operation");
    access.type = from.below(static_cast<std::uint8_t>(isa::AtomicType::kF64) + 1, "type of an atomic");
    access.operand = from.number();
    access.compare = from.number();
    if (access.length != isa::atomic_bytes(static_cast<isa::AtomicType>(access.type)) || !access.enabled.empty()) {
        from.refuse("an atomic of another length than that of its type");
    }
}

Record read_access(ByteReader &from, Cycle at) {
    Access access;
    access.at = at;
    access.kind = static_cast<Access::Kind>(from.below(4, "kind of an access"));
    if (from.below(kBool, "flag") != 0) {
        access.group = from.number();
    }
    access.address = from.number();
    access.length = from.number32();
    access.width = from.number32();
    if (access.length > kMostBytes || access.width > access.length ||
        (access.kind != Access::Kind::kNothing && access.width == 0)) {
        from.refuse(fmt::format("an access of {} bytes", access.length));
    }
    if (from.below(kBool, "flag") != 0) {
        const auto bits = from.raw((access.length + 7) / 8);
        for (std::uint32_t i = 0; i < access.length; ++i) {
            access.enabled.push_back(((bits[i / 8] >> (i % 8)) & 1U) != 0);
        }
    }
    if (access.kind == Access::Kind::kWrite) {
        const auto bytes = from.raw(access.length);
        access.data.assign(bytes.begin(), bytes.end());
    } else if (access.kind == Access::Kind::kAtomic) {
        read_atomic(from, access);
    }
    if (from.below(kBool, "flag") != 0) {
        AccessAnswer &answer = access.answer.emplace();
        answer.at = later(from, at);
        answer.status = static_cast<std::int8_t>(from.below(kStatusZero + 2, "status") - kStatusZero);
        answer.performed = from.below(kBool, "flag") != 0;
        if (from.below(kBool, "flag") != 0) {
            const auto bytes = from.raw(access.length);
            answer.bytes.assign(bytes.begin(), bytes.end());
        }
    }
    return access;
}

/// Whether records of this first byte go over a link of the part.
bool belongs(Part part, std::uint8_t kind) {
    using Kind = Event::Kind;
    const auto is = [kind](Kind one) { return kind == static_cast<std::uint8_t>(one); };
    switch (part) {
    case Part::kBru:
        return kind == kBranch || kind == kStart || is(Kind::kExpiry) || is(Kind::kRequest) || is(Kind::kWake);
    case Part::kBcu:
        return kind == kBarrier || kind == kStart || is(Kind::kExit) || is(Kind::kWake);
    case Part::kTimer:
        return is(Kind::kRequest) || is(Kind::kStop) || is(Kind::kExpiry);
    case Part::kShared:
        break;
    }
    return kind == kAccess;
}

} // namespace

void ByteWriter::number(std::uint64_t value) {
    constexpr unsigned kBits = 7;
    for (; value >= 0x80; value >>= kBits) {
        byte(static_cast<std::uint8_t>(value | 0x80));
    }
    byte(static_cast<std::uint8_t>(value));
}

void ByteWriter::fixed(std::uint64_t value, unsigned count) {
    for (unsigned i = 0; i < count; ++i) {
        byte(static_cast<std::uint8_t>(value >> (8 * i)));
    }
}

void ByteWriter::text(std::string_view value) {
    number(value.size());
    bytes_.insert(bytes_.end(), value.begin(), value.end());
}

void ByteReader::refuse(const std::string &reason) const {
    fail_(at_, reason);
    throw InputError(reason); // never reached: `fail` throws
}

std::span<const std::uint8_t> ByteReader::raw(std::uint64_t count) {
    if (count > bytes_.size() - at_) {
        refuse(fmt::format("{} bytes are wanted, {} are left", count, bytes_.size() - at_));
    }
    const auto part = bytes_.subspan(at_, count);
    at_ += count;
    return part;
}

std::uint8_t ByteReader::below(std::uint8_t limit, const char *what) {
    const std::uint8_t value = byte();
    if (value >= limit) {
        refuse(fmt::format("{} is no {}", value, what));
    }
    return value;
}

std::uint64_t ByteReader::number() {
    constexpr unsigned kBits = 7;
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += kBits) {
        const std::uint8_t next = byte();
        const std::uint64_t bits = next & 0x7fU;
        if ((bits << shift) >> shift != bits) {
            break;
        }
        value |= bits << shift;
        if ((next & 0x80U) == 0) {
            return value;
        }
    }
    refuse("a number of more than 64 bits");
}

std::uint32_t ByteReader::number32() {
    const std::uint64_t value = number();
    if (value > 0xffffffffU) {
        refuse(fmt::format("{} is no number of 32 bits", value));
    }
    return static_cast<std::uint32_t>(value);
}

std::uint64_t ByteReader::fixed(unsigned count) {
    const auto bytes = raw(count);
    std::uint64_t value = 0;
    for (unsigned i = 0; i < count; ++i) {
        value |= std::uint64_t{bytes[i]} << (8 * i);
    }
    return value;
}

std::string ByteReader::text() {
    const auto bytes = raw(number());
    return {bytes.begin(), bytes.end()};
}

void encode(const Record &record, Cycle previous, ByteWriter &to) {
    constexpr std::uint8_t kFirsts[] = {0, kStart, kBranch, kBarrier, kAccess};
    const auto *event = std::get_if<Event>(&record);
    to.byte(event != nullptr ? static_cast<std::uint8_t>(event->kind) : kFirsts[record.index()]);
    to.number(cycle_of(record) - previous);
    std::visit([&to](const auto &one) { write(to, one); }, record);
}

Record decode(Part part, Cycle previous, ByteReader &from) {
    const std::uint8_t kind = from.byte();
    if (!belongs(part, kind)) {
        from.refuse(fmt::format("{} is no kind of record of {}", kind, part_name(part)));
    }
    const Cycle at = later(from, previous);
    switch (kind) {
    case kStart:
        return read_start(from, at);
    case kBranch:
        return read_branch(from, at);
    case kBarrier:
        return read_barrier(from, at);
    case kAccess:
        return read_access(from, at);
    default:
        break;
    }
    static_assert(kEventKinds == static_cast<std::uint8_t>(Event::Kind::kWake) + 1);
    Event event;
    event.at = at;
    event.kind = static_cast<Event::Kind>(kind);
    event.warp = warp(from);
    if (event.kind == Event::Kind::kRequest) {
        event.cycles = from.number();
    }
    return event;
}

} // namespace smsim::transactions
