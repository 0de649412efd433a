// What a report says about validation: which configuration is recognised, which parts of a run are outside, and each
// sentence.
#include <array>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "model/config/config.h"
#include "model/config/loader.h"
#include "model/error.h"
#include "model/isa/isa.h"
#include "report/validation.h"
#include "report/validation_report.h"

namespace smsim::validation {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

constexpr const char *kKinds = R"("kinds": [
    {"kind": "arithmetic", "operations": ["alu", "fma", "DADD"]},
    {"kind": "double precision", "operations": ["fp64"]},
    {"kind": "accesses", "operations": ["lsu"]},
    {"kind": "rest", "operations": ["none", "xu", "half", "tensor", "uniform", "bru", "bcu"]}])";

/// Two configurations: one has an ALU latency of 5 and points, the other one a latency of 6 and an FMA latency of 7.
std::string small_record() {
    return std::string("{") + kKinds + R"(, "configurations": [
        {"file": "five.yaml", "generation": "7.0", "devices": ["A", "B"], "points": 3, "median_percent": 1.25,
         "p90_percent": 30, "ctas": 1, "warps": 8, "kinds": {
            "arithmetic": {"points": 2, "median_percent": 0.5, "p90_percent": 20},
            "accesses": {"points": 1, "median_percent": 30, "p90_percent": 20.1}},
         "keys": {"pipes.alu.latency": "5"}},
        {"file": "six.yaml", "generation": "9.0", "devices": ["C"], "points": 1, "median_percent": 2,
         "p90_percent": 2, "ctas": 1, "warps": 1, "kinds": {},
         "keys": {"pipes.alu.latency": "6", "pipes.fma.latency": "7"}}]})";
}

class Validation : public ::testing::Test {
  protected:
    static Config config(std::vector<std::string> settings) { return load_config(std::nullopt, settings); }
    Comparison compared(std::vector<std::string> settings, const std::string &file = "") const {
        return compare(record_, config(std::move(settings)), file);
    }
    /// The validation of a run with one instruction of each given operation.
    Usage usage(const std::vector<isa::Op> &operations) const {
        Program program;
        RunStats stats;
        for (const isa::Op op : operations) {
            program.code.emplace_back().op = op;
            stats.pcs.emplace_back().issues = 1;
        }
        return usage_of(record_, stats, &program);
    }
    json parsed(const Comparison &comparison, const Usage &usage) const {
        return json::parse(to_json(record_, comparison, usage, "dir/five.yaml").dump());
    }
    std::string text(const Comparison &comparison, const Usage &usage) const {
        return to_text(record_, comparison, usage, "dir/five.yaml");
    }

    Record record_ = parse_record(small_record());
};

TEST_F(Validation, AConfigurationIsRecognisedByItsValuesNotItsFileName) {
    for (const char *file : {"five.yaml", "dir/five.yaml", "copy.yaml", "dir/six.yaml", ""}) {
        const Comparison found = compared({"pipes.alu.latency=5"}, file);
        EXPECT_EQ(found.standing, Standing::kValidated) << file;
        EXPECT_EQ(found.nearest->file, "five.yaml") << file;
        EXPECT_THAT(found.keys, IsEmpty()) << file;
    }
}

TEST_F(Validation, AFileOfTheSameNameWithOtherValuesListsTheKeysThatDiffer) {
    const Comparison found = compared({"pipes.alu.latency=6", "lsu.queue_depth=9"}, "dir/five.yaml");
    EXPECT_EQ(found.standing, Standing::kChanged);
    EXPECT_EQ(found.nearest->file, "five.yaml");
    ASSERT_THAT(found.keys, SizeIs(2)); // six.yaml has one more
    EXPECT_EQ(found.keys[0].key, "pipes.alu.latency");
    EXPECT_EQ(found.keys[0].value, "6");
    EXPECT_EQ(found.keys[0].validated, "5");
    EXPECT_EQ(found.keys[1].key, "lsu.queue_depth") << "a key that the validated file does not state had its default";
}

