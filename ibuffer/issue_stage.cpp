#include "ibuffer/issue_stage.h"

#include <algorithm>
#include <bit>

namespace smsim::ibuffer {
namespace {

constexpr WarpSet bit(unsigned warp) {
    return WarpSet{1} << warp;
}

} // namespace

IssueStage::IssueStage(const Config &config, unsigned sub_partition, IssuePorts &ports)
    : config_(config), pipes_(config), ports_(ports), sub_partition_(sub_partition),
      count_(config.sm.warps_per_sub_partition), depth_(config.ibuffer.depth),
      policy_(make_issue_policy(config.ibuffer, config.sm.warps_per_sub_partition)), warps_(count_),
      buffers_(static_cast<std::size_t>(count_) * depth_), wake_(count_, kNever), ages_(count_, 0) {}

// --- messages ------------------------------------------------------------------------------------------------------

void IssueStage::start(unsigned index, const WarpStart &start, Cycle at) {
    Warp &warp = warps_[index];
    warp = Warp{};
    warp.resident = true;
    if (const std::size_t places = start.code_bytes / kInstructionBytes + 1; pcs_.size() < places) {
        pcs_.resize(places);
    }
    warp.start = start;
    warp.state = WarpState::kFetching;
    warp.reason = StallReason::kNoInstruction;
    warp.since = at;
    warp.stall_until = at;
    warp.pc = start.entry;
    warp.fetch_pc = start.entry;
    warp.charge_pc = static_cast<std::uint32_t>(start.entry / kInstructionBytes);
    warp.active = start.valid;
    warp.stats.slot = start.warp;
    warp.stats.sub_partition = sub_partition_;
    warp.stats.cta_number = start.cta_number;
    warp.stats.warp_in_cta = start.warp_in_cta;
    warp.stats.start = at;
    // The hold keeps the fetch unit away until the warp's life begins.
    warp.hold = Hold::kBranch;
    warp.hold_until = at;
    ages_[index] = start.age;
    wake_[index] = at;
}

void IssueStage::answered(unsigned index, const isa::Instruction &insn, Outcome outcome, Pc next_pc,
                          LaneMask next_active, Cycle at) {
    Warp &warp = warps_[index];
    if (insn.unit == isa::Unit::kLoadStore) {
        if (insn.wsb != isa::kNoScoreboard) {
            warp.scoreboards.release_at(insn.wsb, is_long(insn), at);
        }
        if (!insn.spec().has(isa::kConstant)) {
            warp.scoreboards.release_memory_at(at);
        }
    } else if (insn.spec().has(isa::kMayJump)) {
        // The buffer keeps the old path until `at`: what the fetch unit does before must not depend on whether this
        // message or the step of the cycle came first.
        warp.redirect_at_end = true;
        warp.after = outcome;
        warp.hold_until = at;
        if (outcome != Outcome::kExited) {
            warp.pc = next_pc;
            warp.active = next_active;
        }
        warp.fall_through = insn.pc + kInstructionBytes;
    } else if (isa::waits_at_barrier(insn)) {
        warp.barrier_answered = true;
        if (outcome == Outcome::kContinue) {
            warp.hold_until = at;
        } else {
            // Blocked: only a wake ends it, and it may be here already.
            warp.hold_until = warp.wake_at == kNever ? kNever : std::max(warp.wake_at, at);
            warp.wake_at = kNever;
        }
    } else {
        if (insn.wsb != isa::kNoScoreboard) {
            warp.scoreboards.release_at(insn.wsb, is_long(insn), at);
        }
        warp.scoreboards.release_answer_at(at);
    }
    wake_by(index, at);
}

void IssueStage::fetched(unsigned index, std::uint64_t ticket, const isa::Instruction *insn, Cycle at) {
    Warp &warp = warps_[index];
    for (unsigned i = 0; i < warp.fill; ++i) {
        Entry &waiting = entry(index, i);
        if (waiting.ticket == ticket && waiting.ready == kNever) {
            waiting.insn = insn;
            waiting.ready = at;
            if (insn == nullptr) {
                warp.end_known_at = at;
            }
            wake_by(index, at);
            return;
        }
    }
}

void IssueStage::sources_read(unsigned index, const isa::Instruction &insn, Cycle at) {
    if (insn.rsb != isa::kNoScoreboard) {
        warps_[index].scoreboards.release_at(insn.rsb, false, at);
        wake_by(index, at);
    }
}

bool IssueStage::placed(unsigned index, Cycle at) {
    Warp &warp = warps_[index];
    --warp.unplaced;
    warp.placed_at = std::max(warp.placed_at, at);
    if (warp.hold != Hold::kExit || warp.unplaced != 0) {
        return false; // nobody waits for it: `drain_exited` looks when EXIT has been executed
    }
    wake_by(index, at);
    return true;
}

void IssueStage::unit_ready(isa::Unit unit, Cycle at) {
    const auto number = static_cast<std::size_t>(unit);
    unit_free_[number] = at;
    for (WarpSet set = unit_waiters_[number]; set != 0; set &= set - 1) {
        wake_by(static_cast<unsigned>(std::countr_zero(set)), at);
    }
}

void IssueStage::wake(unsigned index, Cycle at) {
    Warp &warp = warps_[index];
    if (!warp.resident) {
        return;
    }
    const bool waits = warp.hold == Hold::kSleep || (warp.hold == Hold::kBarrier && warp.barrier_answered);
    if (waits && warp.hold_until == kNever) {
        warp.hold_until = at;
    } else {
        warp.wake_at = at;
    }
    wake_by(index, at);
}

// --- time ----------------------------------------------------------------------------------------------------------

void IssueStage::step(Cycle now) {
    last_step_ = now;
    if (faulted_) {
        return;
    }
    if (over_time_.boundary() <= now) {
        advance_intervals(now);
    }
    for (unsigned i = 0; i < count_; ++i) {
        if (wake_[i] <= now) {
            evaluate(i, now);
        }
    }
    issue_one(now);
    fetch(now);
}

Cycle IssueStage::next_wake() const {
    if (faulted_) {
        return kNever;
    }
    if (ready_ != 0) {
        return last_step_ + 1;
    }
    Cycle next = fetchable_ != 0 && fetch_open_at_ != kNever ? std::max(last_step_ + 1, fetch_open_at_) : kNever;
    for (const Cycle at : wake_) {
        next = at < next ? at : next;
    }
    return next;
}

void IssueStage::close(Cycle now) {
    advance_intervals(now);
    for (Warp &warp : warps_) {
        if (warp.resident && warp.since <= now) {
            charge(warp, now);
            warp.stats.end = now;
            finished_.push_back(warp.stats);
            warp.resident = false;
        }
    }
}

void IssueStage::clear_statistics(Cycle now) {
    pcs_.clear();
    finished_.clear();
    over_time_ = IntervalCounters(now);
    fetches_discarded_ = 0;
    issued_ = 0;
}

// --- state machine -------------------------------------------------------------------------------------------------

void IssueStage::charge(Warp &warp, Cycle now) {
    const Cycle cycles = now - warp.since;
    if (cycles == 0) {
        return;
    }
    const auto reason = static_cast<std::size_t>(warp.reason);
    warp.stats.stalls[reason] += cycles;
    warp.stats.states[static_cast<std::size_t>(warp.state)] += cycles;
    pcs_[warp.charge_pc].stalls[reason] += cycles;
    over_time_.present().stalls[reason] += cycles;
    warp.since = now;
}

// A charge never crosses an interval of the counters over time: what is open at a boundary is charged up to it first.
// States change in `step` and `close` only, so that each has lasted to every boundary passed since.
void IssueStage::advance_intervals(Cycle now) {
    for (Cycle boundary = over_time_.boundary(); boundary <= now; boundary = over_time_.boundary()) {
        for (Warp &warp : warps_) {
            if (warp.resident && warp.since < boundary) {
                charge(warp, boundary);
            }
        }
        over_time_.advance();
    }
}

void IssueStage::become(Warp &warp, WarpState state, StallReason reason, std::uint32_t charge_pc, Cycle now) {
    if (warp.state == state && warp.reason == reason && warp.charge_pc == charge_pc) {
        return;
    }
    charge(warp, now);
    warp.state = state;
    warp.reason = reason;
    warp.charge_pc = charge_pc;
    if (observer_ != nullptr) {
        tell_state(warp, now);
    }
}

bool IssueStage::leave_hold(Warp &warp, unsigned index) {
    if (warp.hold == Hold::kBranch && warp.redirect_at_end) {
        warp.redirect_at_end = false;
        if (warp.after == Outcome::kExited || warp.pc != warp.fall_through) {
            flush(warp, index, warp.pc);
            warp.fetch_ended = warp.after == Outcome::kExited;
        }
    }
    if (warp.hold == Hold::kBranch && warp.after == Outcome::kSleep) {
        warp.hold = Hold::kSleep;
        warp.after = Outcome::kContinue;
        warp.hold_until = warp.wake_at;
        warp.wake_at = kNever;
        update_fetch(index);
        return false;
    }
    if (warp.hold == Hold::kBranch && warp.after == Outcome::kExited) {
        warp.hold = Hold::kExit;
        warp.hold_until = kNever;
        return false;
    }
    warp.hold = Hold::kNone;
    warp.hold_until = kNever;
    update_fetch(index);
    return true;
}

void IssueStage::evaluate(unsigned index, Cycle now) {
    Warp &warp = warps_[index];
    wake_[index] = kNever;
    ready_ &= ~bit(index);
    long_stalled_ &= ~bit(index);
    if (!warp.resident) {
        return;
    }
    warp.scoreboards.advance(now);
    if (warp.end_known_at <= now) {
        warp.end_known_at = kNever;
        warp.fetch_ended = true;
        update_fetch(index);
    }
    while (warp.hold != Hold::kNone && warp.hold_until <= now) {
        leave_hold(warp, index);
    }
    switch (warp.hold) {
    case Hold::kNone:
        break;
    case Hold::kBranch:
        // Before the warp's first cycle the same hold stands for "not yet started".
        if (warp.stats.instructions != 0) {
            become(warp, WarpState::kBranch, StallReason::kBranchResolve, warp.charge_pc, now);
        }
        wake_[index] = warp.hold_until;
        return;
    case Hold::kBarrier:
        become(warp, WarpState::kBarrier, StallReason::kBarrier, warp.charge_pc, now);
        long_stalled_ |= bit(index);
        wake_[index] = warp.hold_until;
        return;
    case Hold::kSleep:
        become(warp, WarpState::kSleeping, StallReason::kSleeping, warp.charge_pc, now);
        long_stalled_ |= bit(index);
        wake_[index] = warp.hold_until;
        return;
    case Hold::kMembar:
        become(warp, WarpState::kMemoryDrain, StallReason::kMembar, warp.charge_pc, now);
        long_stalled_ |= bit(index);
        wake_[index] = warp.hold_until;
        return;
    case Hold::kExit:
        drain_exited(warp, index, now);
        return;
    }

    const auto here = static_cast<std::uint32_t>(warp.pc / kInstructionBytes);
    if (now < warp.stall_until) {
        become(warp, WarpState::kStalled, StallReason::kWait, here, now);
        wake_[index] = warp.stall_until;
        return;
    }
    if (warp.fill == 0) {
        become(warp, WarpState::kFetching, StallReason::kNoInstruction, here, now);
        return;
    }
    const Entry &head = entry(index, 0);
    if (head.ready > now) {
        become(warp, WarpState::kFetching, StallReason::kNoInstruction, here, now);
        wake_[index] = head.ready;
        return;
    }
    if (head.insn == nullptr) {
        charge(warp, now);
        faulted_ = true;
        ports_.ran_past_end(index, warp.pc, warp.active);
        return;
    }
    const isa::Instruction &insn = *head.insn;
    if (insn.req != 0) {
        const Scoreboards::Wait wait = warp.scoreboards.waits_for(insn.req, now);
        if (wait != Scoreboards::Wait::kNone) {
            const bool is_far = wait == Scoreboards::Wait::kLong;
            become(warp, WarpState::kWaitScoreboard,
                   is_far ? StallReason::kLongScoreboard : StallReason::kShortScoreboard, here, now);
            if (is_far) {
                long_stalled_ |= bit(index);
            }
            wake_[index] = std::min(warp.scoreboards.next_release(), warp.scoreboards.next_visible(insn.req, now));
            return;
        }
        wake_[index] = warp.scoreboards.next_visible(insn.req, now);
    }
    if (warp.scoreboards.outstanding_memory() != 0 && isa::drains_memory(insn)) {
        become(warp, WarpState::kMemoryDrain, StallReason::kMembar, here, now);
        long_stalled_ |= bit(index);
        wake_[index] = warp.scoreboards.next_release();
        return;
    }
    if (warp.passed_over_since == kNever) {
        warp.passed_over_since = now;
        passed_over_ |= bit(index);
    }
    const auto unit = static_cast<std::size_t>(insn.unit);
    if (unit_free_[unit] > now) {
        become(warp, WarpState::kWaitUnit, timing::pipe_spec(insn.unit).throttle, here, now);
        unit_waiters_[unit] |= bit(index);
        wake_by(index, unit_free_[unit]);
        return;
    }
    unit_waiters_[unit] &= ~bit(index);
    become(warp, WarpState::kReady, StallReason::kNotSelected, here, now);
    ready_ |= bit(index);
}

void IssueStage::drain_exited(Warp &warp, unsigned index, Cycle now) {
    const bool performed = warp.scoreboards.idle(); // and hence placed
    const bool in_order = performed || (warp.unplaced == 0 && warp.placed_at <= now);
    if (!warp.exit_told && in_order && !warp.scoreboards.awaits_answer()) {
        warp.exit_told = true;
        ports_.exited(index);
    }
    if (performed) {
        finish(warp, index, now);
        return;
    }
    become(warp, WarpState::kMemoryDrain, StallReason::kMembar, warp.charge_pc, now);
    wake_[index] = warp.scoreboards.next_release();
    if (warp.unplaced == 0 && !in_order) {
        wake_by(index, warp.placed_at);
    }
}

void IssueStage::finish(Warp &warp, unsigned index, Cycle now) {
    charge(warp, now);
    warp.state = WarpState::kExited;
    warp.resident = false;
    warp.stats.end = now;
    finished_.push_back(warp.stats);
    if (observer_ != nullptr) {
        observer_->observe(now, observation::WarpEnded{now, warp.start.warp});
    }
    update_fetch(index);
    if (last_ == index) {
        last_ = kNoWarp;
    }
    ports_.ended(index);
}

// --- issue ---------------------------------------------------------------------------------------------------------

// Greedy policies starve warps as long as others of their kind spin, and the one passed over may be the one that the
// others wait for.
unsigned IssueStage::starved(Cycle now) {
    const Cycle limit = config_.ibuffer.starvation_limit;
    if (limit == 0 || now < starvation_check_) {
        return kNoWarp;
    }
    unsigned longest = kNoWarp;
    Cycle earliest = now;
    for (WarpSet set = passed_over_; set != 0; set &= set - 1) {
        const auto index = static_cast<unsigned>(std::countr_zero(set));
        const Cycle since = warps_[index].passed_over_since;
        earliest = std::min(earliest, since);
        const bool is_longest = longest == kNoWarp || since < warps_[longest].passed_over_since;
        if (since + limit <= now && (ready_ & bit(index)) != 0 && is_longest) {
            longest = index;
        }
    }
    starvation_check_ = earliest + limit;
    return longest;
}

unsigned IssueStage::choose(Cycle now) {
    if (const unsigned index = starved(now); index != kNoWarp) {
        return index;
    }
    PolicyView view;
    view.ready = ready_;
    view.long_stalled = long_stalled_;
    view.last = last_;
    view.last_yields = last_yields_;
    view.ages = ages_;
    return policy_->select(view);
}

void IssueStage::issue_one(Cycle now) {
    if (ready_ == 0) {
        return;
    }
    const unsigned index = choose(now);
    Warp &warp = warps_[index];
    const Entry &from = entry(index, 0); // not overwritten before the next fetch
    const isa::Instruction &insn = *from.insn;

    become(warp, WarpState::kReady, StallReason::kSelected, static_cast<std::uint32_t>(warp.pc / kInstructionBytes),
           now);
    ready_ &= ~bit(index);
    passed_over_ &= ~bit(index);
    warp.passed_over_since = kNever;
    wake_[index] = now + 1;
    warp.head = static_cast<std::uint8_t>((warp.head + 1) % depth_);
    --warp.fill;
    last_ = index;
    last_yields_ = insn.yield;
    warp.stall_until = now + insn.stall_cycles();

    const IssuePorts::Issued issued = ports_.issue(index, insn, warp.active, warp.stats.instructions);
    if (observer_ != nullptr) {
        tell_issued(warp, from, issued, now);
    }
    ++issued_;
    PcStats &pc = pcs_[warp.charge_pc];
    ++pc.issues;
    pc.active_lanes += warp.active.count();
    const unsigned executed = issued.executed.count();
    pc.executed_lanes += executed;
    ++warp.stats.instructions;
    warp.last_issue = now;
    warp.stats.thread_instructions += executed;
    IntervalCounters::Interval &interval = over_time_.present();
    ++interval.instructions;
    interval.thread_instructions += executed;

    if (issued.kind == IssuePorts::Issued::Kind::kFault) {
        faulted_ = true;
        return;
    }
    warp.pc += kInstructionBytes;
    update_fetch(index);

    const bool done = issued.kind == IssuePorts::Issued::Kind::kDone;
    const auto unit = static_cast<std::size_t>(insn.unit);
    if (issued.kind == IssuePorts::Issued::Kind::kQueueFull) {
        unit_free_[unit] = kNever;
    } else if (issued.interval > 1) {
        unit_free_[unit] = now + issued.interval;
    }
    if (unit_free_[unit] > now + 1) {
        // Whoever is ready for this unit must find out that it is busy.
        for (WarpSet set = ready_; set != 0; set &= set - 1) {
            const auto other = static_cast<unsigned>(std::countr_zero(set));
            if (entry(other, 0).insn->unit == insn.unit) {
                wake_by(other, now + 1);
            }
        }
    }

    if (insn.wsb != isa::kNoScoreboard) {
        warp.scoreboards.hold(insn.wsb, is_long(insn), now);
        if (done) {
            warp.scoreboards.release_at(insn.wsb, is_long(insn), issued.result_at);
        }
    }
    if (insn.rsb != isa::kNoScoreboard) {
        warp.scoreboards.hold(insn.rsb, false, now);
        if (!timing::pipe_spec(insn.unit).reads_late || done) {
            warp.scoreboards.release_at(insn.rsb, false, now + 2);
        }
    }
    const isa::OpSpec &spec = insn.spec();
    if (insn.unit == isa::Unit::kLoadStore && !spec.has(isa::kConstant)) {
        warp.scoreboards.hold_memory();
        if (done) {
            warp.scoreboards.release_memory_at(issued.result_at);
        } else {
            ++warp.unplaced;
        }
    }
    if (spec.has(isa::kMayJump)) {
        warp.hold = Hold::kBranch;
        warp.hold_until = kNever;
        if (done) {
            follow_control(warp, index, insn, issued.outcome, issued.next_pc, issued.next_active, issued.result_at);
        }
    } else if (isa::waits_at_barrier(insn)) {
        warp.hold = Hold::kBarrier;
        warp.barrier_answered = done;
        warp.hold_until = done && issued.outcome == Outcome::kContinue ? issued.result_at : kNever;
    } else if (spec.has(isa::kFence) && issued.executed.any()) {
        warp.hold = Hold::kMembar;
        warp.hold_until = now + pipes_.fence(static_cast<isa::Scope>(insn.mod[0]));
    } else if (!done && insn.unit != isa::Unit::kLoadStore) {
        warp.scoreboards.hold_answer();
    }
}

void IssueStage::tell_state(const Warp &warp, Cycle now) {
    observer_->observe(now, observation::StateChanged{now, warp.start.warp, warp.state, warp.reason,
                                                      warp.charge_pc * kInstructionBytes});
}

void IssueStage::tell_fetched(const Warp &warp, const IssuePorts::Fetched &fetched, Cycle now) {
    const WarpSlot slot = warp.start.warp;
    observer_->observe(now, observation::FetchStarted{now, slot, fetched.ticket, warp.fetch_pc});
    if (fetched.ready != kNever) {
        observer_->observe(now, observation::FetchEnded{fetched.ready, slot, fetched.ticket});
    }
}

void IssueStage::tell_issued(const Warp &warp, const Entry &from, const IssuePorts::Issued &issued, Cycle now) {
    const WarpSlot slot = warp.start.warp;
    const std::uint64_t sequence = warp.stats.instructions;
    observer_->observe(now, observation::InstructionIssued{now, slot, from.ticket, sequence, from.insn->pc, warp.active,
                                                           issued.executed});
    if (issued.kind == IssuePorts::Issued::Kind::kDone) {
        const bool blocked = issued.outcome == Outcome::kBlocked;
        observer_->observe(now, observation::InstructionCompleted{issued.result_at, slot, sequence, blocked});
    }
}

void IssueStage::follow_control(Warp &warp, unsigned index, const isa::Instruction &insn, Outcome outcome, Pc next_pc,
                                LaneMask next_active, Cycle at) {
    warp.hold = Hold::kBranch;
    warp.after = outcome;
    warp.hold_until = at;
    if (outcome == Outcome::kExited) {
        flush(warp, index, warp.pc);
        warp.fetch_ended = true;
        update_fetch(index);
        return;
    }
    warp.active = next_active;
    if (next_pc != insn.pc + kInstructionBytes) {
        flush(warp, index, next_pc);
    }
    warp.pc = next_pc;
}

bool IssueStage::is_long(const isa::Instruction &insn) {
    return (insn.spec().flags & (isa::kGlobal | isa::kLocal)) != 0;
}

// --- fetch ---------------------------------------------------------------------------------------------------------

void IssueStage::flush(Warp &warp, unsigned index, Pc pc) {
    for (unsigned i = 0; i < warp.fill; ++i) {
        fetches_discarded_ += entry(index, i).insn != nullptr ? 1U : 0U;
        if (observer_ != nullptr) { // the buffer is only emptied within a step
            observer_->observe(last_step_,
                               observation::FetchDiscarded{last_step_, warp.start.warp, entry(index, i).ticket});
        }
    }
    warp.head = 0;
    warp.fill = 0;
    warp.fetch_pc = pc;
    warp.fetch_ended = false;
    warp.end_known_at = kNever;
    warp.last_fetch_ready = 0;
    // Nothing is fetched on the new path before the branch has been resolved.
    fetchable_ &= ~bit(index);
    starving_ &= ~bit(index);
}

void IssueStage::update_fetch(unsigned index) {
    const Warp &warp = warps_[index];
    const bool redirected =
        warp.hold == Hold::kBranch && warp.fill == 0 && warp.hold_until != kNever && !warp.redirect_at_end;
    const bool room = warp.resident && !warp.fetch_ended && warp.fill < depth_ && !redirected;
    fetchable_ = room ? fetchable_ | bit(index) : fetchable_ & ~bit(index);
    starving_ = room && warp.fill == 0 ? starving_ | bit(index) : starving_ & ~bit(index);
}

void IssueStage::fetch(Cycle now) {
    for (unsigned n = 0; n < config_.ibuffer.fetch_per_cycle && fetchable_ != 0 && now >= fetch_open_at_; ++n) {
        // Greedy with the issue pointer; then those that have nothing, then in cyclic order.
        unsigned index = last_;
        if (index == kNoWarp || (fetchable_ & bit(index)) == 0) {
            const WarpSet set = starving_ != 0 ? starving_ : fetchable_;
            const WarpSet after = last_ == kNoWarp || last_ >= 63 ? 0 : set & ~(bit(last_ + 1) - 1);
            index = static_cast<unsigned>(std::countr_zero(after != 0 ? after : set));
        }
        Warp &warp = warps_[index];
        IssuePorts::Fetched fetched = ports_.fetch(index, warp.fetch_pc);
        // Instructions enter the buffer in order, also when an earlier one had to be brought from further away.
        fetched.ready = std::max({fetched.ready, warp.last_fetch_ready, now + 1});
        if (fetched.ready != kNever) {
            warp.last_fetch_ready = fetched.ready;
        }
        entry(index, warp.fill) = {fetched.insn, fetched.ready, fetched.ticket};
        ++warp.fill;
        if (observer_ != nullptr) {
            tell_fetched(warp, fetched, now);
        }
        warp.fetch_pc += kInstructionBytes;
        warp.fetch_ended = fetched.insn == nullptr && fetched.ready != kNever;
        if (warp.fill == 1 && warp.hold == Hold::kNone) {
            wake_by(index, fetched.ready);
        }
        update_fetch(index);
    }
}

} // namespace smsim::ibuffer
