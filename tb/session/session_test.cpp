// Consecutive launches on one SM.
#include <array>
#include <cstring>
#include <numeric>
#include <optional>
#include <sstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <systemc>

#include "assembler/assembler.h"
#include "bru/bru.h"
#include "model/config/config.h"
#include "model/config/loader.h"
#include "session/session.h"
#include "sm/part_factory.h"
#include "tb/support/exact_use.h"

namespace smsim::session {
namespace {

constexpr std::uint64_t kBuffer = 0x10000000;
constexpr std::uint64_t kWords = 256;

/// Each thread adds `by` to its element of a buffer.
std::string add_program(const std::string &by) {
    return ".kernel add\n"
           " S2R R0, SR_CTAID.X;\n S2R R1, SR_TID.X;\n IMAD R0, R0, c[0x0][0x0], R1;\n MOV R1, 0x4;\n"
           " IMAD.WIDE.U32 R[2:3], R0, R1, c[0x0][0x160];\n LDG R4, [R[2:3]];\n IADD3 R4, R4, " +
           by + ", RZ;\n STG [R[2:3]], R4;\n EXIT;\n";
}

Program assembled(const std::string &text) {
    return assemble(text, "k.sasm", timing::SchedulingModel());
}

class SessionTest : public testing::Test {
  protected:
    SessionTest() {
        launch::Argument buffer;
        buffer.name = "a";
        buffer.is_buffer = true;
        buffer.count = kWords;
        what.path = "test";
        what.grid = {4, 1, 1};
        what.block = {64, 1, 1};
        what.arguments = {buffer};
    }
    void open() {
        session.emplace(config, options);
        session->map(kBuffer, kWords * 4, "a");
    }
    LaunchResult launch(const Program &program) {
        const std::array<std::uint64_t, 1> addresses{kBuffer};
        return session->launch(program, program.kernels.at(0), what, addresses);
    }
    std::vector<std::uint32_t> words() const {
        std::vector<std::uint8_t> bytes(kWords * 4);
        session->read(kBuffer, bytes);
        std::vector<std::uint32_t> values(kWords);
        std::memcpy(values.data(), bytes.data(), bytes.size());
        return values;
    }

