#include "tb/fuzz/programs/run_oracle.h"

#include <algorithm>

#include <fmt/format.h>

#include "model/launch/layout.h"
#include "tb/oracle/oracle.h"

namespace smsim::fuzz {
namespace {

const char *kind_name(oracle::Failure::Kind kind) {
    switch (kind) {
    case oracle::Failure::Kind::kFault:
        return "exception";
    case oracle::Failure::Kind::kDeadlock:
        return "deadlock";
    case oracle::Failure::Kind::kTooLong:
        return "no end";
    case oracle::Failure::Kind::kIllegal:
        return "illegal program";
    }
    return "?";
}

} // namespace

std::int64_t trap_handler_of(const Case &test, const Program &program) {
    if (!test.trap_handler) {
        return -1;
    }
    const auto found = std::ranges::find(program.symbols, "trap_handler", &Symbol::name);
    return found == program.symbols.end() ? -1 : static_cast<std::int64_t>(found->address);
}

Outcome run_oracle(const Case &test, const Program &program, std::uint64_t seed, std::uint32_t call_limit) {
    const Kernel &kernel = program.kernels.at(0);
    const launch::BufferLayout layout = launch::lay_out_buffers(test.launch);
    oracle::Launch launch;
    launch.program = &program;
    launch.entry = kernel.entry;
    launch.grid = test.launch.grid;
    launch.block = test.launch.block;
    launch.registers = kernel.registers;
    launch.shared_bytes = launch::shared_bytes(test.launch, kernel);
    launch.local_bytes = kernel.local_bytes;
    launch.call_limit = call_limit;
    launch.trap_handler = trap_handler_of(test, program);
    for (const auto &[bank, bytes] : program.constants) {
        launch.constants.at(bank) = bytes;
    }
    launch.constants[0] = launch::constant_bank0_bytes(test.launch, kernel, layout.addresses);
    for (std::size_t i = 0; i < layout.addresses.size(); ++i) {
        launch.regions.push_back({layout.addresses[i], launch::initial_bytes(test.launch.arguments[i])});
    }
    if (program.global_data_bytes != 0) {
        launch.regions.push_back({kGlobalDataBase, program.global_data});
        launch.regions.back().bytes.resize(program.global_data_bytes);
    }
    oracle::Options options;
    options.seed = seed;
    oracle::Result result = oracle::run(launch, options);
    Outcome outcome;
    outcome.thread_instructions = result.instructions;
    if (result.failure) {
        outcome.failure = fmt::format("oracle: {}: {}", kind_name(result.failure->kind), result.failure->detail);
        if (result.failure->kind == oracle::Failure::Kind::kFault) {
            outcome.fault = result.failure->fault;
        }
        return outcome;
    }
    for (oracle::ThreadState &thread : result.threads) {
        outcome.threads.push_back({std::move(thread.registers), thread.predicates});
    }
    for (std::size_t i = 0; i < layout.addresses.size(); ++i) {
        outcome.buffers.push_back(std::move(result.regions[i].bytes));
    }
    return outcome;
}

} // namespace smsim::fuzz
