// What the fields of a memory instruction mean for its accesses.
#pragma once

#include "model/isa/instruction.h"

namespace smsim::sm {

/// ATOMS, ATOMG and RED in all forms.
inline bool is_atomic(const isa::Instruction &insn) {
    return insn.spec().has(isa::kAtomic);
}

/// The operation of an atomic.
inline isa::AtomicOp atomic_op(const isa::Instruction &insn) {
    return insn.spec().has(isa::kCompareSwap) ? isa::AtomicOp::kCas : static_cast<isa::AtomicOp>(insn.mod[0]);
}

/// The type that an atomic works on.
inline isa::AtomicType atomic_type(const isa::Instruction &insn) {
    return static_cast<isa::AtomicType>(atomic_op(insn) == isa::AtomicOp::kCas ? insn.mod[0] : insn.mod[1]);
}

/// Bytes that each thread accesses; of LDSM and STSM each thread that has the address of a row.
inline unsigned bytes_per_thread(const isa::Instruction &insn) {
    if (is_atomic(insn)) [[unlikely]] {
        return isa::atomic_bytes(atomic_type(insn));
    }
    return isa::access_bytes(static_cast<isa::Access>(insn.mod[0]));
}

/// 32-bit registers of each thread that the data of an access takes. Of LDSM and STSM this is less than the rows that
/// some threads access: all 32 threads have a part of them.
inline unsigned registers_per_thread(const isa::Instruction &insn) {
    if (insn.spec().has(isa::kMatrixRows)) [[unlikely]] {
        return isa::matrices_moved(insn);
    }
    return (bytes_per_thread(insn) + 3) / 4;
}

} // namespace smsim::sm
