// Converts records to bytes and back. docs/transactions.md describes the layout.
#pragma once

#include <algorithm>
#include <cstddef>

#include "model/transactions/bytes.h"
#include "model/transactions/records.h"

namespace smsim::transactions {

/// Number of vectors that a file has for a control instruction: those that the operation reads, and one for others too.
inline std::size_t vectors_of(const isa::Instruction &insn) {
    return std::max<std::size_t>(operands_read(insn).vectors, 1);
}

/// Appends `record`, whose cycle is not below `previous`, that of the previous record. The instructions of records have
/// an encoding.
void encode(const Record &record, Cycle previous, ByteWriter &to);
/// The next record, `previous` being the cycle of the previous one. Rejects invalid records: an unknown kind, a word
/// that is no instruction of the unit, a cycle beyond 64 bits, missing bytes.
Record decode(Part part, Cycle previous, ByteReader &from);

} // namespace smsim::transactions
