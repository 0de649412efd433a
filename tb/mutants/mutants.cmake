# The seeded bugs. Each is a mistake that a designer could make; the texts are replaced literally.

# --- branch unit -----------------------------------------------------------------------------------------------------

smsim_mutant(bsync_takes_sleepers FILE bru/engines/convergence_barrier/barrier_registers.cpp
  WRONG "BSYNC counts sleeping threads that are at the join as arrived, and runs them [D-6]"
  REPLACE [[state.active | arriving(state);]]
  BY [[state.active | standing_at(state, state.active_pc);]])

smsim_mutant(bsync_keeps_parked_bits FILE bru/engines/convergence_barrier/barrier_registers.cpp
  WRONG "BSYNC clears the bits of the active threads only, not of those that are at the join [D-7]"
  REPLACE [[barrier &= ~arrive;]]
  BY [[barrier &= ~state.active;]])

smsim_mutant(bsync_never_waits FILE bru/engines/convergence_barrier/barrier_registers.cpp
  WRONG "BSYNC passes as soon as no member of B can come, and forgets that others can run"
  REPLACE [[} else if (candidates.any()) {]]
  BY [[} else if (false) {]])

smsim_mutant(parked_past_the_sync SHRINK FILE bru/engines/convergence_barrier/engine.cpp
  WRONG "the parking rule parks the threads after the instruction, which they then never execute"
  REPLACE [[park(state, pmask, state.active_pc);]]
  BY [[park(state, pmask, state.active_pc + kInstructionBytes);]])

smsim_mutant(yield_without_parking FILE bru/engines/convergence_barrier/engine.cpp
  WRONG "the parking rule is missing for YIELD"
  REPLACE [[op == Op::kWarpsync || op == Op::kYield ||]]
  BY [[op == Op::kWarpsync ||]])

smsim_mutant(jump_parks_at_next FILE bru/engines/convergence_barrier/branches.cpp
  WRONG "in a divergent branch the threads that jump are parked one instruction after the target"
  REPLACE [[park(state, jumping, target);]]
  BY [[park(state, jumping, target + kInstructionBytes);]])

smsim_mutant(uniform_branch_any FILE bru/engines/convergence_barrier/branches.cpp
  WRONG "BRA.U jumps when some guard is true instead of all"
  REPLACE [[return pmask == state.active ? state.active : LaneMask();]]
  BY [[return pmask.any() ? state.active : LaneMask();]])

smsim_mutant(convergent_branch_inverted FILE bru/engines/convergence_barrier/branches.cpp
  WRONG "BRA.CONV with a uniform register jumps when the threads have diverged"
  REPLACE [[return pmask.any() && !sees_divergence(state, pmask, members) ? all_or_guarded]]
  BY [[return pmask.any() && (members.has_value() == sees_divergence(state, pmask, members)) ? all_or_guarded]])

smsim_mutant(brx_without_sign FILE bru/engines/common/targets.cpp
  WRONG "BRX does not extend the sign of its register"
  REPLACE [[return next + sign_extended(operand) + offset;]]
  BY [[return next + (operand & 0xffffffffU) + offset;]])

smsim_mutant(ret_relative_to_itself FILE bru/engines/common/targets.cpp
  WRONG "relative CALL and RET count from the instruction itself"
  REPLACE [[(insn.mod[0] == kAbsolute ? 0 : next)]]
  BY [[(insn.mod[0] == kAbsolute ? 0 : insn.pc)]])

smsim_mutant(exit_stays_in_barriers FILE bru/engines/convergence_barrier/warp_control.cpp
  WRONG "threads that exit stay in the B registers [D-2]"
  REPLACE [[        barrier &= rest;]]
  BY [[]])

smsim_mutant(expiry_wakes_lowest FILE bru/engines/convergence_barrier/warp_control.cpp
  WRONG "the timer's expiry wakes the lowest sleeping thread only"
  REPLACE [[state.sleep = LaneMask();]]
  BY [[state.sleep &= state.sleep.any() ? ~LaneMask::lane(state.sleep.lowest()) : LaneMask();]])

smsim_mutant(elect_prefers_yielded FILE bru/engines/convergence_barrier/election.cpp
  WRONG "the election prefers threads that have yielded"
  REPLACE [[LaneMask preferred = pool & ~state.yield;]]
  BY [[LaneMask preferred = pool & state.yield;]])