TEST_F(Validation, AnotherFileIsNotValidatedAndNamesTheNearest) {
    const Comparison found = compared({"pipes.alu.latency=6", "pipes.fma.latency=8"}, "own.yaml");
    EXPECT_EQ(found.standing, Standing::kNot);
    EXPECT_EQ(found.nearest->file, "six.yaml");
    EXPECT_EQ(compared({}).nearest->file, "five.yaml");
    EXPECT_EQ(compare({}, Config(), "").nearest, nullptr);
}

TEST_F(Validation, KeysThatNoTimeDependsOnDoNotMatter) {
    const Comparison found =
        compared({"pipes.alu.latency=5", "sm.watchdog_cycles=1000", "sm.hazard_check=true", "sm.hazard_fatal=true"});
    EXPECT_EQ(found.standing, Standing::kValidated);
}

TEST_F(Validation, AMnemonicGoesBeforeTheUnitOfItsOperation) {
    EXPECT_THAT(usage({isa::Op::kDadd, isa::Op::kDfma, isa::Op::kIadd3, isa::Op::kLdg, isa::Op::kBar}).issued,
                ElementsAre(2, 1, 1, 1));
}

TEST_F(Validation, UsageTakesTheMostAtATimeAndSumsTheRest) {
    RunStats stats;
    stats.occupancy = {{0, 1, 4}, {5, 3, 2}, {9, 0, 0}};
    stats.global.reads = 5;
    stats.global.writes = 100;
    stats.global.atomics = 2;
    stats.bru.branches[0].diverged = 3;
    stats.bru.branches[16].diverged = 4;
    Usage both = usage_of(record_, stats, nullptr);
    EXPECT_THAT(both.issued, IsEmpty()) << "no program";
    stats.occupancy = {{0, 2, 9}};
    both.add(usage_of(record_, stats, nullptr));
    both.add(usage({isa::Op::kLdg}));
    EXPECT_THAT(both.issued, ElementsAre(0, 0, 1, 0));
    EXPECT_EQ(both.ctas, 3U);
    EXPECT_EQ(both.warps, 9U);
    EXPECT_EQ(both.beyond_l1, 14U);
    EXPECT_EQ(both.diverged, 14U);
}

TEST_F(Validation, AValidatedConfigurationIsSaidWithItsPoints) {
    const Comparison found = compared({"pipes.alu.latency=5"});
    EXPECT_EQ(statement(found),
              "validated with 3 published points of generation 7.0 (A, B), median error 1.2 %, P90 30.0 %");
    const json part = parsed(found, {});
    EXPECT_EQ(part["configuration"], "dir/five.yaml");
    EXPECT_EQ(part["status"], "validated");
    EXPECT_EQ(part["statement"], statement(found));
    EXPECT_EQ(part["nearest"], json::parse(R"({"file": "five.yaml", "generation": "7.0", "devices": ["A", "B"],
                                              "points": 3, "median_percent": 1.25, "p90_percent": 30.0})"));
    EXPECT_EQ(to_json(record_, found, {}, "")["configuration"], "default");
}

TEST_F(Validation, ChangedKeysAreOutsideAndTheFiguresThoseOfTheValidatedFile) {
    const Comparison found = compared({"pipes.alu.latency=6"}, "five.yaml");
    EXPECT_EQ(statement(found),
              "1 key differs from the validated five.yaml, which has 3 published points of generation "
              "7.0 (A, B), median error 1.2 %, P90 30.0 %");
    EXPECT_EQ(parsed(found, {})["status"], "changed");
    EXPECT_EQ(parsed(found, {})["differing_keys"],
              json::parse(R"([{"key": "pipes.alu.latency", "value": "6", "validated": "5"}])"));
    EXPECT_THAT(text(found, usage({isa::Op::kIadd3})),
                HasSubstr("  outside: pipes.alu.latency is 6, validated is 5\n"));
    EXPECT_THAT(parsed(found, usage({isa::Op::kIadd3}))["instructions"], SizeIs(1));
}

