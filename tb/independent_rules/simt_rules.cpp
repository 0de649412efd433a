// engines.md "simt_stack", instruction by instruction.
#include "tb/independent_rules/simt_rules.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "tb/independent_rules/stack_step.h"

namespace smsim::independent_rules {
namespace {

using bru::Operands;
using bru::StepEvent;
using bru::StepResult;
using bru::simt_stack::Counters;
using bru::simt_stack::Entry;
using bru::simt_stack::Warp;
using isa::Op;

class Step : StackStep {
  public:
    Step(Warp &warp, const isa::Instruction &insn, const Operands &operands, const BruConfig &config,
         Counters &counters)
        : StackStep(warp.state.mask, warp.trap, insn, operands, config, warp.code.bytes), warp_(warp), s_(warp.state),
          counters_(counters) {}

    StepResult run() {
        if (s_.mask.none()) {
            raise(Fault::kIllegalInstruction);
            return std::move(result_);
        }
        s_.pc = pc_;
        const Warp before = warp_;
        const auto common = of_every_mechanism();
        const Pc behind = common ? *common : own();
        if (result_.fault) {
            warp_ = before;
            counters_.overflows += result_.fault->fault == Fault::kStackOverflow ? 1 : 0;
            return std::move(result_);
        }
        s_.pc = behind;
        const bool side_waits = std::ranges::any_of(s_.stack, [](const Entry &one) { return one.pc != one.rpc; });
        if (side_waits && config_.simt_stack.barrier_check) {
            result_.refuses_arrivals = ArrivalRefusal{Fault::kBarrierDiverged, {}};
        }
        result_.next_pc = s_.pc;
        result_.next_active = s_.mask;
        return std::move(result_);
    }

  private:
    Pc own() {
        switch (insn_.op) {
        case Op::kVbeq:
            return branch([](std::int64_t a, std::int64_t b) { return a == b; }, true);
        case Op::kVbne:
            return branch([](std::int64_t a, std::int64_t b) { return a != b; }, true);
        case Op::kVblt:
            return branch([](std::int64_t a, std::int64_t b) { return a < b; }, true);
        case Op::kVbge:
            return branch([](std::int64_t a, std::int64_t b) { return a >= b; }, true);
        case Op::kVbltu:
            return branch([](std::int64_t a, std::int64_t b) { return a < b; }, false);
        case Op::kVbgeu:
            return branch([](std::int64_t a, std::int64_t b) { return a >= b; }, false);
        case Op::kSetrpc:
            s_.rpc = named();
            return next_;
        case Op::kJoin:
            return join();
        case Op::kEndprg:
            return end();
        case Op::kBra:
        case Op::kBrx:
        case Op::kCall:
        case Op::kRet:
            return jump();
        case Op::kWarpsync:
            if (someone([&](unsigned t) { return named_by(t) != s_.mask; })) {
                ++counters_.warpsync_partial;
            }
            return next_;
        default:
            raise(Fault::kIllegalInstruction);
            return next_;
        }
    }

    template <typename Test> bool someone(Test test) const {
        bool found = false;
        for_each_lane(p_, [&](unsigned t) { found = found || test(t); });
        return found;
    }

    /// The label of an instruction.
    Pc named() const { return next_ + static_cast<Pc>(insn_.imm) * kInstructionBytes; }

    void push(Pc pc, LaneMask mask) {
        s_.stack.push_back({s_.rpc, pc, mask});
        ++counters_.pushes;
        counters_.depth = std::max<std::uint64_t>(counters_.depth, s_.stack.size());
    }

    /// The sides of a branch: the threads that jump, then the others.
    template <typename Compare> Pc branch(Compare holds, bool is_signed) {
        std::pair<Pc, LaneMask> sides[] = {{named(), {}}, {next_, {}}};
        for_each_lane(s_.mask, [&](unsigned t) {
            const auto value = [&](unsigned place) {
                const auto word = static_cast<std::uint32_t>(operands_.vectors[place][t]);
                return is_signed ? std::int64_t{static_cast<std::int32_t>(word)} : std::int64_t{word};
            };
            sides[holds(value(0), value(1)) ? 0 : 1].second |= LaneMask::lane(t);
        });
        auto &[taken, fall] = sides;
        kind(StepEvent::Kind::kBranch);
        result_.event.jumped = taken.second;
        if (taken.second.none()) {
            return next_;
        }
        if (!is_instruction(static_cast<std::int64_t>(taken.first))) {
            raise(Fault::kIllegalTarget);
        } else if (fall.second.any()) {
            return diverge(taken, fall);
        }
        return taken.first;
    }

