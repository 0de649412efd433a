// Where the branches of a program for simt_stack meet again: what engines.md "Lowering" asks a compiler for.
#pragma once

#include <string>
#include <vector>

#include "tb/fuzz/writer.h"

namespace smsim::fuzz {

/// An instruction behind which not simply the next one follows.
struct ControlTransfer {
    std::size_t instruction = 0;      ///< its number in the text
    std::vector<std::string> targets; ///< labels that threads may go to
    bool falls = false;               ///< or to the next instruction
    bool parts = false;               ///< they may go different ways: VBEQ and its like
};

/// The text with SETRPC before each branch that parts threads, and a JOIN where they meet again: at the immediate
/// post-dominator of the branch. `transfers` in the order of the text. A function is entered by nobody here, and what
/// goes nowhere is its end.
std::string with_reconvergence(const Writer &text, const std::vector<ControlTransfer> &transfers);

} // namespace smsim::fuzz
