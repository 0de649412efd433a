// What the fields of a memory instruction say about its accesses.
#pragma once

#include "model/isa/instruction.h"

namespace smsim::sm {

/// ATOMS, ATOMG and RED in all forms.
inline bool is_atomic(const isa::Instruction &insn) {
    switch (insn.op) {
    case isa::Op::kAtoms:
    case isa::Op::kAtomsCas:
    case isa::Op::kAtomg:
    case isa::Op::kAtomgCas:
    case isa::Op::kRed:
        return true;
    default:
        return false;
    }
}

/// The operation of an atomic.
inline isa::AtomicOp atomic_op(const isa::Instruction &insn) {
    return insn.op == isa::Op::kAtomsCas || insn.op == isa::Op::kAtomgCas ? isa::AtomicOp::kCas
                                                                          : static_cast<isa::AtomicOp>(insn.mod[0]);
}

/// The type that an atomic works on.
inline isa::AtomicType atomic_type(const isa::Instruction &insn) {
    return static_cast<isa::AtomicType>(atomic_op(insn) == isa::AtomicOp::kCas ? insn.mod[0] : insn.mod[1]);
}

/// Bytes that each thread accesses.
inline unsigned bytes_per_thread(const isa::Instruction &insn) {
    return is_atomic(insn) ? isa::atomic_bytes(atomic_type(insn))
                           : isa::access_bytes(static_cast<isa::Access>(insn.mod[0]));
}

} // namespace smsim::sm
