// Memory instructions as the tests of the load/store unit and its transfers need them.
#pragma once

#include "model/isa/instruction.h"

namespace smsim::sm {

/// A load or store.
inline isa::Instruction make(isa::Op op, isa::Access access = isa::Access::k32) {
    isa::Instruction insn;
    insn.op = op;
    insn.form = isa::Form::kR;
    insn.unit = isa::Unit::kLoadStore;
    insn.mod[0] = static_cast<std::uint8_t>(access);
    return insn;
}

/// `op` is a CAS exactly if `what` is.
inline isa::Instruction make_atomic(isa::Op op, isa::AtomicOp what, isa::AtomicType type = isa::AtomicType::kU32) {
    isa::Instruction insn = make(op);
    const bool cas = what == isa::AtomicOp::kCas;
    insn.mod[0] = static_cast<std::uint8_t>(cas ? static_cast<unsigned>(type) : static_cast<unsigned>(what));
    insn.mod[1] = static_cast<std::uint8_t>(cas ? 0U : static_cast<unsigned>(type));
    return insn;
}

} // namespace smsim::sm
