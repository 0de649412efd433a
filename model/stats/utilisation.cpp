// The rows, one per unit in the order of UsedUnit, and sums over them.
#include "model/stats/utilisation.h"

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include "model/timing/pipes.h"

namespace smsim {
namespace {

constexpr std::string_view kPipeTaken = "cycles for which the pipe is taken";

/// All but the execution pipes, which have their own table (timing/pipes.h).
constexpr UsedUnitSpec kFixedRows[] = {
    {UsedUnit::kFetch, "fetch", "instructions fetched", "ibuffer.fetch_per_cycle"},
    {UsedUnit::kInstructionL1, "icache_l1", "lines of instructions from the L1 to an L0",
     "icache.l1_requests_per_cycle, icache.l0_bytes"},
    {UsedUnit::kIssue, "issue", "instructions issued", "sm.sub_partitions, ibuffer.issue_width"},
    {UsedUnit::kRegisterPorts, "register_ports", "reads of a register bank",
     "register_file.read_ports, register_file.banks"},
    {UsedUnit::kSecondFp32, "fp32_second", kPipeTaken, "pipes.fma.interval"},
    {UsedUnit::kBranchUnit, "branch_unit", "cycles for which a pipeline is taken",
     "bru.pipelines, bru.branch_interval, bru.barrier_interval, bru.sync_interval, bru.yield_interval, "
     "bru.move_interval"},
    {UsedUnit::kBarrierUnit, "barrier_unit", "cycles for which it serves", "bcu.interval"},
    {UsedUnit::kQueueEntries, "lsu_queue", "entries taken, cycle by cycle", "lsu.queue_depth"},
    {UsedUnit::kQueueAddress, "lsu_address", "cycles until the queue can send again",
     "lsu.queue_interval, lsu.return_bytes, lsu.store_bytes"},
    {UsedUnit::kLoadStore, "load_store", "cycles for which the unit is taken",
     "lsu.issue_interval, lsu.lines_per_cycle"},
    {UsedUnit::kTags, "l1_tags", "cycles with lines of an access", "lsu.lines_per_cycle"},
    {UsedUnit::kSharedArray, "shared_array", "passes", "shared.banks"},
    {UsedUnit::kSharedPath, "shared_path", "cycles for which the way back is taken", "shared.pass_interval"},
    {UsedUnit::kL1Data, "l1_data", "cycles for which hits take the data array", "l1.bytes_per_cycle"},
    {UsedUnit::kMshrs, "mshrs", "registers taken, cycle by cycle", "l1.mshrs, global.latency"},
    {UsedUnit::kTransactions, "transactions", "global transactions under way, cycle by cycle",
     "lsu.max_outstanding, global.latency"},
    {UsedUnit::kGlobalPath, "global_path", "bytes moved", "global.bytes_per_cycle"},
    {UsedUnit::kDramPath, "dram_path", "bytes moved", "l2.dram_bytes_per_cycle, l2.bytes"},
};

/// One row per unit, in the order of UsedUnit.
std::array<UsedUnitSpec, kUsedUnits> make_rows() {
    std::array<UsedUnitSpec, kUsedUnits> rows{};
    const auto add = [&rows](const UsedUnitSpec &row) { rows[static_cast<std::size_t>(row.unit)] = row; };
    for (const UsedUnitSpec &row : kFixedRows) {
        add(row);
    }
    for (const timing::PipeSpec &pipe : timing::execution_pipes()) {
        add({pipe.used, pipe.name, kPipeTaken, pipe.keys});
    }
    return rows;
}

} // namespace

const UsedUnitSpec &used_unit_spec(UsedUnit unit) {
    static const std::array<UsedUnitSpec, kUsedUnits> kRows = make_rows();
    return kRows[static_cast<std::size_t>(unit)];
}

std::uint64_t UnitUse::busy() const {
    std::uint64_t sum = 0;
    for (const UseSeries &series : instances) {
        sum += series.total();
    }
    return sum;
}

std::vector<std::uint64_t> UnitUse::over_time() const {
    std::vector<std::uint64_t> sums(kCounterIntervals);
    for (const UseSeries &series : instances) {
        std::ranges::transform(sums, series.intervals(), sums.begin(), std::plus{});
    }
    return sums;
}

double UnitUse::peak(Cycle cycles) const {
    const std::vector<std::uint64_t> sums = over_time();
    const Cycle width = instances.empty() ? 1 : instances.front().width();
    double most = 0;
    for (std::size_t i = 0; i < sums.size() && i * width < cycles; ++i) {
        const Cycle covered = std::min(width, cycles - i * width);
        most = std::max(most, static_cast<double>(sums[i]) / static_cast<double>(possible(covered)));
    }
    return most;
}

const UnitUse *find_use(const UnitUses &uses, UsedUnit unit) {
    const auto found = std::ranges::find(uses, unit, &UnitUse::unit);
    return found == uses.end() ? nullptr : &*found;
}

void add_use(UnitUses &uses, UsedUnit unit, std::uint64_t capacity, UseSeries series) {
    auto use = std::ranges::find(uses, unit, &UnitUse::unit);
    if (use == uses.end()) {
        use = uses.insert(use, UnitUse{unit, capacity, {}});
    }
    use->instances.push_back(std::move(series));
}

void settle_uses(UnitUses &uses, Cycle width) {
    std::ranges::sort(uses, {}, &UnitUse::unit);
    for (const UnitUse &use : uses) {
        for (const UseSeries &series : use.instances) {
            width = std::max(width, series.width());
        }
    }
    for (UnitUse &use : uses) {
        for (UseSeries &series : use.instances) {
            series.widen_to(width);
        }
    }
}

} // namespace smsim
