// bru.md rule by rule. Where a reading changes a rule, the rule checks for the tag of the decision.
#include "tb/independent_rules/branch_rules.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

namespace smsim::independent_rules {
namespace {

using bru::Operands;
using bru::StepEvent;
using bru::StepResult;
using isa::Form;
using isa::Op;

// One instruction of one warp. Members without their own comment have the names used in bru.md.
class Step {
  public:
    Step(WarpControl &warp, const isa::Instruction &insn, const Operands &operands, const BruConfig &config,
         Pc program_bytes, const RejectedReadings &readings)
        : warp_(warp), s_(warp.state), insn_(insn), operands_(operands), config_(config), program_bytes_(program_bytes),
          readings_(readings) {}

    StepResult run() {
        if (s_.active.none()) {
            raise(Fault::kIllegalInstruction);
            return result_;
        }
        if (s_.active_pc != insn_.pc) { // the warp has executed instructions of other units since
            s_.active_pc = insn_.pc;
            warp_.turn_given = false;
            progress();
        }
        const WarpControl before = warp_;
        turn_given_ = std::exchange(warp_.turn_given, false);
        old_ = s_.active;
        pmask_ = s_.active & operands_.guard;
        if (insn_.spec().has(isa::kGuardPp)) {
            pmask_ &= operands_.guard_pp;
        }
        result_.event.active = old_;
        result_.executed = pmask_;
        const bool parks =
            insn_.op == Op::kBsync || insn_.op == Op::kWarpsync || insn_.op == Op::kYield || insn_.op == Op::kNanosleep;
        if (parks && pmask_ != old_) {
            kind(pmask_.any() ? StepEvent::Kind::kParked : StepEvent::Kind::kPlain);
            set_rpc(pmask_, s_.active_pc);
            s_.active = old_ & ~pmask_;
            next();
        } else {
            execute();
        }
        if (result_.fault) {
            warp_ = before;
            return result_;
        }
        if (result_.event.kind != StepEvent::Kind::kSync || result_.event.passed) {
            progress();
        }
        if (config_.election == ElectionPolicy::kOldest) {
            order_by_age();
        }
        result_.next_pc = s_.active_pc;
        result_.next_active = s_.active;
        return result_;
    }

  private:
    void execute() {
        switch (insn_.op) {
        case Op::kBra:
        case Op::kBrx:
        case Op::kCall:
        case Op::kRet:
            return jump();
        case Op::kLepc:
            return write(s_.active_pc + (readings_.d13 ? 0 : offset()));
        case Op::kBssy:
            b() |= pmask_;
            return next();
        case Op::kBreak:
            b() &= ~pmask_;
            return next();
        case Op::kBmov:
            return bmov();
        case Op::kBsync:
            return bsync();
        case Op::kWarpsync:
            return warpsync();
        case Op::kYield:
            return yield();
        case Op::kNanosleep:
            return nanosleep();
        case Op::kExit:
            return exit();
        case Op::kTrap:
            return trap();
        case Op::kRtt:
            return rtt();
        case Op::kSyscall:
            result_.event.kind = pmask_.any() ? StepEvent::Kind::kSyscall : StepEvent::Kind::kPlain;
            return next();
        default:
            return raise(Fault::kIllegalInstruction);
        }
    }

    // --- words of bru.md ---------------------------------------------------------------------------------------------

    void next() { s_.active_pc += kInstructionBytes; }
    void raise(Fault cause) { result_.fault = FaultReport{cause, {}}; }
    void kind(StepEvent::Kind what) { result_.event.kind = what; }
    void set_rpc(LaneMask threads, Pc pc) {
        for_each_lane(threads, [&](unsigned t) { s_.rpc[t] = pc; });
    }
    LaneMask &b() { return s_.b[insn_.breg]; }
    LaneMask inactive() const { return s_.valid & ~s_.active; }
    LaneMask threads_at(Pc pc, LaneMask among) const {
        LaneMask found;
        for_each_lane(among, [&](unsigned t) { found |= s_.rpc[t] == pc ? LaneMask::lane(t) : LaneMask(); });
        return found;
    }
    LaneMask arrived_here() const {
        const LaneMask here = threads_at(s_.active_pc, inactive());
        return readings_.d6 ? here : here & ~s_.sleep;
    }
    void progress() { s_.wait = s_.wait_bar = LaneMask(); }
    void write(std::uint64_t value) {
        result_.write_lanes = pmask_;
        result_.value = value;
        next();
    }
    // Operand of thread t, in any form; immediates are operands of the instructions without an offset.
    std::uint64_t operand(unsigned t) const {
        switch (insn_.form) {
        case Form::kR:
            return operands_.vectors[0][t];
        case Form::kI:
            return static_cast<std::uint64_t>(insn_.imm);
        default:
            return operands_.scalar;
        }
    }
    LaneMask mask_operand(unsigned t) const {
        const LaneMask mask(static_cast<std::uint32_t>(operand(t)));
        return insn_.bitnot ? ~mask : mask;
    }
    Pc offset() const { return static_cast<Pc>(insn_.imm) * kInstructionBytes; }

