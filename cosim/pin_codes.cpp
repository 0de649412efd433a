#include "cosim/pin_codes.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>

namespace smsim::cosim {
namespace {

using Kind = bru::StepEvent::Kind;

// By code.
constexpr std::array kEvents = {Kind::kPlain, Kind::kBranch, Kind::kSync, Kind::kYield,  Kind::kYieldConverged,
                                Kind::kSleep, Kind::kParked, Kind::kExit, Kind::kSyscall};
// By code, from 1.
constexpr std::array kFaults = {Fault::kIllegalTarget,   Fault::kIllegalInstruction, Fault::kWarpSyncMembership,
                                Fault::kSyncDeadlock,    Fault::kIllegalTrap,        Fault::kTrap,
                                Fault::kBarrierCount,    Fault::kBarrierOperand,     Fault::kBarrierMismatch,
                                Fault::kBarrierOverflow, Fault::kBarrierBusy,        Fault::kBadReconvergence,
                                Fault::kStackOverflow,   Fault::kStackLeak,          Fault::kDivergentTarget,
                                Fault::kStackUnderflow,  Fault::kTokenMismatch,      Fault::kWarpSyncDiverged};

} // namespace

unsigned class_of(const isa::Instruction &insn) {
    switch (insn.op) {
    case isa::Op::kBssy:
    case isa::Op::kBreak:
    case isa::Op::kLepc:
    case isa::Op::kSetrpc:
    case isa::Op::kSsy:
    case isa::Op::kPbk:
    case isa::Op::kPcnt:
    case isa::Op::kPret:
        return 1;
    case isa::Op::kBsync:
    case isa::Op::kWarpsync:
    case isa::Op::kJoin:
    case isa::Op::kSync:
        return 2;
    case isa::Op::kYield:
    case isa::Op::kNanosleep:
        return 3;
    case isa::Op::kBmov:
        return insn.form == isa::Form::kX ? 4 : 1;
    default:
        return 0;
    }
}

unsigned code_of(Kind kind) {
    const auto *const found = std::ranges::find(kEvents, kind);
    return found != kEvents.end() ? static_cast<unsigned>(std::distance(kEvents.begin(), found)) : 0;
}

Kind event_of(std::uint64_t code) {
    return code < kEvents.size() ? kEvents.at(static_cast<std::size_t>(code)) : Kind::kPlain;
}

unsigned code_of(const std::optional<ReleaseKind> &release) {
    return release ? static_cast<unsigned>(*release) + 1 : 0;
}

std::optional<ReleaseKind> release_of(std::uint64_t code) {
    return code >= 1 && code <= kReleaseKinds ? std::optional(static_cast<ReleaseKind>(code - 1)) : std::nullopt;
}

unsigned code_of(Fault fault) {
    const auto *const found = std::ranges::find(kFaults, fault);
    return found != kFaults.end() ? static_cast<unsigned>(std::distance(kFaults.begin(), found)) + 1 : 0;
}

bool concerns_warp(Fault fault) {
    const unsigned code = code_of(fault);
    return code >= code_of(Fault::kBadReconvergence) && code < code_of(Fault::kWarpSyncDiverged);
}

std::optional<Fault> fault_of(std::uint64_t code) {
    return code >= 1 && code <= kFaults.size() ? std::optional(kFaults.at(static_cast<std::size_t>(code) - 1))
                                               : std::nullopt;
}

} // namespace smsim::cosim
