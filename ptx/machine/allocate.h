// Register allocation: a number for every register, or a place in local memory for those that get none.
//
// Registers are coloured in the order of their definition. The free number that is preferred is that of a copy's other
// side, then the lowest, so that a kernel needs few registers and many CTAs fit, unless another bank avoids conflicts
// with what is read at the same time. When the numbers do not suffice, the registers that cost least are spilled, and
// all are coloured again. A kernel is coloured once more when its number of registers is known: this time a number is
// preferred that no nearby access to memory or slow function still has to read or write, because its next writer would
// have to wait for that.
#pragma once

#include <bitset>
#include <string>
#include <vector>

#include "ptx/machine/code.h"

namespace smsim::ptx::machine {

inline constexpr unsigned kGeneralRegisters = 255;
inline constexpr unsigned kPredicates = 7;

/// Registers by number: general ones, then predicates.
struct RegisterSet {
    std::bitset<kGeneralRegisters + 1> general;
    std::bitset<kPredicates + 1> predicates;
    RegisterSet &operator|=(const RegisterSet &other) {
        general |= other.general;
        predicates |= other.predicates;
        return *this;
    }
};

struct AllocationRules {
    unsigned general = kGeneralRegisters; ///< numbers 0 to general - 1 may be assigned
    RegisterSet reserved;                 ///< assigned only by `fixed`
    bool rotate = false;                  ///< the second colouring; numbers up to a granule of registers may be
                                          ///< assigned
};

/// What a call of instruction `call` changes.
class CallEffects {
  public:
    virtual ~CallEffects() = default;
    virtual const RegisterSet &clobbered(const Instruction &call) const = 0;
};

struct Allocation {
    std::vector<std::int16_t> number; ///< by register, of its first word; -1: unused
    RegisterSet used;
    unsigned spills = 0; ///< registers in local memory
};

/// Gives every register of `function` a number and inserts loads and stores of spilled ones, whose places are added to
/// its frame. Throws InputError naming `file` and the function when one instruction needs more registers than exist.
Allocation allocate(Function &function, const AllocationRules &rules, const CallEffects &calls,
                    const std::string &file);

} // namespace smsim::ptx::machine