    // --- election ----------------------------------------------------------------------------------------------------

    // The RPC that the policy prefers: that of the candidate with the smallest rank, or of the lowest lane among
    // equals.
    Pc elected_pc(LaneMask candidates) const {
        const auto rank = [&](unsigned t) -> unsigned {
            switch (config_.election.own()) {
            case ElectionPolicy::kMostThreads:
                return kLanes - threads_at(s_.rpc[t], candidates).count();
            case ElectionPolicy::kOldest:
                return warp_.waiting_place[t];
            default:
                return 0;
            }
        };
        unsigned lid = candidates.lowest();
        for_each_lane(candidates, [&](unsigned t) { lid = rank(t) < rank(lid) ? t : lid; });
        return s_.rpc[lid];
    }

    bool all_asleep(LaneMask pool) const {
        return readings_.d3 ? (s_.sleep & ~pool).none() : (pool & ~s_.sleep).none();
    }

    // `joins`: with `widen`, the threads that at() considers.
    void elect(LaneMask pool, std::optional<LaneMask> joins) {
        const bool asleep = all_asleep(pool);
        if (!asleep) {
            pool &= ~s_.sleep;
        }
        const LaneMask pref = (pool & ~s_.yield).any() ? pool & ~s_.yield : pool;
        s_.active_pc = elected_pc(pref);
        LaneMask from = joins.value_or(pref);
        if (joins && !asleep && !readings_.d4) {
            from &= ~s_.sleep;
        }
        s_.active = threads_at(s_.active_pc, from);
        result_.outcome = asleep ? Outcome::kSleep : Outcome::kContinue;
    }

    // Threads that left ActiveMask together are equally old, and older than all that leave later.
    void order_by_age() {
        const auto age = [&](unsigned t) { return old_.test(t) ? kLanes : warp_.waiting_place[t]; };
        std::set<unsigned> ages;
        for_each_lane(inactive(), [&](unsigned t) { ages.insert(age(t)); });
        std::array<std::uint8_t, kLanes> places{};
        for_each_lane(inactive(), [&](unsigned t) {
            places[t] = static_cast<std::uint8_t>(std::distance(ages.begin(), ages.find(age(t))));
        });
        warp_.waiting_place = places;
    }

    // --- branches ----------------------------------------------------------------------------------------------------

    Pc target(unsigned t) const {
        const Pc following = s_.active_pc + kInstructionBytes;
        const Pc away = insn_.form == Form::kC ? 0 : offset();
        if (insn_.op == Op::kBra) {
            return following + away;
        }
        if (insn_.op == Op::kBrx) {
            const auto low = static_cast<std::int32_t>(static_cast<std::uint32_t>(operand(t)));
            return following + static_cast<Pc>(std::int64_t{low}) + away;
        }
        const bool absolute = insn_.mod[0] == 1;
        return operand(t) + away + (absolute ? 0 : following);
    }

    LaneMask jumping() {
        using isa::BraCondition;
        if (insn_.op != Op::kBra) {
            return pmask_;
        }
        const auto condition = static_cast<BraCondition>(insn_.mod[0]);
        const bool conv = condition == BraCondition::kConvergent;
        if (insn_.form == Form::kU) {
            if (!conv && condition != BraCondition::kDivergent) {
                raise(Fault::kIllegalInstruction);
                return {};
            }
            const LaneMask u = mask_operand(0);
            bool div = (u & inactive()).any();
            if (!div && pmask_.any() && pmask_ != s_.active) {
                div = (s_.active & ~pmask_ & u).any();
            }
            return pmask_.any() && div != conv ? s_.active : LaneMask();
        }
        switch (condition) {
        case BraCondition::kUniform:
            return pmask_ == s_.active ? pmask_ : LaneMask();
        case BraCondition::kDivergent:
        case BraCondition::kConvergent:
            return (pmask_ != s_.valid) != conv ? pmask_ : LaneMask();
        default:
            return pmask_;
        }
    }

