# The seeded bugs of the engine simt_stack. Its rules look for those that legal programs rarely or never show.

# --- where threads diverge -------------------------------------------------------------------------------------------

smsim_mutant(simt_vblt_unsigned ENGINE simt_stack FILE bru/engines/simt_stack/reconvergence.cpp
  WRONG "VBLT compares unsigned"
  REPLACE [[return signed_a < signed_b;]]
  BY [[return a < b;]])

smsim_mutant(simt_vbge_greater ENGINE simt_stack FILE bru/engines/simt_stack/reconvergence.cpp
  WRONG "VBGE is false for equal registers"
  REPLACE [[return signed_a >= signed_b;]]
  BY [[return signed_a > signed_b;]])

smsim_mutant(simt_vbltu_or_equal ENGINE simt_stack FILE bru/engines/simt_stack/reconvergence.cpp
  WRONG "VBLTU is true for equal registers"
  REPLACE [[return a < b;]]
  BY [[return a <= b;]])

smsim_mutant(simt_vbgeu_signed ENGINE simt_stack FILE bru/engines/simt_stack/reconvergence.cpp
  WRONG "VBGEU compares signed"
  REPLACE [[return a >= b;]]
  BY [[return signed_a >= signed_b;]])

smsim_mutant(simt_vbeq_half BY_RULES ENGINE simt_stack FILE bru/engines/simt_stack/reconvergence.cpp
  WRONG "VBEQ compares the lower halves of the registers"
  REPLACE [[return a == b;]]
  BY [[return (a & 0xffffU) == (b & 0xffffU);]])

