# The seeded bugs of the engine token_stack. Its rules look for those that legal programs rarely or never show.

# --- regions ---------------------------------------------------------------------------------------------------------

smsim_mutant(token_pbk_and_pcnt_swapped ENGINE token_stack FILE bru/engines/token_stack/engine.cpp
  WRONG "PBK pushes a token CONT and PCNT one BRK"
  REPLACE [[op == Op::kPbk ? TokenKind::kBrk : TokenKind::kCont;]]
  BY [[op == Op::kPbk ? TokenKind::kCont : TokenKind::kBrk;]])

smsim_mutant(token_region_holds_all ENGINE token_stack FILE bru/engines/token_stack/regions.cpp
  WRONG "SSY, PBK, PCNT and PRET push all threads that live, not those that are active"
  REPLACE [[state.stack.push_back({kind, state.active, static_cast<Pc>(end)});]]
  BY [[state.stack.push_back({kind, state.valid, static_cast<Pc>(end)});]])

smsim_mutant(token_sync_looks_at_the_top ENGINE token_stack FILE bru/engines/token_stack/regions.cpp
  WRONG "SYNC takes no notice of tokens DIV above its own"
  REPLACE [[[](const Token &token) { return token.kind != TokenKind::kDiv; });]]
  BY [[[](const Token &) { return true; });]])

smsim_mutant(token_sync_of_any_kind BY_RULES ENGINE token_stack FILE bru/engines/token_stack/regions.cpp
  WRONG "SYNC leaves for the topmost token that is not DIV, whatever it is [E-8]"
  REPLACE [[} else if (own->kind != TokenKind::kSync) {]]
  BY [[} else if (false) {]])

smsim_mutant(token_brk_stays_above ENGINE token_stack FILE bru/engines/token_stack/regions.cpp
  WRONG "BRK, CONT and RET leave the threads in the tokens that they pass"
  REPLACE [[        token.mask &= ~leavers;]]
  BY [[]])

smsim_mutant(token_brk_passes_div_only ENGINE token_stack FILE bru/engines/token_stack/regions.cpp
  WRONG "BRK, CONT and RET take threads out of tokens DIV only"
  REPLACE [[        token.mask &= ~leavers;]]
  BY [[        token.mask &= token.kind == TokenKind::kDiv ? ~leavers : LaneMask::all();]])

smsim_mutant(token_brk_leaves_its_own ENGINE token_stack FILE bru/engines/token_stack/regions.cpp
  WRONG "BRK, CONT and RET take threads out of the token that they leave for, too"
  REPLACE [[std::span above(own.base(), state.stack.end());]]
  BY [[std::span above(std::prev(own.base()), state.stack.end());]])

smsim_mutant(token_brk_outermost ENGINE token_stack FILE bru/engines/token_stack/regions.cpp
  WRONG "BRK, CONT and RET leave for the outermost token of their kind"
  REPLACE [[const auto own = std::ranges::find(state.stack.rbegin(), state.stack.rend(), kind, &Token::kind);]]
  BY [[const auto own =
        state.stack.rend() - 1 - (std::ranges::find(state.stack, kind, &Token::kind) - state.stack.begin());]])

smsim_mutant(token_brk_out_of_a_function BY_RULES ENGINE token_stack FILE bru/engines/token_stack/regions.cpp
  WRONG "BRK and CONT may leave a function [E-8]"
  REPLACE [[if (kind != TokenKind::kRet && std::ranges]]
  BY [[if (kind == TokenKind::kDiv && std::ranges]])

smsim_mutant(token_exit_lives_on ENGINE token_stack FILE bru/engines/token_stack/regions.cpp
  WRONG "threads that exit stay in ValidMask"
  REPLACE [[    state.valid = left;]]
  BY [[]])

smsim_mutant(token_exit_stays_in_tokens BY_RULES ENGINE token_stack FILE bru/engines/token_stack/regions.cpp
  WRONG "threads that exit stay in the tokens"
  REPLACE [[        token.mask &= left;]]
  BY [[]])

# --- leaving and resuming --------------------------------------------------------------------------------------------

smsim_mutant(token_leaves_as_a_whole ENGINE token_stack FILE bru/engines/token_stack/tokens.cpp
  WRONG "when some leave, the others are lost from sight [E-7]"
  REPLACE [[    if (state.active.any()) {]]
  BY [[    if (false) {]])

smsim_mutant(token_resumes_nobody ENGINE token_stack FILE bru/engines/token_stack/tokens.cpp
  WRONG "the topmost token is resumed although all its threads have left it"
  REPLACE [[return (token.mask & valid).any(); });]]
  BY [[return token.pc != ~Pc{0}; });]])

smsim_mutant(token_resume_keeps_the_token ENGINE token_stack FILE bru/engines/token_stack/tokens.cpp
  WRONG "the token that is resumed stays on the stack"
  REPLACE [[state.stack.erase(std::prev(found.base()), state.stack.end());]]
  BY [[state.stack.erase(found.base(), state.stack.end());]])