    void jump() {
        kind(StepEvent::Kind::kBranch);
        const LaneMask j = jumping();
        result_.event.jumped = j;
        if (result_.fault || j.none()) {
            return next();
        }
        for_each_lane(j, [&](unsigned t) {
            if (target(t) % kInstructionBytes != 0 || target(t) >= program_bytes_) {
                raise(Fault::kIllegalTarget);
            }
        });
        if (result_.fault) {
            return;
        }
        const bool all = j == s_.active;
        const LaneMask others = (readings_.d5 ? s_.valid : s_.active) & ~j;
        const LaneMask assigned = readings_.d5 && all && insn_.form == Form::kR ? s_.valid : j;
        for_each_lane(assigned, [&](unsigned t) { s_.rpc[t] = target(t); });
        if (!all && config_.branch_order == BranchOrder::kFallThroughFirst) {
            s_.active = others;
            next();
        } else {
            if (!all) {
                set_rpc(others, s_.active_pc + kInstructionBytes);
            }
            s_.active_pc = elected_pc(j);
            s_.active = threads_at(s_.active_pc, j);
        }
        result_.event.split = s_.active != old_;
    }

    // --- convergence barriers ----------------------------------------------------------------------------------------

    void bmov() {
        if (insn_.form == Form::kX) {
            const LaneMask value = b();
            if (insn_.mod[0] == 1 && pmask_.any()) { // .CLEAR
                b() = LaneMask();
            }
            return write(value.bits());
        }
        if (pmask_.any()) {
            b() = LaneMask(static_cast<std::uint32_t>(operands_.vectors[0][pmask_.lowest()])) & s_.valid;
        }
        next();
    }

    void bsync() {
        kind(StepEvent::Kind::kSync);
        const LaneMask arrive = s_.active | arrived_here();
        b() &= s_.valid & ~(readings_.d7 ? s_.active : arrive);
        if (b().none()) {
            return release(arrive, ReleaseKind::kComplete);
        }
        const bool seed = config_.bsync_spec_literal;
        if (turn_given_ && !seed && !readings_.d14) {
            if ((s_.turn & s_.active).any()) {
                return release(arrive, ReleaseKind::kTurn);
            }
            s_.turn |= s_.active;
        }
        LaneMask c = s_.valid & ~arrive & ~s_.yield;
        const bool nobody = readings_.d3 && all_asleep(c);
        c &= ~s_.sleep;
        if (!seed) {
            c &= ~s_.wait;
        }
        if (nobody || c.none()) {
            const bool sleeps = (b() & s_.sleep).any();
            const bool yielded = (b() & s_.yield).any();
            return release(arrive, sleeps    ? ReleaseKind::kSleep
                                   : yielded ? ReleaseKind::kYield
                                             : ReleaseKind::kBlocked);
        }
        set_rpc(s_.active, s_.active_pc);
        s_.wait |= s_.active;
        s_.wait_bar |= s_.active;
        const LaneMask m = (c & b()).any() ? c & b() : c;
        s_.active_pc = elected_pc(m);
        s_.active = threads_at(s_.active_pc, m);
    }

    void release(LaneMask arrive, ReleaseKind why) {
        const bool early = why != ReleaseKind::kComplete;
        s_.yield &= ~(readings_.d18 && early ? s_.active : arrive);
        s_.turn &= ~arrive;
        s_.active = arrive;
        next();
        result_.event.passed = true;
        result_.event.release = why;
    }

    // --- WARPSYNC ----------------------------------------------------------------------------------------------------

    void warpsync() {
        kind(StepEvent::Kind::kSync);
        const LaneMask guard = readings_.d15 ? LaneMask::all() : operands_.guard & operands_.guard_pp;
        const LaneMask arrive = s_.active | (arrived_here() & guard);
        std::array<LaneMask, kLanes> m;
        for (unsigned t = 0; t < kLanes; ++t) {
            m[t] = mask_operand(t) & s_.valid;
            if (s_.active.test(t) && !m[t].test(t)) {
                return raise(Fault::kWarpSyncMembership);
            }
        }
        const bool by_thread = insn_.form == Form::kR;
        LaneMask wanted;
        for (unsigned t = 0; t < kLanes; ++t) {
            if (!arrive.test(t)) {
                continue;
            }
            bool ready = m[t].any() && arrive.contains(m[t]) && (m[t].test(t) || !by_thread);
            for_each_lane(m[t], [&](unsigned other) { ready = ready && (readings_.d16 || m[other] == m[t]); });
            if (ready) {
                set_rpc(s_.active & ~m[t], s_.active_pc);
                s_.active = m[t];
                result_.event.passed = true;
                return next();
            }
            wanted |= m[t];
        }
        const LaneMask pool = wanted & ~arrive;
        if (pool.none()) {
            return raise(Fault::kWarpSyncMembership);
        }
        block(pool, arrive, by_thread);
    }

