// The branch unit of the golden model behaves as the core does, reports it with the meanings of docs/pins.md, and
// rejects impossible requests.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <random>

#include "bru/engines/convergence_barrier/control_state.h"
#include "bru/reconvergence_engine.h"
#include "cosim/pin_codes.h"
#include "tb/cosim/golden_support.h"
#include "tb/unit/model/instruction_generator.h"

namespace smsim::golden {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// The golden model and the core, which get the same requests.
class BesideTheCore {
  public:
    explicit BesideTheCore(const BruConfig &config) : engine_(bru::make_engine(config, 2)) {
        smsim_golden_bru_options options;
        smsim_golden_bru_defaults(&options);
        options.warps = 2;
        options.nanosleep_sets_yield = config.nanosleep_sets_yield ? 1 : 0;
        options.trap_enable = config.trap_handler >= 0 ? 1 : 0;
        options.trap_handler = static_cast<std::uint64_t>(std::max<std::int64_t>(config.trap_handler, 0));
        options.election = static_cast<std::uint32_t>(config.election.own());
        options.branch_order = static_cast<std::uint32_t>(config.branch_order);
        unit_ = new_bru(&options);
        start();
    }
    void start() {
        engine_->start(WarpSlot(1), 0x40, LaneMask(0x0fffffff), 0x100);
        ASSERT_EQ(smsim_golden_bru_start(unit_.get(), 1, 0x40, 0x100, 0x0fffffff), SMSIM_GOLDEN_OK);
    }
    void step(const isa::Instruction &insn, const smsim_golden_bru_request &asked) {
        isa::VectorOperands vectors{};
        std::ranges::copy(asked.vector, vectors[0].begin());
        const bru::StepResult here = engine_->execute(
            WarpSlot(1), insn, {LaneMask(asked.guard), LaneMask(asked.guard_pp), vectors, asked.scalar});
        smsim_golden_bru_response there;
        ASSERT_EQ(smsim_golden_bru_step(unit_.get(), 1, &asked, &there), SMSIM_GOLDEN_OK) << smsim_golden_error();
        EXPECT_EQ(there.channel, cosim::class_of(insn));
        if (here.fault) {
            EXPECT_STREQ(smsim_golden_fault_name(there.fault), fault_name(here.fault->fault));
            EXPECT_EQ(there.fault_lane, here.fault_lane);
            EXPECT_EQ(there.fault_value, here.fault_value);
            start();
            return;
        }
        EXPECT_EQ(there.outcome, here.outcome == Outcome::kExited ? 2U : here.outcome == Outcome::kSleep ? 1U : 0U);
        EXPECT_EQ(there.next_active, here.next_active.bits());
        EXPECT_EQ(there.executed, here.executed.bits());
        EXPECT_EQ(there.write_lanes, here.write_lanes.bits());
        EXPECT_EQ(there.active, here.event.active.bits());
        EXPECT_EQ(there.event, cosim::code_of(here.event.kind));
        EXPECT_EQ(there.jumped, here.event.jumped.bits());
        EXPECT_EQ(there.passed, here.event.passed ? 1U : 0U);
        EXPECT_EQ(there.release, cosim::code_of(here.event.release));
        EXPECT_EQ(there.sleep_ns, here.sleep_ns.value_or(0));
        if (here.outcome == Outcome::kExited) {
            start();
            return;
        }
        EXPECT_EQ(there.next_pc, here.next_pc);
        if (here.outcome == Outcome::kSleep) {
            engine_->timer_expired(WarpSlot(1));
            EXPECT_EQ(smsim_golden_bru_expired(unit_.get(), 1), SMSIM_GOLDEN_OK);
        }
        compare_states();
    }
    void compare_states() const {
        const auto here = bru::convergence_barrier::state_of(engine_->snapshot(WarpSlot(1), {}));
        smsim_golden_bru_state there;
        ASSERT_EQ(smsim_golden_bru_read_state(unit_.get(), 1, &there), SMSIM_GOLDEN_OK);
        EXPECT_EQ(there.active_pc, here.active_pc);
        const std::array masks = {here.valid,      here.active, here.yield,    here.sleep,
                                  here.switch_set, here.wait,   here.wait_bar, here.turn};
        for (unsigned i = 0; i < masks.size(); ++i) {
            EXPECT_EQ((&there.valid)[i], masks[i].bits()) << "mask " << i;
        }
        for (unsigned i = 0; i < kConvergenceBarriers; ++i) {
            EXPECT_EQ(there.b[i], here.b[i].bits());
        }
        for (unsigned lane = 0; lane < kLanes; ++lane) {
            const bool waits = here.valid.test(lane) && !here.active.test(lane);
            EXPECT_EQ(there.rpc[lane], waits ? here.rpc[lane] : 0) << "thread " << lane;
        }
    }

