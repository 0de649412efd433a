#include "model/launch/layout.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include <fmt/format.h>

#include "model/error.h"

namespace smsim::launch {
namespace {

constexpr std::uint64_t kFirstBuffer = 0x10000000;
constexpr std::uint64_t kBufferAlignment = 256;
constexpr std::uint64_t kBufferGap = std::uint64_t{64} * 1024;
constexpr std::uint32_t kSharedAlignment = 16;
static_assert(kMaxParameterBytes == constant_bank0::kMaxArgumentBytes);

std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) {
    return (value + unit - 1) / unit * unit;
}

std::uint32_t dynamic_offset(const Kernel &kernel) {
    return static_cast<std::uint32_t>(round_up(kernel.shared_bytes, kSharedAlignment));
}

/// "n (u32, 4 bytes), a (buffer, 8 bytes)"
std::string argument_list(const Launch &launch) {
    std::string text;
    for (const Argument &argument : launch.arguments) {
        const std::string_view type = argument.is_buffer ? "buffer" : element_name(argument.type);
        const unsigned bytes = argument.is_buffer ? 8 : element_bytes(argument.type);
        text += fmt::format("{}{} ({}, {} {})", text.empty() ? "" : ", ", argument.name, type, bytes,
                            bytes == 1 ? "byte" : "bytes");
    }
    return text;
}

} // namespace

void check_limits(const Launch &launch) {
    const auto within = [&](const char *what, const std::array<std::uint32_t, 3> &given,
                            const std::array<std::uint32_t, 3> &most) {
        for (std::size_t i = 0; i < given.size(); ++i) {
            if (given[i] == 0 || given[i] > most[i]) {
                throw InputError(fmt::format("{}{} of {} x {} x {}; each is at least 1, and at most {}, {} and {}",
                                             launch.place(), what, given[0], given[1], given[2], most[0], most[1],
                                             most[2]));
            }
        }
    };
    within("grid", launch.grid, kMaxGrid);
    within("block", launch.block, {0xffff, 0xffff, 0xffff}); // what an SM holds decides
    if (launch.dynamic_shared > kMaxDynamicShared) {
        throw InputError(fmt::format("{}{} bytes of dynamic shared memory; at most {} are possible", launch.place(),
                                     launch.dynamic_shared, kMaxDynamicShared));
    }
    if (launch.arguments.size() > kMaxParameterBytes) {
        throw InputError(fmt::format("{}{} arguments; at most {} bytes of them are possible", launch.place(),
                                     launch.arguments.size(), kMaxParameterBytes));
    }
    const std::vector<std::uint64_t> addresses(launch.arguments.size());
    if (const std::size_t bytes = parameter_bytes(launch, addresses).size(); bytes > kMaxParameterBytes) {
        throw InputError(
            fmt::format("{}{} bytes of arguments; at most {} are possible", launch.place(), bytes, kMaxParameterBytes));
    }
}

void check_parameters(const Launch &launch, const Kernel &kernel) {
    const std::vector<std::uint64_t> addresses(launch.arguments.size());
    const std::size_t given = parameter_bytes(launch, addresses).size();
    if (!kernel.parameter_bytes || *kernel.parameter_bytes == given) {
        return;
    }
    throw InputError(fmt::format("{}kernel '{}' expects {} bytes of arguments, each at a multiple of its size; the "
                                 "launch gives {}: {}",
                                 launch.place(), kernel.name, *kernel.parameter_bytes, given,
                                 launch.arguments.empty() ? "no arguments" : argument_list(launch)));
}

void check_block(const Launch &launch, const Kernel &kernel) {
    const auto extents = [](const auto &block) { return fmt::format("{} x {} x {}", block[0], block[1], block[2]); };
    const std::array<std::uint32_t, 3> &block = launch.block;
    const std::uint64_t threads = std::uint64_t{block[0]} * block[1] * block[2];
    if (kernel.block[0] != 0 && kernel.block != block) {
        throw InputError(fmt::format("{}kernel '{}' is for CTAs of {} threads (.reqntid); the launch has {}",
                                     launch.place(), kernel.name, extents(kernel.block), extents(block)));
    }
    if (kernel.most_threads != 0 && threads > kernel.most_threads) {
        throw InputError(fmt::format("{}kernel '{}' is for CTAs of at most {} threads (.maxntid); the launch has {} "
                                     "({})",
                                     launch.place(), kernel.name, kernel.most_threads, threads, extents(block)));
    }
}

BufferLayout lay_out_buffers(const Launch &launch) {
    return lay_out_buffers(std::span<const Argument>(launch.arguments));
}

BufferLayout lay_out_buffers(std::span<const Argument> arguments) {
    BufferLayout layout;
    layout.end = kFirstBuffer;
    for (const Argument &argument : arguments) {
        layout.addresses.push_back(argument.is_buffer ? layout.end : 0);
        if (argument.is_buffer) {
            layout.end = round_up(layout.end + argument.bytes() + kBufferGap, kBufferAlignment);
        }
    }
    return layout;
}

std::uint32_t shared_bytes(const Launch &launch, const Kernel &kernel) {
    return launch.dynamic_shared == 0 ? kernel.shared_bytes : dynamic_offset(kernel) + launch.dynamic_shared;
}

std::vector<std::uint8_t> constant_bank0_bytes(const Launch &launch, const Kernel &kernel,
                                               std::span<const std::uint64_t> addresses) {
    const std::vector<std::uint8_t> parameters = parameter_bytes(launch, addresses);
    std::vector<std::uint8_t> bank(constant_bank0::kArguments + parameters.size());
    std::ranges::copy(parameters, bank.begin() + constant_bank0::kArguments);
    const auto put = [&](std::size_t offset, std::uint32_t value) {
        std::memcpy(bank.data() + offset, &value, sizeof(value));
    };
    put(constant_bank0::kNtidX, launch.block[0]);
    put(constant_bank0::kNtidY, launch.block[1]);
    put(constant_bank0::kNtidZ, launch.block[2]);
    put(constant_bank0::kNctaidX, launch.grid[0]);
    put(constant_bank0::kNctaidY, launch.grid[1]);
    put(constant_bank0::kNctaidZ, launch.grid[2]);
    put(constant_bank0::kDynamicShared, dynamic_offset(kernel));
    put(constant_bank0::kSharedBytes, shared_bytes(launch, kernel));
    return bank;
}

} // namespace smsim::launch
