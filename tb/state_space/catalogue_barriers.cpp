// Hand-written programs about CTA barriers. R0 is the warp, R7 is 1, and P0 is true in warps other than 0.
#include "tb/state_space/catalogue.h"

namespace smsim::state_space {
namespace {

const std::string kHead = R"(
    S2R R0, SR_WARPID;
    ISETP.NE.AND P0, PT, R0, RZ, PT;
    MOV R7, 0x1;
)";

Case legal(std::string name, std::vector<unsigned> threads, const std::string &text, std::vector<Expected> registers,
           std::vector<std::uint32_t> shared) {
    return {std::move(name), std::move(threads), kHead + text, std::move(registers), std::move(shared), {}, {}, {}};
}

Case illegal(std::string name, std::vector<unsigned> threads, const std::string &text, Fault fault) {
    return {std::move(name), std::move(threads), kHead + text, {}, {}, fault, {}, {}};
}

std::vector<Case> legal_programs() {
    return {
        legal("all_warps_see_what_was_stored_before", {1, 2, 1}, R"(
    ATOMS.ADD R1, [0x0], R7;
    BAR.SYNC 0x0, 0x0;
    LDS R3, [0x0];
    EXIT;
)",
              {{3, {4}, 0}, {3, {4, 4}, 1}, {3, {4}, 2}}, {4}),
        legal("a_barrier_is_used_again", {1, 1}, R"(
    MOV R5, 0x3;
again:
    ATOMS.ADD R1, [0x0], R7;
    BAR.SYNC 0x0, 0x0;
    LDS R3, [0x0];
    IADD3 R4, R4, R3, RZ;
    BAR.SYNC 0x1, 0x40;
    IADD3 R5, R5, -1, RZ;
    ISETP.NE.AND P1, PT, R5, RZ, PT;
    @P1 BRA again;
    EXIT;
)",
              {{4, {12}, 0}, {4, {12}, 1}}, {6}),
        legal("producer_arrives_and_consumer_waits", {1, 2}, R"(
    @P0 BRA consumer;
    STS [0x0], R7;
    BAR.ARV 0x2, 0x40;
    EXIT;
consumer:
    BAR.SYNC 0x2, 0x40;
    LDS R3, [0x0];
    EXIT;
)",
              {{3, {1, 1}, 1}}, {1}),
        legal("two_slots_of_a_buffer_go_round", {1, 1}, R"(
    MOV R5, 0x2;
    @P0 BRA consumer;
produce:
    STS [0x0], R5;
    BAR.SYNC 0x1, 0x40;     // full
    BAR.SYNC 0x2, 0x40;     // empty
    IADD3 R5, R5, -1, RZ;
    ISETP.NE.AND P1, PT, R5, RZ, PT;
    @P1 BRA produce;
    EXIT;
consumer:
    BAR.SYNC 0x1, 0x40;
    LDS R3, [0x0];
    LEA R4, R4, R3, 0x4;
    BAR.ARV 0x2, 0x40;
    IADD3 R5, R5, -1, RZ;
    ISETP.NE.AND P1, PT, R5, RZ, PT;
    @P1 BRA consumer;
    EXIT;
)",
              {{4, {0x21}, 1}}, {1}),
        legal("reductions", {2, 1}, R"(
    BAR.RED.POPC 0x0, 0x40, PT;
    B2R.RESULT R3, P1;
    BAR.RED.AND 0x0, 0x40, P0;
    B2R.RESULT R4, P2;
    BAR.RED.OR 0x1, 0x0, P0;
    B2R.RESULT R4, P3;
    SEL R5, R7, RZ, P2;
    SEL R6, R7, RZ, P3;
    EXIT;
)",
              {{3, {3, 3}, 0}, {3, {3}, 1}, {5, {0, 0}, 0}, {5, {0}, 1}, {6, {1, 1}, 0}, {6, {1}, 1}}, {}),
        legal("both_sides_of_a_branch_arrive_one_after_the_other", {2, 1}, R"(
    S2R R1, SR_LANEID;
    ISETP.EQ.AND P1, PT, R1, 0x1, PT;
    @P0 BRA second;
    @P1 BRA odd;
    ATOMS.ADD R1, [0x0], R7;
    BAR.SYNC 0x0, 0x0;
    EXIT;
odd:
    ATOMS.ADD R1, [0x0], R7;
    BAR.SYNC 0x0, 0x0;
    EXIT;
second:
    BAR.SYNC 0x0, 0x0;
    LDS R3, [0x0];          // one of the two
    BAR.SYNC 0x0, 0x0;
    LDS R4, [0x0];
    EXIT;
)",
              {{4, {2}, 1}}, {2}),
        legal("a_warp_that_has_exited_is_not_waited_for", {1, 1, 1}, R"(
    @P0 ISETP.NE.AND P1, PT, R0, 0x1, PT;
    @P1 EXIT;
    ATOMS.ADD R1, [0x0], R7;
    BAR.SYNC 0x0, 0x0;
    LDS R3, [0x0];
    EXIT;
)",
              {{3, {2}, 0}, {3, {2}, 1}}, {2}),
        legal("a_sleep_ends_while_the_warp_is_blocked", {2, 1}, R"(
    S2R R1, SR_LANEID;
    ISETP.EQ.AND P1, PT, R1, 0x1, PT;
    @P0 BRA second;
    @!P1 BRA arrive;
    NANOSLEEP 0x64;
    ATOMS.ADD R1, [0x0], R7;
    EXIT;
arrive:
    BAR.SYNC 0x0, 0x40;
    EXIT;
second:
    BAR.SYNC 0x0, 0x40;
    EXIT;
)",
              {}, {1}),
        legal("a_meeting_and_a_barrier", {2, 1}, R"(
    S2R R1, SR_LANEID;
    ISETP.EQ.AND P1, PT, R1, 0x1, PT;
    @P0 BRA here;
    @P1 BRA odd;
meet:
    WARPSYNC 0x3;
here:
    ATOMS.ADD R1, [0x0], R7;
    BAR.RED.POPC 0x3, 0x0, PT;
    B2R.RESULT R3, P2;
    EXIT;
odd:
    NANOSLEEP 0x64;
    BRA meet;
)",
              {{3, {3, 3}, 0}, {3, {3}, 1}}, {3}),
        legal("a_result_is_saved_and_restored", {1, 1}, R"(
    BAR.RED.POPC 0x1, 0x40, PT;
    B2R.WARP R4;
    BAR.RED.POPC 0x1, 0x40, !PT;
    B2R.RESULT R5, P1;
    R2B.WARP R4;
    B2R.RESULT R6, P1;
    EXIT;
)",
              {{5, {0}, 0}, {6, {2}, 0}, {5, {0}, 1}, {6, {2}, 1}}, {}),
    };
}

