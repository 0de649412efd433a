// What the run of one launch leaves behind. Apart from the run itself, so that who only reads results needs no SystemC.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/error.h"
#include "model/stats/critical_path.h"
#include "model/stats/early_end.h"
#include "model/stats/lockstep.h"
#include "model/stats/raised_exception.h"
#include "model/stats/statistics.h"
#include "model/stats/untimed_work.h"

namespace smsim::session {

/// The buffers of a run that has ended, index = argument. The memory of the simulation lives as long as this does.
class FinalBuffers {
  public:
    FinalBuffers() = default;
    virtual ~FinalBuffers() = default;
    FinalBuffers(const FinalBuffers &) = delete;
    FinalBuffers &operator=(const FinalBuffers &) = delete;

    /// Copies bytes of the buffer that stands for `argument`, from byte `offset` on; they lie in it.
    virtual void read(std::size_t argument, std::uint64_t offset, std::span<std::uint8_t> to) const = 0;
};

/// What a run left behind.
struct SimulationResult {
    RunStats stats;
    std::optional<Fault> fault;        ///< empty: every CTA has completed, or the run has ended early
    std::optional<EarlyEnd> early_end; ///< never together with a fault
    std::string exception;             ///< the full message of the fault: where, what, masks, and who waits for whom
    /// Final bytes of each buffer, index = argument; empty where `memory` is wanted in their place.
    std::vector<std::vector<std::uint8_t>> buffers;
    std::shared_ptr<const FinalBuffers> memory{}; ///< null where `buffers` has them
    /// Files that could not be written to their end, each as a message with path and cause.
    std::vector<std::string> file_errors{};
    std::optional<RaisedException> raised{}; ///< the fault as fields
    /// What the exception LockstepDifference comes from.
    std::optional<LockstepDifference> difference{};
    std::string printed{}; ///< by printf (LaunchResult::printed)
    bool in_time = true;   ///< as LaunchResult::in_time
    UntimedWork untimed{}; ///< as LaunchResult::untimed
    /// Of the CTA that it was observed for; empty: it was not, or that CTA has not ended.
    std::optional<CriticalPath> critical_path{};
};

} // namespace smsim::session
