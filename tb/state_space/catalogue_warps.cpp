// Hand-written programs about the threads of a warp. R0 is the lane, R7 is 1, and P1, P2 are true for lane 1, lane 2,
// unless a program says otherwise.
#include "tb/state_space/catalogue.h"

namespace smsim::state_space {
namespace {

const std::string kHead = R"(
    S2R R0, SR_LANEID;
    ISETP.EQ.AND P1, PT, R0, 0x1, PT;
    ISETP.EQ.AND P2, PT, R0, 0x2, PT;
    MOV R7, 0x1;
)";

Case legal(std::string name, std::vector<unsigned> threads, std::string text, std::vector<Expected> registers,
           std::vector<std::uint32_t> shared) {
    return {std::move(name), std::move(threads), std::move(text), std::move(registers), std::move(shared), {}, {}, {}};
}

Case illegal(std::string name, std::vector<unsigned> threads, std::string text, Fault fault) {
    return {std::move(name), std::move(threads), std::move(text), {}, {}, fault, {}, {}};
}

/// A lock in word 0 around an increment of word 1, with `pause` in the retry path.
std::string lock_with(const std::string &pause) {
    return R"(
    MOV R7, 0x1;
    BSSY B0, out;
acquire:
    ATOMS.CAS R1, [0x0], RZ, R7;
    ISETP.EQ.AND P0, PT, R1, RZ, PT;
    @P0 BRA critical;
)" + pause +
           R"(
    BRA acquire;
critical:
    LDS R2, [0x4];
    IADD3 R2, R2, 0x1, RZ;
    STS [0x4], R2;
    ATOMS.EXCH R1, [0x0], RZ;
out:
    BSYNC B0;
    EXIT;
)";
}

std::vector<Case> regions() {
    return {
        legal("nested_if_that_uses_one_barrier_register_twice", {4}, kHead + R"(
    LOP3 R2, R0, 0x2, RZ, 0xc0;
    ISETP.NE.AND P3, PT, R2, RZ, PT;
    LOP3 R2, R0, 0x1, RZ, 0xc0;
    ISETP.NE.AND P4, PT, R2, RZ, PT;
    BSSY B0, outer;
    @!P3 BRA outer;
    IADD3 R3, R3, 0x1, RZ;
    BSSY B0, inner;
    @!P4 BRA inner;
    IADD3 R3, R3, 0x10, RZ;
inner:
    BSYNC B0;
    IADD3 R3, R3, 0x100, RZ;
outer:
    BSYNC B0;
    IADD3 R3, R3, 0x1000, RZ;
    EXIT;
)",
              {{3, {0x1000, 0x1000, 0x1101, 0x1111}}}, {}),
        legal("the_threads_of_an_if_vote_together", {4}, kHead + R"(
    LOP3 R2, R0, 0x1, RZ, 0xc0;
    ISETP.NE.AND P3, PT, R2, RZ, PT;
    BSSY B0, join;
    @P3 BRA odd;
    VOTE.ANY R3, P4, PT;
    BRA join;
odd:
    VOTE.ANY R3, P4, PT;
join:
    BSYNC B0;
    VOTE.ANY R5, P4, PT;
    EXIT;
)",
              {{3, {5, 10, 5, 10}}, {5, {15, 15, 15, 15}}}, {}),
        legal("loop_with_break", {4}, kHead + R"(
    BSSY B0, done;
    BSSY B1, out;
    MOV R3, RZ;
again:
    ISETP.EQ.AND P3, PT, R3, R0, PT;
    @P3 BREAK B0;
    @P3 BRA out;            // leaves the outer region permanently
    IADD3 R3, R3, 0x1, RZ;
    ISETP.LT.AND P4, PT, R3, 0x2, PT;
    @P4 BRA again;
done:
    BSYNC B0;
    IADD3 R4, R4, 0x10, RZ;
out:
    BSYNC B1;
    EXIT;
)",
              {{3, {0, 1, 2, 2}}, {4, {0, 0, 0x10, 0x10}}}, {}),
        legal("early_exit_inside_a_region", {3}, kHead + R"(
    BSSY B0, join;
    @P1 EXIT;
    @P2 BRA join;
    MOV R3, 0x5;
join:
    BSYNC B0;
    VOTE.ANY R4, P3, PT;
    EXIT;
)",
              {{3, {5, 0, 0}}, {4, {5, 0, 5}}}, {}),
        legal("sleep_inside_a_region", {3}, kHead + R"(
    BSSY B0, join;
    @P1 BRA join;
    NANOSLEEP 0x64;
    @P2 NANOSLEEP 0x32;
    ATOMS.ADD R3, [0x0], R7;
join:
    BSYNC B0;
    ATOMS.ADD R3, [0x4], R7;
    EXIT;
)",
              {}, {2, 3}),
        legal("call_and_return_of_some_threads", {3}, kHead + R"(
    BSSY B0, join;
    @P1 BRA join;
    LEPC R[4:5], 0x30;
    CALL.REL function;
    NOP;
    IADD3 R3, R3, 0x1, RZ;  // LEPC + 0x30
join:
    BSYNC B0;
    EXIT;
function:
    IADD3 R3, R3, 0x10, RZ;
    RET.ABS R[4:5], 0x0;
)",
              {{3, {0x11, 0, 0x11}}}, {}),
        legal("jump_to_three_places", {3}, kHead + R"(
    BSSY B0, join;
    SHL R2, R0, 0x5;
    BRX R2, 0x0;
    MOV R3, 0x1;
    BRA join;
    MOV R3, 0x2;
    BRA join;
    MOV R3, 0x3;
join:
    BSYNC B0;
    VOTE.ANY R4, P3, PT;
    EXIT;
)",
              {{3, {1, 2, 3}}, {4, {7, 7, 7}}}, {}),
        {"trap_handler_and_back",
         {2},
         R"(
    BRA start;
    IADD3 R6, R6, 0x1, RZ;  // the handler at 0x10
    RTT;
start:
    S2R R0, SR_LANEID;
    ISETP.EQ.AND P1, PT, R0, 0x1, PT;
    @P1 TRAP 0x3;
    IADD3 R3, R6, 0x10, RZ;
    EXIT;
)",
         {{3, {0x11, 0x11}}},
         {},
         {},
         {"bru.trap_handler=16"},
         {}},
    };
}

