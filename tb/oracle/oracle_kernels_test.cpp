// The example kernels give their expected results when every thread runs alone, whatever the interleaving.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "assembler/load_program.h"
#include "model/config/loader.h"
#include "model/launch/launch.h"
#include "tb/oracle/oracle.h"
#include "tb/support/example_kernels.h"

namespace smsim {
namespace {

std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) {
    return (value + unit - 1) / unit * unit;
}

/// A launch file with everything that the oracle needs to run it.
struct Prepared {
    launch::Launch file;
    Program program;
    oracle::Launch run;
    std::vector<std::size_t> region_of; ///< of each argument

    explicit Prepared(const std::string &path) : file(launch::load_launch(path)) {
        program = load_program(file.program, timing::SchedulingModel(load_config(std::nullopt, {})));
        const Kernel &kernel = file.kernel.empty() ? program.kernels.at(0) : *program.find_kernel(file.kernel);
        run.program = &program;
        run.entry = kernel.entry;
        run.grid = file.grid;
        run.block = file.block;
        run.registers = kernel.registers;
        run.local_bytes = kernel.local_bytes;
        run.shared_bytes = static_cast<std::uint32_t>(round_up(kernel.shared_bytes, 16)) + file.dynamic_shared;
        fill_bank(allocate());
    }

  private:
    std::vector<std::uint64_t> allocate() {
        std::vector<std::uint64_t> addresses;
        std::uint64_t next = 0x10000000;
        for (const launch::Argument &argument : file.arguments) {
            region_of.push_back(run.regions.size());
            addresses.push_back(next);
            if (argument.is_buffer) {
                run.regions.push_back({next, launch::initial_bytes(argument)});
                next = round_up(next + argument.bytes() + 0x10000, 256);
            }
        }
        return addresses;
    }

    void fill_bank(const std::vector<std::uint64_t> &addresses) {
        const std::vector<std::uint8_t> parameters = launch::parameter_bytes(file, addresses);
        std::vector<std::uint8_t> &bank = run.constants[0];
        bank.assign(constant_bank0::kArguments + parameters.size(), 0);
        std::ranges::copy(parameters, bank.begin() + constant_bank0::kArguments);
        const std::uint32_t head[] = {run.block[0],
                                      run.block[1],
                                      run.block[2],
                                      run.grid[0],
                                      run.grid[1],
                                      run.grid[2],
                                      run.shared_bytes - file.dynamic_shared,
                                      run.shared_bytes};
        std::memcpy(bank.data(), head, sizeof(head));
    }
};

class OracleKernels : public testing::TestWithParam<const char *> {};

TEST_P(OracleKernels, GiveTheExpectedResultInEveryInterleaving) {
    const Prepared prepared(test::example_file(GetParam()));
    ASSERT_FALSE(prepared.file.checks.empty());
    for (const std::uint64_t seed : {1, 2, 3}) {
        const oracle::Result result = oracle::run(prepared.run, {.seed = seed});
        ASSERT_FALSE(result.failure) << result.failure->detail;
        for (const launch::Check &check : prepared.file.checks) {
            const oracle::Region &region = result.regions.at(prepared.region_of.at(check.argument));
            const launch::CheckResult compared = launch::check_buffer(prepared.file, check, region.bytes);
            EXPECT_TRUE(compared.passed())
                << "seed " << seed << ", " << compared.buffer << ": " << compared.mismatches << " mismatches";
        }
    }
}

std::string name_of(const testing::TestParamInfo<const char *> &param) {
    const std::string path = param.param;
    return path.substr(0, path.find('/'));
}

INSTANTIATE_TEST_SUITE_P(Covered, OracleKernels,
                         testing::Values("vector_add/launch.yaml", "matmul/launch_small.yaml",
                                         "bitonic_sort/launch.yaml", "bfs_step/launch.yaml",
                                         "nested_divergence/launch.yaml", "jump_table/launch.yaml",
                                         "call_return/launch.yaml", "barrier_reduction/launch.yaml",
                                         "producer_consumer/launch.yaml", "spin_lock_yield/launch.yaml",
                                         "spin_lock_nanosleep/launch.yaml", "warpsync_groups/launch.yaml"),
                         name_of);

/// Kernels that rely on BSYNC having reconverged the warp: this is only a hint, so nothing may depend on it here.
class OracleRefusedKernels : public testing::TestWithParam<const char *> {};

TEST_P(OracleRefusedKernels, AreRefusedAndNotGuessed) {
    const Prepared prepared(test::example_file(GetParam()));
    const oracle::Result result = oracle::run(prepared.run);
    ASSERT_TRUE(result.failure);
    EXPECT_EQ(result.failure->kind, oracle::Failure::Kind::kIllegal) << result.failure->detail;
}

INSTANTIATE_TEST_SUITE_P(BehindBsync, OracleRefusedKernels,
                         testing::Values("reduction/launch.yaml", "histogram/launch.yaml",
                                         "context_switch/launch.yaml"),
                         name_of);

} // namespace
} // namespace smsim
