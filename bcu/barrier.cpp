// Execution of the barrier instructions on the state of one CTA (bcu.md).
#include "bcu/barrier.h"

#include <stdexcept>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace smsim::bcu {

namespace {

// Fields of the state word (bcu.md B-1).
constexpr unsigned kExpectedLsb = 7;
constexpr unsigned kKindLsb = 14;
constexpr unsigned kRedopLsb = 16;
constexpr unsigned kLogicalLsb = 18;
constexpr unsigned kPopulationLsb = 19;
constexpr std::uint32_t kWarpsMask = 0x7f;

// Fields of register operands (bcu.md "Operands").
constexpr std::uint32_t kIdMask = BarrierOperand::kBarrierBits;
constexpr std::uint32_t kCountMask = BarrierOperand::kCountBits;
constexpr unsigned kJointCountLsb = BarrierOperand::kJointCountLsb;

// Values of the modifier fields of BAR and of B2R and R2B.
constexpr std::uint8_t kModeArv = 1;
constexpr std::uint8_t kModeBar = 1;

std::string_view redop_name(isa::RedOp op) {
    switch (op) {
    case isa::RedOp::kAnd:
        return "AND";
    case isa::RedOp::kOr:
        return "OR";
    case isa::RedOp::kPopc:
        return "POPC";
    }
    return "?";
}

/// The instruction that uses a barrier, as messages name it.
std::string use_name(BarrierKind kind, isa::RedOp op) {
    return kind == BarrierKind::kRed ? fmt::format("BAR.RED.{}", redop_name(op)) : "BAR.SYNC/ARV";
}

/// An arrival instruction, as messages name it.
std::string arrival_name(const isa::Instruction &insn) {
    if (insn.op == isa::Op::kBarrier) {
        return "BARRIER";
    }
    if (insn.op == isa::Op::kBarRed) {
        return use_name(BarrierKind::kRed, static_cast<isa::RedOp>(insn.mod[0]));
    }
    return insn.mod[0] == kModeArv ? "BAR.ARV" : "BAR.SYNC";
}

FaultReport fault(Fault cause, std::string detail) {
    return {cause, std::move(detail)};
}

/// The operand bits of the lowest thread, or the fault if threads differ in them (B-2).
std::variant<std::uint32_t, FaultReport> uniform_bits(const Operation &operation, std::string_view what,
                                                      std::span<const std::uint32_t, kLanes> lanes,
                                                      std::uint32_t used) {
    const unsigned lowest = operation.pmask.lowest();
    const std::uint32_t bits = lanes[lowest] & used;
    std::optional<unsigned> other;
    for_each_lane(operation.pmask, [&](unsigned lane) {
        if (!other && (lanes[lane] & used) != bits) {
            other = lane;
        }
    });
    if (other) {
        return fault(Fault::kBarrierOperand,
                     fmt::format("{}: thread {} gives {} {}, thread {} gives {}; all threads of the warp must agree",
                                 arrival_name(operation.insn), lowest, what, bits, *other, lanes[*other] & used));
    }
    return bits;
}

/// The word that R2B restores: it comes from one register of the warp, whose values, unlike an id or a count, need not
/// agree (bcu.md R2B).
std::uint32_t context_word(const Operation &operation) {
    return operation.count_lanes[operation.pmask.lowest()];
}

/// Initial value of the accumulator of a reduction.
bool neutral(isa::RedOp op) {
    return op == isa::RedOp::kAnd;
}

/// Adds the contribution of the threads `pmask` to an accumulator.
void accumulate(BarrierState &state, LaneMask pmask, LaneMask contribution) {
    switch (state.redop) {
    case isa::RedOp::kAnd:
        state.logical = state.logical && contribution.contains(pmask);
        break;
    case isa::RedOp::kOr:
        state.logical = state.logical || (contribution & pmask).any();
        break;
    case isa::RedOp::kPopc:
        state.population += (contribution & pmask).count();
        break;
    }
}

std::string warp_list(const WarpList &warps) {
    return warps.empty() ? "none" : fmt::format("{}", fmt::join(warps, ", "));
}

} // namespace

