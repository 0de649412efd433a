// The texts of a program's instructions, made once before the run.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/program/program.h"
#include "model/types.h"

namespace smsim::views::timeline {

class InstructionTexts {
  public:
    explicit InstructionTexts(const Program &program);
    /// The operation at `pc` as the disassembler writes it; empty past the end of the program.
    std::string_view text(Pc pc) const { return find(texts_, pc); }
    /// The mnemonic without modifiers ("BAR"); empty past the end of the program.
    std::string_view name(Pc pc) const { return find(names_, pc); }

  private:
    template <typename Texts> static std::string_view find(const Texts &texts, Pc pc) {
        return pc / kInstructionBytes < texts.size() ? std::string_view(texts[pc / kInstructionBytes])
                                                     : std::string_view();
    }
    std::vector<std::string> texts_;
    std::vector<std::string_view> names_;
};

} // namespace smsim::views::timeline
