// Hand-written programs for the engine simt_stack. R0 is the lane, R4 the lane's lowest bit, R7 is 1.
#include "tb/state_space/catalogue.h"

namespace smsim::state_space {
namespace {

const std::string kHead = R"(.engine simt_stack
    S2R R0, SR_LANEID;
    LOP3 R4, R0, 0x1, RZ, 0xc0;
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

/// Thread 0 of each warp takes a lock in word 0 and counts in word 1.
const std::string kLock = R"(
    ATOMS.CAS R5, [0x0], RZ, R7;
    SETRPC got;
    VBNE R5, RZ, acquire;
got:
    JOIN;
    LDS R2, [0x4];
    IADD3 R2, R2, 0x1, RZ;
    STS [0x4], R2;
    ATOMS.EXCH R5, [0x0], RZ;
)";

std::vector<Case> regions() {
    return {
        legal("nested_branches", {4}, R"(
    SHR R5, R0, 0x1;
    SETRPC outer;
    VBEQ R5, RZ, low;
    SETRPC inner;
    VBEQ R4, RZ, even;
    IADD3 R3, R3, 0x1, RZ;
    BRA inner;
even:
    IADD3 R3, R3, 0x2, RZ;
inner:
    JOIN;
    IADD3 R3, R3, 0x10, RZ;
    BRA outer;
low:
    IADD3 R3, R3, 0x3, RZ;
outer:
    JOIN;
    IADD3 R3, R3, 0x100, RZ;
    ENDPRG;
)",
              {{3, {0x103, 0x103, 0x112, 0x111}}}),
        legal("branches_that_share_a_join", {4}, R"(
    SETRPC join;
    VBEQ R4, RZ, join;
    SETRPC join;
    VBEQ R0, R7, join;
    MOV R3, 0x5;
join:
    JOIN;
    IADD3 R3, R3, 0x1, RZ;
    ENDPRG;
)",
              {{3, {1, 1, 1, 6}}}),
        legal("a_loop_left_one_by_one", {4}, R"(
head:
    SETRPC out;
    VBGE R5, R0, out;
    IADD3 R5, R5, 0x1, RZ;
    IADD3 R3, R3, R5, RZ;
    BRA head;
out:
    JOIN;
    IADD3 R3, R3, 0x10, RZ;
    ENDPRG;
)",
              {{3, {0x10, 0x11, 0x13, 0x16}}}),
        legal("a_break_over_two_loops", {4}, R"(
    MOV R8, 0x2;
outer:
    MOV R6, RZ;
inner:
    IMAD R9, R5, R8, R6;
    SETRPC all;
    VBEQ R9, R0, all;
    IADD3 R3, R3, 0x1, RZ;
    IADD3 R6, R6, 0x1, RZ;
    SETRPC all;
    VBLT R6, R8, inner;
    IADD3 R5, R5, 0x1, RZ;
    SETRPC all;
    VBLT R5, R8, outer;
all:
    JOIN;
    IADD3 R3, R3, 0x10, RZ;
    ENDPRG;
)",
              {{3, {0x10, 0x11, 0x12, 0x13}}}),
        legal("a_function_with_a_branch_called_from_both_sides", {4}, R"(
    SETRPC join;
    VBEQ R4, RZ, even;
    MOV R6, 0x5;
    LEPC R[16:17], `(one - .);
    CALL.REL scale;
one:
    BRA join;
even:
    MOV R6, 0x7;
    LEPC R[16:17], `(two - .);
    CALL.REL scale;
two:
    IADD3 R3, R3, 0x1, RZ;
join:
    JOIN;
    ENDPRG;
scale:
    MOV R8, 0x2;
    SETRPC scaled;
    VBLT R0, R8, low;
    IMAD R3, R6, R0, RZ;
    BRA scaled;
low:
    IADD3 R3, R6, R0, RZ;
scaled:
    JOIN;
    RET.ABS R[16:17], 0x0;
)",
              {{3, {8, 6, 15, 15}}}),
        legal("threads_exit_inside_regions", {3}, R"(
    SETRPC end;
    VBEQ R4, RZ, even;
    MOV R3, 0x1;
    SETRPC end;
    VBEQ R0, R7, end;
even:
    JOIN;
    IADD3 R3, R3, 0x2, RZ;
    SETRPC end;
    VBEQ R0, RZ, end;
    IADD3 R3, R3, 0x4, RZ;
end:
    JOIN;
    ENDPRG;
)",
              {{3, {2, 1, 6}}}),
        legal("a_trap_handler_in_a_region", {2}, R"(
    BRA start;
    IADD3 R5, R5, 0x1, RZ;
    RTT;
start:
    SETRPC join;
    VBEQ R4, RZ, join;
    TRAP 0x3;
    IADD3 R3, R3, 0x4, RZ;
join:
    JOIN;
    IADD3 R3, R3, 0x1, RZ;
    ENDPRG;
)",
              {{3, {1, 5}}, {5, {0, 1}}}, {}, {"bru.trap_handler=0x40"}),
        legal("a_side_sleeps_and_warpsync_does_nothing", {2, 2}, R"(
    SETRPC join;
    VBEQ R4, RZ, even;
    NANOSLEEP 0x64;
    IADD3 R3, R3, 0x1, RZ;
    BRA join;
even:
    WARPSYNC 0x3;
join:
    JOIN;
    IADD3 R3, R3, 0x2, RZ;
    ENDPRG;
)",
              {{3, {2, 3}, 0}, {3, {2, 3}, 1}}),
    };
}