std::uint32_t pack(const BarrierState &state) {
    if (state.kind == BarrierKind::kIdle) {
        return 0;
    }
    std::uint32_t word = (state.arrived & kWarpsMask) | (state.expected & kWarpsMask) << kExpectedLsb |
                         static_cast<std::uint32_t>(state.kind) << kKindLsb;
    if (state.kind == BarrierKind::kRed) {
        word |= static_cast<std::uint32_t>(state.redop) << kRedopLsb;
        word |= state.redop == isa::RedOp::kPopc ? (state.population & kMaxPopulation) << kPopulationLsb
                                                 : static_cast<std::uint32_t>(state.logical) << kLogicalLsb;
    }
    return word;
}

std::optional<BarrierState> unpack(std::uint32_t word) {
    const std::uint32_t kind = (word >> kKindLsb) & 3U;
    const std::uint32_t redop = (word >> kRedopLsb) & 3U;
    BarrierState state;
    if (kind == static_cast<std::uint32_t>(BarrierKind::kIdle)) {
        return state;
    }
    if (kind > static_cast<std::uint32_t>(BarrierKind::kRed)) {
        return std::nullopt;
    }
    state.arrived = word & kWarpsMask;
    state.expected = (word >> kExpectedLsb) & kWarpsMask;
    state.kind = static_cast<BarrierKind>(kind);
    if (state.kind == BarrierKind::kRed) {
        if (redop > static_cast<std::uint32_t>(isa::RedOp::kPopc)) {
            return std::nullopt;
        }
        state.redop = static_cast<isa::RedOp>(redop);
        if (state.redop == isa::RedOp::kPopc) {
            state.population = word >> kPopulationLsb;
        } else {
            state.logical = ((word >> kLogicalLsb) & 1U) != 0;
        }
    }
    return state;
}

Operation operation_of(const isa::Instruction &insn, LaneMask pmask, LaneMask contribution,
                       const isa::NarrowVectorOperands &vectors) {
    const bool both = insn.op == isa::Op::kBar && insn.form == isa::Form::kR;
    return {insn, pmask, contribution, vectors[0], vectors[both ? 1 : 0]};
}

std::variant<ArrivalOperands, FaultReport> resolve_operands(const Operation &operation) {
    const isa::Instruction &insn = operation.insn;
    if (insn.op == isa::Op::kBarrier) { // BAR.SYNC 0, 0
        return ArrivalOperands{BarrierId(0), 0};
    }
    const bool reduction = insn.op == isa::Op::kBarRed;
    const bool plain = insn.op == isa::Op::kBar;
    if (!reduction && !plain) {
        return fault(Fault::kIllegalInstruction, fmt::format("{} does not arrive at a barrier", insn.spec().name));
    }

    std::uint32_t id = insn.barid;
    std::uint32_t count = insn.imm2;
    const bool joint = reduction && insn.form == isa::Form::kR;
    const bool id_in_register = !joint && (insn.form == isa::Form::kR || insn.form == isa::Form::kRri);
    const bool count_in_register = !joint && (insn.form == isa::Form::kR || insn.form == isa::Form::kRir);
    if (!joint && !id_in_register && !count_in_register && insn.form != isa::Form::kI) {
        return fault(Fault::kIllegalInstruction,
                     fmt::format("{} has no form {}", arrival_name(insn), isa::form_name(insn.form)));
    }
    if (joint) {
        const auto bits = uniform_bits(operation, "the barrier and count operand", operation.id_lanes,
                                       kIdMask | kCountMask << kJointCountLsb);
        if (const auto *differ = std::get_if<FaultReport>(&bits)) {
            return *differ;
        }
        id = std::get<std::uint32_t>(bits);
        count = id >> kJointCountLsb; // [B-4]
    }
    if (id_in_register) {
        const auto bits = uniform_bits(operation, "barrier", operation.id_lanes, kIdMask);
        if (const auto *differ = std::get_if<FaultReport>(&bits)) {
            return *differ;
        }
        id = std::get<std::uint32_t>(bits);
    }
    if (count_in_register) {
        const auto bits = uniform_bits(operation, "count", operation.count_lanes, kCountMask);
        if (const auto *differ = std::get_if<FaultReport>(&bits)) {
            return *differ;
        }
        count = std::get<std::uint32_t>(bits);
    }
    id &= kIdMask;
    count &= kCountMask;

    if (count % kLanes != 0) {
        return fault(Fault::kBarrierCount, fmt::format("{} {}: count {} is not a multiple of {} threads",
                                                       arrival_name(insn), id, count, kLanes));
    }
    if (plain && insn.mod[0] == kModeArv && count == 0) {
        return fault(Fault::kBarrierCount, fmt::format("BAR.ARV {}: count 0; a warp that does not wait must say how "
                                                       "many threads are expected",
                                                       id));
    }
    return ArrivalOperands{BarrierId(id), count};
}

