// For each reading that the model rejects (docs/branch-unit.md, docs/barrier-unit.md), a program that shows why.
#pragma once

#include <string>
#include <vector>

#include "tb/state_space/case.h"

namespace smsim::state_space {

/// A program that goes well by the model's rules and not by the other reading.
struct LiteralReading {
    Case program;
    std::string setting; ///< that puts the other reading in force, as for `rules_of`
    Problem problem;     ///< what then happens
};

inline std::ostream &operator<<(std::ostream &out, const LiteralReading &reading) {
    return out << reading.program << " with " << reading.setting;
}

/// All of them.
std::vector<LiteralReading> literal_readings();

} // namespace smsim::state_space
