// Instructions for the tests of the IBuffer.
#pragma once

#include <vector>

#include "model/isa/instruction.h"

namespace smsim::ibuffer::test {

/// An instruction of the operation's first form at `pc`, all operands 0.
inline isa::Instruction make(isa::Op op, Pc pc = 0) {
    isa::Instruction insn;
    insn.op = op;
    insn.unit = isa::spec_of(op).unit;
    insn.form = isa::spec_of(op).forms.front().form;
    insn.pc = pc;
    return insn;
}
/// MOV of 0 to R1.
inline isa::Instruction mov() {
    isa::Instruction insn = make(isa::Op::kMov);
    insn.form = isa::Form::kI;
    insn.rd = 1;
    return insn;
}
/// A load from global memory.
inline isa::Instruction ldg() {
    isa::Instruction insn = make(isa::Op::kLdg);
    insn.mod[0] = static_cast<std::uint8_t>(isa::Access::k32);
    return insn;
}
/// Two MOV and EXIT.
inline std::vector<isa::Instruction> straight_line() {
    return {mov(), mov(), make(isa::Op::kExit)};
}

} // namespace smsim::ibuffer::test
