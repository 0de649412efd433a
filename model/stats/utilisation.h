// Everything of an SM that can be busy: what it is called, what its use counts, and which keys of the configuration say
// how much of it there is. The part that is busy counts; report, pages and sweeps read.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "model/stats/busy_time.h"
#include "model/types.h"

namespace smsim {

/// In the order of an instruction's way through the SM, which is that of reports.
enum class UsedUnit : std::uint8_t {
    kFetch,
    kInstructionL1,
    kIssue,
    kRegisterPorts,
    kAlu,
    kFma,
    kSecondFp32,
    kXu,
    kFp64,
    kHalf,
    kUniform,
    kBranchUnit,
    kBarrierUnit,
    kQueueEntries,
    kQueueAddress,
    kLoadStore,
    kTags,
    kSharedArray,
    kSharedPath,
    kL1Data,
    kMshrs,
    kTransactions,
    kGlobalPath,
    kDramPath,
};
inline constexpr unsigned kUsedUnits = 24;

/// What is the same in every run.
struct UsedUnitSpec {
    UsedUnit unit;
    std::string_view name;    ///< in reports: "load_store"
    std::string_view meaning; ///< what one unit of use is, in a few words
    std::string_view keys;    ///< of the configuration that make more of it, or make it faster, with commas between
};

/// The row of a unit.
const UsedUnitSpec &used_unit_spec(UsedUnit unit);

/// The use of one kind of unit in a launch.
struct UnitUse {
    UsedUnit unit;
    std::uint64_t capacity = 1;       ///< use per cycle that one of them can have at most
    std::vector<UseSeries> instances; ///< one for each, in the order of their numbers

    /// Use of all of them together.
    std::uint64_t busy() const;
    /// The same by interval.
    std::vector<std::uint64_t> over_time() const;
    /// What they could have had in `cycles`.
    std::uint64_t possible(Cycle cycles) const { return cycles * capacity * instances.size(); }
    /// The largest share, 0 to 1, that was in use in one of the intervals of a launch of `cycles`.
    double peak(Cycle cycles) const;
};

/// Of all units, in the order of `UsedUnit`; those that a configuration does not have are left out.
using UnitUses = std::vector<UnitUse>;

/// The use of one unit; null: the run has no such unit.
const UnitUse *find_use(const UnitUses &uses, UsedUnit unit);

/// One more instance of `unit`, whose use is `series`.
void add_use(UnitUses &uses, UsedUnit unit, std::uint64_t capacity, UseSeries series);

/// Brings the units into their order, and all series to one width, at least `width`.
void settle_uses(UnitUses &uses, Cycle width);

} // namespace smsim