    Pc diverge(std::pair<Pc, LaneMask> taken, std::pair<Pc, LaneMask> fall) {
        if (warp_.code.program != nullptr &&
            (!is_instruction(static_cast<std::int64_t>(s_.rpc)) || warp_.code.program->at(s_.rpc).op != Op::kJoin)) {
            raise(Fault::kBadReconvergence);
            return next_;
        }
        const bool minority = config_.simt_stack.order == SimtStackOrder::kMinorityFirst;
        const std::int64_t depth = config_.simt_stack.depth >= 0 ? config_.simt_stack.depth : minority ? 32 : 62;
        if (depth != 0 && static_cast<std::int64_t>(s_.stack.size()) + 2 > depth) {
            raise(Fault::kStackOverflow);
            return next_;
        }
        const bool fall_first = minority ? fall.second.count() < taken.second.count()
                                         : config_.simt_stack.order == SimtStackOrder::kFallthroughFirst;
        result_.event.split = true;
        push(s_.rpc, s_.mask);
        if (fall_first) {
            std::swap(taken, fall);
        }
        push(fall.first, fall.second); // the side that does not run first
        s_.mask = taken.second;
        return taken.first;
    }

    Pc join() {
        kind(StepEvent::Kind::kSync);
        if (s_.stack.empty() || s_.stack.back().rpc != pc_) {
            result_.event.passed = true;
            return next_;
        }
        const Entry top = s_.stack.back();
        s_.stack.pop_back();
        ++counters_.pops;
        s_.mask = top.mask;
        return top.pc;
    }

    Pc end() {
        if (!s_.stack.empty()) {
            raise(Fault::kStackLeak);
        }
        kind(StepEvent::Kind::kExit);
        result_.outcome = Outcome::kExited;
        s_.mask = LaneMask();
        return pc_;
    }

    /// Where thread `t` would go (bru.md "Target of a thread").
    Pc target(unsigned t) const {
        const Pc away = insn_.form == isa::Form::kC ? 0 : static_cast<Pc>(insn_.imm) * kInstructionBytes;
        switch (insn_.op) {
        case Op::kBra:
            return named();
        case Op::kBrx:
            return next_ + away +
                   static_cast<Pc>(std::int64_t{static_cast<std::int32_t>(static_cast<std::uint32_t>(operand(t)))});
        default: // CALL, RET: relative or absolute
            return operand(t) + away + (insn_.mod[0] == 0 ? next_ : 0);
        }
    }

    Pc jump() {
        const bool all_or_none =
            insn_.op == Op::kBra && insn_.mod[0] == static_cast<std::uint8_t>(isa::BraCondition::kUniform);
        if (insn_.op == Op::kBra && !all_or_none && (insn_.mod[0] != 0 || insn_.form == isa::Form::kU)) {
            raise(Fault::kIllegalInstruction);
            return next_;
        }
        kind(StepEvent::Kind::kBranch);
        if (p_.none() || (all_or_none && p_ != s_.mask)) {
            return next_;
        }
        std::set<Pc> targets;
        for_each_lane(p_, [&](unsigned t) { targets.insert(target(t)); });
        if (p_ != s_.mask || targets.size() > 1) {
            raise(Fault::kDivergentTarget);
        } else if (const Pc place = *targets.begin(); place >= program_bytes_ || place % kInstructionBytes != 0) {
            raise(Fault::kIllegalTarget);
        }
        result_.event.jumped = p_;
        return *targets.begin();
    }

    Warp &warp_;
    bru::simt_stack::State &s_;
    Counters &counters_;
};

} // namespace

StepResult second_step(Warp &warp, const isa::Instruction &insn, const Operands &operands, const BruConfig &config,
                       Counters &counters) {
    return Step(warp, insn, operands, config, counters).run();
}

} // namespace smsim::independent_rules