std::vector<Case> locks() {
    return {
        legal("spin_lock_with_yield", {4}, lock_with("    YIELD;"), {}, {0, 4}),
        legal("spin_lock_with_sleep", {3}, lock_with("    NANOSLEEP 0x64;"), {}, {0, 3}),
        legal("spin_lock_of_two_warps_with_yield", {2, 2}, lock_with("    YIELD;"), {}, {0, 4}),
        legal("spin_lock_of_two_warps_with_sleep", {2, 1}, lock_with("    NANOSLEEP 0x64;"), {}, {0, 3}),
        legal("ticket_from_thread_to_thread", {4}, kHead + R"(
    BSSY B0, out;
wait:
    LDS R1, [0x0];
    ISETP.EQ.AND P0, PT, R1, R0, PT;
    @P0 BRA mine;
    YIELD;
    BRA wait;
mine:
    LDS R2, [0x4];
    LEA R2, R2, R0, 0x4;    // the order of the tickets
    STS [0x4], R2;
    ATOMS.ADD R1, [0x0], R7;
out:
    BSYNC B0;
    EXIT;
)",
              {}, {4, 0x123}),
        legal("hand_over_between_two_warps_and_back", {2, 2}, R"(
    S2R R0, SR_WARPID;
    ISETP.NE.AND P1, PT, R0, RZ, PT;
    MOV R7, 0x1;
    @P1 BRA second;
    ATOMS.ADD R1, [0x0], R7;
one:
    LDS R2, [0x4];
    ISETP.NE.AND P2, PT, R2, 0x2, PT;
    @P2 BRA one;
    EXIT;
second:
    LDS R2, [0x0];
    ISETP.NE.AND P2, PT, R2, 0x2, PT;
    @P2 BRA second;
    ATOMS.ADD R1, [0x4], R7;
    EXIT;
)",
              {}, {2, 2}),
    };
}

