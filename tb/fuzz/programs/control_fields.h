// Removes control fields from a schedule one at a time, to measure the hazard checkers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "model/program/program.h"

namespace smsim::fuzz {

/// One field of one instruction, and how it is changed.
struct Removal {
    enum class Field : std::uint8_t {
        kWsb,        ///< the result no longer releases a scoreboard
        kRsb,        ///< the sources no longer release a scoreboard
        kReq,        ///< one scoreboard is not waited for
        kStallByOne, ///< one stall cycle less
        kStallToOne, ///< no stall beyond the one cycle that every instruction has
    };
    std::size_t index = 0; ///< of the instruction, in Program::code
    Field field = Field::kWsb;
    unsigned scoreboard = 0; ///< of kReq
};
inline constexpr unsigned kRemovalFields = 5;

/// "wsb", "rsb", "req", "stall - 1", "stall = 1".
const char *name_of(Removal::Field field);

/// All single removals of the control fields in `program`, in the order of the instructions. A stall of 2 gives
/// kStallByOne only: kStallToOne would be the same.
std::vector<Removal> removals(const Program &program);

/// The program with that change.
Program without(const Program &program, const Removal &removal);

} // namespace smsim::fuzz