TEST_F(Validation, OfManyChangedKeysTheTextNamesTheFirst) {
    std::vector<std::string> settings = {"pipes.alu.interval=3", "pipes.fma.latency=9", "pipes.fma.interval=3",
                                         "pipes.xu.latency=9",   "pipes.xu.interval=3", "l1.latency=99",
                                         "l1.mshrs=9",           "global.latency=99"};
    const Comparison found = compared(settings, "five.yaml");
    EXPECT_THAT(found.keys, SizeIs(9));
    EXPECT_THAT(text(found, {}), HasSubstr("  outside: l1.mshrs is 9, validated is "));
    EXPECT_THAT(text(found, {}), Not(HasSubstr("global.latency")));
    EXPECT_THAT(text(found, {}), HasSubstr("  ... 1 more keys in the JSON report\n"));
    EXPECT_THAT(text(compared(settings, "own.yaml"), {}), Not(HasSubstr("outside"))) << "a custom configuration";
}

TEST_F(Validation, WithoutValidationThereAreNoFigures) {
    const Comparison found = compared({});
    EXPECT_EQ(statement(found),
              "not validated against silicon; 1 key differs from the nearest validated configuration, five.yaml");
    Usage used = usage({isa::Op::kIadd3});
    used.ctas = used.warps = used.beyond_l1 = used.diverged = 1000;
    const json part = parsed(found, used);
    EXPECT_EQ(part["status"], "not_validated");
    EXPECT_THAT(part["instructions"], IsEmpty());
    EXPECT_THAT(part["outside"], IsEmpty());
    EXPECT_EQ(statement(compare({}, Config(), "")), "not validated against silicon");
    EXPECT_TRUE(json::parse(to_json({}, {}, {}, "").dump())["nearest"].is_null());
}

TEST_F(Validation, KindsAreListedByShareWithTheirFigures) {
    const Comparison found = compared({"pipes.alu.latency=5"});
    const Usage used = usage({isa::Op::kDfma, isa::Op::kIadd3, isa::Op::kIadd3, isa::Op::kFfma, isa::Op::kLdg,
                              isa::Op::kLdg, isa::Op::kDmul, isa::Op::kIadd3});
    EXPECT_EQ(parsed(found, used)["instructions"], json::parse(R"([
        {"kind": "arithmetic", "issued": 4, "share": 0.5, "points": 2, "median_percent": 0.5, "p90_percent": 20.0,
         "remark": ""},
        {"kind": "double precision", "issued": 2, "share": 0.25, "points": 0, "median_percent": null,
         "p90_percent": null, "remark": "no published counterpart"},
        {"kind": "accesses", "issued": 2, "share": 0.25, "points": 1, "median_percent": 30.0, "p90_percent": 20.1,
         "remark": "P90 above 20 %"}])"));
    EXPECT_THAT(
        text(found, used),
        HasSubstr("  instructions                         share  points    median       P90\n"
                  "  arithmetic                          50.0 %       2     0.5 %    20.0 %\n"
                  "  double precision                    25.0 %       0                      no published "
                  "counterpart\n"
                  "  accesses                            25.0 %       1    30.0 %    20.1 %  P90 above 20 %\n"));
}

TEST_F(Validation, UsageBeyondAllPointsIsStatedAsASentence) {
    const Comparison found = compared({"pipes.alu.latency=5"});
    Usage used;
    used.ctas = 1;
    used.warps = 8;
    EXPECT_THAT(parsed(found, used)["outside"], IsEmpty());
    used.ctas = 2;
    used.warps = 9;
    used.diverged = 1;
    used.beyond_l1 = 7;
    EXPECT_THAT(parsed(found, used)["outside"],
                ElementsAre("up to 2 CTAs at a time; the points have at most 1",
                            "up to 9 warps at a time; the points have at most 8",
                            "1 time a branch split its warp; no point has a diverged warp",
                            "7 transactions beyond the L1, timed as L2 hits: L2 misses and DRAM are not modelled"));
    EXPECT_THAT(text(found, used), HasSubstr("  outside: up to 2 CTAs at a time; the points have at most 1\n"));
}

