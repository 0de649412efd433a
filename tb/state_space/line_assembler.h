// Assembles many small programs that share most of their lines: each distinct line goes through the assembler once.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "model/program/program.h"

namespace smsim::state_space {

class LineAssembler {
  public:
    /// Like `assemble_plain`, for a text with one instruction or label per line and labels only as operands of BRA and
    /// BSSY, without line table. Throws InputError for a line that the assembler rejects, or an unknown label.
    Program assemble(std::string_view text);

  private:
    struct Line {
        isa::Instruction insn;
        std::uint32_t registers = 0; ///< that its program would need
        bool has_target = false;     ///< the last operand is a label
    };
    const Line &line(std::string_view text);

    std::unordered_map<std::string, Line> lines_; ///< by text without label
};

} // namespace smsim::state_space