smsim_mutant(simt_waiting_threads_vote ENGINE simt_stack FILE bru/engines/simt_stack/reconvergence.cpp
  WRONG "threads that wait compare too, and jump"
  REPLACE [[for_each_lane(mask, [&](unsigned lane) {]]
  BY [[for_each_lane(LaneMask::all(), [&](unsigned lane) {]])

smsim_mutant(simt_reconverges_without_the_others ENGINE simt_stack FILE bru/engines/simt_stack/reconvergence.cpp
  WRONG "the entry of the whole warp holds those that jump only"
  REPLACE [[state.stack.push_back({state.rpc, state.rpc, state.mask});]]
  BY [[state.stack.push_back({state.rpc, state.rpc, taken});]])

smsim_mutant(simt_jumps_wait_at_next ENGINE simt_stack FILE bru/engines/simt_stack/reconvergence.cpp
  WRONG "when those that jump wait, they resume after the branch"
  REPLACE [[const Entry jumps{state.rpc, target, taken};]]
  BY [[const Entry jumps{state.rpc, next, taken};]])

smsim_mutant(simt_pushes_the_first_side ENGINE simt_stack FILE bru/engines/simt_stack/reconvergence.cpp
  WRONG "the side that runs is pushed, and not the one that waits"
  REPLACE [[state.stack.push_back(taken_first ? stays : jumps);]]
  BY [[state.stack.push_back(taken_first ? jumps : stays);]])

smsim_mutant(simt_majority_first ENGINE simt_stack FILE bru/engines/simt_stack/reconvergence.cpp
  WRONG "the larger side runs first"
  REPLACE [[taken.count() <= fall.count();]]
  BY [[taken.count() >= fall.count();]])

smsim_mutant(simt_tie_falls_through ENGINE simt_stack FILE bru/engines/simt_stack/reconvergence.cpp
  WRONG "on a tie those go first that do not jump"
  REPLACE [[taken.count() <= fall.count();]]
  BY [[taken.count() < fall.count();]])

smsim_mutant(simt_pushes_when_all_jump ENGINE simt_stack FILE bru/engines/simt_stack/reconvergence.cpp
  WRONG "a branch that all take pushes an empty side [E-2]"
  REPLACE [[if (fall.none()) {]]
  BY [[if (false) {]])

smsim_mutant(simt_branch_uses_up_rpc ENGINE simt_stack FILE bru/engines/simt_stack/reconvergence.cpp
  WRONG "a branch that diverges clears rpc [E-1]"
  REPLACE [[    result.event.split = true;]]
  BY [[    result.event.split = true;
    state.rpc = 0;]])

smsim_mutant(simt_any_rpc_is_a_join BY_RULES ENGINE simt_stack FILE bru/engines/simt_stack/reconvergence.cpp
  WRONG "every address of the program counts as a JOIN"
  REPLACE [[(program->contains(pc) && program->at(pc).op == Op::kJoin);]]
  BY [[program->contains(pc);]])

# --- the stack -------------------------------------------------------------------------------------------------------

smsim_mutant(simt_one_entry_fits BY_RULES ENGINE simt_stack FILE bru/engines/simt_stack/reconvergence.cpp
  WRONG "a branch asks whether one entry has room"
  REPLACE [[state.stack.size() + 2 > limit)]]
  BY [[state.stack.size() + 1 > limit)]])

smsim_mutant(simt_depth_of_another_order BY_RULES ENGINE simt_stack FILE bru/engines/simt_stack/reconvergence.cpp
  WRONG "the stack has room for one entry per thread with every order [E-4]"
  REPLACE [[kLanes : 2 * (kLanes - 1);]]
  BY [[kLanes : kLanes;]])

smsim_mutant(simt_pushes_counted_once BY_RULES ENGINE simt_stack FILE bru/engines/simt_stack/engine.cpp
  WRONG "the counter of pushes takes a branch for one entry"
  REPLACE [[counters.pushes += state.stack.size() - entries;]]
  BY [[++counters.pushes;]])

# --- where threads meet ----------------------------------------------------------------------------------------------

smsim_mutant(simt_join_pops_any ENGINE simt_stack FILE bru/engines/simt_stack/reconvergence.cpp
  WRONG "a JOIN pops the top whatever it waits for"
  REPLACE [[if (state.stack.empty() || state.stack.back().rpc != insn.pc) {]]
  BY [[if (state.stack.empty()) {]])

smsim_mutant(simt_join_compares_pc ENGINE simt_stack FILE bru/engines/simt_stack/reconvergence.cpp
  WRONG "a JOIN compares itself with where the entry goes on"
  REPLACE [[state.stack.back().rpc != insn.pc) {]]
  BY [[state.stack.back().pc != insn.pc) {]])

smsim_mutant(simt_join_passes_with_the_side ENGINE simt_stack FILE bru/engines/simt_stack/reconvergence.cpp
  WRONG "the side that a JOIN pops resumes after it"
  REPLACE [[    state.pc = state.stack.back().pc;]]
  BY [[    state.pc = insn.pc + kInstructionBytes;]])

smsim_mutant(simt_join_adds_threads ENGINE simt_stack FILE bru/engines/simt_stack/reconvergence.cpp
  WRONG "the threads that come to a JOIN run with the side that it pops"
  REPLACE [[    state.mask = state.stack.back().mask;]]
  BY [[    state.mask |= state.stack.back().mask;]])

smsim_mutant(simt_join_does_not_pop ENGINE simt_stack FILE bru/engines/simt_stack/reconvergence.cpp
  WRONG "a JOIN leaves the entry on the stack"
  REPLACE [[    state.stack.pop_back();]]
  BY [[]])

smsim_mutant(simt_rpc_before_the_join ENGINE simt_stack FILE bru/engines/simt_stack/engine.cpp
  WRONG "SETRPC counts from itself"
  REPLACE [[state.rpc = target_of(insn, 0);]]
  BY [[state.rpc = target_of(insn, 0) - kInstructionBytes;]])

smsim_mutant(simt_end_keeps_threads BY_RULES ENGINE simt_stack FILE bru/engines/simt_stack/reconvergence.cpp
  WRONG "ENDPRG leaves the mask as it is"
  REPLACE [[    state.mask = LaneMask();]]
  BY [[]])

smsim_mutant(simt_end_without_leak_check BY_RULES ENGINE simt_stack FILE bru/engines/simt_stack/reconvergence.cpp
  WRONG "ENDPRG ends the warp although threads wait"
  REPLACE [[    if (!state.stack.empty()) {]]
  BY [[    if (false) {]])

# --- barriers --------------------------------------------------------------------------------------------------------

smsim_mutant(simt_barrier_sees_the_top BY_RULES ENGINE simt_stack FILE bru/engines/simt_stack/state.cpp
  WRONG "an arrival looks at the top of the stack only [E-3]"
  REPLACE [[std::ranges::any_of(state.stack, [](const Entry &entry) { return entry.pc != entry.rpc; });]]
  BY [[!state.stack.empty() && state.stack.back().pc != state.stack.back().rpc;]])

smsim_mutant(simt_barrier_needs_an_empty_stack ENGINE simt_stack FILE bru/engines/simt_stack/state.cpp
  WRONG "threads that wait at the last JOIN keep the others from a barrier [E-3]"
  REPLACE [[return entry.pc != entry.rpc;]]
  BY [[return entry.rpc != 0;]])

smsim_mutant(simt_barrier_always_checked BY_RULES ENGINE simt_stack FILE bru/engines/simt_stack/engine.cpp
  WRONG "bru.simt_stack.barrier_check has no effect"
  REPLACE [[if (config.simt_stack.barrier_check && has_waiting_side(state)) {]]
  BY [[if (has_waiting_side(state)) {]])

# --- joint actions of the active threads -----------------------------------------------------------------------------

smsim_mutant(simt_uniform_branch_any ENGINE simt_stack FILE bru/engines/simt_stack/jumps.cpp
  WRONG "BRA.U with a guard that some threads have is taken for one that has to be unanimous"
  REPLACE [[(is_uniform && executed != state.mask)) {]]
  BY [[(is_uniform && executed.none())) {]])

smsim_mutant(simt_second_guard_ignored ENGINE simt_stack FILE bru/engines/simt_stack/engine.cpp
  WRONG "the second guard of BRA, CALL and RET is not looked at"
  REPLACE [[result.executed &= operands.guard_pp;]]
  BY [[]])

smsim_mutant(simt_target_of_thread_0 ENGINE simt_stack FILE bru/engines/simt_stack/jumps.cpp
  WRONG "BRX, CALL and RET go where thread 0 would, active or not"
  REPLACE [[const unsigned first = lanes.lowest();]]
  BY [[const unsigned first = 0;]])

smsim_mutant(simt_waiting_threads_have_targets ENGINE simt_stack FILE bru/engines/simt_stack/jumps.cpp
  WRONG "BRX, CALL and RET compare the targets of threads that wait"
  REPLACE [[for (LaneMask rest = lanes; rest.any();]]
  BY [[for (LaneMask rest = LaneMask::all(); rest.any();]])

smsim_mutant(simt_several_targets BY_RULES ENGINE simt_stack FILE bru/engines/simt_stack/jumps.cpp
  WRONG "BRX, CALL and RET to several targets take all threads to the first"
  REPLACE [[other != target) {]]
  BY [[other + 1 == 0) {]])

smsim_mutant(simt_guard_of_some BY_RULES ENGINE simt_stack FILE bru/engines/simt_stack/jumps.cpp
  WRONG "BRX, CALL and RET with a guard that some threads have take all with them"
  REPLACE [[    if (executed != state.mask) {]]
  BY [[    if (executed.none()) {]])

smsim_mutant(simt_partial_warpsync_missed BY_RULES ENGINE simt_stack FILE bru/engines/simt_stack/jumps.cpp
  WRONG "a WARPSYNC that names too few threads is not counted [E-5]"
  REPLACE [[members != state.mask;]]
  BY [[(members & ~state.mask).any();]])

# --- common to all engines -------------------------------------------------------------------------------------------

smsim_mutant(simt_sleeps_longest BY_RULES ENGINE simt_stack FILE bru/engines/common/values.cpp
  WRONG "NANOSLEEP takes the time of the highest thread [D-11]"
  REPLACE [[shortest = std::min(shortest, static_cast<std::uint32_t>(operands.vectors[0][lane]));]]
  BY [[shortest = static_cast<std::uint32_t>(operands.vectors[0][lane]);]])

smsim_mutant(simt_trap_returns_to_itself ENGINE simt_stack FILE bru/engines/common/traps.cpp
  WRONG "RTT goes back to the TRAP"
  REPLACE [[state = {true, pc + kInstructionBytes, index};]]
  BY [[state = {true, pc, index};]])
