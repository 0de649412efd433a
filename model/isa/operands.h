// Values of the operands that an instruction brings to a unit of its own. Which ones these are says the description of
// its form (model/isa/isa.h): each general register that it reads, but for those of an address, is a vector operand, in
// the order in which the instruction is written; its uniform register or constant is the scalar one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "model/types.h"

namespace smsim::isa {

/// Most vector operands that an instruction of BRU or BCU has.
inline constexpr std::size_t kVectorOperands = 2;

/// [operand][lane], zero-extended.
template <typename Value> using VectorOperandsOf = std::array<std::array<Value, kLanes>, kVectorOperands>;
/// As the branch unit gets them: pairs of registers too.
using VectorOperands = VectorOperandsOf<std::uint64_t>;
/// As the barrier unit gets them: single registers.
using NarrowVectorOperands = VectorOperandsOf<std::uint32_t>;

} // namespace smsim::isa
