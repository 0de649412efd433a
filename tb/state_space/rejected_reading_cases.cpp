// Programs that show why a reading is rejected. In all of them R0 is the lane, and P1, P2 are true for lane 1, lane 2.
#include "tb/state_space/rejected_reading_cases.h"

namespace smsim::state_space {
namespace {

const std::string kLanes12 = R"(
    S2R R0, SR_LANEID;
    ISETP.EQ.AND P1, PT, R0, 0x1, PT;
    ISETP.EQ.AND P2, PT, R0, 0x2, PT;
)";

std::vector<RejectedReadingCase> joins() {
    return {
        {{"D1_D8_two_joins_hand_over_to_each_other",
          {3},
          kLanes12 + R"(
    BSSY B0, zero;
    BSSY B1, one;
    @P2 BRA two;
    @P1 BRA one;
zero:
    BSYNC B0;               // misses 1 and 2
    MOV R1, 0x1;
    STS [0x0], R1;
    EXIT;
one:
    BSYNC B1;               // misses 0 and 2
    EXIT;
two:
    LDS R2, [0x0];
    ISETP.NE.AND P3, PT, R2, RZ, PT;
    @P3 EXIT;
    YIELD;
    BRA two;
)",
          {},
          {1},
          {},
          {},
          {}},
         "bru.bsync_spec_literal=true",
         Problem::kLivelock},
        {{"D2_threads_that_exited_count_as_missing",
          {2},
          kLanes12 + R"(
    BSSY B0, join;
    @P1 EXIT;
    BMOV R3, B0;            // who has yet to come
join:
    BSYNC B0;
    EXIT;
)",
          {{3, {1}}},
          {},
          {},
          {},
          {}},
         "d2",
         Problem::kWrongResult},
        {{"D6_a_sleeper_passes_the_join_in_its_sleep",
          {2},
          kLanes12 + R"(
    BSSY B0, join;
    @!P1 BRA join;
    NANOSLEEP 0x64;         // thread 1 sleeps in front of the join
join:
    BSYNC B0;
    EXIT;
)",
          {},
          {},
          {},
          {},
          {}},
         "d6",
         Problem::kViolation},
        {{"D7_a_stale_bit_makes_the_next_join_wait",
          {2},
          kLanes12 + R"(
    BSSY B0, first;
    @P1 BRA first;          // thread 1 does not execute the BSYNC itself
    NOP;
first:
    BSYNC B0;
    @P1 BRA wait;
    BSSY B0, second;        // thread 0 alone
second:
    BSYNC B0;
    MOV R1, 0x1;
    STS [0x0], R1;
    EXIT;
wait:
    LDS R2, [0x0];
    ISETP.EQ.AND P3, PT, R2, RZ, PT;
    @P3 BRA wait;
    EXIT;
)",
          {},
          {1},
          {},
          {},
          {}},
         "d7",
         Problem::kLivelock},
        {{"D14_a_spin_loop_with_an_inner_join_starves_the_outer_one",
          {3},
          kLanes12 + R"(
    BSSY B0, outer;
    @P2 BRA outer;
spin:
    BSSY B1, inner;
    @P1 BRA inner;
    YIELD;
inner:
    BSYNC B1;
    LDS R3, [0x0];
    ISETP.EQ.AND P3, PT, R3, RZ, PT;
    @P3 BRA spin;
outer:
    BSYNC B0;
    MOV R1, 0x1;
    @P2 STS [0x0], R1;
    EXIT;
)",
          {},
          {1},
          {},
          {},
          {}},
         "d14",
         Problem::kLivelock},
        {{"D18_a_synchronised_thread_is_passed_over",
          {3},
          kLanes12 + R"(
    BSSY B0, first;
    @!P2 BRA rest;
    YIELD;
    YIELD;
    EXIT;
rest:
    @!P1 BRA zero;
    YIELD;
first:
    BSYNC B0;               // 0 executes it, 1 is here and has yielded, 2 is missing and has yielded
    BSSY B1, second;
    @P1 BRA around;
second:
    BSYNC B1;
    VOTE.ANY R5, P3, PT;
    EXIT;
zero:
    NOP;
    BRA first;
around:
    NOP;
    BRA second;
)",
          {{5, {3, 3}}},
          {},
          {},
          {},
          {}},
         "d18",
         Problem::kWrongResult},
    };
}

