// The final state of every warp and every CTA: registers of each warp, with the control state of those that have not
// ended, and shared memory of each CTA, as lines of JSON (`smsim run --dump-state`); docs/estimate.md describes them.
#pragma once

#include <cstdint>
#include <functional>
#include <ostream>
#include <unordered_map>
#include <vector>

#include "model/state/control_snapshot.h"
#include "sm/execution_observer.h"

namespace smsim::views {

/// Writes a line when a warp has ended, and another after it if that was the last warp of a CTA with shared memory.
class StateDump final : public sm::ExecutionObserver {
  public:
    /// Bytes of the SM's shared memory from `base` on.
    using ReadShared = std::function<std::vector<std::uint8_t>(std::uint64_t base, std::uint32_t bytes)>;

    StateDump(std::ostream &out, ReadShared read_shared, ControlStateOf state_of);

    /// Sets the number of the launch that follows.
    void begin_launch(std::uint32_t launch) { launch_ = launch; }
    void executed(const sm::ExecutedInstruction &) override {}
    void ended(const WarpStart &start, const sm::compute::WarpRegisters &registers) override;
    /// The run has ended before this warp. For each CTA all such calls follow those of `ended`.
    void unfinished(const WarpStart &start, const sm::compute::WarpRegisters &registers);

  private:
    void write(const WarpStart &start, const sm::compute::WarpRegisters &registers, bool has_ended);

    std::ostream &out_;
    ReadShared read_shared_;
    ControlStateOf state_of_;
    std::uint32_t launch_ = 0;
    std::unordered_map<std::uint64_t, std::uint32_t> seen_; ///< warps written of each CTA that has others left
};

} // namespace smsim::views
