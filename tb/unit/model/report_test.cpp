// The report: complete according to its published schema, its sums add up, and it is readable in 100 columns.
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "model/config/config.h"
#include "model/config/loader.h"
#include "report/report.h"
#include "report/summary.h"
#include "tb/unit/model/schema_validator.h"

namespace smsim {
namespace {

using nlohmann::json;
using test::SchemaValidator;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// Counters of a small run that fill every list of the report.
class Report : public ::testing::Test {
  protected:
    Report() {
        stats_.cycles = 100;
        stats_.ctas = 2;
        for (std::uint32_t w = 0; w < 3; ++w) {
            WarpStats warp;
            warp.slot = WarpSlot(w);
            warp.sub_partition = w % 2;
            warp.cta_number = w / 2;
            warp.warp_in_cta = w % 2;
            warp.start = Cycle{10} * w;
            warp.end = 60 + Cycle{10} * w;
            warp.instructions = 10 + w;
            warp.thread_instructions = 32 * (10 + w) - 16;
            warp.stalls[0] = 10 + w;
            warp.stalls[8] = 50 - w;
            warp.states[2] = 10 + w;
            warp.states[4] = 50 - w;
            stats_.add(warp);
        }
        stats_.pcs.resize(40);
        stats_.pcs[0].issues = 3;
        stats_.pcs[0].active_lanes = 96;
        stats_.pcs[0].executed_lanes = 90;
        stats_.pcs[0].stalls[8] = 100;
        stats_.pcs[0].stalls[0] = 3;
        stats_.pcs[2].stalls[3] = 7;
        stats_.pcs[2].issues = 1;
        BranchStats branch;
        branch.executions = 4;
        branch.taken = 2;
        branch.taken_lanes = 32;
        branch.active_lanes = 128;
        branch.diverged = 2;
        branch.reconverged = 2;
        branch.path_instructions = 11;
        branch.path_max = 7;
        stats_.bru.instructions = 9;
        stats_.bru.branches[32] = branch;
        stats_.bru.syncs[48] = SyncStats{.executions = 4, .passed = 3, .switched = 1, .releases = {1, 1, 0, 1, 0}};
        BarrierStats &barrier = stats_.bcu.barriers[3];
        barrier.arrivals = 4;
        barrier.completions = 2;
        barrier.wait_cycles = 30;
        barrier.imbalance_cycles = 9;
        barrier.imbalance_max = 6;
        barrier.warps = {{.arrivals = 2, .last_arrivals = 2}, {.arrivals = 2, .wait_cycles = 30}};
        stats_.over_time.resize(2);
        for (int cycle = 0; cycle < 99; ++cycle) {
            stats_.over_time[0].present().stalls[8] = cycle < 30 ? 1 : 0; // long_scoreboard
            stats_.over_time[0].advance();
            stats_.over_time[1].advance();
        }
        stats_.over_time[1].present().thread_instructions = 32;
        stats_.shared.accesses = 10;
        stats_.shared.passes = 25;
        stats_.shared.ways[1] = 5;
        stats_.shared.ways[4] = 5;
        stats_.shared.conflicts = 14;
        stats_.global.l1_hits = 3;
        stats_.global.l1_misses = 1;
        stats_.global.l1_sector_hits = 12;
        stats_.global.l1_sector_misses = 4;
        stats_.global.reads = 4;
        stats_.fetch.fetches = 40;
        stats_.fetch.l0_hits = 39;
        stats_.fetch.l0_misses = 1;
        stats_.lsu.by_op[static_cast<std::size_t>(isa::Op::kLdg)] = 4;
        stats_.lsu.requested_global_bytes = 64;
        stats_.lsu.moved_global_bytes = 128;
        stats_.datapath.by_unit[1] = 30;
        stats_.datapath.hazards = 2;
        Hazard hazard;
        hazard.first = 0;
        hazard.second = 16;
        hazard.space = 'U';
        hazard.index = 4;
        hazard.count = 2;
        hazard.cycle = 17;
        hazard.missing = 3;
        stats_.hazards.push_back(hazard);
        stats_.outside.mode = MemoryCheck::kReport;
        stats_.outside.count = 12;
        stats_.outside.places.push_back({.pc = 16,
                                         .count = 12,
                                         .cycle = 20,
                                         .cta = 1,
                                         .warp = 0,
                                         .thread = 31,
                                         .address = 0x10000fa4,
                                         .buffer = "a",
                                         .distance = 4});
        stats_.occupancy = {{0, 1, 2}, {20, 2, 3}, {60, 1, 1}, {80, 0, 0}};
        code_.code.resize(40);
        code_.files = {"dir/k.sasm"};
        code_.lines.assign(40, SourcePlace{0, 2});
        code_.source = {"first", "\tLDG.E R4, [R2:3] // second"};
        report_.version = "1.2.3";
        report_.model = "0123456789ab";
        report_.program = "dir/k.sasm";
        report_.kernel = "k";
        report_.code = &code_;
        report_.disassembly = [](Pc pc) { return "INSN " + std::to_string(pc); };
        report_.checks = {{.buffer = "c", .compared = 8, .mismatches = 0, .first = {}}};
    }

