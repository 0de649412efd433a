// Operand values: edge cases of every type, and random ones.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace smsim::ptx_differential {

/// Threads of a kernel; each has its own operand values.
inline constexpr unsigned kThreads = 256;

/// Sets of values: types by their name, and values with a special meaning: "count" (shift amounts, lengths),
/// "lane", "offset", "clamp" (of shfl), "few" (equal in many lanes), "pred".
unsigned value_set(std::string_view name);
unsigned value_sets();

/// Operands of one instruction that have separate values.
inline constexpr unsigned kOperands = 4;

/// The value of an operand in a thread; deterministic. Each `batch` gives different values of the same kinds.
std::uint64_t value_of(unsigned batch, unsigned set, unsigned operand, unsigned thread);

/// One edge value of a set, for immediates.
std::uint64_t edge_value(unsigned set, unsigned number);

/// All values of a batch, ordered by set, operand and thread.
std::vector<std::uint64_t> all_values(unsigned batch);

} // namespace smsim::ptx_differential