std::vector<RejectedReadingCase> turns() {
    return {
        {{"D3_a_warp_sleeps_although_nobody_sleeps",
          {2},
          kLanes12 + R"(
    @P1 BRA one;
    YIELD;
one:
    EXIT;
)",
          {},
          {},
          {},
          {},
          {}},
         "d3",
         Problem::kStuck},
        {{"D4_a_sleeper_runs_along",
          {3},
          kLanes12 + R"(
    ISETP.EQ.AND P0, PT, R0, RZ, PT;
    @P0 BRA zero;
    @P2 BRA here;
    NANOSLEEP 0x64;         // thread 1 sleeps where thread 2 stands
here:
    EXIT;
zero:
    YIELD;
    EXIT;
)",
          {},
          {},
          {},
          {},
          {}},
         "d4",
         Problem::kViolation},
        {{"D9_the_warp_sleeps_although_a_thread_is_awake",
          {3},
          kLanes12 + R"(
    @P1 BRA one;
    @P2 BRA two;
    YIELD;
    YIELD;                  // the turn is that of 1, who sleeps; 2 is awake
    EXIT;
one:
    NANOSLEEP 0x64;
    EXIT;
two:
    YIELD;
    EXIT;
)",
          {},
          {},
          {},
          {},
          {}},
         "d9",
         Problem::kViolation},
        {{"D10_a_yield_without_end",
          {2},
          kLanes12 + R"(
    @P1 BRA one;
    YIELD;
    EXIT;
one:
    YIELD;
    EXIT;
)",
          {},
          {},
          {},
          {},
          {}},
         "d10",
         Problem::kLivelock},
        {{"D12_nobody_sleeps",
          {2},
          kLanes12 + R"(
    @P1 BRA one;
    NANOSLEEP 0x64;
    EXIT;
one:
    YIELD;                  // would wake thread 0
    EXIT;
)",
          {},
          {},
          {},
          {},
          {}},
         "d12",
         Problem::kViolation},
        // The turn would let thread 0 pass (D-14): both rules protect the join.
        {{"D12_sleeps_that_are_always_over_starve_a_join",
          {2},
          kLanes12 + R"(
    BSSY B0, join;
    @!P1 BRA join;
spin:
    NANOSLEEP 0x1;
    LDS R3, [0x0];
    ISETP.EQ.AND P3, PT, R3, RZ, PT;
    @P3 BRA spin;
join:
    BSYNC B0;
    MOV R1, 0x1;
    STS [0x0], R1;
    EXIT;
)",
          {},
          {1},
          {},
          {"d14"},
          0},
         "bru.nanosleep_sets_yield=false",
         Problem::kLivelock},
    };
}

std::vector<RejectedReadingCase> jumps() {
    return {
        {{"D5_a_jump_takes_threads_along_that_stand_elsewhere",
          {3},
          kLanes12 + R"(
    @P2 BRA two;
    MOV R3, 0x1;
    @P1 BRA one;
    MOV R3, 0x10;
one:
    EXIT;
two:
    MOV R3, 0x2;
    EXIT;
)",
          {{3, {0x10, 1, 2}}},
          {},
          {},
          {},
          {}},
         "d5",
         Problem::kWrongResult},
        {{"D5_an_indirect_jump_destroys_the_address_of_others",
          {2},
          kLanes12 + R"(
    @P1 BRA one;
    MOV R3, 0x20;           // over the next two instructions
    BRX R3, 0x0;            // thread 1 has 0 there: literally it goes to the next one
    MOV R4, 0x1;
    EXIT;
    MOV R4, 0x2;
    EXIT;
one:
    MOV R4, 0x3;
    EXIT;
)",
          {{4, {2, 3}}},
          {},
          {},
          {},
          {}},
         "d5",
         Problem::kWrongResult},
        {{"D13_a_call_to_its_own_address",
          {2},
          R"(
    LEPC R[4:5], 0x20;
    CALL.ABS R[4:5], 0x0;
    EXIT;
)",
          {},
          {},
          {},
          {},
          {}},
         "d13",
         Problem::kLivelock},
    };
}