OperandList operands_with_other_bits(const Operation &operation) {
    OperandList found;
    const isa::Instruction &insn = operation.insn;
    const auto look = [&](BarrierOperand::Kind kind, std::uint8_t reg, std::span<const std::uint32_t, kLanes> lanes) {
        std::optional<BarrierOperand> first;
        for_each_lane(operation.pmask, [&](unsigned lane) {
            const BarrierOperand operand{kind, reg, lanes[lane]};
            if (!first && operand.has_other_bits()) {
                first = operand;
            }
        });
        if (first) {
            found.push_back(*first);
        }
    };
    if (insn.op != isa::Op::kBar && insn.op != isa::Op::kBarRed) {
        return found;
    }
    switch (insn.form) {
    case isa::Form::kR:
        if (insn.op == isa::Op::kBarRed) {
            look(BarrierOperand::Kind::kBoth, insn.rb, operation.id_lanes);
        } else {
            look(BarrierOperand::Kind::kBarrier, insn.ra, operation.id_lanes);
            look(BarrierOperand::Kind::kCount, insn.rb, operation.count_lanes);
        }
        break;
    case isa::Form::kRri:
        look(BarrierOperand::Kind::kBarrier, insn.rb, operation.id_lanes);
        break;
    case isa::Form::kRir:
        look(BarrierOperand::Kind::kCount, insn.rc, operation.count_lanes);
        break;
    default:
        break;
    }
    return found;
}

std::variant<BarrierState, FaultReport> restored_state(const Operation &operation) {
    const std::uint32_t value = context_word(operation);
    if (const std::optional<BarrierState> state = unpack(value)) {
        return *state;
    }
    return fault(Fault::kBarrierOperand, fmt::format("R2B.BAR {}: {:#010x} is not the state of a barrier (kind {}, "
                                                     "reduction {})",
                                                     operation.insn.barid & kIdMask, value, (value >> kKindLsb) & 3U,
                                                     (value >> kRedopLsb) & 3U));
}

std::optional<FaultReport> operand_fault(const Operation &operation) {
    const isa::Instruction &insn = operation.insn;
    const auto fault_in = [](const auto &decoded) {
        const auto *found = std::get_if<FaultReport>(&decoded);
        return found != nullptr ? std::optional(*found) : std::nullopt;
    };
    if (operation.pmask.none()) {
        return std::nullopt;
    }
    if (insn.op == isa::Op::kBar || insn.op == isa::Op::kBarRed) {
        return fault_in(resolve_operands(operation));
    }
    if (insn.op == isa::Op::kR2b && insn.mod[0] == kModeBar) {
        return fault_in(restored_state(operation));
    }
    return std::nullopt;
}

CtaBarriers::CtaBarriers(std::uint32_t warps) {
    if (warps == 0 || warps > kMaxWarps) {
        throw InputError(
            fmt::format("CTA of {} warps: the barrier unit serves 1 to {} warps per CTA", warps, kMaxWarps));
    }
    warps_.resize(warps);
}

CtaBarriers::Warp &CtaBarriers::runnable(std::uint32_t warp) {
    if (warp >= warps_.size()) {
        throw std::logic_error(fmt::format("warp {} is not one of the CTA's {} warps", warp, warps_.size()));
    }
    Warp &found = warps_[warp];
    if (found.exited) {
        throw std::logic_error(fmt::format("warp {} of the CTA has exited", warp));
    }
    if (found.blocked) {
        throw std::logic_error(
            fmt::format("warp {} of the CTA is blocked at barrier {}", warp, found.blocked->value()));
    }
    return found;
}