    Config config;
    Options options;
    launch::Launch what;
    const Program add_one = assembled(add_program("0x1"));
    const Program add_ten = assembled(" .kernel spare\n EXIT;\n" + add_program("0xa"));
    std::optional<Session> session;
};

TEST_F(SessionTest, FunctionalLaunchesRunInOrderAndTakeNoCycles) {
    options.timed = TimedCtas::none();
    open();
    for (const std::uint32_t so_far : {1U, 2U}) {
        const LaunchResult result = launch(add_one);
        EXPECT_TRUE(result.completed());
        EXPECT_FALSE(result.in_time);
        EXPECT_EQ(result.stats.cycles, 0U);
        EXPECT_EQ(result.stats.ctas, 4U);
        EXPECT_EQ(result.stats.pcs.at(0).issues, 8U) << "of this launch alone";
        EXPECT_EQ(words(), std::vector<std::uint32_t>(kWords, so_far));
    }
    EXPECT_EQ(session->now(), 0U);
}

TEST_F(SessionTest, FunctionalAndTimedCtasShareMemory) {
    options.timed = TimedCtas::of({{1, 1}, {3, 9}});
    open();
    for (const std::uint32_t so_far : {1U, 2U}) {
        const LaunchResult result = launch(add_one);
        EXPECT_TRUE(result.completed());
        EXPECT_EQ(result.stats.ctas, 2U);
        EXPECT_EQ(result.untimed, (UntimedWork{2, 4 * 9, 4 * 9 * 32}));
        EXPECT_EQ(words(), std::vector<std::uint32_t>(kWords, so_far));
    }
}

TEST_F(SessionTest, EachLaunchContinuesInTimeFromMidFlight) {
    options.timed = TimedCtas::from_instruction(20);
    open();
    Cycle begin = 0;
    for (const std::uint32_t so_far : {1U, 2U}) {
        const LaunchResult result = launch(add_one);
        EXPECT_TRUE(result.completed());
        EXPECT_EQ(result.begin, begin) << "what is only executed takes no time";
        begin = session->now();
        EXPECT_EQ(result.untimed, (UntimedWork{1, 20, 20 * 32})) << "CTA 0, and the beginning of CTA 1";
        EXPECT_EQ(result.stats.ctas, 3U);
        EXPECT_EQ(words(), std::vector<std::uint32_t>(kWords, so_far));
    }
}

TEST_F(SessionTest, TheClockOfProgramsDoesNotGoBackFromLaunchToLaunch) {
    const Program clock = assembled(".kernel clock\n S2R R0, SR_CTAID.X;\n S2R R1, SR_TID.X;\n"
                                    " IMAD R0, R0, c[0x0][0x0], R1;\n MOV R1, 0x4;\n"
                                    " IMAD.WIDE.U32 R[2:3], R0, R1, c[0x0][0x160];\n S2R R4, SR_CLOCKLO;\n"
                                    " STG [R[2:3]], R4;\n EXIT;\n");
    options.timed = TimedCtas::from_instruction(30);
    open();
    std::uint32_t last = 0;
    for (unsigned number = 0; number < 3; ++number) {
        ASSERT_TRUE(launch(clock).completed());
        const std::vector<std::uint32_t> seen = words();
        EXPECT_GT(*std::ranges::min_element(seen), last);
        EXPECT_LT(seen.front(), seen.back()) << "before the cut, and after it";
        last = *std::ranges::max_element(seen);
    }
}

TEST_F(SessionTest, PartsOfOthersCannotGoOnInMidFlight) {
    const sm::PartFactory factory = sm::PartFactory::standard();
    options.factory = &factory;
    options.timed = TimedCtas::from_instruction(1);
    EXPECT_THROW(open(), InputError);
    EXPECT_TRUE(TimedCtas::from_instruction(0).is_all());
    EXPECT_FALSE(TimedCtas::from_instruction(1).is_all());
    EXPECT_FALSE(TimedCtas::from_instruction(1).is_none());
}

TEST_F(SessionTest, OptionsThatNeedCyclesAreRejectedInFunctionalRuns) {
    options.timed = TimedCtas::none();
    options.transactions = "file";
    EXPECT_THROW(open(), InputError);
    EXPECT_TRUE(TimedCtas().is_all());
    EXPECT_TRUE(TimedCtas::from(0).is_all());
    EXPECT_EQ(TimedCtas::of({{7, 9}, {2, 3}}).next(4), 7U);
    EXPECT_EQ(TimedCtas::of({{7, 9}, {2, 3}}).next(3), 3U);
    EXPECT_EQ(TimedCtas::of({{7, 9}}).next(10), ~std::uint64_t{0});
}

TEST_F(SessionTest, ALaunchSeesWritesOfThePreviousLaunchAndOfTheHost) {
    open();
    EXPECT_TRUE(launch(add_one).completed());
    EXPECT_EQ(words(), std::vector<std::uint32_t>(kWords, 1));
    std::vector<std::uint8_t> hundreds(kWords * 4);
    hundreds[0] = 100;
    session->write(kBuffer, hundreds);
    EXPECT_TRUE(launch(add_one).completed());
    EXPECT_EQ(words().at(0), 101U) << "the L1 held the word as it was";
    EXPECT_EQ(words().at(1), 1U);
}

TEST_F(SessionTest, CountersAreThoseOfTheLaunch) {
    open();
    const LaunchResult first = launch(add_one);
    const LaunchResult second = launch(add_one);
    EXPECT_EQ(first.begin, 0U);
    EXPECT_GE(second.begin, first.stats.cycles);
    EXPECT_LE(second.begin, first.stats.cycles + 2);
    const auto instructions = [](const LaunchResult &result) {
        return std::accumulate(result.stats.warps.begin(), result.stats.warps.end(), std::uint64_t{0},
                               [](std::uint64_t sum, const WarpStats &warp) { return sum + warp.instructions; });
    };
    EXPECT_EQ(instructions(first), 8U * add_one.code.size());
    EXPECT_EQ(instructions(second), instructions(first));
    EXPECT_EQ(second.stats.warps.size(), 8U);
    EXPECT_EQ(second.stats.ctas, 4U);
    EXPECT_EQ(second.stats.pcs.at(0).issues, 8U);
    EXPECT_EQ(second.stats.lsu.transactions_global, first.stats.lsu.transactions_global);
    EXPECT_EQ(second.stats.global.writes, first.stats.global.writes);
    EXPECT_EQ(second.stats.warps.at(0).start, 1U);
    EXPECT_EQ(second.stats.occupancy.rows().front().cycle, 0U);
    EXPECT_LT(second.stats.cycles, first.stats.cycles) << "its instructions are in the caches";
    EXPECT_GT(second.stats.cycles, 250U);
}

/// "8 2: 0.0 0.1; 4 ends": total warps, one record per how many CTAs, the recorded CTAs, ends of CTAs.
std::string records_of(const RunStats &stats) {
    std::string text = fmt::format("{} {}:", stats.totals().warps, stats.warps_every);
    for (const WarpStats &warp : stats.warps) {
        text += fmt::format(" {}.{}", warp.cta_number, warp.warp_in_cta);
    }
    return text + fmt::format("; {} ends", stats.cta_ends.size());
}

TEST_F(SessionTest, RecordsAreOfSomeWarpsAndSumsOfAll) {
    options.warp_records = 4; // two CTAs
    options.cta_ends = true;
    open();
    EXPECT_EQ(records_of(launch(add_one).stats), "8 2: 0.0 0.1 2.0 2.1; 4 ends");
}

TEST_F(SessionTest, KeepsRecordsOfSomeWarpsInFunctionalRuns) {
    options.warp_records = 4;
    options.timed = TimedCtas::none();
    open();
    EXPECT_EQ(records_of(launch(add_one).stats), "8 2: 0.0 0.1 2.0 2.1; 0 ends");
}

TEST_F(SessionTest, AStopRequestBeforeALaunchEndsIt) {
    options.stop = [] { return true; };
    open();
    const LaunchResult result = launch(add_one);
    EXPECT_EQ(result.early_end, EarlyEnd::kInterrupted);
    EXPECT_EQ(result.stats.totals().warps, 0U);
    EXPECT_EQ(result.stats.cycles, 0U);
    EXPECT_EQ(words().at(0), 0U);
}

TEST_F(SessionTest, OccupancyOfPipesAndQueuesCarriesOverToTheNextLaunch) {
    config.pipes.xu.interval = 300;
    config.lsu.queue_latency = 500;
    config.shared.latency = config.l1.latency = config.global.latency = 600;
    open();
    const Program leaves = assembled(".kernel left\n MUFU.RCP R0, R0;\n LDC R1, c[0x0][0x160];\n EXIT;\n");
    const Program nothing = assembled(".kernel none\n EXIT;\n");
    launch(leaves);
    const LaunchResult second = launch(nothing);
    session.reset(); // it knows both programs
    EXPECT_LT(second.stats.cycles, 300U) << "they outlast it";
    test::expect_within_the_time(second.stats);
    EXPECT_GT(find_use(second.stats.units, UsedUnit::kXu)->busy(), 0U);
}

TEST_F(SessionTest, TheL1DropsItsLinesAtALaunchAndTheInstructionCachesKeepTheirs) {
    open();
    const LaunchResult first = launch(add_one);
    const LaunchResult second = launch(add_one);
    EXPECT_EQ(second.stats.global.l1_misses, first.stats.global.l1_misses);
    EXPECT_GT(first.stats.global.l1_misses, 0U);
    EXPECT_GT(first.stats.fetch.l0_misses, 0U);
    EXPECT_EQ(second.stats.fetch.l0_misses, 0U);
}

TEST_F(SessionTest, InstructionCachesDropTheirLinesAtALaunchWhereTheConfigurationSaysSo) {
    config.icache.cold_launch = true;
    config.icache.l1_bytes = 16384;
    open();
    const LaunchResult first = launch(add_one);
    const LaunchResult second = launch(add_one);
    EXPECT_GT(first.stats.fetch.l1_misses, 0U);
    EXPECT_EQ(second.stats.fetch.l0_misses, first.stats.fetch.l0_misses);
    EXPECT_EQ(second.stats.fetch.l1_misses, first.stats.fetch.l1_misses);
    EXPECT_EQ(second.stats.no_instruction, first.stats.no_instruction);
}

TEST_F(SessionTest, SeveralProgramsAreResident) {
    std::ostringstream trace;
    options.trace = &trace;
    open();
    const auto run = [this](const Program &program) {
        const std::array<std::uint64_t, 1> addresses{kBuffer};
        return session->launch(program, *program.find_kernel("add"), what, addresses);
    };
    EXPECT_TRUE(run(add_one).completed());
    const LaunchResult ten = run(add_ten);
    EXPECT_TRUE(ten.completed());
    EXPECT_TRUE(run(add_one).completed());
    EXPECT_EQ(words(), std::vector<std::uint32_t>(kWords, 12));
    EXPECT_EQ(ten.stats.pcs.size(), add_ten.code.size());
    EXPECT_EQ(ten.stats.pcs.at(0).issues, 0U) << "the other kernel";
    session->finish();
    std::istringstream lines(trace.str());
    std::vector<std::size_t> per_launch(3);
    for (std::string line; std::getline(lines, line);) {
        const auto json = nlohmann::json::parse(line);
        const std::size_t number = json.contains("launch") ? json["launch"].get<std::size_t>() : 0;
        ++per_launch.at(number);
        if (json["text"].get<std::string>().starts_with("IADD3")) {
            EXPECT_THAT(json["text"].get<std::string>(), testing::HasSubstr(number == 1 ? "0xa" : "0x1"));
        }
    }
    EXPECT_THAT(per_launch, testing::Each(8 * add_one.code.size()));
}

TEST_F(SessionTest, LocalMemoryGrowsWithTheLaunchesThatNeedIt) {
    open();
    const std::string store = " MOV R0, 0x5;\n STL [RZ], R0;\n LDL R1, [RZ];\n EXIT;\n";
    const Program little = assembled(".kernel k\n.local 16\n" + store);
    const Program much = assembled(".kernel k\n.local 512\n" + store);
    EXPECT_TRUE(launch(little).completed());
    EXPECT_TRUE(launch(much).completed());
    EXPECT_TRUE(launch(little).completed());
}

TEST_F(SessionTest, CyclesOfFindingsCountFromTheBeginOfTheirLaunch) {
    options.memory_check = MemoryCheck::kReport;
    open();
    const Program beyond = assembled(".kernel k\n LDC.64 R[2:3], c[0x0][0x160];\n LDG R4, [R[2:3]+0x400];\n EXIT;\n");
    const LaunchResult first = launch(beyond);
    const LaunchResult second = launch(beyond);
    ASSERT_EQ(first.stats.outside.places.size(), 1U);
    ASSERT_EQ(second.stats.outside.places.size(), 1U);
    EXPECT_LT(second.stats.outside.places[0].cycle, second.stats.cycles);
    EXPECT_EQ(second.stats.outside.places[0].count, first.stats.outside.places[0].count);
}

TEST_F(SessionTest, AProgramForAnotherEngineIsNotAdmitted) {
    open();
    Program other = add_one;
    other.engine = "no_such_engine";
    const std::string expected = "test: kernel 'add' cannot be launched: its program 'k.sasm' is for the reconvergence "
                                 "engine no_such_engine; this SM has convergence_barrier (bru.engine)";
    const auto refusal = [](const auto &what_is_tried) -> std::string {
        try {
            what_is_tried();
        } catch (const InputError &error) {
            return error.what();
        }
        return "admitted";
    };
    EXPECT_EQ(refusal([&] { session->require(other, other.kernels.at(0), what); }), expected);
    EXPECT_EQ(refusal([&] { launch(other); }), expected);
    EXPECT_TRUE(launch(add_one).completed()) << "a launch that is refused leaves no trace";
}

TEST_F(SessionTest, NothingIsLaunchedAfterAnException) {
    open();
    const Program bad = assembled(".kernel k\n MOV R0, 0x0;\n MOV R1, 0x0;\n LDG R2, [R[0:1]];\n EXIT;\n");
    const LaunchResult result = launch(bad);
    EXPECT_EQ(result.fault, Fault::kIllegalAddress);
    EXPECT_THROW(launch(add_one), InputError);
}

TEST_F(SessionTest, TheInstructionLimitHoldsForAllLaunchesTogether) {
    options.max_instructions = 8 * add_one.code.size() + 10;
    open();
    EXPECT_TRUE(launch(add_one).completed());
    EXPECT_EQ(launch(add_one).early_end, EarlyEnd::kInstructionLimit);
}

TEST_F(SessionTest, TheWatchdogCountsFromTheBeginOfTheLaunch) {
    config = load_config(std::nullopt, std::vector<std::string>{"sm.watchdog_cycles=1000"});
    open();
    for (unsigned i = 0; i < 5; ++i) {
        EXPECT_TRUE(launch(add_one).completed()) << i;
    }
    const Program endless = assembled(".kernel k\nagain:\n BRA again;\n");
    const LaunchResult result = launch(endless);
    EXPECT_EQ(result.fault, Fault::kWatchdog);
    EXPECT_EQ(result.stats.cycles, 1000U);
    EXPECT_EQ(result.raised->cycle, result.begin + 1000);
}

/// A branch unit with another name, which counts requests for its state.
class CountingBranchUnit final : public sc_core::sc_module, public parts::BranchUnit {
  public:
    CountingBranchUnit(const sc_core::sc_module_name &name, const Config &config, unsigned &asked)
        : sc_module(name), unit_("unit", config), asked_(asked) {}

