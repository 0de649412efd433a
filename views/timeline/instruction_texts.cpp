#include "views/timeline/instruction_texts.h"

#include "assembler/disassembler.h"

namespace smsim::views::timeline {

InstructionTexts::InstructionTexts(const Program &program) {
    for (const isa::Instruction &insn : program.code) {
        texts_.push_back(assembler::operation_text(insn));
        names_.push_back(insn.spec().name);
    }
}

} // namespace smsim::views::timeline
