// Hand-written programs for the engine token_stack. R0 is the lane, P0 is true in odd lanes, P1 in lane 1, P2 in lane
// 2, and R7 is 1.
#include "tb/state_space/catalogue.h"

namespace smsim::state_space {
namespace {

const std::string kHead = R"(.engine token_stack
    S2R R0, SR_LANEID;
    LOP3 R4, R0, 0x1, RZ, 0xc0;
    ISETP.NE.AND P0, PT, R4, RZ, PT;
    ISETP.EQ.AND P1, PT, R0, 0x1, PT;
    ISETP.EQ.AND P2, PT, R0, 0x2, PT;
    MOV R7, 0x1;
)";

Case legal(std::string name, std::vector<unsigned> threads, const std::string &text, std::vector<Expected> registers,
           std::vector<std::uint32_t> shared = {}, std::vector<std::string> settings = {}) {
    return {std::move(name),   std::move(threads), kHead + text,        std::move(registers),
            std::move(shared), std::nullopt,       std::move(settings), std::nullopt};
}

Case illegal(std::string name, std::vector<unsigned> threads, const std::string &text, Fault fault,
             std::vector<std::string> settings = {}) {
    return {std::move(name), std::move(threads), kHead + text, {}, {}, fault, std::move(settings), std::nullopt};
}

/// Threads take a lock in word 0 and count in word 1.
const std::string kLock = R"(
    PBK got;
acquire:
    ATOMS.CAS R5, [0x0], RZ, R7;
    ISETP.EQ.AND P3, PT, R5, RZ, PT;
    @P3 BRK;
    BRA acquire;
got:
    LDS R2, [0x4];
    IADD3 R2, R2, 0x1, RZ;
    STS [0x4], R2;
    ATOMS.EXCH R5, [0x0], RZ;
)";

