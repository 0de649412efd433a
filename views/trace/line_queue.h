// Lines of a trace in reading order: by cycle, then warp slot, then as the warp has issued its instructions, whenever
// they become known.
#pragma once

#include <compare>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "model/types.h"
#include "sm/execution_observer.h"

namespace smsim::views {

class LineQueue {
  public:
    /// The line of `instruction`; `text` ends with a newline.
    void add(const sm::ExecutedInstruction &instruction, std::string text);
    /// The line of `instruction` arrives later: the lines after it wait for it.
    void expect(const sm::ExecutedInstruction &instruction);
    /// Writes the lines of cycles before `end`, up to the first that is still expected. Except for expected lines,
    /// none of these cycles may be added later.
    void write(std::ostream &out, Cycle end);
    /// Writes the lines of cycles before `end`, or all; expected lines will not arrive any more.
    void write_rest(std::ostream &out, Cycle end = kNever);

  private:
    struct Place {
        Cycle cycle = 0;
        WarpSlot warp;
        std::uint64_t sequence = 0; ///< of the instruction in its warp
        friend auto operator<=>(const Place &, const Place &) = default;
    };
    struct Line {
        Place place;
        std::string text;
    };

    static Place place_of(const sm::ExecutedInstruction &instruction) {
        return {instruction.cycle, instruction.start.warp, instruction.sequence};
    }
    void write_before(std::ostream &out, const Place &end);

    std::vector<Line> lines_;
    std::vector<Place> expected_;
};

} // namespace smsim::views
