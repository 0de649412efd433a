// The counters of a Chrome timeline: resident warps and instructions per cycle of each sub-partition; for each warp
// slot the size of what the branch unit measures, such as a stack; and for the whole SM how much of each unit was in
// use.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/stats/level_stats.h"
#include "model/stats/utilisation.h"
#include "model/types.h"
#include "views/timeline/text_file.h"
#include "views/timeline/window.h"

namespace smsim::views::timeline {

/// Instructions per cycle are counted over intervals of this many cycles since the start of the launch.
inline constexpr Cycle kIpcInterval = 100;

/// Use of units is shown over intervals of at least this many cycles since the start of a launch.
inline constexpr Cycle kLeastUseInterval = 64;

/// Writes records of the form ",{...}\n".
class ChromeCounters {
  public:
    ChromeCounters(TextFile &file, const Window &window, unsigned partitions, std::uint32_t warps)
        : file_(file), window_(window), partitions_(partitions), levels_(warps) {
        shown_use_.fill(~std::uint64_t{0});
    }

    void started(unsigned partition) { ++partitions_[partition].warps; }
    void ended(unsigned partition) { --partitions_[partition].warps; }
    void issued(unsigned partition) { ++partitions_[partition].issued; }
    /// The measured size for the warp in `slot` is `level` from the current cycle on.
    void measured(std::uint32_t slot, const LevelName &what, std::uint64_t level);
    /// A warp begins or ends in `slot`: discards what was measured.
    void cleared(std::uint32_t slot);

    /// Everything before cycle `at` is known: writes the complete intervals.
    void advance(Cycle at);
    /// Writes the numbers of resident warps and the sizes from `at` on, where they differ from those shown; all of
    /// them with `all`.
    void show(Cycle at, bool all);
    /// How much of each unit was in use in a launch, as in Observer::used: writes a percentage for each interval.
    void used(Cycle begin, Cycle cycles, const UnitUses &units);
    /// The run ends: writes the incomplete interval.
    void end(Cycle at);

  private:
    struct Partition {
        std::uint32_t warps = 0;
        std::uint32_t shown_warps = ~std::uint32_t{0};
        std::uint64_t issued = 0; ///< in the current interval
        std::int64_t shown_permille = -1;
    };
    struct Level {
        std::string name{}; ///< empty: nothing was measured in this slot
        std::uint64_t now = 0;
        std::optional<std::uint64_t> shown{};
    };
    void write_interval(Cycle length);
    void show_level(std::uint32_t slot, Cycle at);
    void show_use(UsedUnit unit, Cycle at, std::uint64_t hundredths);

    TextFile &file_;
    Window window_;
    std::vector<Partition> partitions_;
    std::vector<Level> levels_;                       ///< by warp slot
    std::vector<std::uint32_t> changed_;              ///< slots whose level may differ from what is shown
    Cycle begin_ = 0;                                 ///< of the current interval
    bool units_named_ = false;                        ///< the process of the units has its name
    std::array<std::uint64_t, kUsedUnits> shown_use_; ///< hundredths of a percent; all bits: nothing is shown
};

} // namespace smsim::views::timeline
