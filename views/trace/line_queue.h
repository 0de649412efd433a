// Lines of a trace in the order in which they are read: of cycle, then warp slot, then as the warp has issued its
// instructions, whenever they become known.
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
    /// The line of `instruction` comes later: what stands behind it waits for it.
    void expect(const sm::ExecutedInstruction &instruction);
    /// Writes the lines of cycles before `end`, up to the first that is still expected. None of them comes later but
    /// those that are expected.
    void write(std::ostream &out, Cycle end);
    /// Writes the lines of cycles before `end`, or all; those that are expected do not come any more.
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