smsim_mutant(most_threads_tie_highest FILE bru/engines/convergence_barrier/election.cpp
  WRONG "of two paths with equally many threads the one with the higher lanes runs"
  REPLACE [[if (path.count() > most) {]]
  BY [[if (path.count() >= most) {]])

smsim_mutant(oldest_is_youngest FILE bru/engines/convergence_barrier/election.cpp
  WRONG "the path that has waited shortest runs"
  REPLACE [[place[lane] < warp.]]
  BY [[place[lane] > warp.]])

smsim_mutant(oldest_keeps_first_wait FILE bru/engines/convergence_barrier/warp_control.cpp
  WRONG "a thread that stops again keeps the place of its first wait"
  REPLACE [[const LaneMask longer = waiting & ~active_before;]]
  BY [[const LaneMask longer = waiting;]])

smsim_mutant(taken_first_parks_at_jump FILE bru/engines/convergence_barrier/branches.cpp
  WRONG "with taken_first the threads that do not jump wait at the jump, not after it"
  REPLACE [[park(state, state.active & ~jumping, state.active_pc + kInstructionBytes);]]
  BY [[park(state, state.active & ~jumping, state.active_pc);]])

smsim_mutant(switch_mask_unused FILE bru/engines/convergence_barrier/election.cpp
  WRONG "SwitchMask does not remember who has had a turn"
  REPLACE [[state.switch_set &= waiting;]]
  BY [[state.switch_set = waiting;]])

smsim_mutant(yield_again FILE bru/engines/convergence_barrier/election.cpp
  WRONG "a thread that yields resumes at the YIELD and not after it [D-10]"
  REPLACE [[park(state, old, state.active_pc + kInstructionBytes);]]
  BY [[park(state, old, state.active_pc);]])

smsim_mutant(turn_sleeps_early FILE bru/engines/convergence_barrier/election.cpp
  WRONG "the warp sleeps when those whose turn it is sleep, though others are awake [D-9]"
  REPLACE [[pool = others;]]
  BY [[]])

smsim_mutant(warpsync_counts_false_guards FILE bru/engines/convergence_barrier/warpsync.cpp
  WRONG "threads that are at a WARPSYNC with a false guard count as arrived [D-15]"
  REPLACE [[(arriving(state) & guard);]]
  BY [[arriving(state);]])

smsim_mutant(warpsync_ignores_other_masks FILE bru/engines/convergence_barrier/warpsync.cpp
  WRONG "a group is ready when its members are there, whatever masks they hold [D-16]"
  REPLACE [[complete = complete && members[member] == group;]]
  BY [[]])

smsim_mutant(warpsync_tries_again FILE bru/engines/convergence_barrier/warpsync.cpp
  WRONG "a blocked WARPSYNC hands over to threads that have been tried [D-17]"
  REPLACE [[state.valid & ~wait & ~state.sleep;]]
  BY [[state.valid & ~state.sleep;]])

# --- barrier unit ----------------------------------------------------------------------------------------------------

smsim_mutant(barrier_waits_for_exited FILE bcu/barrier.cpp
  WRONG "a barrier without a count waits for warps that have exited"
  REPLACE [[return state.arrived + exited_ == warps();]]
  BY [[return state.arrived == warps();]])

smsim_mutant(exit_completes_nothing FILE bcu/barrier.cpp
  WRONG "the exit of the last missing warp does not open the barrier"
  REPLACE [[state.expected == 0 && state.arrived > 0 && is_complete(state)]]
  BY [[false]])

smsim_mutant(arrive_blocks FILE bcu/barrier.cpp
  WRONG "BAR.ARV blocks its warp in the barrier unit"
  REPLACE [[} else if (isa::waits_at_barrier(insn)) {]]
  BY [[} else {]])

smsim_mutant(and_starts_false FILE bcu/barrier.cpp
  WRONG "BAR.RED.AND starts from false"
  REPLACE [[return op == isa::RedOp::kAnd;]]
  BY [[return false;]])

smsim_mutant(or_sees_masked FILE bcu/barrier.cpp
  WRONG "BAR.RED.OR looks at threads that do not execute it"
  REPLACE [[state.logical || (contribution & pmask).any();]]
  BY [[state.logical || contribution.any();]])

smsim_mutant(popc_counts_masked FILE bcu/barrier.cpp
  WRONG "BAR.RED.POPC counts threads that do not execute it"
  REPLACE [[state.population += (contribution & pmask).count();]]
  BY [[state.population += contribution.count();]])

smsim_mutant(last_arriver_without_result SHRINK FILE bcu/barrier.cpp
  WRONG "the warp whose arrival completes a reduction does not get the result"
  REPLACE [[            warp.word = pack(next);]]
  BY [[]])

smsim_mutant(restore_loses_count FILE bcu/barrier.cpp
  WRONG "R2B.BAR does not restore the expected count"
  REPLACE [[state.expected = (word >> kExpectedLsb) & kWarpsMask;]]
  BY [[]])

smsim_mutant(restore_loses_word FILE bcu/barrier.cpp
  WRONG "R2B.WARP does not write the warp's result word"
  REPLACE [[self.word = context_word(operation);]]
  BY [[]])

# --- issue: stall counts, scoreboards, order -------------------------------------------------------------------------

smsim_mutant(scoreboard_5_ignored FILE ibuffer/hold.h INCLUDED_BY ibuffer/issue_stage.cpp
  WRONG "a request for the last scoreboard is not wired"
  REPLACE [[warp.scoreboards.waits_at(insn.req, at)]]
  BY [[warp.scoreboards.waits_at(insn.req & 0x1fU, at)]])

smsim_mutant(stall_one_short FILE ibuffer/issue_stage.cpp
  WRONG "the stall count is one cycle short"
  REPLACE [[warp.stall_until = now + insn.stall_cycles();]]
  BY [[warp.stall_until = now + insn.stall_cycles() - 1;]])

smsim_mutant(load_released_early FILE ibuffer/issue_stage.cpp
  WRONG "the scoreboard of a load is released a cycle before its data are there"
  REPLACE [[warp.scoreboards.release_at(insn.wsb, is_far(spec), written);]]
  BY [[warp.scoreboards.release_at(insn.wsb, is_far(spec), spec.accesses_memory() ? written - 1 : written);]])

smsim_mutant(early_wake_lost FILE ibuffer/warp_machine.cpp
  WRONG "a wake that comes before the answer is lost"
  REPLACE [[std::get_if<BranchAnswered>(&state_)) {
        answered->wake = at;]]
  BY [[std::get_if<BranchAnswered>(&state_)) {
        static_cast<void>(answered);]])

smsim_mutant(no_flush_forward FILE ibuffer/issue_stage.cpp
  WRONG "the buffer is flushed for jumps back only"
  REPLACE [[exits || next_pc != insn.pc + kInstructionBytes]]
  BY [[exits || next_pc < insn.pc + kInstructionBytes]])

# --- order of memory at barriers ------------------------------------------------------------------------------------

smsim_mutant(arrival_overtakes_accesses FILE ibuffer/hold.h INCLUDED_BY ibuffer/issue_stage.cpp
  WRONG "an arrival at a barrier overtakes the accesses that its warp has in the queue"
  REPLACE [[if (!warp.may_arrive(at, lead.arrival) && isa::waits_at_barrier(insn)) {]]
  BY [[if (false) {]])

smsim_mutant(stale_line FILE memory/l1_cache.cpp
  WRONG "a store goes down and leaves the line in L1 as it was"
  REPLACE [[transfer(payload, present);]]
  BY [[static_cast<void>(present);]])

smsim_mutant(stale_fill FILE memory/l1_cache.cpp
  WRONG "a fill is installed though a store has passed it"
  REPLACE [[sectors & mshrs_.open(index)]]
  BY [[sectors]])

smsim_mutant(load_sees_what_came_after FILE memory/l1_cache.cpp
  WRONG "a load whose line a store has changed under way asks the memory again when its fill comes"
  REPLACE [[if (filled) {]]
  BY [[if (filled && (sectors & ~mshrs_.open(index)) == 0) {]])

# --- scheduler pass --------------------------------------------------------------------------------------------------

smsim_mutant(schedule_forgets_sources FILE assembler/scheduler.cpp
  WRONG "the pass does not wait before it overwrites the source of a memory instruction"
  REPLACE [[(settles_sources(node, producer) || timing::overwrites_source(producer.deps, node.deps))]]
  BY [[settles_sources(node, producer)]])

smsim_mutant(schedule_forgets_uniform FILE assembler/scheduler.cpp
  WRONG "the pass does not settle uniform results before another path may run"
  REPLACE [[node.settles || (node.switches && producer.uniform_result) ||]]
  BY [[node.settles ||]])

smsim_mutant(schedule_wait_too_close FILE assembler/scheduler.cpp
  WRONG "the pass lets an instruction wait for a scoreboard one cycle before it can see it"
  REPLACE [[raise(timing::kScoreboardVisible, entry.elapsed);]]
  BY [[raise(timing::kScoreboardVisible - 1, entry.elapsed);]])

# --- sleep timer -----------------------------------------------------------------------------------------------------

smsim_mutant(timer_not_rearmed SHRINK FILE sm/timer/sleep_calendar.cpp
  WRONG "a shorter sleep stops the timer that runs and does not start it again"
  REPLACE [[        std::erase(expiries_, Expiry(latest, warp));
    }]]
  BY [[        std::erase(expiries_, Expiry(latest, warp));
        latest = wanted;
        return wanted;
    }]])

smsim_mutant(timer_loses_second FILE sm/timer/sleep_calendar.cpp
  WRONG "of two timers that fire in one cycle only the first is reported"
  REPLACE [[while (!expiries_.empty() && expiries_.back().first <= until) {]]
  BY [[for (Cycle last = kNever; !expiries_.empty() && expiries_.back().first <= until;) {
        if (expiries_.back().first == last) {
            expiries_.pop_back();
            continue;
        }
        last = expiries_.back().first;]])
