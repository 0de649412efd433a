// The lines of one warp are in program order and show the control state after their instruction, whatever shares the
// branch unit with the warp: the lines of a warp are the same on every design.
#include <array>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tb/support/child_process.h"

namespace smsim {
namespace {

/// Lines of each warp, by CTA and warp, except for time-dependent parts.
using Lines = std::map<std::pair<std::uint64_t, std::uint64_t>, std::vector<std::string>>;

/// Control instructions that the warp does not wait for, with others after them, for each engine.
constexpr const char *kConvergenceBarrier = R"(.engine convergence_barrier
.kernel k
.shared 0x400
    S2R R0, SR_TID.X;
    ISETP.LT.AND P0, PT, R0, 0x30, PT;
    IMAD R4, R0, 0x4, RZ;
    BSSY B1, `(join);
    STS [R4], R0;
    BSSY B0, `(join);
    MOV R1, 0x1;
    BREAK B1;
    MOV R2, 0x2;
    BMOV R3, B0;
    LDS R6, [R4];
    @P0 BRA `(join);
    IADD3 R1, R1, R6, RZ;
join:
    BSYNC B0;
    IADD3 R5, R3, R1, RZ;
    BAR.SYNC 0x0;
    EXIT;
)";
constexpr const char *kSimtStack = R"(.engine simt_stack
.kernel k
.shared 0x400
    S2R R0, SR_TID.X;
    LOP3 R1, R0, 0x3, RZ, 0xc0;
    IMAD R4, R0, 0x4, RZ;
    SETRPC join;
    STS [R4], R0;
    MOV R2, 0x1;
    SETRPC join;
    MOV R3, 0x1;
    LDS R6, [R4];
    VBEQ R1, RZ, fourth;
    IADD3 R2, R6, 0x64, RZ;
    BRA join;
fourth:
    IMAD R2, R0, 0x3, RZ;
join:
    JOIN;
    BAR.SYNC 0x0;
    ENDPRG;
)";
constexpr const char *kTokenStack = R"(.engine token_stack
.kernel k
.shared 0x400
    S2R R0, SR_TID.X;
    LOP3.CC R1, R0, 0x1, RZ, 0xc0;
    IMAD R4, R0, 0x4, RZ;
    PBK end;
    STS [R4], R0;
    SSY join;
    MOV R2, 0x1;
    MOV R3, 0x1;
    LDS R6, [R4];
    BRA CC.EQ, even;
    IADD3 R2, R6, 0x64, RZ;
    SYNC;
even:
    SYNC;
join:
    BRK;
end:
    BAR.SYNC 0x0;
    EXIT;
)";

class TraceOrder : public testing::TestWithParam<const char *> {
  protected:
    std::string trace(const std::string &design, const std::string &options) {
        test::write_file(folder / "k.sasm", GetParam());
        test::write_file(folder / "launch.yaml", "program: k.sasm\ngrid: 3\nblock: 256\n");
        const test::CommandResult done =
            test::run_command_line(fmt::format("{} run --report none --engine {} {} {} --trace {} {}", SMSIM_BINARY,
                                               engine(), design, options, folder / "trace", folder / "launch.yaml"));
        EXPECT_EQ(done.status, 0) << done.output;
        return test::read_file(folder / "trace");
    }
    static std::string engine() {
        const std::string text = GetParam();
        const std::size_t begin = text.find(' ') + 1;
        return text.substr(begin, text.find('\n') - begin);
    }
    Lines of_json(const std::string &design, const std::string &options) {
        Lines lines;
        std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> last;
        std::istringstream in(trace(design, options));
        std::uint64_t cycle = 0;
        for (std::string text; std::getline(in, text);) {
            auto line = nlohmann::ordered_json::parse(text);
            const std::uint64_t at = line["cycle"];
            EXPECT_GE(at, cycle) << design << ": " << text;
            cycle = at;
            if (line.contains("event")) {
                continue;
            }
            const auto warp = std::pair(line["cta"].get<std::uint64_t>(), line["warp"].get<std::uint64_t>());
            EXPECT_GT(at, std::exchange(last[warp], at)) << design << ": " << text;
            line.erase("cycle");
            line.erase("done");
            lines[warp].push_back(line.dump());
        }
        return lines;
    }
    Lines of_control_log(const std::string &design) {
        Lines lines;
        std::istringstream in(trace(design, "--trace-format control"));
        for (std::string text; std::getline(in, text);) {
            std::istringstream words(text);
            std::string word;
            std::pair<std::uint64_t, std::uint64_t> warp;
            words >> word >> warp.first >> word >> warp.second;
            lines[warp].push_back(text);
        }
        return lines;
    }

    test::TemporaryFolder folder;
};

constexpr const char *kEachItsOwn = "--set sm.sub_partitions=4 --set bru.pipelines=4";
/// One pipeline for all, which becomes free so late that warps run far ahead.
constexpr std::array<const char *, 4> kShared = {
    "--set sm.sub_partitions=4 --set bru.pipelines=1",
    "--set sm.sub_partitions=4 --set bru.pipelines=1 --set bru.barrier_interval=9 --set bru.branch_interval=9",
    "--set sm.sub_partitions=2 --set bru.pipelines=1 --set bru.barrier_interval=9 --set bru.branch_interval=9",
    "--set sm.sub_partitions=1 --set bru.pipelines=1"};

TEST_P(TraceOrder, LinesOfAWarpDoNotDependOnTheSharingOfTheBranchUnit) {
    for (const std::string options : {"", "--trace-fields rpc,release,barriers", "--trace-fields all"}) {
        const Lines expected = of_json(kEachItsOwn, options);
        ASSERT_EQ(expected.size(), 24U);
        for (const char *design : kShared) {
            EXPECT_EQ(of_json(design, options), expected) << design << ' ' << options;
        }
    }
}

TEST_P(TraceOrder, ControlLogDoesNotDependOnTheSharingOfTheBranchUnit) {
    const Lines expected = of_control_log(kEachItsOwn);
    ASSERT_EQ(expected.size(), 24U);
    for (const char *design : kShared) {
        EXPECT_EQ(of_control_log(design), expected) << design;
    }
}

INSTANTIATE_TEST_SUITE_P(Engines, TraceOrder, testing::Values(kConvergenceBarrier, kSimtStack, kTokenStack));

} // namespace
} // namespace smsim
