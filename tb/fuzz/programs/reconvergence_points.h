// Where the branches of a program for simt_stack reconverge: what engines.md "Lowering" requires of a compiler.
#pragma once

#include <string>
#include <vector>

#include "tb/fuzz/programs/writer.h"

namespace smsim::fuzz {

/// An instruction that is not simply followed by the next one.
struct ControlTransfer {
    std::size_t instruction = 0;      ///< its number in the text
    std::vector<std::string> targets; ///< labels that threads may go to
    bool falls = false;               ///< or to the next instruction
    bool parts = false;               ///< they may take different paths: VBEQ and similar
};

/// The text with a SETRPC before each branch that diverges, and a JOIN where its threads reconverge: at the immediate
/// post-dominator of the branch. `transfers` are in text order. Here no thread enters a function, and an instruction
/// that leads nowhere is its end.
std::string with_reconvergence(const Writer &text, const std::vector<ControlTransfer> &transfers);

} // namespace smsim::fuzz
