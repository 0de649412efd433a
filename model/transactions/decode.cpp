// Converts bytes to records: their contents are not trusted.
#include <variant>

#include <fmt/format.h>

#include "model/transactions/codes.h"
#include "model/transactions/coding.h"

namespace smsim::transactions {
namespace {

constexpr std::uint8_t kBool = 2;
constexpr std::uint8_t kOutcomes = 4;
constexpr std::uint8_t kSyncs = 3;
constexpr std::uint8_t kAccessKinds = 4;
constexpr std::uint32_t kMostBytes = 65536; // of an access

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
    switch (from.below(kEach + 1, "form of a vector")) {
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
        from.refuse(fmt::format("{} is not an instruction of this unit", insn.spec().name));
    }
    return insn;
}

Fault fault(ByteReader &from) {
    const std::string name = from.text();
    for (unsigned i = 0; i <= static_cast<unsigned>(Fault::kMatrixDiverged); ++i) {
        if (name == fault_name(static_cast<Fault>(i))) {
            return static_cast<Fault>(i);
        }
    }
    from.refuse("an unknown exception");
}

WarpSlot warp(ByteReader &from) {
    return WarpSlot(from.number32());
}

/// Reads what answer_begins has written; returns whether the fields of an answer follow.
template <typename Answer> bool answer_begins(ByteReader &from, Cycle request, std::optional<Answer> &answer) {
    const std::uint8_t form = from.below(kException + 1, "form of an answer");
    if (form == kNoAnswer) {
        return false;
    }
    answer.emplace();
    answer->at = later(from, request);
    if (form == kException) {
        answer->fault = fault(from);
        answer->detail = from.text();
    }
    return form == kAnswer;
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
    for (std::size_t i = 0; i < vectors_of(branch.insn); ++i) {
        vector(from, branch.vectors[i]);
    }
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
    access.kind = static_cast<Access::Kind>(from.below(kAccessKinds, "kind of an access"));
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

/// Whether records with this first byte belong to a link of the part.
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

Record decode(Part part, Cycle previous, ByteReader &from) {
    const std::uint8_t kind = from.byte();
    if (!belongs(part, kind)) {
        from.refuse(fmt::format("{} is not a kind of record of {}", kind, part_name(part)));
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
