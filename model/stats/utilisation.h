// Everything of an SM that can be busy: its name, what its use counts, and which keys of the configuration decide how
// much of it there is. The busy part counts; reports, pages and sweeps read.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "model/stats/busy_time.h"
#include "model/types.h"

namespace smsim {

/// In the order of an instruction's way through the SM, which is the order in reports.
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
    kTensor,
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
inline constexpr unsigned kUsedUnits = 25;

/// The constant properties of a unit.
struct UsedUnitSpec {
    UsedUnit unit;
    std::string_view name;    ///< in reports: "load_store"
    std::string_view meaning; ///< what one unit of use is, in a few words
    std::string_view keys;    ///< of the configuration that make more of it, or make it faster, separated by commas
};

/// The row of a unit.
const UsedUnitSpec &used_unit_spec(UsedUnit unit);

/// The use of one kind of unit in a launch.
struct UnitUse {
    UsedUnit unit;
    std::uint64_t capacity = 1;       ///< maximum use per cycle of one instance
    std::vector<UseSeries> instances; ///< one for each, in the order of their numbers

    /// Use of all of them together.
    std::uint64_t busy() const;
    /// The same by interval.
    std::vector<std::uint64_t> over_time() const;
    /// The maximum use in `cycles`.
    std::uint64_t possible(Cycle cycles) const { return cycles * capacity * instances.size(); }
    /// The largest share, 0 to 1, in use in one of the intervals of a launch of `cycles`.
    double peak(Cycle cycles) const;
};

/// Uses of all units, in the order of `UsedUnit`; units that a configuration does not have are left out.
using UnitUses = std::vector<UnitUse>;

/// The use of one unit; null: the run has no such unit.
const UnitUse *find_use(const UnitUses &uses, UsedUnit unit);

/// Adds an instance of `unit`, whose use is `series`.
void add_use(UnitUses &uses, UsedUnit unit, std::uint64_t capacity, UseSeries series);

/// Puts the units into their order, and all series to one width, at least `width`.
void settle_uses(UnitUses &uses, Cycle width);

} // namespace smsim
