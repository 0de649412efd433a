// The atomic operations, for every memory that performs them and every initiator that emulates them.
//
// Separate from memory.h so that plain C++ code can use it without the TLM headers.
#pragma once

#include <cstdint>

#include "model/isa/isa.h"

namespace smsim::protocol {

/// New value of an atomic operation on old value `old`. Operands and result are zero-extended to 64 bits; bits above
/// the type's width are ignored on input and zero in the result.
///
/// - ADD wraps; for F32 and F64 it is the IEEE sum rounded to nearest even, subnormals kept, a NaN the canonical one.
/// - MIN, MAX compare signed for S32 and S64, unsigned otherwise; F32 and F64 have neither (the decoder rejects them)
///   and give `old`.
/// - INC: `old >= operand ? 0 : old + 1`, DEC: `old == 0 || old > operand ? operand : old - 1`, unsigned.
/// - AND, OR, XOR, EXCH work on the bits; CAS: `old == compare ? operand : old` on the bits.
/// - A number that is not an operation or type leaves `old` unchanged (the value comes from an external extension).
std::uint64_t atomic_result(isa::AtomicOp op, isa::AtomicType type, std::uint64_t old, std::uint64_t operand,
                            std::uint64_t compare);

} // namespace smsim::protocol