std::vector<Case> between_warps() {
    const std::string both_sides = R"(
    SETRPC join;
    VBEQ R4, RZ, even;
    BARRIER;
    MOV R3, 0x1;
    BRA join;
even:
    BARRIER;
    MOV R3, 0x2;
join:
    JOIN;
    ENDPRG;
)";
    Case spins{
        "a_lock_between_threads_of_a_warp", {2}, kHead + "acquire:\n" + kLock + "    ENDPRG;\n", {}, {}, {}, {}, {}};
    spins.endless = true;
    return {
        legal("a_barrier_between_regions", {2, 2}, R"(
    SETRPC join;
    VBEQ R4, RZ, join;
    ATOMS.ADD R5, [0x0], R7;
join:
    JOIN;
    BARRIER;
    LDS R3, [0x0];
    SETRPC last;
    VBNE R4, RZ, last;
    IADD3 R3, R3, 0x10, RZ;
last:
    JOIN;
    ENDPRG;
)",
              {{3, {0x12, 2}, 0}, {3, {0x12, 2}, 1}}, {2}),
        legal("threads_that_have_exited_wait_at_the_end_while_others_meet", {3, 2}, R"(
    SETRPC end;
    VBEQ R0, R7, end;
    ATOMS.ADD R5, [0x0], R7;
    BAR.SYNC 0x2, 0x40;
    LDS R3, [0x0];
end:
    JOIN;
    ENDPRG;
)",
              {{3, {3, 0, 3}, 0}, {3, {3, 0}, 1}}, {3}),
        legal("a_side_without_anything_to_do_does_not_arrive", {2, 1}, R"(
    SETRPC join;
    VBNE R4, RZ, join;
    ATOMS.ADD R5, [0x0], R7;
    BARRIER;
    LDS R3, [0x0];
join:
    JOIN;
    ENDPRG;
)",
              {{3, {2, 0}, 0}, {3, {2}, 1}}, {2}),
        illegal("a_barrier_on_a_side_while_the_other_waits", {2, 2}, both_sides, Fault::kBarrierDiverged),
        legal("a_barrier_on_each_side_without_the_check", {2, 2}, both_sides, {{3, {2, 1}, 0}, {3, {2, 1}, 1}}, {},
              {"bru.simt_stack.barrier_check=false"}),
        std::move(spins),
        legal("a_lock_between_threads_of_two_warps", {2, 2}, R"(
    SETRPC out;
    VBNE R0, RZ, out;
acquire:
)" + kLock + R"(
out:
    JOIN;
    ENDPRG;
)",
              {}, {0, 2}),
        legal("a_warp_waits_for_what_another_one_stores", {2, 1}, R"(
    S2R R5, SR_WARPID;
    ISETP.NE.AND P0, PT, R5, RZ, PT;
    @P0 BRA.U producer;
wait:
    LDS R3, [0x0];
    SETRPC have;
    VBEQ R3, RZ, wait;
have:
    JOIN;
    ENDPRG;
producer:
    MOV R6, 0x9;
    STS [0x0], R6;
    ENDPRG;
)",
              {{3, {9, 9}, 0}}, {9}),
    };
}

std::vector<Case> exceptions() {
    return {
        illegal("a_branch_without_setrpc", {2}, R"(
    VBEQ R4, RZ, join;
    NOP;
join:
    JOIN;
    ENDPRG;
)",
                Fault::kBadReconvergence),
        illegal("rpc_behind_the_join", {2}, R"(
    SETRPC after;
    VBEQ R4, RZ, join;
    NOP;
join:
    JOIN;
after:
    ENDPRG;
)",
                Fault::kBadReconvergence),
        illegal("a_stack_that_is_too_small", {3}, R"(
    SETRPC join;
    VBEQ R0, RZ, join;
    SETRPC join;
    VBEQ R0, R7, join;
join:
    JOIN;
    ENDPRG;
)",
                Fault::kStackOverflow, {"bru.simt_stack.depth=1"}),
        illegal("an_end_that_not_all_come_to", {2}, R"(
    SETRPC join;
    VBEQ R4, RZ, join;
    ENDPRG;
join:
    JOIN;
    ENDPRG;
)",
                Fault::kStackLeak),
        illegal("an_indirect_branch_to_two_places", {2},
                "    SHL R5, R4, 0x4;\n    BRX R5, 0x0;\n    NOP;\n    ENDPRG;\n", Fault::kDivergentTarget),
        illegal("an_indirect_branch_of_some", {2}, R"(
    ISETP.NE.AND P0, PT, R4, RZ, PT;
    @P0 BRX RZ, 0x0;
    ENDPRG;
)",
                Fault::kDivergentTarget),
        illegal("an_indirect_branch_out_of_the_program", {2}, "    MOV R5, 0x1000;\n    BRX R5, 0x0;\n    ENDPRG;\n",
                Fault::kIllegalTarget),
        illegal("running_past_the_end", {2}, "    NOP;\n", Fault::kIllegalTarget),
        illegal("a_trap_without_handler", {2}, "    TRAP 0x7;\n    ENDPRG;\n", Fault::kTrap),
        illegal("an_rtt_outside_a_handler", {2}, "    RTT;\n    ENDPRG;\n", Fault::kIllegalTrap),
        illegal("a_barrier_that_too_few_reach", {1, 1}, R"(
    BAR.SYNC 0x1, 0x60;
    ENDPRG;
)",
                Fault::kBarrierDeadlock),
    };
}

} // namespace

std::vector<Case> simt_programs() {
    std::vector<Case> all;
    for (auto part : {regions(), between_warps(), exceptions()}) {
        all.insert(all.end(), part.begin(), part.end());
    }
    return all;
}

} // namespace smsim::state_space
