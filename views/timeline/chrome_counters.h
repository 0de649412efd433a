// The counters of a Chrome timeline: resident warps and instructions per cycle of each sub-partition.
#pragma once

#include <cstdint>
#include <vector>

#include "model/types.h"
#include "views/timeline/text_file.h"
#include "views/timeline/window.h"

namespace smsim::views::timeline {

/// Instructions per cycle are counted over intervals of this many cycles since the start of the launch.
inline constexpr Cycle kIpcInterval = 100;

/// Writes records of the form ",{...}\n".
class ChromeCounters {
  public:
    ChromeCounters(TextFile &file, const Window &window, unsigned partitions)
        : file_(file), window_(window), partitions_(partitions) {}

    void started(unsigned partition) { ++partitions_[partition].warps; }
    void ended(unsigned partition) { --partitions_[partition].warps; }
    void issued(unsigned partition) { ++partitions_[partition].issued; }

    /// Everything before cycle `at` is known: writes the intervals that are complete.
    void advance(Cycle at);
    /// Writes the numbers of resident warps from `at` on, where they differ from those shown; all of them with `all`.
    void show(Cycle at, bool all);
    /// The run ends: writes the interval that is not complete.
    void end(Cycle at);

  private:
    struct Partition {
        std::uint32_t warps = 0;
        std::uint32_t shown_warps = ~std::uint32_t{0};
        std::uint64_t issued = 0; ///< in the present interval
        std::int64_t shown_permille = -1;
    };
    void write_interval(Cycle length);

    TextFile &file_;
    Window window_;
    std::vector<Partition> partitions_;
    Cycle begin_ = 0; ///< of the present interval
};

} // namespace smsim::views::timeline