std::variant<Effect, FaultReport> CtaBarriers::execute(std::uint32_t warp, const Operation &operation) {
    Warp &self = runnable(warp);
    const isa::Instruction &insn = operation.insn;
    if (insn.unit != isa::Unit::kBarrier) {
        return fault(Fault::kIllegalInstruction, fmt::format("{} is not a barrier instruction", insn.spec().name));
    }
    if (operation.pmask.none()) {
        return Effect{};
    }
    Effect effect;
    switch (insn.op) {
    case isa::Op::kB2r:
        effect.writes = true;
        effect.value = insn.mod[0] == kModeBar ? pack(barriers_[insn.barid & kIdMask]) : self.word; // [B-5]
        return effect;
    case isa::Op::kB2rResult: {
        effect.writes = true;
        const std::optional<BarrierState> state = unpack(self.word);
        if (!state || state->kind != BarrierKind::kRed) {
            effect.undefined_read = true;
        } else if (state->redop == isa::RedOp::kPopc) {
            effect.value = state->population;
        } else {
            effect.predicate = state->logical;
        }
        return effect;
    }
    case isa::Op::kR2b:
        if (insn.mod[0] == kModeBar) {
            return restore(operation);
        }
        self.word = context_word(operation);
        return effect;
    default:
        return arrive(self, operation);
    }
}

std::variant<Effect, FaultReport> CtaBarriers::restore(const Operation &operation) {
    const auto decoded = restored_state(operation);
    if (const auto *bad = std::get_if<FaultReport>(&decoded)) {
        return *bad;
    }
    const BarrierId id(operation.insn.barid & kIdMask);
    if (const WarpList blocked = blocked_warps(id); !blocked.empty()) {
        return fault(Fault::kBarrierBusy,
                     fmt::format("R2B.BAR {}: the barrier has blocked warps: {}", id.value(), warp_list(blocked)));
    }
    barriers_[id.value()] = std::get<BarrierState>(decoded);
    Effect effect;
    effect.restored = id;
    return effect;
}

std::variant<Effect, FaultReport> CtaBarriers::arrive(Warp &warp, const Operation &operation) {
    const isa::Instruction &insn = operation.insn;
    const auto resolved = resolve_operands(operation);
    if (const auto *bad = std::get_if<FaultReport>(&resolved)) {
        return *bad;
    }
    const auto [id, count] = std::get<ArrivalOperands>(resolved);
    const bool reduction = insn.op == isa::Op::kBarRed;
    const BarrierKind kind = reduction ? BarrierKind::kRed : BarrierKind::kSync;
    const isa::RedOp redop = reduction ? static_cast<isa::RedOp>(insn.mod[0]) : isa::RedOp::kAnd;

    // All changes are made on a copy, so that a fault leaves the barrier as it was.
    BarrierState next = barriers_[id.value()];
    if (next.kind == BarrierKind::kIdle) {
        next.kind = kind;
        next.expected = count / kLanes;
        next.redop = redop;
        next.logical = reduction && neutral(redop);
    } else if (next.kind != kind || next.redop != redop || next.expected * kLanes != count) {
        return fault(Fault::kBarrierMismatch,
                     fmt::format("{} {} with count {}: the barrier is in use by {} with count {}", arrival_name(insn),
                                 id.value(), count, use_name(next.kind, next.redop), next.expected * kLanes));
    }
    ++next.arrived;
    if (next.expected > 0 && next.arrived > next.expected) {
        return fault(Fault::kBarrierOverflow,
                     fmt::format("{} {}: {} threads have arrived, {} are expected", arrival_name(insn), id.value(),
                                 next.arrived * kLanes, next.expected * kLanes));
    }
    if (next.arrived > kMaxWarps) {
        return fault(Fault::kBarrierOverflow, fmt::format("{} {}: {} warps have arrived, the barrier counts to {}",
                                                          arrival_name(insn), id.value(), next.arrived, kMaxWarps));
    }
    if (reduction) {
        accumulate(next, operation.pmask, operation.contribution);
        if (next.population > kMaxPopulation) {
            return fault(Fault::kBarrierOverflow,
                         fmt::format("{} {}: population count {} exceeds {}", arrival_name(insn), id.value(),
                                     next.population, kMaxPopulation));
        }
    }

    barriers_[id.value()] = next;
    Effect effect;
    effect.arrived = id;
    if (is_complete(next)) {
        if (reduction) {
            warp.word = pack(next);
        }
        effect.completion = complete(id);
    } else if (isa::waits_at_barrier(insn)) {
        warp.blocked = id;
        warp.other_bits = operands_with_other_bits(operation);
        effect.blocked = true;
    }
    return effect;
}

