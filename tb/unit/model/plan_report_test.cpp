// The report of several launches: complete according to its published schema, which docs/report.md covers.
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "model/config/config.h"
#include "model/config/loader.h"
#include "report/plan_report.h"
#include "tb/unit/model/schema_validator.h"

namespace smsim {
namespace {

using nlohmann::json;
using test::SchemaValidator;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// A plan that has run `launches` launches: one warp each, 10 cycles with 5 between them.
class PlanReportTest : public ::testing::Test {
  protected:
    PlanReportTest() {
        stats_.cycles = 10;
        stats_.ctas = 1;
        WarpStats warp;
        warp.end = 10;
        warp.instructions = 4;
        warp.thread_instructions = 64;
        warp.stalls[0] = warp.states[2] = 10;
        stats_.add(warp);
    }
    void run(std::size_t launches) {
        for (std::size_t i = 0; i < launches; ++i) {
            report_.add("step", i, 15 * i, launch_);
        }
    }
    json parsed() const { return json::parse(report_.to_json_text()); }

    RunStats stats_;
    Config config_;
    RunReport launch_{.stats = stats_, .config = config_};
    PlanReport report_{config_, "1.2.3", "0123456789ab", "steps.yaml", "my.yaml"};
    SchemaValidator validator_{"plan-report.schema.json"};
};

TEST_F(PlanReportTest, JsonFollowsThePublishedSchema) {
    EXPECT_THAT(validator_.errors(parsed()), IsEmpty()) << "of no launch";
    run(2);
    report_.add_check("", {.buffer = "c", .compared = 8, .mismatches = 1, .first = {{3, "1", "2"}}});
    report_.set_error("not zero after 2 rounds");
    EXPECT_THAT(validator_.errors(parsed()), IsEmpty());
    EXPECT_EQ(parsed()["run"]["status"], "check_failed");
    launch_.fault = Fault::kWatchdog;
    launch_.exception = "Watchdog";
    launch_.raised = RaisedException{Fault::kWatchdog, 35, {}};
    run(1);
    EXPECT_THAT(validator_.errors(parsed()), IsEmpty());
    EXPECT_EQ(parsed()["run"]["raised"]["kind"], "Watchdog");
}

TEST_F(PlanReportTest, OfAFunctionalRunHasNoCycles) {
    launch_.in_time = false;
    run(2);
    EXPECT_THAT(SchemaValidator("plan-report-without-timing.schema.json").errors(parsed()), IsEmpty());
    EXPECT_EQ(parsed()["timing"], "none");
    EXPECT_EQ(report_.to_text().find("cycles"), std::string::npos) << report_.to_text();
}

TEST_F(PlanReportTest, FunctionalCtasAreSummedUp) {
    launch_.untimed = {1, 20, 300};
    run(2);
    EXPECT_THAT(validator_.errors(parsed()), IsEmpty());
    EXPECT_EQ(parsed()["untimed"]["thread_instructions"], 600);
    EXPECT_EQ(parsed()["launches"][1]["untimed"]["ctas"], 1);
}

TEST_F(PlanReportTest, SchemaRejectsDeviationsInASection) {
    run(2);
    json report = parsed();
    report["launches"][1].erase("round");
    report["launches"][1]["memory"]["l1"]["evictions"] = 3;
    report["launches"][0]["stalls"]["wait"] = "long";
    EXPECT_THAT(validator_.errors(report),
                ::testing::UnorderedElementsAre("/launches/0/stalls/wait: wrong type", "/launches/1: lacks round",
                                                "/launches/1/memory/l1: unknown evictions"));
}

TEST_F(PlanReportTest, SectionsTakeABoundedNumberOfBytes) {
    stats_.pcs.resize(5'000);
    for (PcStats &pc : stats_.pcs) {
        pc.issues = 1;
    }
    run(10);
    EXPECT_GT(report_.sections(), 1U);
    EXPECT_LT(report_.sections(), 10U);
    const std::string text = report_.to_json_text();
    EXPECT_LT(text.size(), kMaxSectionBytes + kMaxSectionBytes / 4); // two spaces before each line
    const json report = json::parse(text);
    EXPECT_EQ(report["launches"].size(), report_.sections());
    EXPECT_EQ(report["run"]["launches"], 10);
    EXPECT_EQ(report["warp_instructions"], 40);
}

TEST_F(PlanReportTest, ChecksTakeABoundedNumberOfEntries) {
    const CheckResult good{.buffer = "g", .compared = 1, .mismatches = 0, .first = {}};
    const CheckResult bad{.buffer = "b", .compared = 1, .mismatches = 1, .first = {{0, "1", "2"}}};
    for (std::size_t i = 0; i < kMaxChecks + 3; ++i) {
        report_.add_check("", good);
    }
    EXPECT_EQ(parsed()["run"]["status"], "completed");
    for (std::size_t i = 0; i < kMaxChecks + 2; ++i) {
        report_.add_check("", bad);
    }
    EXPECT_THAT(validator_.errors(parsed()), IsEmpty());
    EXPECT_EQ(parsed()["checks"].size(), 2 * kMaxChecks);
    EXPECT_EQ(parsed()["more_checks"], (json{{"passed", 3}, {"failed", 2}}));
    EXPECT_EQ(parsed()["run"]["status"], "check_failed");
    EXPECT_THAT(report_.to_text(), ::testing::HasSubstr("... 5 more checks, of which 2 failed\n"));
}

TEST_F(PlanReportTest, TotalsAreOfAllLaunchesAndSectionsOfTheFirst) {
    run(kMaxLaunchSections + 1);
    const json report = parsed();
    EXPECT_EQ(report["run"]["launches"], kMaxLaunchSections + 1);
    EXPECT_EQ(report["launches"].size(), kMaxLaunchSections);
    EXPECT_EQ(report["ctas"], kMaxLaunchSections + 1);
    EXPECT_EQ(report["cycles"], 15 * kMaxLaunchSections + 10);
    EXPECT_EQ(report["launch_cycles"], 10 * (kMaxLaunchSections + 1));
    EXPECT_EQ(report["launches"][1]["begin"], 15);
}

TEST_F(PlanReportTest, ValidationIsOfAllLaunchesTogether) {
    Program program;
    program.code.resize(1);
    stats_.pcs.resize(1);
    stats_.pcs[0].issues = 4;
    launch_.code = &program;
    config_ = load_config(SMSIM_SOURCE_DIR "/configs/h100.yaml");
    run(3);
    const json report = parsed();
    EXPECT_EQ(report["validation"]["status"], "validated");
    EXPECT_EQ(report["validation"]["configuration"], "my.yaml");
    EXPECT_EQ(report["validation"]["instructions"][0]["issued"], 12);
    EXPECT_FALSE(report["launches"][0].contains("validation"));
    EXPECT_THAT(report_.to_text(), HasSubstr("  configuration my.yaml: validated with "));
}

TEST_F(PlanReportTest, EveryFieldIsNamedInTheDocument) {
    std::ifstream stream(SMSIM_SOURCE_DIR "/docs/report.md");
    std::ostringstream document;
    document << stream.rdbuf();
    run(1);
    const json report = parsed();
    for (const json &named : {report, report["run"]}) {
        for (const auto &[field, value] : named.items()) {
            EXPECT_THAT(document.str(), HasSubstr("`" + field + "`"));
        }
    }
}

} // namespace
} // namespace smsim
