// Instructions of a warp are reported in program order, even those issued ahead of a control instruction.
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sm/program_order.h"

namespace smsim::sm {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// What ProgramOrder reports to an observer, in short: "postponed 3", "executed 3", "accesses 0x40", "completed 3
/// R1=5".
class Told final : public ExecutionObserver {
  public:
    void postponed(const ExecutedInstruction &i) override { note("postponed", i); }
    void executed(const ExecutedInstruction &i) override { note("executed", i); }
    void accesses(const protocol::LoadStoreExtension &access) override {
        all.push_back(fmt::format("accesses {:#x}", access.address[0]));
    }
    void completed(const CompletedInstruction &i) override {
        all.push_back(fmt::format("completed {} at {} R1={}{}", i.sequence, i.cycle, i.registers.value(1, 0),
                                  i.access != nullptr ? fmt::format(" read {}", i.access->data[0][0]) : ""));
    }
    void ended(const WarpStart &start, const compute::WarpRegisters &) override {
        all.push_back(fmt::format("ended {}", start.age));
    }
    std::vector<std::string> take() { return std::exchange(all, {}); }

    std::vector<std::string> all;

  private:
    void note(const char *what, const ExecutedInstruction &i) {
        all.push_back(fmt::format("{} {} of {}:{}", what, i.sequence, i.cycle, i.start.warp.value()));
    }
};

class ProgramOrderTest : public testing::Test {
  protected:
    ProgramOrderTest() {
        for (std::uint32_t w = 0; w < 2; ++w) {
            starts[w].warp = WarpSlot(w);
            starts[w].age = 10 + w;
        }
    }
    ExecutedInstruction instruction(Cycle cycle, std::uint64_t sequence, unsigned warp = 0) const {
        return {cycle, starts[warp], insn, LaneMask::all(), LaneMask::all(), sequence};
    }
    void complete(Cycle cycle, std::uint64_t sequence, std::uint32_t value,
                  const protocol::LoadStoreExtension *access = nullptr) {
        registers.set(1, 0, value);
        order.completed({cycle, starts[0], insn, LaneMask::all(), sequence, registers, access});
    }

    isa::Instruction insn;
    std::array<WarpStart, 2> starts;
    compute::WarpRegisters registers{8};
    Told told;
    ProgramOrder order{told};
};

TEST_F(ProgramOrderTest, WithoutPostponedInstructionsEverythingIsHandedOnAtOnce) {
    protocol::LoadStoreExtension access;
    access.address[0] = 0x40;
    order.accesses(access);
    order.executed(instruction(1, 0));
    complete(3, 0, 5);
    order.ended(starts[0], registers);
    EXPECT_THAT(told.all, ElementsAre("accesses 0x40", "executed 0 of 1:0", "completed 0 at 3 R1=5", "ended 10"));
}

TEST_F(ProgramOrderTest, LaterInstructionsOfAWarpAreReportedAfterAPostponedOne) {
    order.postponed(instruction(1, 0));
    order.executed(instruction(2, 1));
    order.executed(instruction(2, 0, 1)); // of another warp
    EXPECT_THAT(told.take(), ElementsAre("postponed 0 of 1:0", "postponed 1 of 2:0", "executed 0 of 2:1"));
    order.executed(instruction(1, 0));
    EXPECT_THAT(told.take(), ElementsAre("executed 0 of 1:0", "executed 1 of 2:0"));
    order.executed(instruction(3, 2));
    EXPECT_THAT(told.take(), ElementsAre("executed 2 of 3:0"));
}

TEST_F(ProgramOrderTest, BetweenTwoPostponedInstructionsTheControlStateIsThatAfterTheFirst) {
    order.postponed(instruction(1, 0));
    order.executed(instruction(2, 1));
    order.postponed(instruction(3, 2));
    order.executed(instruction(4, 3));
    told.take();
    order.executed(instruction(1, 0));
    EXPECT_THAT(told.take(), ElementsAre("executed 0 of 1:0", "executed 1 of 2:0"));
    order.executed(instruction(3, 2));
    EXPECT_THAT(told.take(), ElementsAre("executed 2 of 3:0", "executed 3 of 4:0"));
}

TEST_F(ProgramOrderTest, AResultIsReportedAsItArrived) {
    protocol::LoadStoreExtension access;
    access.warp = WarpSlot(0);
    access.address[0] = 0x40;
    access.data[0][0] = 1;
    order.postponed(instruction(1, 0));
    order.accesses(access);
    order.executed(instruction(2, 1));
    access.address[0] = 0x80;
    access.data[0][0] = 77;
    complete(9, 1, 5, &access);
    access.data[0][0] = 78;
    order.executed(instruction(3, 2));
    complete(4, 2, 6);
    told.take();
    order.executed(instruction(1, 0));
    EXPECT_THAT(told.take(),
                ElementsAre("executed 0 of 1:0", "accesses 0x40", "executed 1 of 2:0", "completed 1 at 9 R1=5 read 77",
                            "executed 2 of 3:0", "completed 2 at 4 R1=6"));
}

TEST_F(ProgramOrderTest, AnAnswerToTheWarpThatHadTheSlotBeforeIsHandedOnAtOnce) {
    starts[1].warp = WarpSlot(0);
    order.postponed(instruction(1, 0, 1));
    order.executed(instruction(2, 1, 1));
    told.take();
    complete(3, 1, 5);
    EXPECT_THAT(told.take(), ElementsAre("completed 1 at 3 R1=5"));
}

TEST_F(ProgramOrderTest, AtTheEndOfTheRunOnlyExecutedInstructionsAreReported) {
    order.postponed(instruction(1, 0));
    order.executed(instruction(2, 1));
    order.postponed(instruction(3, 2));
    order.executed(instruction(4, 3));
    told.take();
    order.tell_rest();
    EXPECT_THAT(told.take(), ElementsAre("executed 1 of 2:0", "executed 3 of 4:0"));
    order.tell_rest();
    EXPECT_THAT(told.take(), IsEmpty());
}

} // namespace
} // namespace smsim::sm