    tlm::tlm_target_socket<64, protocol::BranchLink> &from_datapath(unsigned i) override {
        return unit_.from_datapath(i);
    }
    tlm::tlm_initiator_socket<64, protocol::TimerLink> &to_timer() override { return unit_.to_timer(); }
    tlm::tlm_target_socket<64, protocol::TimerLink> &from_timer() override { return unit_.from_timer(); }
    tlm::tlm_initiator_socket<64, protocol::WakeLink> &to_ibuffer(unsigned i) override { return unit_.to_ibuffer(i); }
    tlm::tlm_target_socket<64, protocol::LifecycleLink> &from_dispatch() override { return unit_.from_dispatch(); }
    void observe(observation::Observer *observer) override { unit_.observe(observer); }
    const BruStats &stats() const override { return unit_.stats(); }
    void clear_statistics() override { unit_.clear_statistics(); }
    ControlSnapshot snapshot(WarpSlot warp, std::optional<Pc> next) const override {
        ++asked_;
        return unit_.snapshot(warp, next);
    }
    std::string describe(WarpSlot warp) const override { return unit_.describe(warp); }

  private:
    bru::Bru unit_;
    unsigned &asked_;
};

TEST_F(SessionTest, PartsComeFromTheFactoryByTheNameThatIsChosen) {
    unsigned asked = 0;
    std::ostringstream trace;
    sm::PartFactory factory = sm::PartFactory::standard();
    factory.branch_units.add("counting", [&asked](const char *name, const Config &given) {
        return std::make_unique<CountingBranchUnit>(name, given, asked);
    });
    EXPECT_EQ(factory.branch_units.chosen(), "standard");
    factory.branch_units.choose("counting");
    options.factory = &factory;
    options.trace = &trace;
    open();
    EXPECT_TRUE(launch(add_one).completed());
    EXPECT_EQ(words(), std::vector<std::uint32_t>(kWords, 1));
    EXPECT_EQ(asked, 8 * add_one.code.size()) << "once per line of the trace";
    session.reset(); // it is destroyed before its arguments
}

TEST_F(SessionTest, AnImplementationThatIsNotThereIsRefusedWithThoseThatAre) {
    sm::PartFactory factory = sm::PartFactory::standard();
    try {
        factory.barrier_units.choose("rtl");
        FAIL() << "no error";
    } catch (const InputError &error) {
        EXPECT_STREQ(error.what(), "barrier unit: there is no implementation 'rtl'; expected one of: standard");
    }
}

/// Something else in the simulation that never comes to rest, such as a clock or the refresh of a memory.
class Clock final : public sc_core::sc_module {
  public:
    explicit Clock(const sc_core::sc_module_name &name) : sc_module(name) {
        SC_HAS_PROCESS(Clock);
        SC_METHOD(tick);
    }