smsim_mutant(token_resume_pops_one ENGINE token_stack FILE bru/engines/token_stack/tokens.cpp
  WRONG "tokens without remaining threads are not popped with the one below"
  REPLACE [[state.stack.erase(std::prev(found.base()), state.stack.end());]]
  BY [[state.stack.erase(std::prev(found.base()));]])

smsim_mutant(token_resume_adds_threads ENGINE token_stack FILE bru/engines/token_stack/tokens.cpp
  WRONG "threads that live, and not those of the token, are resumed"
  REPLACE [[state.active = found->mask & state.valid;]]
  BY [[state.active = state.valid;]])

# --- jumps -----------------------------------------------------------------------------------------------------------

smsim_mutant(token_waiting_threads_fall_through ENGINE token_stack FILE bru/engines/token_stack/branches.cpp
  WRONG "at a branch threads that wait in tokens fall through"
  REPLACE [[LaneMask falling = state.active & ~jumping;]]
  BY [[LaneMask falling = state.valid & ~jumping;]])

smsim_mutant(token_next_is_a_target ENGINE token_stack FILE bru/engines/token_stack/branches.cpp
  WRONG "threads that jump to the next instruction are a group of their own"
  REPLACE [[if (static_cast<Pc>(targets[lane]) == next) {]]
  BY [[if (false) {]])

smsim_mutant(token_orders_swapped ENGINE token_stack FILE bru/engines/token_stack/branches.cpp
  WRONG "fallthrough_first and taken_first are swapped"
  REPLACE [[config.order == TokenStackOrder::kTakenFirst ?]]
  BY [[config.order != TokenStackOrder::kTakenFirst ?]])

smsim_mutant(token_groups_upside_down ENGINE token_stack FILE bru/engines/token_stack/branches.cpp
  WRONG "the last group is on top"
  REPLACE [[auto waiting = groups.rbegin(); waiting != std::prev(groups.rend());]]
  BY [[auto waiting = std::next(groups.begin()); waiting != groups.end();]])

smsim_mutant(token_divergence_pushes_sync ENGINE token_stack FILE bru/engines/token_stack/branches.cpp
  WRONG "the groups that wait are in tokens SYNC"
  REPLACE [[state.stack.push_back({TokenKind::kDiv, waiting->threads, waiting->pc});]]
  BY [[state.stack.push_back({TokenKind::kSync, waiting->threads, waiting->pc});]])

smsim_mutant(token_group_of_one ENGINE token_stack FILE bru/engines/token_stack/branches.cpp
  WRONG "of the threads with one target the last goes there"
  REPLACE [[same->threads |= LaneMask::lane(lane);]]
  BY [[same->threads = LaneMask::lane(lane);]])

smsim_mutant(token_unanimous_of_some ENGINE token_stack FILE bru/engines/token_stack/branches.cpp
  WRONG ".U lets those jump that want to"
  REPLACE [[(unanimous && willing != state.active)]]
  BY [[(unanimous && willing.none())]])

smsim_mutant(token_lmt_ignored BY_RULES ENGINE token_stack FILE bru/engines/token_stack/branches.cpp
  WRONG ".LMT has no effect"
  REPLACE [[(unless_lmt && state.lmt)) {]]
  BY [[(unless_lmt && false)) {]])

smsim_mutant(token_jump_reads_half ENGINE token_stack FILE bru/engines/token_stack/engine.cpp
  WRONG "BRX, JMX and jumps by a constant read the lower half of it"
  REPLACE [[const auto narrow = static_cast<std::uint32_t>(value);]]
  BY [[const auto narrow = static_cast<std::uint16_t>(value);]])

smsim_mutant(token_jmx_without_offset ENGINE token_stack FILE bru/engines/token_stack/engine.cpp
  WRONG "JMX does not add its immediate"
  REPLACE [[const std::int64_t immediate = insn.form == Form::kR ? insn.imm : 0;]]
  BY [[const std::int64_t immediate = relative && insn.form == Form::kR ? insn.imm : 0;]])

smsim_mutant(token_condition_test_ignored ENGINE token_stack FILE bru/engines/token_stack/engine.cpp
  WRONG "branches do not look at their condition test"
  REPLACE [[(spec->has(isa::kGuardPp) || spec->has(isa::kConditionTest))) {]]
  BY [[spec->has(isa::kGuardPp)) {]])

# --- calls -----------------------------------------------------------------------------------------------------------

smsim_mutant(token_call_skips_one ENGINE token_stack FILE bru/engines/token_stack/calls.cpp
  WRONG "RET returns two instructions after the CAL"
  REPLACE [[state.stack.push_back({TokenKind::kRet, state.active, state.pc + kInstructionBytes});]]
  BY [[state.stack.push_back({TokenKind::kRet, state.active, state.pc + 2 * kInstructionBytes});]])

smsim_mutant(token_call_forgets_the_others ENGINE token_stack FILE bru/engines/token_stack/calls.cpp
  WRONG "the token of a CAL holds those that call only [E-7]"
  REPLACE [[state.stack.push_back({TokenKind::kRet, state.active, state.pc + kInstructionBytes});]]
  BY [[state.stack.push_back({TokenKind::kRet, callers, state.pc + kInstructionBytes});]])

smsim_mutant(token_limit_counts_tokens ENGINE token_stack FILE bru/engines/token_stack/calls.cpp
  WRONG "the call limit is compared with all tokens"
  REPLACE [[std::ranges::count(state.stack, TokenKind::kRet, &Token::kind) >= call_limit;]]
  BY [[state.stack.size() >= call_limit;]])

smsim_mutant(token_limit_one_more BY_RULES ENGINE token_stack FILE bru/engines/token_stack/calls.cpp
  WRONG "one call more than the limit is executed"
  REPLACE [[&Token::kind) >= call_limit;]]
  BY [[&Token::kind) > call_limit;]])