std::vector<Case> meetings() {
    return {
        legal("two_groups_meet", {4}, kHead + R"(
    LOP3 R2, R0, 0x1, RZ, 0xc0;
    ISETP.NE.AND P3, PT, R2, RZ, PT;
    SHL R6, R0, 0x2;
    @P3 BRA odd;
    STS [R6], R7;
    WARPSYNC 0x5;
    LDS R3, [0x0];
    LDS R4, [0x8];
    EXIT;
odd:
    STS [R6], R7;
    WARPSYNC 0xa;
    LDS R3, [0x4];
    LDS R4, [0xc];
    EXIT;
)",
              {{3, {1, 1, 1, 1}}, {4, {1, 1, 1, 1}}}, {1, 1, 1, 1}),
        legal("two_groups_meet_at_one_place_by_register", {4}, kHead + R"(
    ISETP.LT.AND P3, PT, R0, 0x2, PT;
    MOV R6, 0xc;
    @P3 MOV R6, 0x3;
    MOV R5, 0x3;
again:
    WARPSYNC R6;
    VOTE.ANY R3, P4, PT;
    IADD3 R5, R5, -1, RZ;
    ISETP.NE.AND P4, PT, R5, RZ, PT;
    @P4 BRA again;
    EXIT;
)",
              {{3, {3, 3, 12, 12}}}, {}),
        legal("a_meeting_beside_a_spin_loop", {3}, kHead + R"(
    @P2 BRA spin;
    @P1 BRA one;
meet:
    WARPSYNC 0x3;
    STS [0x0], R7;
    EXIT;
one:
    NANOSLEEP 0x64;
    BRA meet;
spin:
    LDS R1, [0x0];
    ISETP.NE.AND P0, PT, R1, RZ, PT;
    @P0 EXIT;
    YIELD;
    BRA spin;
)",
              {}, {1}),
        legal("a_meeting_passes_when_a_member_exits", {3}, kHead + R"(
    @P2 BRA two;
    WARPSYNC 0x7;
    VOTE.ANY R3, P3, PT;
    EXIT;
two:
    NANOSLEEP 0x64;
    EXIT;
)",
              {{3, {3, 3, 0}}}, {}),
        illegal("meetings_that_never_meet", {2}, kHead + R"(
    @P1 BRA one;
    WARPSYNC 0x3;
    EXIT;
one:
    NANOSLEEP 0x64;
    WARPSYNC 0x3;
    EXIT;
)",
                Fault::kSyncDeadlock),
        illegal("meetings_in_crossed_order", {3}, kHead + R"(
    @P1 BRA one;
    @P2 BRA two;
    WARPSYNC 0x5;           // 0: first 2, then 1
    EXIT;
one:
    WARPSYNC 0x3;           // 1: first 0, then 2
    EXIT;
two:
    WARPSYNC 0x6;           // 2: first 1, then 0
    EXIT;
)",
                Fault::kSyncDeadlock),
        illegal("a_thread_outside_its_own_mask", {2}, kHead + "    WARPSYNC 0x1;\n    EXIT;\n",
                Fault::kWarpSyncMembership),
        illegal("masks_that_form_no_group", {3}, kHead + R"(
    MOV R6, 0x3;
    @P1 MOV R6, 0x6;
    @P2 MOV R6, 0x5;
    @P2 NANOSLEEP 0x64;
    WARPSYNC R6;
    EXIT;
)",
                Fault::kWarpSyncMembership),
        illegal("a_trap_without_handler", {2}, kHead + "    @P1 TRAP 0x7;\n    EXIT;\n", Fault::kTrap),
        illegal("running_past_the_end", {2}, kHead + "    NOP;\n", Fault::kIllegalTarget),
    };
}

} // namespace

std::vector<Case> warp_programs() {
    std::vector<Case> all;
    for (auto part : {regions(), locks(), meetings()}) {
        all.insert(all.end(), part.begin(), part.end());
    }
    return all;
}

} // namespace smsim::state_space