std::vector<Case> illegal_programs() {
    return {
        illegal("too_few_arrive", {1, 2}, "    BAR.SYNC 0x0, 0x60;\n    EXIT;\n", Fault::kBarrierDeadlock),
        illegal("each_waits_at_another_barrier", {1, 1}, R"(
    @P0 BAR.SYNC 0x1, 0x40;
    @!P0 BAR.SYNC 0x2, 0x40;
    EXIT;
)",
                Fault::kBarrierDeadlock),
        illegal("a_thread_stays_behind_a_blocked_warp", {2, 1}, R"(
    S2R R1, SR_LANEID;
    ISETP.EQ.AND P1, PT, R1, 0x1, PT;
    @P0 BRA wait;
    @P1 BRA odd;
    BAR.SYNC 0x0, 0x0;
    EXIT;
odd:
    STS [0x0], R7;
    EXIT;
wait:
    BAR.SYNC 0x1, 0x40;
    EXIT;
)",
                Fault::kBarrierDeadlock),
        illegal("a_reduction_meets_a_plain_barrier", {1, 1}, R"(
    @P0 BAR.RED.POPC 0x1, 0x0, PT;
    @!P0 BAR.SYNC 0x1, 0x0;
    EXIT;
)",
                Fault::kBarrierMismatch),
        illegal("counts_differ", {1, 1}, R"(
    @P0 BAR.SYNC 0x1, 0x40;
    @!P0 BAR.SYNC 0x1, 0x60;
    EXIT;
)",
                Fault::kBarrierMismatch),
        illegal("a_count_that_is_no_multiple_of_a_warp", {1}, "    BAR.SYNC 0x0, 0x21;\n    EXIT;\n",
                Fault::kBarrierCount),
        illegal("threads_name_different_barriers", {2}, R"(
    S2R R1, SR_LANEID;
    BAR.SYNC R1;
    EXIT;
)",
                Fault::kBarrierOperand),
    };
}

} // namespace

std::vector<Case> barrier_programs() {
    std::vector<Case> all = legal_programs();
    const std::vector<Case> more = illegal_programs();
    all.insert(all.end(), more.begin(), more.end());
    return all;
}

} // namespace smsim::state_space