std::vector<Case> regions() {
    return {
        legal("nested_branches", {4}, R"(
    ISETP.GE.AND P3, PT, R0, 0x2, PT;
    SSY outer;
    @!P3 BRA low;
    SSY inner;
    @!P0 BRA even;
    IADD3 R3, R3, 0x1, RZ;
    SYNC;
even:
    IADD3 R3, R3, 0x2, RZ;
    SYNC;
inner:
    IADD3 R3, R3, 0x10, RZ;
    SYNC;
low:
    IADD3 R3, R3, 0x3, RZ;
    SYNC;
outer:
    IADD3 R3, R3, 0x100, RZ;
    EXIT;
)",
              {{3, {0x103, 0x103, 0x112, 0x111}}}),
        legal("a_loop_closed_by_a_branch_and_left_one_by_one", {4}, R"(
    SSY join;
head:
    IADD3 R3, R3, 0x1, RZ;
    ISETP.LE.AND P3, PT, R3, R0, PT;
    @P3 BRA head;
    SYNC;
join:
    IADD3 R3, R3, 0x10, RZ;
    EXIT;
)",
              {{3, {0x11, 0x12, 0x13, 0x14}}}),
        legal("a_loop_with_break_and_continue", {4}, R"(
    PBK out;
head:
    PCNT next;
    ISETP.GT.AND P3, PT, R5, R0, PT;
    @P3 BRK;
    @P0 CONT;
    IADD3 R3, R3, 0x1, RZ;
    CONT;
next:
    IADD3 R5, R5, 0x1, RZ;
    BRA head;
out:
    IADD3 R3, R3, 0x10, RZ;
    EXIT;
)",
              {{3, {0x11, 0x10, 0x13, 0x10}}}),
        legal("a_break_out_of_a_region_of_a_branch", {4}, R"(
    PBK out;
head:
    IADD3 R5, R5, 0x1, RZ;
    SSY join;
    @P0 BRA odd;
    ISETP.GT.AND P3, PT, R5, R0, PT;
    @P3 BRK;
    SYNC;
odd:
    ISETP.GE.AND P3, PT, R5, R0, PT;
    @P3 BRK;
    IADD3 R3, R3, 0x1, RZ;
    SYNC;
join:
    BRA head;
out:
    IADD3 R3, R3, 0x10, RZ;
    EXIT;
)",
              {{3, {0x10, 0x10, 0x10, 0x12}}, {5, {1, 1, 3, 3}}}),
        legal("a_flag_leaves_two_loops", {4}, R"(
    PBK out;
outer:
    MOV R6, RZ;
    PBK after;
inner:
    IMAD R8, R5, 0x2, R6;
    ISETP.EQ.AND P3, PT, R8, R0, PT;
    @P3 BRK;
    IADD3 R3, R3, 0x1, RZ;
    IADD3 R6, R6, 0x1, RZ;
    ISETP.EQ.AND P4, PT, R6, 0x2, PT;
    @P4 BRK;
    BRA inner;
after:
    @P3 BRK;
    IADD3 R5, R5, 0x1, RZ;
    BRA outer;
out:
    IADD3 R3, R3, 0x10, RZ;
    EXIT;
)",
              {{3, {0x10, 0x11, 0x12, 0x13}}}),
        legal("an_indirect_branch_to_three_places", {4}, R"(
    IMNMX R5, R0, 0x2, PT;
    SHL R5, R5, 0x5;
    SSY join;
    BRX R5;
    MOV R3, 0x1;
    SYNC;
    MOV R3, 0x2;
    SYNC;
    MOV R3, 0x3;
    SYNC;
join:
    IADD3 R3, R3, 0x10, RZ;
    EXIT;
)",
              {{3, {0x11, 0x12, 0x13, 0x13}}}),
        legal("an_unordered_compare_is_neither_less_nor_greater", {3}, R"(
    I2F.F32.S32 R5, R0;
    MOV R6, 1.0;
    @P2 MOV R5, 0x7fc00000;
    FSETP.F.AND.CC PT, PT, R5, R6, PT;
    SSY join;
    BRA CC.GEU, not_less;
    MOV R3, 0x1;
    SYNC;
not_less:
    MOV R3, 0x2;
    BRA CC.NUM, join_2;
    IADD3 R3, R3, 0x10, RZ;
join_2:
    SYNC;
join:
    EXIT;
)",
              {{3, {1, 2, 0x12}}}),
        legal("threads_exit_inside_regions", {4}, R"(
    PBK out;
head:
    SSY join;
    @P0 BRA odd;
    @P2 EXIT;
    IADD3 R3, R3, 0x1, RZ;
    SYNC;
odd:
    @P1 BRK;
    IADD3 R3, R3, 0x2, RZ;
    EXIT;
join:
    @!P0 BRK;
    BRA head;
out:
    IADD3 R3, R3, 0x10, RZ;
    EXIT;
)",
              {{3, {0x11, 0x10, 0, 2}}}),
        legal("a_branch_of_all_or_nobody", {2}, R"(
    @P0 BRA.U far;
    IADD3 R3, R3, 0x1, RZ;
    ISETP.GE.AND P3, PT, R0, RZ, PT;
    @P3 JMP.U far;
    IADD3 R3, R3, 0x2, RZ;
far:
    EXIT;
)",
              {{3, {1, 1}}}),
        legal("a_warp_sleeps_and_warpsync_does_nothing", {2, 2}, R"(
    WARPSYNC 0x3;
    SSY join;
    @P0 BRA odd;
    NANOSLEEP 0x64;
    SYNC;
odd:
    IADD3 R3, R3, 0x1, RZ;
    WARPSYNC 0x2;
    SYNC;
join:
    EXIT;
)",
              {{3, {0, 1}, 0}, {3, {0, 1}, 1}}),
    };
}

