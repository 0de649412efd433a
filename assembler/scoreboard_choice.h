// Assigns one of the few scoreboards to each value in flight: values awaited together share one, unrelated ones do not.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <set>

#include "model/isa/instruction.h"

namespace smsim::assembler {

/// A value that needs a scoreboard. Places are indices of instructions.
struct ScoreboardUse {
    std::size_t begin = 0; ///< the instruction that produces or reads it
    std::size_t end = 0;   ///< where it is awaited first
    unsigned traffic = 0;  ///< kind of unit that it waits for; units of one kind take about as long
};

/// Assigns scoreboards from the beginning of the code to its end.
class ScoreboardChoice {
  public:
    /// The scoreboard for `use`, 0 to 5: the one whose other users at that place are awaited nearest to it. Call in the
    /// order of `begin`.
    int choose(const ScoreboardUse &use);

  private:
    /// Where the users of a scoreboard that are in flight are awaited, by kind of traffic.
    using Users = std::map<unsigned, std::multiset<std::size_t>>;

    void end_uses(std::size_t place);

    std::array<Users, isa::kScoreboards> live_;
};

} // namespace smsim::assembler