  private:
    void tick() { next_trigger(7, sc_core::SC_NS); }
};

TEST_F(SessionTest, ADeadlockIsFoundAlsoWhereEventsNeverEnd) {
    const Clock clock("clock");
    open();
    EXPECT_TRUE(launch(add_one).completed());
    const Program stuck = assembled(".kernel k\n S2R R0, SR_TID.X;\n ISETP.GE.U32.AND P0, PT, R0, 0x20, PT;\n"
                                    " @P0 BRA other;\n BAR.SYNC 0x0;\n EXIT;\nother:\n BAR.SYNC 0x1;\n EXIT;\n");
    const LaunchResult result = launch(stuck);
    EXPECT_EQ(result.fault, Fault::kBarrierDeadlock) << result.exception;
    EXPECT_LT(result.stats.cycles, 10'000U);
}

// --- one session of a process --------------------------------------------------------------------------------------

std::string refusal_of_a_session(const Config &config, const Options &options = {}) {
    try {
        Session session(config, options);
    } catch (const InputError &error) {
        return error.what();
    }
    return "none";
}

TEST_F(SessionTest, AnotherOneIsRefused) {
    open();
    EXPECT_THAT(refusal_of_a_session(config), testing::HasSubstr("a process has one session, because SystemC"));
    ASSERT_TRUE(launch(add_one).completed());
    session.reset();
    EXPECT_THAT(refusal_of_a_session(config), testing::HasSubstr("a process has one session, because SystemC"));
}

TEST_F(SessionTest, AConfigurationBuiltInCodeIsValidated) {
    config.shared.banks = 33;
    EXPECT_EQ(refusal_of_a_session(config), "configuration: shared.banks must be a power of two; found 33");
    options.timed = TimedCtas::none();
    EXPECT_EQ(refusal_of_a_session(config, options), "configuration: shared.banks must be a power of two; found 33");
    config.shared.banks = 32;
    EXPECT_EQ(refusal_of_a_session(config, options), "none") << "the refused ones are gone";
}

TEST_F(SessionTest, MessagesAboutALaunchBuiltInCodeBeginWithTheKernel) {
    what.path.clear();
    what.block = {4096, 1, 1};
    open();
    try {
        launch(add_one);
        FAIL();
    } catch (const InputError &error) {
        EXPECT_THAT(error.what(), testing::StartsWith("kernel 'add' cannot be launched: "));
    }
}

} // namespace
} // namespace smsim::session