std::vector<Case> calls() {
    const std::string limited = R"(
    CAL outer;
    EXIT;
outer:
    IADD3 R3, R3, 0x1, RZ;
    CAL inner;
    PRET back;
    BRA.LMT inner;
back:
    IADD3 R3, R3, 0x4, RZ;
    RET;
inner:
    IADD3 R3, R3, 0x10, RZ;
    RET;
)";
    return {
        legal("some_threads_call_and_return_out_of_a_loop", {4}, R"(
    @P0 CAL search;
    IADD3 R3, R3, 0x10, RZ;
    EXIT;
search:
    PBK out;
head:
    ISETP.EQ.AND P3, PT, R5, R0, PT;
    SSY join;
    @!P3 BRA skip;
    IADD3 R3, R3, 0x1, RZ;
    RET;
skip:
    SYNC;
join:
    IADD3 R5, R5, 0x1, RZ;
    ISETP.EQ.AND P3, PT, R5, 0x2, PT;
    @P3 BRK;
    BRA head;
out:
    IADD3 R3, R3, 0x2, RZ;
    RET;
)",
              {{3, {0x10, 0x11, 0x10, 0x12}}}),
        legal("recursion_of_different_depth", {4}, R"(
    MOV R5, R0;
    CAL down;
    EXIT;
down:
    IADD3 R3, R3, R5, RZ;
    IADD3 R5, R5, -1, RZ;
    ISETP.GT.AND P3, PT, R5, RZ, PT;
    @P3 CAL down;
    IADD3 R6, R6, 0x1, RZ;
    RET;
)",
              {{3, {0, 1, 3, 6}}, {6, {1, 1, 2, 3}}}),
        legal("a_call_to_two_functions", {4}, R"(
    MOV R5, square;
    @P0 MOV R5, twice;
    CAL R5;
    PRET back;
    JMX.LMT R5;
back:
    EXIT;
square:
    IMAD R3, R0, R0, R3;
    RET;
twice:
    IADD3 R3, R3, R0, R0;
    RET;
)",
              {{3, {0, 4, 8, 12}}}),
        legal("a_call_below_the_limit", {2}, limited, {{3, {0x25, 0x25}}}),
        legal("a_call_at_the_limit", {2}, limited, {{3, {5, 5}}}, {}, {"bru.token_stack.call_limit=1"}),
        legal("a_trap_handler_in_a_region", {2}, R"(
    BRA start;
    IADD3 R5, R5, 0x1, RZ;
    RTT;
start:
    SSY join;
    @P0 BRA odd;
    SYNC;
odd:
    TRAP 0x3;
    IADD3 R3, R3, 0x4, RZ;
    SYNC;
join:
    IADD3 R3, R3, 0x1, RZ;
    EXIT;
)",
              {{3, {1, 5}}, {5, {0, 1}}}, {}, {"bru.trap_handler=0x70"}),
    };
}

std::vector<Case> between_warps() {
    Case spins{"a_lock_between_threads_of_a_warp", {2}, kHead + kLock + "    EXIT;\n", {}, {}, {}, {}, {}};
    spins.endless = true;
    return {
        legal("a_barrier_between_regions", {2, 2}, R"(
    SSY join;
    @!P0 BRA even;
    ATOMS.ADD R5, [0x0], R7;
even:
    SYNC;
join:
    BAR.SYNC 0x0, 0x0;
    LDS R3, [0x0];
    SSY last;
    @P0 BRA odd;
    IADD3 R3, R3, 0x10, RZ;
odd:
    SYNC;
last:
    EXIT;
)",
              {{3, {0x12, 2}, 0}, {3, {0x12, 2}, 1}}, {2}),
        legal("a_barrier_of_those_that_have_not_exited", {3, 2}, R"(
    @P1 EXIT;
    ATOMS.ADD R5, [0x0], R7;
    BAR.SYNC 0x2, 0x40;
    LDS R3, [0x0];
    EXIT;
)",
              {{3, {3, 0, 3}, 0}, {3, {3, 0}, 1}}, {3}),
        std::move(spins),
        legal("a_lock_between_threads_of_two_warps", {2, 2}, R"(
    SSY out;
    @P0 BRA out_1;
)" + kLock + R"(
out_1:
    SYNC;
out:
    EXIT;
)",
              {}, {0, 2}),
        legal("a_warp_waits_for_what_another_one_stores", {2, 1}, R"(
    S2R R5, SR_WARPID;
    ISETP.NE.AND P3, PT, R5, RZ, PT;
    @P3 BRA.U producer;
wait:
    LDS R3, [0x0];
    ISETP.EQ.AND P3, PT, R3, RZ, PT;
    @P3 BRA.U wait;
    EXIT;
producer:
    MOV R6, 0x9;
    STS [0x0], R6;
    EXIT;
)",
              {{3, {9, 9}, 0}}, {9}),
    };
}