std::vector<RejectedReadingCase> meetings() {
    return {
        {{"D15_a_thread_with_a_false_guard_is_counted",
          {2},
          kLanes12 + R"(
    ISETP.EQ.AND P0, PT, R0, RZ, PT;
    @P1 BRA meet;
    NOP;
meet:
    @P0 WARPSYNC 0x3;
    @!P0 BRA first;
    LDS R3, [0x0];
    EXIT;
first:                      // thread 1 has to store before it takes part
    MOV R1, 0x7;
    STS [0x0], R1;
    ISETP.EQ.AND P0, PT, RZ, RZ, PT;
    BRA meet;
)",
          {{3, {7, 7}}},
          {7},
          {},
          {},
          {}},
         "d15",
         Problem::kWrongResult},
        {{"D16_a_thread_is_taken_into_another_meeting",
          {3},
          kLanes12 + R"(
    ISETP.EQ.AND P0, PT, R0, RZ, PT;
    MOV R6, 0x6;
    @P0 MOV R6, 0x3;
    @P2 BRA late;
meet:
    WARPSYNC R6;            // 0 wants to meet 1; 1 first has to meet 2
    ISETP.EQ.AND P3, PT, R6, 0x6, PT;
    @!P3 EXIT;
    LDS R3, [0x0];
    @P2 EXIT;
    MOV R6, 0x3;
    BRA meet;
late:
    MOV R1, 0x9;
    STS [0x0], R1;
    BRA meet;
)",
          {{3, {0, 9, 9}}},
          {9},
          {},
          {},
          {}},
         "d16",
         Problem::kWrongResult},
        {{"D17_a_deadlock_is_not_found",
          {2},
          kLanes12 + R"(
    @P1 BRA one;
    WARPSYNC 0x3;
    EXIT;
one:
    WARPSYNC 0x3;
    EXIT;
)",
          {},
          {},
          Fault::kSyncDeadlock,
          {},
          {}},
         "d17",
         Problem::kLivelock},
    };
}

std::vector<RejectedReadingCase> cta_barriers() {
    return {
        {{"B4_a_count_of_256_is_lost",
          {1, 1, 1, 1, 1, 1, 1, 1},
          R"(
    MOV R1, 0x1001;
    BAR.RED.POPC R1, PT;
    B2R.WARP R4;            // 8 arrived, 8 expected, POPC of 8
    EXIT;
)",
          {{4, {8 | 8U << 7 | 2U << 14 | 2U << 16 | 8U << 19}}},
          {},
          {},
          {},
          {}},
         "b4",
         Problem::kWrongResult},
        {{"B5_a_saved_result_is_lost",
          {2},
          R"(
    BAR.RED.POPC 0x1, 0x20, PT;
    B2R.WARP R4;
    R2B.WARP R4;
    B2R.RESULT R5, P0;
    EXIT;
)",
          {{5, {2, 2}}},
          {},
          {},
          {},
          {}},
         "b5",
         Problem::kWrongResult},
        {{"B6_a_partial_warp_never_completes_the_barrier",
          {32, 1},
          R"(
    BAR.SYNC 0x0, 0x0;
    EXIT;
)",
          {},
          {},
          {},
          {},
          {}},
         "b6",
         Problem::kFault},
    };
}

} // namespace

std::vector<RejectedReadingCase> rejected_reading_cases() {
    std::vector<RejectedReadingCase> all;
    for (auto part : {joins(), turns(), jumps(), meetings(), cta_barriers()}) {
        all.insert(all.end(), part.begin(), part.end());
    }
    return all;
}

} // namespace smsim::state_space