    json parsed() const { return json::parse(to_json_text(report_)); }

    RunStats stats_;
    Config config_;
    Program code_;
    RunReport report_{.stats = stats_, .config = config_};
};

TEST_F(Report, JsonFollowsThePublishedSchema) {
    SchemaValidator validator("report.schema.json");
    EXPECT_THAT(validator.errors(parsed()), IsEmpty());
    report_.fault = Fault::kWatchdog;
    report_.exception = "Watchdog";
    report_.checks[0].mismatches = 1;
    report_.checks[0].first = {{3, "1", "2"}};
    EXPECT_THAT(validator.errors(parsed()), IsEmpty());
    const RunStats empty;
    const RunReport nothing{.stats = empty, .config = config_};
    EXPECT_THAT(validator.errors(json::parse(to_json_text(nothing))), IsEmpty());
}

TEST_F(Report, OfAFunctionalRunHasNoCycles) {
    report_.in_time = false;
    stats_.outside.places.emplace_back().count = 1;
    report_.raised = RaisedException{Fault::kTrap, 7, RaisedException::Place{}};
    const json report = parsed();
    EXPECT_THAT(SchemaValidator("report-without-timing.schema.json").errors(report), IsEmpty());
    EXPECT_EQ(report["timing"], "none");
    EXPECT_TRUE(report["cycles"].is_null());
    EXPECT_EQ(report["warp_instructions"], 33);
    EXPECT_EQ(report["instructions"]["all"][0]["issues"], 3);
    const std::string text = to_text(report_);
    EXPECT_THAT(text, HasSubstr("Headline (without timing: nothing here depends on cycles)"));
    EXPECT_THAT(text, HasSubstr("barrier  3: 4 arrivals, 2 completions"));
    EXPECT_THAT(text, Not(HasSubstr("Where the time went")));
}

TEST_F(Report, FunctionalCtasAreReportedSeparately) {
    EXPECT_FALSE(parsed().contains("timing"));
    report_.untimed = {3, 40, 1000};
    EXPECT_THAT(SchemaValidator("report.schema.json").errors(parsed()), IsEmpty());
    EXPECT_EQ(parsed()["timing"], "some");
    EXPECT_EQ(parsed()["untimed"], (json{{"ctas", 3}, {"warp_instructions", 40}, {"thread_instructions", 1000}}));
    EXPECT_THAT(to_text(report_), HasSubstr("executed without time           3 CTAs    and warp instructions"));
}

TEST_F(Report, CountersOfTheEngineAreListedByName) {
    EXPECT_FALSE(parsed()["branch_unit"].contains("engine"));
    stats_.bru.engine = {{"stack_depth", "most entries", 7}, {"stack_pushes", "entries pushed", 12}};
    EXPECT_THAT(SchemaValidator("report.schema.json").errors(parsed()), IsEmpty());
    EXPECT_EQ(parsed()["branch_unit"]["engine"], (json{{"stack_depth", 7}, {"stack_pushes", 12}}));
    EXPECT_THAT(to_text(report_), HasSubstr("  stack_depth: 7 (most entries)\n  stack_pushes: 12 (entries pushed)\n"));
}

TEST_F(Report, RecordsOfSomeWarpsSayOfWhich) {
    EXPECT_FALSE(parsed().contains("warps_every"));
    stats_.warps_every = 7;
    EXPECT_THAT(SchemaValidator("report.schema.json").errors(parsed()), IsEmpty());
    EXPECT_EQ(parsed()["warps_every"], 7);
}

TEST(WarpRecords, SumsAreOfAllWarpsAndRecordsOfThoseThatAreKept) {
    const WarpWish wish{.every = 3};
    WarpRecords records;
    for (std::uint64_t cta = 0; cta < 7; ++cta) {
        for (std::uint32_t w = 0; w < 2; ++w) {
            WarpStats warp;
            warp.cta_number = cta;
            warp.start = 10;
            warp.end = 20 + cta + w;
            warp.instructions = 5;
            records.add(warp, wish.keeps(cta), true);
        }
    }
    EXPECT_EQ(records.sums().warps, 14U);
    EXPECT_EQ(records.sums().instructions, 70U);
    EXPECT_EQ(records.sums().warp_cycles, 14U * 10 + 2 * 21 + 7);
    EXPECT_EQ(records.last_end(), 27U);
    EXPECT_EQ(records.kept().size(), 6U); // CTAs 0, 3 and 6
    EXPECT_EQ(records.cta_ends().at(4), 25U);
}

TEST(Occupancy, ACurveOfManyChangesKeepsItsSums) {
    OccupancyCurve curve;
    std::uint64_t area = 0;
    constexpr Cycle kCycles = 50'000;
    for (Cycle cycle = 0; cycle < kCycles; ++cycle) {
        const auto warps = static_cast<std::uint32_t>(cycle * 7919 % 61);
        curve.add({100 + cycle, warps / 2, warps});
        area += warps;
    }
    curve.add({100 + kCycles, 0, 0});
    EXPECT_LE(curve.rows().size(), OccupancyCurve::kMostRows);
    EXPECT_GT(curve.rows().size(), OccupancyCurve::kMostRows / 4);
    EXPECT_EQ(curve.most_warps(), 60U);
    EXPECT_EQ(curve.most_ctas(), 30U);
    curve.count_from(100);
    EXPECT_EQ(curve.warp_cycles(kCycles + 5), area);
    EXPECT_EQ(curve.rows().back(), (OccupancySample{kCycles, 0, 0}));
}

TEST_F(Report, MeasuresOfTheEngineAreShownOverTime) {
    EXPECT_FALSE(parsed()["branch_unit"].contains("measured"));
    LevelStats &level = stats_.bru.level;
    level.what = {"stack_depth", "entries"};
    level.warp_cycles[0] = 60;
    level.warp_cycles[2] = 30;
    level.warp_cycles[64] = 10;
    level.add({.cta_number = 3, .warp_in_cta = 1, .most = 70, .cycles = 40, .level_cycles = 700});
    level.add({.cta_number = 3, .warp_in_cta = 2, .most = 2, .cycles = 60, .level_cycles = 60});
    EXPECT_THAT(SchemaValidator("report.schema.json").errors(parsed()), IsEmpty());
    EXPECT_EQ(parsed()["branch_unit"]["measured"], (json{{"name", "stack_depth"},
                                                         {"meaning", "entries"},
                                                         {"most", 70},
                                                         {"mean", 7.6},
                                                         {"sizes",
                                                          {{{"size", 0}, {"warp_cycles", 60}},
                                                           {{"size", 2}, {"warp_cycles", 30}},
                                                           {{"size", 64}, {"warp_cycles", 10}}}},
                                                         {"warps",
                                                          {{{"cta", 3}, {"warp", 1}, {"most", 70}, {"mean", 17.5}},
                                                           {{"cta", 3}, {"warp", 2}, {"most", 2}, {"mean", 1.0}}}}}));
    EXPECT_THAT(to_text(report_),
                HasSubstr("  stack_depth over time: most 70, mean 7.60 (entries)\n"
                          "    share of warp-cycles by size: 0: 60.0 %, 2: 30.0 %, 64 or more: 10.0 %\n"));
}

TEST_F(Report, ACriticalPathListsItsCostsAndWarps) {
    EXPECT_FALSE(parsed().contains("critical_path"));
    CriticalPath path{.cta = 4, .begin = 10, .end = 70, .before = 2};
    path.reasons[static_cast<std::size_t>(StallReason::kBarrier)] = 18;
    path.reasons[static_cast<std::size_t>(StallReason::kLongScoreboard)] = 40;
    path.costs = {{.pc = 0x20,
                   .reason = StallReason::kLongScoreboard,
                   .producer = 0x10,
                   .scoreboard = 3,
                   .cycles = 40,
                   .times = 2},
                  {.pc = 0x30, .reason = StallReason::kBarrier, .cycles = 18, .times = 1}};
    path.stretches = {{.warp = 1, .begin = 12, .end = 40, .barrier = 2, .pc = 0x20}};
    path.stretches.resize(1001, {.warp = 0, .begin = 40, .end = 70, .pc = 0x30});
    report_.critical_path = path;
    EXPECT_THAT(SchemaValidator("report.schema.json").errors(parsed()), IsEmpty());
    const json shown = parsed()["critical_path"];
    EXPECT_EQ(shown["cycles"], 60);
    EXPECT_EQ(shown["stalls"]["barrier"], 18);
    EXPECT_EQ(shown["stalls"]["long_scoreboard"], 40);
    EXPECT_EQ(shown["costs"][0]["producer"], 0x10);
    EXPECT_TRUE(shown["costs"][1]["producer"].is_null());
    EXPECT_EQ(shown["stretches"].size(), 1000U);
    EXPECT_EQ(shown["stretches_left_out"], 1);
    EXPECT_THAT(to_text(report_),
                HasSubstr("Critical path of CTA 4 (60 cycles from cycle 10; percent of them)\n    66.7  "));
    EXPECT_THAT(to_text(report_),
                HasSubstr("  warp 1   for       28 cycles, most of them at 0x20, completes barrier 2\n"));
}

TEST_F(Report, AnExceptionHasItsFields) {
    SchemaValidator validator("report.schema.json");
    EXPECT_TRUE(parsed()["run"]["raised"].is_null());
    report_.fault = Fault::kBarrierMismatch;
    report_.exception = "BarrierMismatch: ...";
    RaisedException::Place place;
    place.cta = 7;
    place.warp = 2;
    place.pc = 32;
    place.instruction = "BAR.ARV 0x1, 0x40";
    place.file = "k.sasm";
    place.line = 5;
    place.active = LaneMask(0xff);
    place.threads = LaneMask(0xf0);
    place.issued = 100;
    place.issued_since = 3;
    report_.raised = RaisedException{Fault::kBarrierMismatch, 106, place};
    EXPECT_THAT(validator.errors(parsed()), IsEmpty());
    const json expected = {
        {"kind", "BarrierMismatch"},
        {"cycle", 106},
        {"cta", 7},
        {"warp", 2},
        {"pc", 32},
        {"instruction", "BAR.ARV 0x1, 0x40"},
        {"file", "k.sasm"},
        {"line", 5},
        {"active", "0x000000ff"},
        {"threads", "0x000000f0"},
        {"issued", 100},
        {"issued_since", 3},
    };
    EXPECT_EQ(parsed()["run"]["raised"], expected);

    report_.raised->place->instruction.clear(); // the warp ran past the program
    report_.raised->place->file.clear();
    report_.raised->place->line = 0;
    EXPECT_THAT(validator.errors(parsed()), IsEmpty());
    EXPECT_EQ(parsed()["run"]["raised"]["pc"], 32);
    EXPECT_TRUE(parsed()["run"]["raised"]["instruction"].is_null());
    EXPECT_TRUE(parsed()["run"]["raised"]["line"].is_null());
    EXPECT_TRUE(parsed()["run"]["raised"]["issued"].is_null());

    report_.raised->place.reset(); // of no single warp
    EXPECT_THAT(validator.errors(parsed()), IsEmpty());
    EXPECT_EQ(parsed()["run"]["raised"]["cycle"], 106);
    EXPECT_TRUE(parsed()["run"]["raised"]["warp"].is_null());
}

TEST_F(Report, SchemaRejectsDeviations) {
    SchemaValidator validator("report.schema.json");
    json report = parsed();
    report["cycles"] = -1;
    report["ipc"] = "fast";
    report["warps"][1].erase("slot");
    report["memory"]["l1"]["evictions"] = 3;
    report["run"]["status"] = "fine";
    EXPECT_THAT(validator.errors(report), ::testing::UnorderedElementsAre(
                                              "/cycles: too small", "/ipc: wrong type", "/warps/1: lacks slot",
                                              "/memory/l1: unknown evictions", "/run/status: not in the enumeration"));
}

std::uint64_t sum(const json &object) {
    std::uint64_t total = 0;
    for (const json &value : object) {
        total += value.get<std::uint64_t>();
    }
    return total;
}

TEST_F(Report, SumsClose) {
    const json report = parsed();
    EXPECT_EQ(report["warp_cycles"], 180);
    for (const char *kind : {"stalls", "states"}) {
        EXPECT_EQ(sum(report[kind]), 180U);
        for (const auto &[name, total] : report[kind].items()) {
            std::uint64_t by_part = 0;
            std::uint64_t by_warp = 0;
            for (const json &part : report["sub_partitions"]) {
                by_part += part[kind][name].get<std::uint64_t>();
            }
            for (const json &warp : report["warps"]) {
                by_warp += warp[kind][name].get<std::uint64_t>();
            }
            EXPECT_EQ(by_part, total) << name;
            EXPECT_EQ(by_warp, total) << name;
        }
    }
    for (const json &warp : report["warps"]) {
        EXPECT_EQ(sum(warp["stalls"]), warp["end"].get<std::uint64_t>() - warp["start"].get<std::uint64_t>());
    }
    for (const json &instruction : report["instructions"]["all"]) {
        EXPECT_EQ(sum(instruction["stalls"]), instruction["warp_cycles"]);
    }
}

TEST_F(Report, RatiosAreThoseOfTheCounters) {
    const json report = parsed();
    EXPECT_EQ(report["warp_instructions"], 33);
    EXPECT_DOUBLE_EQ(report["microseconds"], 0.1) << "100 cycles at 1 GHz";
    EXPECT_DOUBLE_EQ(report["ipc"], 0.33);
    EXPECT_DOUBLE_EQ(report["simd_efficiency"], (33.0 * 32 - 48) / (33 * 32));
    EXPECT_DOUBLE_EQ(report["sub_partitions"][0]["ipc"], 0.22);
    EXPECT_DOUBLE_EQ(report["branch_unit"]["branches"][0]["path_mean"], 5.5);
    EXPECT_DOUBLE_EQ(report["barrier_unit"]["barriers"][0]["imbalance_mean"], 4.5);
    EXPECT_EQ(report["memory"]["shared"]["conflict_passes"], 14);
    EXPECT_DOUBLE_EQ(report["memory"]["l1"]["hit_rate"], 0.75);
    EXPECT_DOUBLE_EQ(report["memory"]["load_store"]["coalescing"], 0.5);
    EXPECT_EQ(report["memory"]["load_store"]["instructions"]["LDG"], 4);
    EXPECT_DOUBLE_EQ(report["occupancy"]["mean_warps"], (20 * 2 + 40 * 3 + 20 * 1) / 100.0);
    EXPECT_EQ(report["hazards"]["list"][0]["register"], "UR4");
    EXPECT_FALSE(report["hazards"]["list"][0].contains("value"));
    EXPECT_EQ(report["memory_check"]["mode"], "report");
    EXPECT_EQ(report["memory_check"]["list"][0]["instruction"]["pc"], 16);
    EXPECT_EQ(report["memory_check"]["list"][0]["address"], 0x10000fa4);
    EXPECT_EQ(report["config"]["pipes"]["alu"]["latency"], 4);
}

TEST_F(Report, OverTimeListsTheIntervalsOfTheRunAndOnlyReasonsThatOccur) {
    const json over_time = parsed()["over_time"];
    EXPECT_EQ(over_time["interval_cycles"], 1);
    EXPECT_EQ(over_time["intervals"], 100);
    const json &parts = over_time["sub_partitions"];
    ASSERT_EQ(parts.size(), 2U);
    EXPECT_EQ(parts[0]["warp_instructions"].size(), 100U);
    EXPECT_EQ(sum(parts[0]["stalls"]["long_scoreboard"]), 30U);
    EXPECT_EQ(parts[0]["stalls"]["long_scoreboard"][29], 1);
    EXPECT_EQ(parts[0]["stalls"].size(), 1U);
    EXPECT_EQ(parts[1]["thread_instructions"][99], 32);
    EXPECT_TRUE(parts[1]["stalls"].empty());
}

TEST_F(Report, LockstepListsCyclesApartByOperationAndIsNotThereWithoutIt) {
    EXPECT_FALSE(parsed().contains("lockstep"));
    stats_.lockstep = {{"bru", {{"BRA", {{-1, 2}, {0, 5}, {3, 1}}}}}, {"timer", {}}};
    const json lockstep = parsed()["lockstep"];
    ASSERT_EQ(lockstep.size(), 1U);
    EXPECT_EQ(lockstep[0], json::parse(R"({"part": "bru", "operation": "BRA", "answers": 8, "cycles_apart":
        [{"cycles": -1, "answers": 2}, {"cycles": 0, "answers": 5}, {"cycles": 3, "answers": 1}]})"));
    EXPECT_THAT(to_text(report_),
                HasSubstr("bru    BRA                  8 answers,  62.5 % in the same cycle, -1..+3"));
}

TEST_F(Report, InstructionsCarryTextAndSourceLine) {
    const json all = parsed()["instructions"]["all"];
    ASSERT_EQ(all.size(), 2U); // only those that were reached
    EXPECT_EQ(all[1]["pc"], 32);
    EXPECT_EQ(all[1]["text"], "INSN 32");
    EXPECT_EQ(all[1]["file"], "dir/k.sasm");
    EXPECT_EQ(all[1]["line"], 2);
    EXPECT_EQ(all[1]["source"], code_.source[1]);
    code_.lines[2] = SourcePlace{7, 3}; // no such file
    EXPECT_EQ(parsed()["instructions"]["all"][1]["file"], "");
    code_.lines[2] = SourcePlace{0, 99}; // no such line in the kept text
    EXPECT_EQ(parsed()["instructions"]["all"][1]["source"], "");
}

TEST_F(Report, HotSpotsAreSortedByWarpCyclesThenAddress) {
    stats_.pcs[5].stalls[1] = 7;
    stats_.pcs[6].stalls[1] = 8;
    EXPECT_THAT(hot_spots(stats_, 10), ElementsAre(0U, 96U, 32U, 80U));
    EXPECT_THAT(hot_spots(stats_, 2), ElementsAre(0U, 96U));
}

TEST_F(Report, StatusReportsExceptionsEarlyEndsAndFailedChecks) {
    EXPECT_EQ(run_status(report_), "completed");
    report_.checks[0].mismatches = 1;
    EXPECT_EQ(run_status(report_), "check_failed");
    report_.early_end = EarlyEnd::kInterrupted;
    EXPECT_EQ(run_status(report_), "interrupted");
    report_.early_end = EarlyEnd::kInstructionLimit;
    EXPECT_EQ(run_status(report_), "instruction_limit");
    report_.fault = Fault::kTrap;
    EXPECT_EQ(run_status(report_), "exception");
}

TEST_F(Report, KeysHaveAFixedOrderAndReportsAreReproducible) {
    const std::string text = to_json_text(report_);
    EXPECT_EQ(text, to_json_text(report_));
    EXPECT_TRUE(
        text.starts_with("{\n \"schema\": 1,\n \"smsim\": \"1.2.3\",\n \"model\": \"0123456789ab\",\n \"run\": {"));
    EXPECT_TRUE(text.ends_with("}\n"));
}

TEST_F(Report, SaysHowFarItsConfigurationIsValidated) {
    EXPECT_EQ(parsed()["validation"]["configuration"], "default");
    EXPECT_EQ(parsed()["validation"]["status"], "not_validated");
    EXPECT_THAT(to_text(report_), HasSubstr("  configuration default: not validated against silicon; "));
    config_ = load_config(SMSIM_SOURCE_DIR "/configs/v100.yaml");
    report_.config_file = "my/v100.yaml";
    const json validation = parsed()["validation"];
    EXPECT_EQ(validation["status"], "validated");
    EXPECT_EQ(validation["configuration"], "my/v100.yaml");
    EXPECT_EQ(validation["instructions"][0]["issued"], 4);
    EXPECT_THAT(SchemaValidator("report.schema.json").errors(parsed()), IsEmpty());
    EXPECT_THAT(to_text(report_), HasSubstr("  configuration my/v100.yaml: validated with "));
}

TEST_F(Report, BytesThatAreNotUtf8DoNotSpoilTheJson) {
    code_.source[1] = "\xff\xfe";
    EXPECT_EQ(parsed()["instructions"]["all"][0]["source"], "\xef\xbf\xbd\xef\xbf\xbd");
}

TEST_F(Report, TextShowsTheFiguresInHundredColumns) {
    stats_.pcs[1].stalls[8] = 1'000'000'000'000;
    stats_.pcs[1].issues = 9'999'999'999;
    stats_.sums[0].warp_cycles += 1'000'000'000'940;
    report_.exception = std::string(150, 'x') + " " + std::string(90, 'y');
    report_.fault = Fault::kTrap;
    report_.program = std::string(300, 'p');
    report_.kernel = std::string(300, 'k');
    report_.disassembly = [](Pc) { return std::string(300, 'i') + "\n\t"; };
    code_.files[0] = std::string(200, 'f');
    const std::string text = to_text(report_);
    std::istringstream lines(text);
    std::size_t count = 0;
    for (std::string line; std::getline(lines, line); ++count) {
        EXPECT_LE(line.size(), 100U) << line;
        EXPECT_THAT(line, Not(HasSubstr("\t")));
    }
    EXPECT_LE(count, 60U);
}

TEST_F(Report, TextNamesReasonsHotSpotsAndUnits) {
    const std::string text = to_text(report_);
    EXPECT_THAT(text, HasSubstr("status completed"));
    EXPECT_THAT(text, HasSubstr("check c: 8 of 8 elements agree"));
    EXPECT_THAT(text, HasSubstr("percent of 180 warp-cycles"));
    EXPECT_THAT(text, ::testing::ContainsRegex("long_scoreboard +81\\.7"));
    EXPECT_THAT(text, Not(HasSubstr("membar"))); // reasons without cycles are left out
    EXPECT_THAT(text, HasSubstr("INSN 32"));
    EXPECT_THAT(text, HasSubstr("k.sasm:2"));
    EXPECT_THAT(text, HasSubstr("10 accesses, 2.50 passes each (worst 4)"));
    EXPECT_THAT(text, HasSubstr("UR4: 0x10 after 0x0, 3 cycles early, 2 times, first in cycle 17"));
    EXPECT_THAT(text, HasSubstr("syncs: 4 executed, 3 passed, 1 switched"));
}

TEST_F(Report, ABarrierOperandWithExtraBitsIsShownWithItsEffectiveValue) {
    Hazard hazard;
    hazard.first = hazard.second = 16;
    hazard.index = 4;
    hazard.kind = Hazard::Kind::kBarrierBits;
    hazard.count = 3;
    hazard.cycle = 21;
    hazard.value = 17;
    stats_.hazards.push_back(hazard);
    const json report = parsed();
    EXPECT_THAT(SchemaValidator("report.schema.json").errors(report), IsEmpty());
    const json operand = report["hazards"]["list"][1];
    EXPECT_EQ(operand["kind"], "barrier_bits");
    EXPECT_EQ(operand["register"], "R4");
    EXPECT_EQ(operand["value"], 17);
    EXPECT_EQ(operand["acts_as"], 1);
    const std::string text = to_text(report_);
    EXPECT_THAT(text, HasSubstr("  0x10 (k.sasm:2), 3 times, first in cycle 21\n"
                                "    R4 holds 17, which acts as barrier 1\n"));
    EXPECT_THAT(text, HasSubstr("UR4: 0x10 after 0x0, 3 cycles early")) << "and hazards by themselves";
}

TEST_F(Report, TextOfAnEmptyRunHasNoEmptyTables) {
    const RunStats empty;
    const std::string text = to_text(RunReport{.stats = empty, .config = config_});
    EXPECT_THAT(text, Not(HasSubstr("Hot spots")));
    EXPECT_THAT(text, Not(HasSubstr("Branches")));
    EXPECT_THAT(text, Not(HasSubstr("Memory")));
    EXPECT_THAT(text, Not(HasSubstr("nan")));
}

} // namespace
} // namespace smsim
