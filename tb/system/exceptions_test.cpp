// Every exception as a user sees it: a small program of exceptions/ runs, and must end with status 3, exactly the
// message at its end, and a report that contains the message too.
#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "model/error.h"
#include "tb/support/child_process.h"

namespace smsim {
namespace {

namespace fs = std::filesystem;

const fs::path kFolder = fs::path(SMSIM_SOURCE_DIR) / "tb/system/exceptions";

/// A program with directives at its end: `//! block 64`, `//! options --set ...`, `//! message LINE` once per line.
struct Case {
    fs::path program;
    std::string block = "32";
    std::string options;
    std::string message;
};

Case read_case(const fs::path &program) {
    Case read;
    read.program = program;
    std::istringstream lines(test::read_file(program.string()));
    const auto argument = [](const std::string &line, std::string_view key) -> std::optional<std::string> {
        const std::string begin = "//! " + std::string(key) + " ";
        return line.starts_with(begin) ? std::optional(line.substr(begin.size())) : std::nullopt;
    };
    for (std::string line; std::getline(lines, line);) {
        if (const auto block = argument(line, "block")) {
            read.block = *block;
        } else if (const auto options = argument(line, "options")) {
            read.options = *options;
        } else if (const auto text = argument(line, "message")) {
            read.message += (read.message.empty() ? "" : "\n") + *text;
        }
    }
    return read;
}

std::vector<Case> all_cases() {
    std::vector<Case> cases;
    for (const auto &entry : fs::directory_iterator(kFolder)) {
        cases.push_back(read_case(entry.path()));
    }
    std::ranges::sort(cases, {}, &Case::program);
    return cases;
}

/// `text` with each part that begins with `before` and has the given `length` replaced by `after`.
template <typename Length>
std::string replaced(std::string text, std::string_view before, std::string_view after, Length &&length) {
    for (std::size_t at = text.find(before); at != std::string::npos; at = text.find(before, at + after.size())) {
        text.replace(at, before.size() + length(std::string_view(text).substr(at + before.size())), after);
    }
    return text;
}

/// The message without parts that depend on the folder of the tree and on times of the model.
std::string without_place_and_time(const std::string &message) {
    const auto digits = [](std::string_view rest) {
        return std::min(rest.find_first_not_of("0123456789"), rest.size());
    };
    const auto nothing = [](std::string_view) { return std::size_t{0}; };
    const std::string without_cycle =
        replaced(replaced(message, kFolder.string() + "/", "", nothing), "cycle ", "cycle N", digits);
    return replaced(without_cycle, "; found ", "; found N", digits);
}

class Exceptions : public testing::TestWithParam<Case> {
  protected:
    /// Runs the case with `options` besides its own; the report goes to `folder`/out.
    static test::CommandResult run(const Case &one, const test::TemporaryFolder &folder, const std::string &options) {
        test::write_file(folder / "launch.yaml", "program: " + one.program.string() + "\ngrid: 1\nblock: " + one.block +
                                                     "\narguments:\n  - {name: a, type: u32, count: 4}\n");
        return test::run_command_line(std::string(SMSIM_BINARY) + " run --report none " + one.options + options +
                                      " -o " + (folder / "out") + " " + (folder / "launch.yaml"));
    }
};

TEST_P(Exceptions, EndTheRunWithTheirMessageAndAReport) {
    const Case &expected = GetParam();
    ASSERT_FALSE(expected.message.empty());
    const test::TemporaryFolder folder;
    const test::CommandResult result = run(expected, folder, "");
    EXPECT_EQ(result.status, 3);
    EXPECT_EQ(without_place_and_time(result.output), "smsim: error: " + expected.message + "\n");
    const auto report = nlohmann::json::parse(test::read_file(folder / "out/report.json"));
    EXPECT_EQ(report["run"]["status"], "exception");
    EXPECT_EQ(without_place_and_time(report["run"]["exception"]), expected.message);
}

/// `message` as it is without cycles: an exception is then found where it is raised, and the branch unit has gone no
/// further.
std::string without_cycles(std::string message) {
    for (const char *part : {", cycle N", "; timer expires in cycle N"}) {
        message = replaced(message, part, "", [](std::string_view) { return std::size_t{0}; });
    }
    for (const char *behind : {", executed by threads ", ", later instructions of the warp issued: "}) {
        if (const std::size_t at = message.find(behind); at != std::string::npos) {
            message.resize(at);
        }
    }
    return message;
}

/// `message` without the sleeping threads: in functional execution a sleep ends at once.
std::string awake(const std::string &message) {
    const std::size_t at = message.find("; asleep ");
    return at == std::string::npos ? message : message.substr(0, at) + "\n";
}

TEST_P(Exceptions, AreRaisedInTimeAfterFunctionalInstructions) {
    const Case &expected = GetParam();
    if (expected.message.starts_with("Hazard") || expected.message.starts_with("Watchdog")) {
        GTEST_SKIP() << "what is in time decides whether there is one";
    }
    const test::TemporaryFolder folder;
    run(expected, folder, " --timing none");
    const auto whole = nlohmann::json::parse(test::read_file(folder / "out/report.json"));
    const std::uint64_t executed = whole["warp_instructions"]; // including the one that raised it
    if (executed == 1) {
        GTEST_SKIP() << "nothing is executed before it";
    }
    for (std::uint64_t cut = 1; cut < executed; cut += 1 + executed / 16) {
        fs::remove_all(folder / "out");
        const test::CommandResult result = run(expected, folder, " --timing-from instruction:" + std::to_string(cut));
        EXPECT_EQ(result.status, 3) << "cut at " << cut;
        EXPECT_EQ(awake(without_place_and_time(result.output)), awake("smsim: error: " + expected.message + "\n"))
            << "cut at " << cut;
    }
}

TEST_P(Exceptions, AreRaisedInFunctionalRuns) {
    const Case &expected = GetParam();
    const test::TemporaryFolder folder;
    const test::CommandResult result = run(expected, folder, " --timing none");
    const std::string kind = expected.message.substr(0, expected.message.find(':'));
    const std::string message = without_cycles(without_place_and_time(result.output));
    if (kind == "Hazard") {
        EXPECT_EQ(result.status, 2);
        EXPECT_THAT(message, testing::HasSubstr("sm.hazard_check compares cycles"));
    } else if (expected.program.stem() == "watchdog") {
        EXPECT_EQ(result.status, 0) << "nothing is executed while all sleep";
    } else if (kind == "Watchdog") {
        EXPECT_EQ(result.status, 3);
        EXPECT_THAT(message, testing::HasSubstr("Watchdog: kernel 'k' has not ended after 80000 warp instructions"));
        EXPECT_THAT(message, testing::HasSubstr("threads 0x00000001 wait for 0xfffffffe"));
    } else {
        EXPECT_EQ(result.status, 3);
        EXPECT_THAT(message, testing::StartsWith("smsim: error: " + without_cycles(expected.message)));
        const auto report = nlohmann::json::parse(test::read_file(folder / "out/report.json"));
        EXPECT_EQ(report["run"]["fault"], kind);
        EXPECT_TRUE(report["run"]["raised"]["cycle"].is_null());
    }
}

INSTANTIATE_TEST_SUITE_P(All, Exceptions, testing::ValuesIn(all_cases()),
                         [](const auto &one) { return one.param.program.stem().string(); });

TEST(ExceptionPrograms, ShowEveryException) {
    std::set<std::string> shown;
    for (const Case &one : all_cases()) {
        shown.insert(one.message.substr(0, one.message.find(':')));
    }
    // No program's memory gives an error other than that of an address: load_store_unit_test.cpp tests it.
    shown.insert(fault_name(Fault::kMemoryError));
    for (int fault = 0; fault <= static_cast<int>(Fault::kWatchdog); ++fault) {
        EXPECT_TRUE(shown.contains(fault_name(static_cast<Fault>(fault)))) << fault_name(static_cast<Fault>(fault));
    }
}

TEST(Watchdog, ReportsTheLastCycleWithAndWithoutObservers) {
    const test::TemporaryFolder folder;
    for (unsigned limit = 150; limit < 400; limit += 19) {
        const auto output = [&](const std::string &observer) {
            fs::remove_all(folder / "out");
            return test::run_command_line(fmt::format("{} run --report none --set sm.watchdog_cycles={} -o {} {} {}",
                                                      SMSIM_BINARY, limit, folder / "out", observer,
                                                      SMSIM_SOURCE_DIR
                                                      "/kernels/synchronisation/reduction/launch.yaml"))
                .output;
        };
        const std::string unobserved = output("");
        EXPECT_THAT(unobserved, testing::HasSubstr("Watchdog: kernel"));
        EXPECT_EQ(unobserved, output("--timeline " + (folder / "t.json"))) << limit;
    }
}

} // namespace
} // namespace smsim
