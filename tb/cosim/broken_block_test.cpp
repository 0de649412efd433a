// Blocks that violate docs/pins.md: whatever they do, the run ends, and the message names the cycle and the pins. Each
// case covers RTL alone and lockstep.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tb/cosim/faulty_block.h"

namespace smsim::cosim {
namespace {

constexpr const char *kBranches = " BSSY B0, join;\n join: BSYNC B0;\n NANOSLEEP 0x40;\n";
constexpr const char *kStackBranches = " SETRPC join;\n join: JOIN;\n NANOSLEEP 0x40;\n";
constexpr const char *kTokenBranches = " SSY join;\n SYNC;\n join: NANOSLEEP 0x40;\n";
constexpr const char *kBarriers1 = " BAR.SYNC 1;\n BAR.ARV 2, 64;\n B2R R0, 2;\n";
constexpr const char *kShared =
    " S2R R1, SR_TID.X;\n SHL R1, R1, 0x2;\n LDS R0, [R1];\n ATOMS.ADD R0, [R1], R1;\n STS [R1], R0;\n";

/// Keeps the output `pin` low.
FaultyBlock::Fault low(const std::string &pin, unsigned fields) {
    return [pin, fields](const Block &block) { output(block, pin, 1, fields).clear(); };
}

struct Case {
    const char *name;
    BlockKind kind;
    FaultyBlock::Fault fault;
    FaultyBlock::Fault before_edge;
    const char *rtl;      ///< part of the message
    const char *lockstep; ///< the same with the model in lockstep
    unsigned stall_percent = 0;
};

std::ostream &operator<<(std::ostream &out, const Case &one) {
    return out << one.name;
}

/// A request is never taken: the adapter does not see `req_ready`, and the block does not see `req_valid`.
Case untaken(const char *name, BlockKind kind, unsigned channels, const char *message) {
    Case one{name, kind, {}, {}, message, message};
    one.fault = low("req_ready", channels);
    one.before_edge = [channels](const Block &block) {
        PinFinder(block, "test").input("req_valid", 1, channels).clear();
    };
    return one;
}

/// While `ready` is low, the output `pin` changes.
FaultyBlock::Fault when_held(const std::string &valid, const std::string &ready, const std::string &pin, unsigned width,
                             unsigned channels, std::uint64_t value) {
    return [=](const Block &block) {
        const Pin held = PinFinder(block, "test").input(ready, 1, channels);
        for (unsigned i = 0; i < channels; ++i) {
            if (output(block, valid, 1, channels).get(i) != 0 && held.get(i) == 0) {
                output(block, pin, width, channels).put(value, i);
            }
        }
    };
}

/// After the edge at which the first answer is taken, the block gives it once more.
FaultyBlock::Fault twice(const std::string &valid, unsigned channels) {
    return [=, seen = std::make_shared<int>(0), at = std::make_shared<unsigned>(0)](const Block &block) {
        const Pin pin = output(block, valid, 1, channels);
        if (*seen == 0 && pin.any()) {
            *seen = 1;
            while (pin.get(*at) == 0) {
                ++*at;
            }
        } else if (*seen == 1 && pin.get(*at) == 0) {
            *seen = 2;
        }
        if (*seen == 2) {
            pin.put(1, *at);
        }
    };
}

/// From the second cycle on there is an answer that was not requested.
FaultyBlock::Fault unasked(const std::string &valid, unsigned channels, unsigned index) {
    return [=](const Block &block) { output(block, valid, 1, channels).put(1, index); };
}

class BrokenBlock : public testing::TestWithParam<Case> {
  protected:
    session::LaunchResult run(bool lockstep) const {
        const Case &one = GetParam();
        const FaultyRun how{lockstep, one.stall_percent, one.before_edge};
        FaultyRun with_engine = how;
        switch (one.kind) {
        case BlockKind::kBruSimtStack:
            with_engine.engine = "simt_stack";
            return run_faulty<BruAdapter>(kStackBranches, one.kind, one.fault, with_engine);
        case BlockKind::kBruTokenStack:
            with_engine.engine = "token_stack";
            return run_faulty<BruAdapter>(kTokenBranches, one.kind, one.fault, with_engine);
        case BlockKind::kBru:
            return run_faulty<BruAdapter>(kBranches, one.kind, one.fault, how);
        case BlockKind::kBcu:
            return run_faulty<BcuAdapter>(kBarriers1, one.kind, one.fault, how);
        case BlockKind::kSleepTimer:
            return run_faulty<TimerAdapter>(kBranches, one.kind, one.fault, how);
        case BlockKind::kSharedMemory:
            break;
        }
        return run_faulty<SharedMemoryAdapter>(kShared, one.kind, one.fault, how);
    }
};

TEST_P(BrokenBlock, AloneIsAViolation) {
    const session::LaunchResult result = run(false);
    EXPECT_EQ(result.fault, Fault::kRtlViolation);
    EXPECT_THAT(result.exception, testing::StartsWith("RtlViolation: kernel 'k': "));
    EXPECT_THAT(result.exception, testing::HasSubstr(GetParam().rtl));
}

TEST_P(BrokenBlock, InLockstepIsADifference) {
    const session::LaunchResult result = run(true);
    EXPECT_EQ(result.fault, Fault::kLockstepDifference);
    EXPECT_THAT(result.exception, testing::HasSubstr(GetParam().lockstep));
}

const Case kCases[] = {
    untaken("BruNeverTakes", BlockKind::kBru, 4, "warp slot 0, 0x0000 BSSY B0: offered since cycle"),
    {"BruNeverAnswers",
     BlockKind::kBru,
     low("rsp_valid", 20),
     {},
     "0x0000 BSSY B0: taken in cycle 41, there is no response on channel 4 (rsp_valid",
     "0x0000 BSSY B0: model answers in cycle 43, RTL has not"},
    {"BruIsNeverBusy",
     BlockKind::kBru,
     low("busy", 1),
     {},
     "0x0010 BSYNC B0: taken in cycle 42, there is no response on channel 8",
     "0x0010 BSYNC B0: taken in cycle 42, there is no response on channel 8"},
    {"BruIsBusyForEver",
     BlockKind::kBru,
     [](const Block &block) {
         output(block, "busy", 1, 1).put(1);
         output(block, "rsp_valid", 1, 20).clear();
     },
     {},
     "bru in cycle 2501: warp slot 0, 0x0000 BSSY B0: taken in cycle 41, there is no response",
     "bru in cycle 2501: warp slot 0, 0x0000 BSSY B0: model answers in cycle 43, RTL has not"},
    {"BruAnswersTwice",
     BlockKind::kBru,
     twice("rsp_valid", 20),
     {},
     "a response on channel 4 for warp slot 0, which waits for none",
     "a response on channel 4 for warp slot 0, which waits for none"},
    {"BruAnswersNobody",
     BlockKind::kBru,
     unasked("rsp_valid", 20, 7),
     {},
     "rsp_valid of channel 7 rises within a cycle",
     "rsp_valid of channel 7 rises within a cycle"},
    {"BruAnswersForAWarpThatIsNot",
     BlockKind::kBru,
     [](const Block &block) { output(block, "rsp_warp", 8, 20).put(77, 4); },
     {},
     "a response on channel 4 for warp slot 77, which waits for none",
     "a response on channel 4 for warp slot 77, which waits for none"},
    {"BruNeverAsksTheTimer",
     BlockKind::kBru,
     low("timer_valid", 4),
     {},
     "no timer runs for it, and it is not woken (timer_valid, wake_valid;",
     "warp slot 0: model asks the timer for 64 cycles in cycle 48, RTL has not"},
    {"BruNeverWakes",
     BlockKind::kBru,
     low("wake_valid", 64),
     {},
     "no timer runs for it, and it is not woken (timer_valid, wake_valid;",
     "warp slot 0: model wakes it in cycle 112, RTL has not"},
    {"BruWakesWhoDoesNotSleep",
     BlockKind::kBru,
     unasked("wake_valid", 64, 9),
     {},
     "wake_valid of channel 9 rises within a cycle",
     "wake_valid of channel 9 rises within a cycle"},
    {"BruChangesWhatIsHeld",
     BlockKind::kBru,
     when_held("rsp_valid", "rsp_ready", "rsp_next_active", 32, 20, 0x55),
     {},
     "rsp_next_active of channel 0 changes from 0x0 to 0x55 within a cycle",
     "rsp_next_active of channel 0 changes from 0x0 to 0x55 within a cycle",
     60},
    {"BruTakesBackWhatIsHeld",
     BlockKind::kBru,
     when_held("rsp_valid", "rsp_ready", "rsp_valid", 1, 20, 0),
     {},
     "rsp_valid of channel 0 falls within a cycle",
     "rsp_valid of channel 0 falls within a cycle",
     60},
    untaken("SimtStackNeverTakes", BlockKind::kBruSimtStack, 4, "warp slot 0, 0x0000 SETRPC 0x10: offered since cycle"),
    {"SimtStackNeverAnswers",
     BlockKind::kBruSimtStack,
     low("rsp_valid", 20),
     {},
     "0x0000 SETRPC 0x10: taken in cycle 41, there is no response on channel 4 (rsp_valid",
     "0x0000 SETRPC 0x10: model answers in cycle 43, RTL has not"},
    {"SimtStackIsNeverBusy",
     BlockKind::kBruSimtStack,
     low("busy", 1),
     {},
     "0x0010 JOIN: taken in cycle 42, there is no response on channel 8",
     "0x0010 JOIN: taken in cycle 42, there is no response on channel 8"},
    {"SimtStackAnswersTwice",
     BlockKind::kBruSimtStack,
     twice("rsp_valid", 20),
     {},
     "a response on channel 4 for warp slot 0, which waits for none",
     "a response on channel 4 for warp slot 0, which waits for none"},
    {"SimtStackNeverWakes",
     BlockKind::kBruSimtStack,
     low("wake_valid", 64),
     {},
     "no timer runs for it, and it is not woken (timer_valid, wake_valid;",
     "warp slot 0: model wakes it in cycle 112, RTL has not"},
    untaken("TokenStackNeverTakes", BlockKind::kBruTokenStack, 4, "warp slot 0, 0x0000 SSY 0x20: offered since cycle"),
    {"TokenStackNeverAnswers",
     BlockKind::kBruTokenStack,
     low("rsp_valid", 20),
     {},
     "0x0000 SSY 0x20: taken in cycle 41, there is no response on channel 4 (rsp_valid",
     "0x0000 SSY 0x20: model answers in cycle 43, RTL has not"},
    {"TokenStackIsNeverBusy",
     BlockKind::kBruTokenStack,
     low("busy", 1),
     {},
     "0x0010 SYNC: taken in cycle 42, there is no response on channel 8",
     "0x0010 SYNC: taken in cycle 42, there is no response on channel 8"},
    {"TokenStackAnswersTwice",
     BlockKind::kBruTokenStack,
     twice("rsp_valid", 20),
     {},
     "a response on channel 4 for warp slot 0, which waits for none",
     "a response on channel 4 for warp slot 0, which waits for none"},
    {"TokenStackNeverWakes",
     BlockKind::kBruTokenStack,
     low("wake_valid", 64),
     {},
     "no timer runs for it, and it is not woken (timer_valid, wake_valid;",
     "warp slot 0: model wakes it in cycle 112, RTL has not"},
    untaken("BcuNeverTakes", BlockKind::kBcu, 4, "warp slot 0, BAR.SYNC 0x1: offered since cycle"),
    {"BcuNeverAcks",
     BlockKind::kBcu,
     low("ack_valid", 1),
     {},
     "BAR.ARV 0x2, 0x40: taken in cycle 63, there is no answer (ack_valid",
     "model goes on in cycle 70, RTL has not answered"},
    {"BcuNeverMoves",
     BlockKind::kBcu,
     low("move_valid", 1),
     {},
     "B2R.BAR R0, 0x2: taken in cycle 64, there is no answer (move_valid",
     "model value 0x00004101, predicate false, written in cycle 80, RTL has not answered"},
    {"BcuNeverLetsGo",
     BlockKind::kBcu,
     low("go_valid", 64),
     {},
     "BAR.SYNC 0x1: taken in cycle 41, there is no answer (ack_valid, go_valid",
     "model go in cycle 63, RTL has not answered"},
    {"BcuIsNeverBusy",
     BlockKind::kBcu,
     low("busy", 1),
     {},
     "BAR.SYNC 0x1: taken in cycle 41, there is no answer",
     "BAR.SYNC 0x1: taken in cycle 41, there is no answer"},
    {"BcuIsBusyForEver",
     BlockKind::kBcu,
     [](const Block &block) {
         output(block, "busy", 1, 1).put(1);
         output(block, "go_valid", 1, 64).clear();
     },
     {},
     "bcu in cycle 2501: warp slot 0, BAR.SYNC 0x1: taken in cycle 41, there is no answer",
     "bcu in cycle 2501: warp slot 0: model go in cycle 63, RTL has not answered"},
    {"BcuAcksTwice",
     BlockKind::kBcu,
     twice("ack_valid", 1),
     {},
     "bcu in cycle 71: an answer for warp slot 0, which waits for none",
     "bcu in cycle 71: an answer for warp slot 0, which waits for none"},
    {"BcuMovesTwice",
     BlockKind::kBcu,
     twice("move_valid", 1),
     {},
     "bcu in cycle 81: a result for warp slot 0, which waits for none",
     "bcu in cycle 81: a result for warp slot 0, which waits for none"},
    {"BcuLetsGoTwice",
     BlockKind::kBcu,
     twice("go_valid", 64),
     {},
     "bcu in cycle 64: warp slot 0 is let go, but does not wait",
     "model has no such answer now, RTL go"},
    {"BcuLetsGoWhoDoesNotWait",
     BlockKind::kBcu,
     unasked("go_valid", 64, 3),
     {},
     "go_valid of channel 3 rises within a cycle",
     "go_valid of channel 3 rises within a cycle"},
    {"BcuChangesWhatIsHeld",
     BlockKind::kBcu,
     when_held("move_valid", "move_ready", "move_value", 32, 1, 0x55),
     {},
     "move_value changes from 0x4101 to 0x55 within a cycle",
     "move_value changes from 0x4101 to 0x55 within a cycle",
     85},
    untaken("TimerNeverTakes", BlockKind::kSleepTimer, 4, "warp slot 0: a request offered since cycle"),
    {"TimerNeverExpires",
     BlockKind::kSleepTimer,
     low("expiry", 64),
     {},
     "model expires in cycle 112, RTL does not run",
     "model expires in cycle 112, RTL does not run"},
    {"TimerIsNeverBusy",
     BlockKind::kSleepTimer,
     low("busy", 1),
     {},
     "timer in cycle 49: the timer of warp slot 0: model expires in cycle 112, RTL does not run",
     "timer in cycle 49: the timer of warp slot 0: model expires in cycle 112, RTL does not run"},
    {"TimerExpiresForNobody",
     BlockKind::kSleepTimer,
     unasked("expiry", 64, 5),
     {},
     "the timer of warp slot 5: model does not run, RTL expires in cycle 1",
     "the timer of warp slot 5: model does not run, RTL expires in cycle 1"},
    {"TimerIsBusyForEver",
     BlockKind::kSleepTimer,
     [](const Block &block) {
         output(block, "busy", 1, 1).put(1);
         output(block, "expiry", 1, 64).clear();
     },
     {},
     "timer in cycle 2501: the timer of warp slot 0: model expires in cycle 112, RTL has not",
     "timer in cycle 2501: the timer of warp slot 0: model expires in cycle 112, RTL has not"},
    untaken("SharedNeverTakes", BlockKind::kSharedMemory, 1, "read offered since cycle"),
    {"SharedNeverAnswers",
     BlockKind::kSharedMemory,
     low("rsp_valid", 1),
     {},
     "read of cycle 64: slots 0xff have no response (rsp_valid",
     "read of cycle 64: model answers in cycle 86, RTL has not"},
    {"SharedNeverAnswersAtomics",
     BlockKind::kSharedMemory,
     low("arsp_valid", 1),
     {},
     "atomic of cycle 88: slots 0xffffffff have no response (arsp_valid",
     "atomic of cycle 88: model answers in cycle 116, RTL has not"},
    {"SharedIsNeverBusy",
     BlockKind::kSharedMemory,
     low("busy", 1),
     {},
     "shared in cycle 65: read of cycle 64: slots 0xff have no response",
     "shared in cycle 65: read of cycle 64: slots 0xff have no response"},
    {"SharedIsBusyForEver",
     BlockKind::kSharedMemory,
     [](const Block &block) {
         output(block, "busy", 1, 1).put(1);
         output(block, "rsp_valid", 1, 1).clear();
     },
     {},
     "shared in cycle 2501: read of cycle 64: slots 0xff have no response",
     "shared in cycle 2501: read of cycle 64: model answers in cycle 86, RTL has not"},
    {"SharedAnswersTwice",
     BlockKind::kSharedMemory,
     twice("rsp_valid", 1),
     {},
     "a response with the tag 0, which no access has",
     "a response with the tag 0, which no access has"},
    {"SharedAnswersNobody",
     BlockKind::kSharedMemory,
     unasked("arsp_valid", 1, 0),
     {},
     "arsp_valid rises within a cycle",
     "arsp_valid rises within a cycle"},
    {"SharedChangesWhatIsHeld",
     BlockKind::kSharedMemory,
     when_held("rsp_valid", "rsp_ready", "rsp_slots", 32, 1, 0x55),
     {},
     "rsp_slots changes from 0xff to 0x55 within a cycle",
     "rsp_slots changes from 0xff to 0x55 within a cycle",
     60},
};

INSTANTIATE_TEST_SUITE_P(Cases, BrokenBlock, testing::ValuesIn(kCases),
                         [](const auto &tested) { return std::string(tested.param.name); });

} // namespace
} // namespace smsim::cosim