std::vector<Case> exceptions() {
    return {
        illegal("a_sync_without_region", {2}, "    SYNC;\n    EXIT;\n", Fault::kStackUnderflow),
        illegal("a_break_outside_a_loop", {2}, "    SSY out;\n    BRK;\nout:\n    EXIT;\n", Fault::kStackUnderflow),
        illegal("a_return_from_the_kernel", {2}, "    RET;\n", Fault::kStackUnderflow),
        illegal("a_sync_for_another_region", {2}, "    PBK out;\n    SYNC;\nout:\n    EXIT;\n", Fault::kTokenMismatch),
        illegal("a_sync_of_tokens_of_a_divergence_alone", {2}, R"(
    @P0 BRA odd;
    NOP;
odd:
    SYNC;
    EXIT;
)",
                Fault::kTokenMismatch),
        illegal("a_sync_out_of_a_function", {2}, R"(
    SSY out;
    CAL function;
out:
    EXIT;
function:
    SYNC;
)",
                Fault::kTokenMismatch),
        illegal("a_break_out_of_a_function", {2}, R"(
    PBK out;
    CAL function;
out:
    EXIT;
function:
    BRK;
)",
                Fault::kTokenMismatch),
        illegal("a_stack_that_is_too_small", {2}, R"(
    SSY join;
    @P0 BRA odd;
odd:
    PBK out;
    CAL function;
out:
    SYNC;
join:
    EXIT;
function:
    RET;
)",
                Fault::kStackOverflow, {"bru.token_stack.depth=2", "bru.token_stack.spill=false"}),
        illegal("a_jump_out_of_the_program", {2}, "    MOV R5, 0x1000;\n    JMX R5;\n    EXIT;\n",
                Fault::kIllegalTarget),
        illegal("a_jump_below_the_program", {2}, "    BRX RZ+-0x1000;\n    EXIT;\n", Fault::kIllegalTarget),
        illegal("running_past_the_end", {2}, "    NOP;\n", Fault::kIllegalTarget),
        illegal("a_warpsync_of_threads_on_the_other_side", {2}, R"(
    SSY join;
    @P0 BRA odd;
    WARPSYNC 0x3;
    SYNC;
odd:
    WARPSYNC 0x3;
    SYNC;
join:
    EXIT;
)",
                Fault::kWarpSyncDiverged),
        illegal("a_warpsync_that_does_not_name_who_executes_it", {2}, "    WARPSYNC 0x1;\n    EXIT;\n",
                Fault::kWarpSyncMembership),
        illegal("a_trap_without_handler", {2}, "    @P1 TRAP 0x7;\n    EXIT;\n", Fault::kTrap),
        illegal("an_rtt_outside_a_handler", {2}, "    RTT;\n    EXIT;\n", Fault::kIllegalTrap),
        illegal("a_barrier_that_too_few_reach", {1, 1}, "    BAR.SYNC 0x1, 0x60;\n    EXIT;\n",
                Fault::kBarrierDeadlock),
    };
}

} // namespace

std::vector<Case> token_programs() {
    std::vector<Case> all;
    for (auto part : {regions(), calls(), between_warps(), exceptions()}) {
        all.insert(all.end(), part.begin(), part.end());
    }
    return all;
}

} // namespace smsim::state_space
