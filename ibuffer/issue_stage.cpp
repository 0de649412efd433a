// Messages, the state of a warp in a cycle, and the issue of one instruction.
#include "ibuffer/issue_stage.h"

#include <algorithm>

#include "ibuffer/stage_facts.h"
#include "model/config/config.h"
#include "model/state/warp_resume.h"

namespace smsim::ibuffer {
namespace {

/// Whether waits for the result of such an operation are long: global and local memory.
bool is_far(const isa::OpSpec &spec) {
    return (spec.flags & (isa::kGlobal | isa::kLocal)) != 0;
}

constexpr std::uint32_t index_of(Pc pc) {
    return static_cast<std::uint32_t>(pc / kInstructionBytes);
}

/// Who holds the scoreboard of `hold`.
Producer producer_of(const Warp &warp, const Hold &hold) {
    return {warp.holders[hold.scoreboard], hold.scoreboard};
}

} // namespace

IssueStage::IssueStage(const Config &config, unsigned sub_partition, IssuePorts &ports)
    : IssueStage(config, sub_partition, ports, make_issue_policy(config.ibuffer, config.sm.warps_per_sub_partition)) {}

IssueStage::IssueStage(const Config &config, unsigned sub_partition, IssuePorts &ports,
                       std::unique_ptr<IssuePolicy> policy)
    : ports_(ports), pipes_(config), sub_partition_(sub_partition), count_(config.sm.warps_per_sub_partition),
      fetch_per_cycle_(config.ibuffer.fetch_per_cycle * config.ibuffer.issue_width),
      issue_width_(config.ibuffer.issue_width), warps_(count_), wake_(count_),
      buffers_(count_, config.ibuffer.depth, config.ibuffer.fetch_policy),
      redirect_(config.ibuffer, config.icache, count_), fetches_behind_branch_(config.ibuffer.fetch_behind_branch),
      redirect_end_(config.icache.l0_latency + config.ibuffer.decode_latency),
      place_lead_{config.bcu.arrival_latency, pipes_.fence(isa::Scope::kCta)}, facts_(std::make_unique<Facts>(*this)),
      selection_(config.ibuffer, count_, std::move(policy)), latches_(pipes_, count_), constants_(config.constants),
      reads_(config.register_file, config.ibuffer.issue_width), writes_(config.register_file, config.pipes),
      passes_registers_(reads_.limits() || writes_.conflicts()), accounts_(count_, latches_), told_(count_) {
    selection_.show(*facts_);
}

IssueStage::~IssueStage() = default;

void IssueStage::observe(observation::Observer *observer) {
    observer_ = observer;
    buffers_.observe(observer);
}

// --- messages ------------------------------------------------------------------------------------------------------

void IssueStage::start(unsigned index, const WarpStart &start, Cycle at) {
    Warp &warp = warps_[index];
    warp = Warp{};
    warp.start = start;
    warp.stall_until = at;
    warp.pc = start.entry;
    warp.active = start.resume != nullptr ? start.resume->active : start.valid;
    warp.machine.start(at, start.resume != nullptr && start.resume->waits_at_barrier);
    buffers_.start(index, start.warp, start.entry, start.age);
    redirect_.start(index);
    selection_.start(index, start.age);
    if (PolicyEvents *events = selection_.events()) [[unlikely]] {
        events->started(index, start, at);
    }
    accounts_.start(index, start, sub_partition_, at);
    warp.start.resume = nullptr; // valid during this call only
    told_[index] = {WarpState::kFetching, StallReason::kNoInstruction};
    wake_.set(index, kNever);
    wake_by(index, at);
}

Cycle IssueStage::answered(unsigned index, const isa::Instruction &insn, Outcome outcome, Pc next_pc,
                           LaneMask next_active, Cycle at) {
    Warp &warp = warps_[index];
    const isa::OpSpec &spec = insn.spec();
    if (spec.has(isa::kMayJump)) {
        follow_control(warp, insn, outcome, next_pc, next_active, at);
        wake_by(index, at);
        return at;
    }
    if (isa::waits_at_barrier(insn)) {
        warp.machine.arrival_answered(at, outcome);
        wake_by(index, at);
        return at;
    }
    Cycle look = kNever;
    if (insn.wsb != isa::kNoScoreboard) {
        const Cycle written = writes_.conflicts() ? writes_.late(index, insn, at, last_step_) : at;
        warp.scoreboards.release_at(insn.wsb, is_far(spec), written);
        look = look_at_release(index, Scoreboards::only(insn.wsb), written);
    }
    if (spec.accesses_memory()) {
        const bool result = spec.has(isa::kReadsMemory);
        warp.scoreboards.release_memory_at(result, at);
        --warp.unanswered;
        warp.performed_at = std::max(warp.performed_at, at);
        return std::min(look, look_at_release(index, result ? Scoreboards::kLoads : Scoreboards::kStores, at));
    }
    warp.scoreboards.release_answer_at(at);
    return std::min(look, look_at_release(index, 0, at));
}

/// A release of the warp takes effect at `at`. Only a warp that waits for it by then is examined; other warps see it at
/// their next examination. An observer is notified of the states of applicants in each cycle that is stepped.
Cycle IssueStage::look_at_release(unsigned index, Scoreboards::Releases released, Cycle at) {
    const Warp &warp = warps_[index];
    const bool is_awaited = accounts_.awaits_release(index) && (warp.awaited & released) != 0;
    if (observer_ == nullptr && !is_awaited && !warp.machine.is_exiting()) {
        return kNever;
    }
    const Cycle look = std::max(at, accounts_.stalled_until(index));
    wake_by(index, look);
    return look;
}

/// `warp` waits for these: returns the next of them that is known.
Cycle IssueStage::awaited_release(Warp &warp, Scoreboards::Releases awaited) {
    warp.awaited = awaited;
    return observer_ == nullptr ? warp.scoreboards.next_release(awaited) : warp.scoreboards.next_release();
}

void IssueStage::store_performed(std::uint64_t age, Cycle at) {
    const auto found = departed_.find(age);
    Departed &warp = found->second;
    warp.performed_at = std::max(warp.performed_at, at);
    if (--warp.unanswered == 0) {
        ports_.performed(warp.start, warp.performed_at);
        departed_.erase(found);
    }
}

void IssueStage::fetched(unsigned index, std::uint64_t ticket, const isa::Instruction *insn, Cycle at, FetchCause cause,
                         Cycle now) {
    if (buffers_.answered(index, ticket, insn, at, cause)) {
        charge_fetch(index, now);
        wake_by(index, at);
    }
}

Cycle IssueStage::sources_read(unsigned index, const isa::Instruction &insn, Cycle at) {
    if (insn.rsb == isa::kNoScoreboard) {
        return kNever;
    }
    warps_[index].scoreboards.release_at(insn.rsb, false, at);
    return look_at_release(index, Scoreboards::only(insn.rsb), at);
}

Cycle IssueStage::placed(unsigned index, Cycle at, Cycle soonest) {
    Warp &warp = warps_[index];
    --warp.unplaced;
    warp.placed_at = std::max(warp.placed_at, at);
    warp.place_told = std::max(warp.place_told, soonest);
    if (warp.unplaced != 0 || !(warp.wants_place || warp.machine.is_exiting())) {
        return kNever; // nothing waits for it: an arrival, or an executed EXIT, checks by itself
    }
    const Cycle wake = warp.wants_place ? warp.arrival_from(soonest, warp.place_lead) : warp.placed_at;
    wake_by(index, wake);
    return wake;
}

Cycle IssueStage::unit_ready(isa::Unit unit, Cycle at) {
    latches_.release(unit, at);
    return latches_.has_applicants(unit) || observer_ != nullptr ? at : kNever;
}

void IssueStage::wake(unsigned index, Cycle at) {
    Warp &warp = warps_[index];
    if (warp.machine.is_resident()) {
        warp.machine.wake(at);
        warp.woken_at = at;
        wake_by(index, at);
        if (PolicyEvents *events = selection_.events()) [[unlikely]] {
            events->woken(index, at);
        }
    }
}

// --- time ----------------------------------------------------------------------------------------------------------

void IssueStage::step(Cycle now) {
    last_step_ = now;
    if (faulted_) [[unlikely]] {
        return;
    }
    accounts_.reach(now);
    latches_.reach(now);
    if (next_due_ <= now) {
        evaluate_due(now);
    }
    if (observer_ != nullptr) [[unlikely]] {
        tell_applicants(now);
    }
    if (latches_.selectable() != 0 && now >= latches_.open_at()) {
        if (issue_width_ == 1) [[likely]] {
            issue_one(latches_.selectable(), now);
        } else {
            issue_two(now);
        }
    }
    if (buffers_.wants_fetch() && now >= fetch_open_at_) {
        fetch(now);
    }
}

Cycle IssueStage::next_wake() const {
    if (faulted_) [[unlikely]] {
        return kNever;
    }
    if (latches_.selectable() != 0) {
        return std::max(last_step_ + 1, std::min(std::min(latches_.open_at(), next_due_), fetch_due()));
    }
    return std::min(std::min(latches_.next_selectable(), next_due_), fetch_due());
}

/// The next cycle in which something can be fetched.
Cycle IssueStage::fetch_due() const {
    return buffers_.wants_fetch() && fetch_open_at_ != kNever ? std::max(last_step_ + 1, fetch_open_at_) : kNever;
}

void IssueStage::close(Cycle now) {
    accounts_.reach(now);
    for (unsigned i = 0; i < count_; ++i) {
        if (accounts_.close(i, now)) {
            warps_[i].machine.end();
        }
    }
}

Cycle IssueStage::changes_until() const {
    Cycle last = 0;
    for (unsigned i = 0; i < count_; ++i) {
        last = resident(i) ? std::max(last, accounts_.changes_until(i)) : last;
    }
    return last;
}

void IssueStage::clear_statistics(Cycle now) {
    accounts_.clear(now);
    wake_to_issue_ = {};
    buffers_.clear_statistics();
    constants_.clear();
    reads_.clear(now);
    writes_.clear();
}

void IssueStage::add_use(Cycle end, UnitUses &uses) const {
    WarpAccounts::Uses own = accounts_.uses(end);
    smsim::add_use(uses, UsedUnit::kIssue, issue_width_, std::move(own.issue));
    smsim::add_use(uses, UsedUnit::kFetch, fetch_per_cycle_, std::move(own.fetch));
    for (const auto &[unit, latch] : pipes_.own_latches()) {
        smsim::add_use(uses, unit, 1, std::move(own.latches[latch]));
    }
    if (reads_.limits()) {
        smsim::add_use(uses, UsedUnit::kRegisterPorts, reads_.ports(), reads_.use(end));
    }
}

// --- state of a warp in a cycle ------------------------------------------------------------------------------------

void IssueStage::become(unsigned index, WarpState state, StallReason reason, std::uint32_t charge_pc, Cycle now) {
    if (accounts_.become(index, state, reason, charge_pc, now) && observer_ != nullptr) [[unlikely]] {
        tell_state(index, now);
    }
}

/// Charges the warp for `hold`, which begins or continues in cycle `now`.
inline void IssueStage::enter(const Warp &warp, unsigned index, const Hold &hold, Cycle now) {
    bool is_new = accounts_.become(index, hold.charge.state, hold.charge.reason, index_of(warp.pc), now);
    if (hold.kind == Hold::Kind::kScoreboard) {
        is_new = accounts_.wait_for(index, producer_of(warp, hold), now) || is_new;
    }
    if (is_new && observer_ != nullptr) [[unlikely]] {
        tell_state(index, now);
    }
    if (hold.charge.is_long) {
        selection_.set_long_stalled(index);
    }
}

/// Nothing holds the warp: it applies for the latch of its next instruction.
inline void IssueStage::apply(const Warp &warp, unsigned index, Cycle now) {
    const isa::Instruction &insn = *buffers_.head(index).insn;
    if (insn.req != 0) {
        wake_.set(index, warp.scoreboards.next_visible(insn.req, now));
    }
    selection_.set_passed_over(index, now);
    const IssueLatches::Group group = pipes_.latch_group(insn);
    latches_.join(index, group);
    const auto far = [&insn] { return insn.unit == isa::Unit::kLoadStore && is_far(insn.spec()); };
    if (accounts_.apply(index, group, index_of(warp.pc), far, now) && observer_ != nullptr) [[unlikely]] {
        tell_state(index, now);
    }
}

/// Charges a running warp for what holds it in cycle `now`, and sets the cycle in which to look at it again.
inline void IssueStage::evaluate_next(Warp &warp, unsigned index, Cycle now) {
    const Hold hold = hold_of(warp, buffers_.first(index), now, place_lead_);
    switch (hold.kind) {
    case Hold::Kind::kNothing:
        apply(warp, index, now);
        return;
    case Hold::Kind::kPastEnd:
        accounts_.charge(index, now);
        faulted_ = true;
        ports_.ran_past_end(index, warp.pc, warp.active);
        return;
    case Hold::Kind::kStall:
        enter(warp, index, hold, now);
        wake_.set(index, warp.stall_until);
        return;
    case Hold::Kind::kInstruction:
        enter(warp, index, hold, now);
        await_instruction(warp, index, now);
        return;
    case Hold::Kind::kScoreboard: {
        enter(warp, index, hold, now);
        const std::uint8_t required = buffers_.head(index).insn->req;
        wake_.set(index, std::min(awaited_release(warp, required), warp.scoreboards.next_visible(required, now)));
        return;
    }
    case Hold::Kind::kFence:
        enter(warp, index, hold, now);
        wake_.set(index, awaited_release(warp, Scoreboards::kMemory));
        return;
    case Hold::Kind::kPlace:
        enter(warp, index, hold, now);
        warp.wants_place = warp.unplaced != 0;
        warp.place_lead = place_lead_.of(*buffers_.head(index).insn);
        wake_.set(index, warp.unplaced == 0 ? warp.arrival_from(now + 1, warp.place_lead) : kNever);
        return;
    case Hold::Kind::kConstant:
        enter(warp, index, hold, now);
        wake_by(index, warp.constant_at);
        return;
    }
}

/// The next instruction is not there: when to look again, and whether to fetch.
void IssueStage::await_instruction(const Warp &warp, unsigned index, Cycle now) {
    if (now < warp.redirected_until) {
        wake_by(index, warp.redirected_until);
    } else {
        charge_fetch(index, now);
    }
    if (now < warp.fetches_from) {
        wake_by(index, warp.fetches_from);
    } else {
        buffers_.allow(index, true);
    }
    if (!buffers_.is_empty(index)) {
        wake_by(index, buffers_.head(index).ready);
    }
}

/// Updates the cause from `now` on if the warp is charged for a missing instruction.
void IssueStage::charge_fetch(unsigned index, Cycle now) {
    if (!accounts_.awaits_instruction(index)) {
        return;
    }
    FetchCause cause = buffers_.is_empty(index) ? FetchCause::kFetch : buffers_.head(index).cause;
    if (cause == FetchCause::kFetch && warps_[index].last_issue < warps_[index].jumped_at) {
        cause = FetchCause::kRedirect;
    }
    accounts_.reach(now);
    accounts_.awaits(index, cause, now);
}

void IssueStage::evaluate_due(Cycle now) {
    auto [due, next] = wake_.at(now);
    for (; due != 0; due &= due - 1) {
        const unsigned index = first_of(due);
        evaluate(index, now);
        next = std::min(next, wake_[index]);
    }
    next_due_ = next;
}

void IssueStage::evaluate(unsigned index, Cycle now) {
    Warp &warp = warps_[index];
    wake_.set(index, kNever);
    selection_.reset(index);
    latches_.leave(index);
    warp.scoreboards.advance(now);
    buffers_.reach(index, now);
    if (warp.machine.is_running() || goes_on(warp, index, now)) {
        evaluate_next(warp, index, now);
    }
    wake_by(index, buffers_.end_known_at(index));
}

/// For a warp that has not been running: true when it runs from now on; otherwise everything is done for it.
bool IssueStage::goes_on(Warp &warp, unsigned index, Cycle now) {
    if (!warp.machine.is_resident()) {
        return false;
    }
    if (warp.machine.until() <= now) {
        if (warp.machine.reach(now)) {
            buffers_.drop(index, warp.pc, now);
            warp.jumped_at = now;
            warp.fetches_from = now + redirect_.jumps(index, warp.pc);
            warp.redirected_until = redirect_.latency() == 0 ? 0 : now + redirect_.latency() + redirect_end_;
        }
        buffers_.allow(index, warp.machine.may_fetch() && warp.fetches_from <= now);
    }
    if (warp.machine.is_running()) {
        return true;
    }
    if (warp.machine.is_exiting()) {
        drain_exited(warp, index, now);
    } else {
        charge_machine(warp, index, now);
        wake_.set(index, warp.machine.until());
    }
    return false;
}

void IssueStage::charge_machine(const Warp &warp, unsigned index, Cycle now) {
    if (const std::optional<Charge> charge = warp.machine.charge()) {
        become(index, charge->state, charge->reason, accounts_.pc(index), now);
        if (charge->is_long) {
            selection_.set_long_stalled(index);
        }
    }
}

void IssueStage::drain_exited(Warp &warp, unsigned index, Cycle now) {
    const bool in_order = warp.in_order(now);
    if (!warp.exit_told && in_order && !warp.scoreboards.awaits_answer()) {
        warp.exit_told = true;
        ports_.exited(index);
    }
    if (in_order && !warp.scoreboards.awaits_result()) {
        finish(warp, index, now);
        return;
    }
    charge_machine(warp, index, now);
    wake_.set(index, warp.scoreboards.next_release());
    if (warp.unplaced == 0 && !in_order) {
        wake_by(index, warp.placed_at);
    }
}

void IssueStage::finish(Warp &warp, unsigned index, Cycle now) {
    const bool stores_left = warp.scoreboards.outstanding_memory() != 0;
    if (warp.unanswered != 0) {
        departed_[warp.start.age] = {warp.start, accounts_.instructions(index), warp.unanswered, warp.performed_at};
    }
    accounts_.end(index, now);
    warp.machine.end();
    if (observer_ != nullptr) [[unlikely]] {
        observer_->observe(now, observation::WarpEnded{now, warp.start.warp});
    }
    selection_.end(index);
    if (PolicyEvents *events = selection_.events()) [[unlikely]] {
        events->ended(index, now);
    }
    ports_.ended(index, stores_left);
    if (stores_left && warp.unanswered == 0) {
        ports_.performed(warp.start, warp.performed_at);
    }
}

// --- issue ---------------------------------------------------------------------------------------------------------

inline void IssueStage::take_latch(IssueLatches::Group group, const IssuePorts::Issued &issued, Cycle now) {
    const std::uint8_t latch = latches_.latch_of(group, now);
    issued_to_ = latch;
    if (issued.kind == IssuePorts::Issued::Kind::kQueueFull) {
        accounts_.count_pipe(latch, 0);
        latches_.take(latch, kNever, now);
        return;
    }
    accounts_.count_pipe(latch, issued.interval);
    if (issued.interval > 1) { // otherwise it is free in the next cycle
        latches_.take(latch, now + issued.interval, now);
    }
}

inline void IssueStage::hold_scoreboards(Warp &warp, unsigned index, const isa::Instruction &insn, bool long_latency,
                                         const IssuePorts::Issued &issued, Cycle now) {
    const bool done = issued.kind == IssuePorts::Issued::Kind::kDone;
    warp.scoreboards.advance(now); // it may have been an applicant for a long time
    if (insn.wsb != isa::kNoScoreboard) {
        warp.holders[insn.wsb] = index_of(insn.pc);
        warp.scoreboards.hold(insn.wsb, long_latency, now);
        if (done) {
            const Cycle written =
                writes_.conflicts() ? writes_.late(index, insn, issued.result_at, now) : issued.result_at;
            warp.scoreboards.release_at(insn.wsb, long_latency, written);
        }
    }
    if (insn.rsb != isa::kNoScoreboard) {
        warp.holders[insn.rsb] = index_of(insn.pc);
        warp.scoreboards.hold(insn.rsb, false, now);
        if (done || !timing::pipe_spec(insn.unit).reads_late) {
            warp.scoreboards.release_at(insn.rsb, false, now + 2);
        }
    }
}

/// Takes the register file ports of the instruction, where they are limited.
void IssueStage::pass_registers(unsigned index, const isa::Instruction &insn, const IssuePorts::Issued &issued,
                                Cycle now) {
    if (reads_.limits()) {
        if (const Cycle open_at = reads_.issued(index, insn, now); open_at > now + 1) {
            latches_.shut(now + 1, open_at);
        }
    }
    if (writes_.conflicts() && isa::reads_at_fixed_time(insn.unit)) {
        writes_.fixed(insn, issued.result_at, now, [&](unsigned warp, std::uint8_t scoreboard, Cycle at) {
            warps_[warp].scoreboards.postpone(scoreboard, at);
        });
    }
}

/// Two instructions of different warps in one cycle (`ibuffer.issue_width`), as far as their units differ: a unit takes
/// one instruction of a sub-partition per cycle. They share the ports of the register file.
void IssueStage::issue_two(Cycle now) {
    const WarpSet before = latches_.selectable(); // a warp that issues may apply again, but for a later cycle
    issue_one(before, now);
    paired_ = kNoWarp;
    const unsigned first = selection_.last();
    if (faulted_ || first == kNoWarp || warps_[first].last_issue != now) {
        return;
    }
    latches_.pass(issued_to_);
    if (const WarpSet others = before & latches_.selectable() & ~only(first) & ~latches_.passing(now); others != 0) {
        issue_one(others, now);
        paired_ = first;
    }
    latches_.pass(IssueLatches::kNoGroup);
}

void IssueStage::issue_one(WarpSet selectable, Cycle now) {
    const unsigned index = selection_.choose(selectable, now);
    if (index == kNoWarp) [[unlikely]] {
        return;
    }
    Warp &warp = warps_[index];
    const FetchBuffers::Entry &from = buffers_.head(index); // not overwritten before the next fetch
    const isa::Instruction &insn = *from.insn;
    const isa::OpSpec &spec = insn.spec();
    const bool may_jump = spec.has(isa::kMayJump);
    const bool arrives = isa::waits_at_barrier(insn);
    if (constants_.serves(insn) && misses_constant(warp, index, insn, now)) [[unlikely]] {
        return;
    }

    become(index, WarpState::kReady, StallReason::kSelected, index_of(warp.pc), now);
    const IssueLatches::Group group = latches_.leave(index);
    selection_.issued(index, insn, now);
    warp.stall_until = now + insn.stall_cycles();
    if (may_jump) {
        warp.machine.branch_issued();
        if (!fetches_behind_branch_) {
            buffers_.allow(index, false);
        }
    } else if (arrives) {
        warp.machine.arrival_issued();
        warp.wants_place = false;
    }

    const IssuePorts::Issued issued = ports_.issue(index, insn, warp.active, accounts_.instructions(index));
    if (observer_ != nullptr) [[unlikely]] {
        tell_issued(index, insn, from.ticket, issued, now);
    }
    accounts_.count_issue(index, warp.active, issued.executed, now);
    warp.last_issue = now;
    if (warp.woken_at != kNever) [[unlikely]] {
        wake_to_issue_.add(now - warp.woken_at);
        warp.woken_at = kNever;
    }
    if (issued.kind == IssuePorts::Issued::Kind::kFault) [[unlikely]] {
        faulted_ = true;
        return;
    }
    warp.pc += kInstructionBytes;
    buffers_.pop(index);
    take_latch(group, issued, now);
    hold_scoreboards(warp, index, insn, is_far(spec), issued, now);
    if (passes_registers_) {
        pass_registers(index, insn, issued, now);
    }

    const bool done = issued.kind == IssuePorts::Issued::Kind::kDone;
    if (spec.accesses_memory()) {
        const bool result = spec.has(isa::kReadsMemory);
        warp.scoreboards.hold_memory(result);
        if (done) {
            warp.scoreboards.release_memory_at(result, issued.result_at);
            warp.performed_at = std::max(warp.performed_at, issued.result_at);
        } else {
            ++warp.unplaced;
            ++warp.unanswered;
        }
    } else if (may_jump) {
        if (insn.op == isa::Op::kExit) {
            warp.exited |= issued.executed;
        }
        if (done) {
            follow_control(warp, insn, issued.outcome, issued.next_pc, issued.next_active, issued.result_at);
        }
    } else if (arrives) {
        if (done) {
            warp.machine.arrival_answered(issued.result_at, issued.outcome);
        }
    } else if (spec.has(isa::kFence) && issued.executed.any()) {
        warp.machine.fence_issued(now + pipes_.fence(static_cast<isa::Scope>(insn.mod[0])));
    } else if (!done) {
        warp.scoreboards.hold_answer();
    }
    look_ahead(warp, index, now);
}

/// What holds the warp after its issue is mostly known at once. It is then charged ahead, and the next cycle need not
/// be evaluated. An observer is notified of each state in its cycle, so nothing is charged ahead for it.
inline void IssueStage::look_ahead(Warp &warp, unsigned index, Cycle now) {
    const Cycle next = now + 1;
    if (observer_ != nullptr || buffers_.end_known_at(index) != kNever) [[unlikely]] {
        wake_by(index, next);
    } else if (!warp.machine.is_running()) {
        if (!foresee_machine(warp, index, next)) {
            wake_by(index, next);
        }
    } else {
        const Cycle from = std::max(warp.stall_until, next);
        if (!foresee(warp, index, hold_of(warp, buffers_.first(index), from, place_lead_), from, next)) {
            if (from > next) {
                accounts_.foresee(index, accounts_.pc(index) + 1, WarpState::kStalled, StallReason::kWait, next);
            }
            wake_by(index, from);
        }
    }
}

/// Charges the warp ahead for the unit of the issued instruction, or a fence, from cycle `next` on. False where neither
/// is certain to hold it then.
inline bool IssueStage::foresee_machine(const Warp &warp, unsigned index, Cycle next) {
    const Cycle until = warp.machine.until();
    const std::optional<Charge> charge = warp.machine.charge();
    if (until <= next || !charge) {
        return false;
    }
    accounts_.foresee(index, accounts_.pc(index), charge->state, charge->reason, next);
    if (charge->is_long) {
        selection_.set_long_stalled(index, next);
    }
    if (until != kNever) {
        wake_by(index, until);
    }
    return true;
}

/// Charges the warp ahead for `hold`, which begins in cycle `from`; the stall count holds it from `next` until then.
/// False, and nothing is charged, where the hold may change without an event that evaluates the warp: a fetch, a
/// release, or a latch.
inline bool IssueStage::foresee(Warp &warp, unsigned index, const Hold &hold, Cycle from, Cycle next) {
    const std::uint32_t pc = accounts_.pc(index) + 1;
    if (hold.kind == Hold::Kind::kInstruction) {
        const FetchBuffers::Entry *head = buffers_.first(index);
        const FetchCause cause = head != nullptr ? head->cause : FetchCause::kFetch;
        if (from < warp.redirected_until || from < warp.fetches_from || !buffers_.is_allowed(index) ||
            accounts_.cause(index) != cause) {
            return false;
        }
        accounts_.foresee(index, pc, hold.charge.state, hold.charge.reason, from);
        if (head != nullptr && head->ready != kNever) {
            wake_by(index, head->ready);
        }
        return true;
    }
    if (hold.kind == Hold::Kind::kScoreboard) {
        if (warp.scoreboards.next_release() <= from) {
            return false;
        }
        accounts_.foresee(index, pc, hold.charge.state, hold.charge.reason, from, producer_of(warp, hold));
        if (hold.charge.is_long) {
            selection_.set_long_stalled(index, from);
        }
        const std::uint8_t required = buffers_.head(index).insn->req;
        const Cycle look = std::min(awaited_release(warp, required), warp.scoreboards.next_visible(required, from));
        if (look != kNever) {
            wake_by(index, look);
        }
        return true;
    }
    if (hold.kind == Hold::Kind::kNothing && from == next) {
        const isa::Instruction &insn = *buffers_.head(index).insn;
        const Cycle visible = warp.scoreboards.next_visible(insn.req, next);
        if (visible != kNever) {
            wake_by(index, visible);
        }
        selection_.set_passed_over(index, next);
        const IssueLatches::Group group = pipes_.latch_group(insn);
        latches_.join(index, group);
        accounts_.foresee_applicant(index, group, insn.unit == isa::Unit::kLoadStore && is_far(insn.spec()), next);
        return true;
    }
    return false;
}

/// Looks up the constant operand of the instruction that was about to issue, once: the warp uses the line fetched for
/// it even if others replace that line by then.
bool IssueStage::misses_constant(Warp &warp, unsigned index, const isa::Instruction &insn, Cycle now) {
    if (warp.constant_asked) {
        warp.constant_asked = false;
        return false;
    }
    warp.constant_at = constants_.look_up(insn, now);
    if (warp.constant_at <= now) {
        return false;
    }
    warp.constant_asked = true;
    latches_.leave(index);
    enter(warp, index, kConstantHold, now);
    wake_by(index, warp.constant_at);
    latches_.shut(now + 1, now + constants_.hold());
    return true;
}

/// Applies a control instruction's outcome from cycle `at` on; the warp resumes no earlier than `at`. The buffer keeps
/// the old path until `at`: what the fetch unit does before then must not depend on when the outcome became known.
void IssueStage::follow_control(Warp &warp, const isa::Instruction &insn, Outcome outcome, Pc next_pc,
                                LaneMask next_active, Cycle at) {
    const bool exits = outcome == Outcome::kExited;
    warp.machine.branch_answered(at, outcome, exits || next_pc != insn.pc + kInstructionBytes);
    if (!exits) {
        warp.pc = next_pc;
        warp.active = next_active;
    }
}

void IssueStage::fetch(Cycle now) {
    unsigned n = 0;
    for (bool open = true; open && n < fetch_per_cycle_; ++n) {
        const unsigned index = buffers_.choose(n == 1 && paired_ != kNoWarp ? paired_ : selection_.last());
        redirect_.fetched(index, buffers_.fetch_pc(index));
        const IssuePorts::Fetched fetched = ports_.fetch(index, buffers_.fetch_pc(index));
        const Cycle ready = buffers_.push(index, fetched, now);
        if (warps_[index].machine.is_running()) {
            wake_by(index, ready);
            if (fetched.cause != FetchCause::kFetch) [[unlikely]] {
                charge_fetch(index, now);
            }
        }
        open = buffers_.wants_fetch() && now >= fetch_open_at_;
    }
    accounts_.count_fetches(n, now);
}

// --- observation ---------------------------------------------------------------------------------------------------

void IssueStage::tell_state(unsigned index, Cycle now) {
    told_[index] = {accounts_.state(index, now, now), accounts_.reason(index, now, now)};
    const Producer producer = accounts_.producer(index);
    observer_->observe(now, observation::StateChanged{now, warps_[index].start.warp, told_[index].first,
                                                      told_[index].second, accounts_.pc(index) * kInstructionBytes,
                                                      producer.scoreboard(), Pc{producer.pc()} * kInstructionBytes});
}

/// The applicants whose state has changed with their latch.
void IssueStage::tell_applicants(Cycle now) {
    for (WarpSet set = latches_.applicants(); set != 0; set &= set - 1) {
        const unsigned index = first_of(set);
        if (told_[index] != std::pair(accounts_.state(index, now, now), accounts_.reason(index, now, now))) {
            tell_state(index, now);
        }
    }
}

void IssueStage::tell_issued(unsigned index, const isa::Instruction &insn, std::uint64_t ticket,
                             const IssuePorts::Issued &issued, Cycle now) {
    const WarpSlot slot = warps_[index].start.warp;
    const std::uint64_t sequence = accounts_.instructions(index);
    observer_->observe(now, observation::InstructionIssued{now, slot, ticket, sequence, insn.pc, warps_[index].active,
                                                           issued.executed});
    if (issued.kind == IssuePorts::Issued::Kind::kDone) {
        const bool blocked = issued.outcome == Outcome::kBlocked;
        observer_->observe(
            now, observation::InstructionCompleted{issued.result_at, slot, sequence, blocked, warps_[index].start.age});
    }
}

} // namespace smsim::ibuffer