smsim_mutant(token_pret_keeps_lmt BY_RULES ENGINE token_stack FILE bru/engines/token_stack/calls.cpp
  WRONG "a PRET below the limit leaves LMT set"
  REPLACE [[        state.lmt = false;]]
  BY [[]])

# --- room ------------------------------------------------------------------------------------------------------------

smsim_mutant(token_never_spills ENGINE token_stack FILE bru/engines/token_stack/tokens.cpp
  WRONG "a full stack is an exception although it may spill"
  REPLACE [[config.spill ? kMostTokens : config.depth;]]
  BY [[config.depth;]])

smsim_mutant(token_overflow_one_late BY_RULES ENGINE token_stack FILE bru/engines/token_stack/tokens.cpp
  WRONG "one token more than the depth has room"
  REPLACE [[state.stack.size() <= room - count) {]]
  BY [[state.stack.size() <= room - count + 1) {]])

smsim_mutant(token_fills_cost_nothing BY_RULES ENGINE token_stack FILE bru/engines/token_stack/engine.cpp
  WRONG "a token comes back from memory in no time"
  REPLACE [[(moved.spilled + moved.filled) * config]]
  BY [[moved.spilled * config]])

# --- others ----------------------------------------------------------------------------------------------------------

smsim_mutant(token_warpsync_of_active BY_RULES ENGINE token_stack FILE bru/engines/token_stack/warpsync.cpp
  WRONG "WARPSYNC counts active threads whose guard is false as there"
  REPLACE [[members[lane] & state.valid & ~arriving;]]
  BY [[members[lane] & state.valid & ~state.active;]])

smsim_mutant(token_sync_always_passes BY_RULES ENGINE token_stack FILE bru/engines/token_stack/engine.cpp
  WRONG "a SYNC after which another group runs is counted as passed"
  REPLACE [[(effect.resumed && effect.resumed != TokenKind::kDiv);]]
  BY [[effect.resumed.has_value();]])

# --- condition tests -------------------------------------------------------------------------------------------------

smsim_mutant(token_unordered_is_less BY_RULES ENGINE token_stack FILE model/state/condition_flags.cpp
  WRONG "LT holds for an unordered compare"
  REPLACE [[return (s & ~z) ^ o; }},]]
  BY [[return s ^ o; }},]])

smsim_mutant(token_unordered_is_not_greater BY_RULES ENGINE token_stack FILE model/state/condition_flags.cpp
  WRONG "GEU does not hold for an unordered compare"
  REPLACE [[return (~s | z) ^ o; }},]]
  BY [[return ~s ^ o; }},]])

smsim_mutant(token_greater_without_overflow BY_RULES ENGINE token_stack FILE model/state/condition_flags.cpp
  WRONG "GT does not look at overflow"
  REPLACE [[return ~z & ~(s ^ o); }},]]
  BY [[return ~z & ~s; }},]])

smsim_mutant(token_low_or_same_without_same BY_RULES ENGINE token_stack FILE model/state/condition_flags.cpp
  WRONG "LS is LO"
  REPLACE [[return ~c | z; }},]]
  BY [[return ~c; }},]])

smsim_mutant(token_carry_is_borrow ENGINE token_stack FILE model/state/condition_flags.cpp
  WRONG "HS takes the carry of a subtraction for a borrow"
  REPLACE [[{"HS", [](LaneMask, LaneMask, LaneMask c, LaneMask) { return c; }},]]
  BY [[{"HS", [](LaneMask, LaneMask, LaneMask c, LaneMask) { return ~c; }},]])

smsim_mutant(token_test_by_its_beginning BY_RULES ENGINE token_stack FILE model/isa/condition_tests.cpp
  WRONG "a test is looked up by the beginning of its name, GEU as GE"
  REPLACE [[condition_test_name(test) == name) {]]
  BY [[name.starts_with(condition_test_name(test))) {]])