TEST_F(Validation, WherePointsHaveDivergedWarpsOneIsNotOutside) {
    std::string text = small_record();
    constexpr std::string_view kPlace = "\"warps\": 8,";
    text.insert(text.find(kPlace), "\"diverged\": true, ");
    const Record record = parse_record(text);
    Usage used;
    used.diverged = 1;
    EXPECT_THAT(parsed(compare(record, config({"pipes.alu.latency=5"}), ""), used)["outside"], IsEmpty());
    EXPECT_THAT(parsed(compare(record, config({"pipes.alu.latency=6", "pipes.fma.latency=7"}), ""), used)["outside"],
                ElementsAre("1 time a branch split its warp; no point has a diverged warp"));
}

TEST_F(Validation, ARecordThatIsWrongIsRefused) {
    const auto message = [](const std::string &text) {
        try {
            parse_record(text);
        } catch (const InputError &error) {
            return std::string(error.what());
        }
        return std::string("accepted");
    };
    const auto changed = [](std::string_view from, std::string_view to) {
        std::string text = small_record();
        return text.replace(text.find(from), from.size(), to);
    };
    EXPECT_THAT(message("{"), HasSubstr("validation: "));
    EXPECT_THAT(message("{}"), HasSubstr("kinds"));
    EXPECT_EQ(message(changed(", \"half\"", "")), "accepted"); // a pipe that was added since
    EXPECT_EQ(message(changed("\"lsu\"", "\"LDG\"")), "validation: SHFL belongs to no kind of instructions");
    EXPECT_EQ(message(changed("\"lsu\"", "\"lsu\", \"LDX\"")),
              "validation: 'LDX' is no operation and no unit that has any left");
    EXPECT_EQ(message(changed("\"accesses\": {", "\"loads\": {")),
              "validation: five.yaml: no kind of instructions is called 'loads'");
    EXPECT_THAT(message(changed("alu.latency", "alu.lateness")), HasSubstr("unknown key 'pipes.alu.lateness'"));
}

TEST(EmbeddedRecord, TheConfigurationFilesOfTheGenerationsAreValidated) {
    const Record &record = embedded_record();
    ASSERT_THAT(record.configurations, Not(IsEmpty()));
    for (const ValidatedConfiguration &validated : record.configurations) {
        const Config config = load_config(SMSIM_SOURCE_DIR "/configs/" + validated.file);
        const Comparison found = compare(record, config, "renamed.yaml");
        EXPECT_EQ(found.standing, Standing::kValidated) << validated.file;
        EXPECT_EQ(found.nearest, &validated) << validated.file;
        EXPECT_GT(validated.all.points, 0U) << validated.file;
    }
    EXPECT_EQ(compare(record, Config(), "").standing, Standing::kNot);
}

TEST(EmbeddedRecord, KindsAreThoseOfTheOperations) {
    const Record &record = embedded_record();
    const auto kind = [&record](isa::Op op) {
        return record.kinds.at(record.kind_of.at(static_cast<std::size_t>(op)));
    };
    EXPECT_EQ(kind(isa::Op::kFfma), "arithmetic");
    EXPECT_EQ(kind(isa::Op::kDsetp), "double precision");
    EXPECT_EQ(kind(isa::Op::kHfma2), "half precision");
    EXPECT_EQ(kind(isa::Op::kCs2r), "special registers");
    EXPECT_EQ(kind(isa::Op::kShfl), "shuffles and reductions");
    EXPECT_EQ(kind(isa::Op::kAtomsCas), "atomics on shared memory");
    EXPECT_EQ(kind(isa::Op::kStl), "local memory");
    EXPECT_EQ(kind(isa::Op::kNanosleep), "sleep");
    EXPECT_EQ(kind(isa::Op::kBsync), "reconvergence and other control");
}

} // namespace
} // namespace smsim::validation
