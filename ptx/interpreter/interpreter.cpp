#include "ptx/interpreter/interpreter.h"

#include <algorithm>

#include <fmt/format.h>

#include "ptx/interpreter/machine.h"

namespace smsim::ptx::interpreter {

namespace {

constexpr std::uint64_t kLongestTurn = 50;

std::uint64_t next_random(std::uint64_t &state) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

} // namespace

Launch launch_of(const launch::Launch &launch, std::span<const std::uint64_t> addresses) {
    Launch made;
    made.grid = launch.grid;
    made.block = launch.block;
    made.dynamic_shared = launch.dynamic_shared;
    made.parameters = launch::parameter_bytes(launch, addresses);
    for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
        if (launch.arguments[i].is_buffer) {
            made.buffers.push_back({addresses[i], launch::initial_bytes(launch.arguments[i])});
        }
    }
    return made;
}

Cta::Cta(const CompiledModule &module, const CompiledFunction &kernel, const Launch &launch, Memories &memories,
         std::array<std::uint32_t, 3> number)
    : module_(module), launch_(launch), memories_(memories), number_(number) {
    const std::array<std::uint32_t, 3> &block = launch.block;
    threads_.resize(std::size_t{block[0]} * block[1] * block[2]);
    live_.assign((threads_.size() + kWarp - 1) / kWarp, 0);
    for (Barrier &barrier : barriers_) {
        clear(barrier);
    }
    for (unsigned i = 0; i < threads_.size(); ++i) {
        threads_[i].index = i;
        threads_[i].tid = {i % block[0], i / block[0] % block[1], i / block[0] / block[1]};
        live_[i / kWarp] += 1;
        enter(threads_[i], kernel, nullptr);
    }
}

void Cta::turn(Thread &thread, unsigned length, std::uint64_t &steps) {
    for (; length > 0 && thread.state == State::kReady; --length) {
        if (++steps > launch_.max_steps) {
            fail(thread, fmt::format("not ended after {} instructions", launch_.max_steps));
        }
        ++clock_;
        try {
            execute(thread);
        } catch (const Stop &stop) {
            if (std::string_view(stop.what()).starts_with("CTA")) {
                throw;
            }
            fail(thread, stop.what());
        }
    }
}

void Cta::run(std::uint64_t &steps, std::uint64_t &random) {
    for (bool going = true; going;) {
        going = false;
        for (Thread &thread : threads_) {
            if (thread.state == State::kReady) {
                going = true;
                turn(thread, static_cast<unsigned>(1 + next_random(random) % kLongestTurn), steps);
            }
        }
    }
    for (const Thread &thread : threads_) {
        if (thread.state != State::kDone) {
            fail(thread, "waits for threads that never arrive");
        }
    }
}

Result run(const CompiledModule &module, std::string_view kernel, const Launch &launch) {
    Result result;
    const auto found = module.by_name.find(kernel);
    const std::uint64_t threads = std::uint64_t{launch.block[0]} * launch.block[1] * launch.block[2];
    if (found == module.by_name.end() || !module.functions[found->second].entry) {
        result.error = "there is no kernel '" + std::string(kernel) + "'";
        return result;
    }
    if (launch.block[0] > 1024 || launch.block[1] > 1024 || launch.block[2] > 1024 || threads == 0 || threads > 1024) {
        result.error = "a CTA has 1 to 1024 threads";
        return result;
    }
    std::uint64_t random = launch.seed * 0x9e37'79b9'7f4a'7c15 | 1;
    try {
        Memories memories(module, launch);
        const auto [x, y, z] = launch.grid;
        for (std::uint64_t cta = 0; cta < std::uint64_t{x} * y * z; ++cta) {
            memories.start_cta();
            const std::array<std::uint32_t, 3> number = {static_cast<std::uint32_t>(cta % x),
                                                         static_cast<std::uint32_t>(cta / x % y),
                                                         static_cast<std::uint32_t>(cta / x / y)};
            Cta(module, module.functions[found->second], launch, memories, number).run(result.steps, random);
        }
        for (Buffer &buffer : memories.buffers()) {
            result.buffers.push_back(std::move(buffer.bytes));
        }
        result.printed = std::move(memories.printed());
    } catch (const Stop &stop) {
        result.error = stop.what();
    }
    return result;
}

} // namespace smsim::ptx::interpreter