std::vector<Completion> CtaBarriers::exit(std::uint32_t warp) {
    runnable(warp).exited = true;
    ++exited_;
    std::vector<Completion> completions;
    for (std::uint32_t id = 0; id < kBarriers; ++id) {
        const BarrierState &state = barriers_[id];
        if (state.expected == 0 && state.arrived > 0 && is_complete(state)) {
            completions.push_back(complete(BarrierId(id)));
        }
    }
    return completions;
}

WarpList CtaBarriers::blocked_warps(BarrierId id) const {
    WarpList blocked;
    for (std::uint32_t index = 0; index < warps(); ++index) {
        if (warps_[index].blocked == id) {
            blocked.push_back(index);
        }
    }
    return blocked;
}

bool CtaBarriers::is_complete(const BarrierState &state) const {
    if (state.expected != 0) {
        return state.arrived == state.expected;
    }
    return state.arrived + exited_ == warps(); // [B-6]
}

Completion CtaBarriers::complete(BarrierId id) {
    Completion completion{id, std::exchange(barriers_[id.value()], BarrierState{}), blocked_warps(id)};
    for (const std::uint32_t index : completion.released) {
        warps_[index].blocked.reset();
        if (completion.state.kind == BarrierKind::kRed) {
            warps_[index].word = pack(completion.state);
        }
    }
    return completion;
}

std::vector<BarrierWait> CtaBarriers::waits() const {
    std::vector<BarrierWait> all;
    for (std::uint32_t id = 0; id < kBarriers; ++id) {
        const WarpList blocked = blocked_warps(BarrierId(id));
        if (blocked.empty()) {
            continue;
        }
        BarrierWait &wait = all.emplace_back(BarrierWait{BarrierId(id), barriers_[id], blocked, {}});
        for (std::uint32_t index = 0; index < warps(); ++index) {
            if (!warps_[index].exited && warps_[index].blocked != BarrierId(id)) {
                wait.missing.push_back(index);
            }
        }
    }
    return all;
}

std::string CtaBarriers::describe() const {
    std::string text;
    for (const BarrierWait &wait : waits()) {
        const std::uint32_t expected = wait.state.expected != 0 ? wait.state.expected : warps() - exited_;
        text +=
            fmt::format("barrier {} ({}): {} of {} {}warps have arrived; blocked here: {}; could still arrive: {}\n",
                        wait.id.value(), use_name(wait.state.kind, wait.state.redop), wait.state.arrived, expected,
                        wait.state.expected != 0 ? "" : "living ", warp_list(wait.blocked), warp_list(wait.missing));
        for (const std::uint32_t warp : wait.blocked) {
            for (const BarrierOperand &operand : warps_[warp].other_bits) {
                text += fmt::format("barrier {}: warp {} has come with other bits set than count: {}\n",
                                    wait.id.value(), warp, text_of(operand));
            }
        }
    }
    return text;
}

std::string describe(const CtaBarriers &barriers, std::uint64_t number, CtaSlot slot) {
    std::string text;
    const std::string waits = barriers.describe();
    for (std::size_t begin = 0; begin < waits.size();) {
        const std::size_t end = waits.find('\n', begin) + 1;
        text += fmt::format("  CTA {} (slot {}): {}", number, slot.value(), waits.substr(begin, end - begin));
        begin = end;
    }
    return text;
}

} // namespace smsim::bcu