  private:
    std::unique_ptr<bru::ReconvergenceEngine> engine_;
    Bru unit_;
};

TEST(GoldenBru, AgreesWithTheCoreOnRandomInstructionsUnderEachPolicy) {
    std::mt19937_64 random(1);
    const test::Choose choose = [&random](std::uint64_t below) { return random() % below; };
    for (const auto election : {ElectionPolicy::kLowestLane, ElectionPolicy::kMostThreads, ElectionPolicy::kOldest}) {
        BruConfig config;
        config.election = election;
        config.branch_order =
            election == ElectionPolicy::kOldest ? BranchOrder::kTakenFirst : BranchOrder::kFallThroughFirst;
        config.nanosleep_sets_yield = election == ElectionPolicy::kLowestLane;
        config.trap_handler = election == ElectionPolicy::kLowestLane ? 0x80 : -1;
        BesideTheCore both(config);
        unsigned steps = 0;
        while (steps < 3000 && !testing::Test::HasFailure()) {
            const auto specs = isa::all_operations();
            const isa::OpSpec &spec = specs[choose(specs.size())];
            if (spec.unit != isa::Unit::kBranch) {
                continue;
            }
            isa::Instruction insn = test::make_instruction(spec, spec.forms[choose(spec.forms.size())], choose, choose);
            insn.pc = 16 * choose(16);
            if (insn.op == isa::Op::kBra || (insn.form != isa::Form::kI && insn.spec().has(isa::kMayJump))) {
                insn.imm = static_cast<std::int64_t>(choose(17)) - static_cast<std::int64_t>(insn.pc / 16) - 1;
            }
            if (std::holds_alternative<std::string>(isa::encode(insn))) {
                continue;
            }
            smsim_golden_bru_request asked = request(insn, choose(2) == 0 ? ~0U : static_cast<std::uint32_t>(random()));
            asked.scalar = 16 * choose(16);
            for (std::uint64_t &lane : asked.vector) {
                lane = choose(4) == 0 ? random() : 16 * choose(4);
            }
            both.step(insn, asked);
            ++steps;
        }
    }
}

TEST(GoldenBru, AnExceptionIsAResponseWithThreadAndValue) {
    const Bru unit = new_bru();
    ASSERT_EQ(smsim_golden_bru_start(unit.get(), 0, 0, 0x100, 0xc), SMSIM_GOLDEN_OK);
    smsim_golden_bru_request asked = request(instruction("BRX R2"));
    asked.vector[3] = 0x1000;
    smsim_golden_bru_response given;
    ASSERT_EQ(smsim_golden_bru_step(unit.get(), 0, &asked, &given), SMSIM_GOLDEN_OK);
    EXPECT_STREQ(smsim_golden_fault_name(given.fault), "IllegalTarget");
    EXPECT_EQ(given.fault_lane, 3U);
    EXPECT_EQ(given.fault_value, 0x1010U);
    smsim_golden_bru_state state;
    ASSERT_EQ(smsim_golden_bru_read_state(unit.get(), 0, &state), SMSIM_GOLDEN_OK);
    EXPECT_EQ(state.active, 0xcU) << "nothing has happened";
}

TEST(GoldenBru, ASleepingWarpDoesNothingBeforeItsTimerFires) {
    const Bru unit = new_bru();
    ASSERT_EQ(smsim_golden_bru_start(unit.get(), 0, 0, 0x100, ~0U), SMSIM_GOLDEN_OK);
    const smsim_golden_bru_request asked = request(instruction("NANOSLEEP 60"));
    smsim_golden_bru_response given;
    ASSERT_EQ(smsim_golden_bru_step(unit.get(), 0, &asked, &given), SMSIM_GOLDEN_OK);
    EXPECT_EQ(given.outcome, 1U);
    EXPECT_EQ(given.sleep_ns, 60U);
    EXPECT_EQ(smsim_golden_bru_step(unit.get(), 0, &asked, &given), SMSIM_GOLDEN_BAD_STATE);
    EXPECT_STREQ(smsim_golden_error(), "warp 0 sleeps");
    ASSERT_EQ(smsim_golden_bru_expired(unit.get(), 0), SMSIM_GOLDEN_OK);
    EXPECT_EQ(smsim_golden_bru_step(unit.get(), 0, &asked, &given), SMSIM_GOLDEN_OK);
}

TEST(GoldenBru, ShowsTheTrapWhoseHandlerRuns) {
    smsim_golden_bru_options options;
    ASSERT_EQ(smsim_golden_bru_defaults(&options), SMSIM_GOLDEN_OK);
    options.trap_enable = 1;
    options.trap_handler = 0x80;
    const Bru unit = new_bru(&options);
    ASSERT_EQ(smsim_golden_bru_start(unit.get(), 0, 0, 0x100, ~0U), SMSIM_GOLDEN_OK);
    const smsim_golden_bru_request asked = request(instruction("TRAP 5"));
    smsim_golden_bru_response given;
    ASSERT_EQ(smsim_golden_bru_step(unit.get(), 0, &asked, &given), SMSIM_GOLDEN_OK);
    smsim_golden_bru_state state;
    ASSERT_EQ(smsim_golden_bru_read_state(unit.get(), 0, &state), SMSIM_GOLDEN_OK);
    EXPECT_THAT(
        (std::array{state.active_pc, std::uint64_t{state.in_trap}, std::uint64_t{state.trap_index}, state.trap_return}),
        ElementsAre(0x80, 1, 5, 0x10));
}

TEST(GoldenBru, RejectsInstructionsOfOtherUnits) {
    const Bru unit = new_bru();
    ASSERT_EQ(smsim_golden_bru_start(unit.get(), 0, 0, 0x100, ~0U), SMSIM_GOLDEN_OK);
    smsim_golden_bru_response given;
    smsim_golden_bru_request asked{};
    asked.pc = 0x40;
    EXPECT_EQ(smsim_golden_bru_step(unit.get(), 0, &asked, &given), SMSIM_GOLDEN_BAD_WORD);
    EXPECT_THAT(smsim_golden_error(), HasSubstr("0x0040: word 0x"));
    asked = request(instruction("BAR.SYNC 1"));
    EXPECT_EQ(smsim_golden_bru_step(unit.get(), 0, &asked, &given), SMSIM_GOLDEN_BAD_WORD);
    EXPECT_STREQ(smsim_golden_error(), "BAR is no instruction of the branch unit");
}

TEST(GoldenBru, RefusesOptionsAndWarpsThatDoNotExist) {
    smsim_golden_bru *unit = nullptr;
    const auto create = [&unit](auto change) {
        smsim_golden_bru_options options;
        smsim_golden_bru_defaults(&options);
        change(options);
        return smsim_golden_bru_create(&options, &unit);
    };
    EXPECT_EQ(create([](auto &options) { options.warps = 0; }), SMSIM_GOLDEN_BAD_ARGUMENT);
    EXPECT_STREQ(smsim_golden_error(), "warps 0: expected 1 to 256");
    EXPECT_EQ(create([](auto &options) { options.warps = 257; }), SMSIM_GOLDEN_BAD_ARGUMENT);
    EXPECT_EQ(create([](auto &options) { options.election = 3; }), SMSIM_GOLDEN_BAD_ARGUMENT);
    EXPECT_EQ(create([](auto &options) { options.branch_order = 2; }), SMSIM_GOLDEN_BAD_ARGUMENT);
    EXPECT_EQ(create([](auto &options) { options.nanosleep_sets_yield = 2; }), SMSIM_GOLDEN_BAD_ARGUMENT);
    EXPECT_EQ(create([](auto &options) { options.trap_handler = ~0ULL; }), SMSIM_GOLDEN_BAD_ARGUMENT);
    EXPECT_EQ(create([](auto &options) { options.zero = 1; }), SMSIM_GOLDEN_BAD_ARGUMENT);
    EXPECT_EQ(unit, nullptr);
    const Bru made = new_bru();
    EXPECT_EQ(smsim_golden_bru_start(made.get(), 64, 0, 0x100, ~0U), SMSIM_GOLDEN_BAD_ARGUMENT);
    EXPECT_STREQ(smsim_golden_error(), "warp 64: there are 64");
    const smsim_golden_bru_request asked = request(instruction("SYSCALL"));
    smsim_golden_bru_response given;
    EXPECT_EQ(smsim_golden_bru_step(made.get(), 3, &asked, &given), SMSIM_GOLDEN_BAD_STATE);
    EXPECT_STREQ(smsim_golden_error(), "warp 3 has no thread");
}

} // namespace
} // namespace smsim::golden
