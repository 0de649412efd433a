// For each reading that the model rejects (docs/branch-unit.md, docs/barrier-unit.md), a program that shows the
// reason.
#pragma once

#include <string>
#include <vector>

#include "tb/state_space/case.h"

namespace smsim::state_space {

/// A program that succeeds under the model's rules and fails under the other reading.
struct RejectedReadingCase {
    Case program;
    std::string setting; ///< the setting that puts the other reading in force, see `rules_of`
    Problem problem;     ///< the resulting problem
};

inline std::ostream &operator<<(std::ostream &out, const RejectedReadingCase &reading) {
    return out << reading.program << " with " << reading.setting;
}

/// All of them.
std::vector<RejectedReadingCase> rejected_reading_cases();

} // namespace smsim::state_space
