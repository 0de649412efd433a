// Records as bytes and back. How the bytes are laid out says docs/transactions.md.
#pragma once

#include <algorithm>
#include <cstddef>

#include "model/transactions/bytes.h"
#include "model/transactions/records.h"

namespace smsim::transactions {

/// Vectors that a file has for a control instruction: those that the operation reads, and one for others too.
inline std::size_t vectors_of(const isa::Instruction &insn) {
    return std::max<std::size_t>(operands_read(insn).vectors, 1);
}

/// Appends `record`, whose cycle is not below `previous`, that of the record before. The instructions of records have
/// an encoding.
void encode(const Record &record, Cycle previous, ByteWriter &to);
/// The next record, `previous` being the cycle of the one before. Refuses what is no record: a kind that does not
/// exist, a word that is no instruction of the unit, a cycle beyond 64 bits, bytes that are missing.
Record decode(Part part, Cycle previous, ByteReader &from);

} // namespace smsim::transactions
