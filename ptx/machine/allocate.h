// Register allocation: a number for every register, or a place in local memory for those that find none.
//
// Registers are coloured in the order in which the code defines them; of the numbers that are free, that of a copy's
// other side comes first, then the lowest, so that a kernel needs few and many CTAs fit, but where it can be in another
// bank than what is read beside it. When a number is missing, the registers that cost least are spilled, and all is
// coloured anew. A kernel is coloured once more when it is known how many numbers it needs: then one comes first that
// no access to memory or slow function near by has still to read or write, which who writes it would have to wait for.
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
    unsigned general = kGeneralRegisters; ///< numbers 0 to general - 1 may be given
    RegisterSet reserved;                 ///< given by `fixed` only
    bool rotate = false;                  ///< the second colouring; numbers up to a granule of registers may be given
};

/// What a call of instruction `call` changes.
class CallEffects {
  public:
    virtual ~CallEffects() = default;
    virtual const RegisterSet &clobbered(const Instruction &call) const = 0;
};

struct Allocation {
    std::vector<std::int16_t> number; ///< by register, of its first word; -1: it is used nowhere
    RegisterSet used;
    unsigned spills = 0; ///< registers in local memory
};

/// Gives every register of `function` a number and inserts loads and stores of spilled ones, whose places are added to
/// its frame. Throws InputError naming `file` and the function when one instruction needs more registers than there
/// are.
Allocation allocate(Function &function, const AllocationRules &rules, const CallEffects &calls,
                    const std::string &file);

} // namespace smsim::ptx::machine
