// Values of the operands that an instruction passes to a separate unit. The description of its form (model/isa/isa.h)
// determines them: each general register that it reads, except those of an address, is a vector operand, in the order
// in which the instruction is written; its uniform register or constant is the scalar operand.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "model/types.h"

namespace smsim::isa {

/// Maximum number of vector operands of an instruction of BRU or BCU.
inline constexpr std::size_t kVectorOperands = 2;

/// [operand][lane], zero-extended.
template <typename Value> using VectorOperandsOf = std::array<std::array<Value, kLanes>, kVectorOperands>;
/// As the branch unit receives them: may be register pairs.
using VectorOperands = VectorOperandsOf<std::uint64_t>;
/// As the barrier unit receives them: single registers.
using NarrowVectorOperands = VectorOperandsOf<std::uint32_t>;

} // namespace smsim::isa