    void block(LaneMask pool, LaneMask arrive, bool widen) {
        set_rpc(s_.active, s_.active_pc);
        s_.wait |= s_.active;
        const LaneMask fresh = s_.valid & ~s_.wait & ~s_.sleep;
        const LaneMask parked = s_.wait_bar & ~s_.sleep;
        LaneMask choice = pool;
        if (!readings_.d17) {
            const auto order = {pool & fresh, fresh & ~arrive, pool & parked, parked, s_.sleep};
            const auto *first = std::ranges::find_if(order, &LaneMask::any);
            if (first == order.end()) {
                return raise(Fault::kSyncDeadlock);
            }
            choice = *first;
        }
        elect(choice, widen ? std::optional(s_.valid) : std::nullopt);
    }

    // --- YIELD, NANOSLEEP, EXIT --------------------------------------------------------------------------------------

    void yield() {
        if (s_.active == s_.valid) {
            kind(StepEvent::Kind::kYieldConverged);
            return next();
        }
        kind(StepEvent::Kind::kYield);
        give_turn(true);
    }

    void give_turn(bool yields) {
        const LaneMask others = inactive();
        const auto keep_turns = [&] {
            s_.switch_set &= inactive();
            s_.switch_set = s_.switch_set.any() ? s_.switch_set : inactive();
        };
        keep_turns();
        LaneMask pool = s_.switch_set;
        if (!readings_.d9 && s_.sleep.contains(pool) && !s_.sleep.contains(others)) {
            pool = others;
        }
        set_rpc(old_, readings_.d10 ? s_.active_pc : s_.active_pc + kInstructionBytes);
        if (yields) {
            s_.yield |= old_;
        }
        elect(pool, others);
        keep_turns();
        warp_.turn_given = true;
    }

    void nanosleep() {
        std::uint32_t d = ~std::uint32_t{0};
        for_each_lane(s_.active, [&](unsigned t) { d = std::min(d, static_cast<std::uint32_t>(operand(t))); });
        if (d == 0) {
            return next();
        }
        kind(StepEvent::Kind::kSleep);
        result_.sleep_ns = d;
        if (!readings_.d12) {
            s_.sleep |= s_.active;
        }
        if (s_.active == s_.valid) {
            result_.outcome = Outcome::kSleep;
            return next();
        }
        give_turn(config_.nanosleep_sets_yield);
    }

    void exit() {
        kind(StepEvent::Kind::kExit);
        for (LaneMask *mask :
             {&s_.valid, &s_.active, &s_.yield, &s_.sleep, &s_.switch_set, &s_.wait, &s_.wait_bar, &s_.turn}) {
            *mask &= ~pmask_;
        }
        if (!readings_.d2) {
            for (LaneMask &barrier : s_.b) {
                barrier &= ~pmask_;
            }
        }
        if (s_.active.any()) {
            next();
        } else if (s_.valid.any()) {
            elect(s_.valid, s_.valid);
        } else {
            result_.outcome = Outcome::kExited;
        }
    }

    // --- the others --------------------------------------------------------------------------------------------------

    void trap() {
        if (pmask_.none()) {
            return next();
        }
        const auto handler = static_cast<Pc>(config_.trap_handler);
        if (config_.trap_handler < 0) {
            return raise(Fault::kTrap);
        }
        if (warp_.trap.in_handler) {
            return raise(Fault::kIllegalTrap);
        }
        if (handler % kInstructionBytes != 0 || handler >= program_bytes_) {
            return raise(Fault::kIllegalTarget);
        }
        const auto index = static_cast<std::uint32_t>(operand(pmask_.lowest()));
        warp_.trap = {true, s_.active_pc + kInstructionBytes, index};
        s_.active_pc = handler;
    }

    void rtt() {
        if (pmask_.none()) {
            return next();
        }
        if (!warp_.trap.in_handler) {
            return raise(Fault::kIllegalTrap);
        }
        s_.active_pc = warp_.trap.return_pc;
        warp_.trap = {};
    }

    WarpControl &warp_;
    bru::convergence_barrier::ControlState &s_;
    const isa::Instruction &insn_;
    const Operands &operands_;
    const BruConfig &config_;
    const Pc program_bytes_;
    const RejectedReadings &readings_;
    bool turn_given_ = false; ///< this is the first instruction after a YIELD or NANOSLEEP that switched to it
    LaneMask old_;            ///< ActiveMask before
    LaneMask pmask_;
    StepResult result_;
};

} // namespace

StepResult execute_step(WarpControl &warp, const isa::Instruction &insn, const Operands &operands,
                        const BruConfig &config, Pc program_bytes, const RejectedReadings &readings) {
    return Step(warp, insn, operands, config, program_bytes, readings).run();
}

void timer_fires(WarpControl &warp) {
    warp.state.sleep = warp.state.wait = warp.state.wait_bar = LaneMask();
}

} // namespace smsim::independent_rules
