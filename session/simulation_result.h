// The result of the run of one launch. Separate from the run itself, so that code that only reads results needs no
// SystemC.
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

/// The buffers of a run that has ended, index = argument. Keeps the memory of the simulation alive.
class FinalBuffers {
  public:
    FinalBuffers() = default;
    virtual ~FinalBuffers() = default;
    FinalBuffers(const FinalBuffers &) = delete;
    FinalBuffers &operator=(const FinalBuffers &) = delete;

    /// Copies bytes of the buffer that is `argument`, from byte `offset` on; they must lie within it.
    virtual void read(std::size_t argument, std::uint64_t offset, std::span<std::uint8_t> to) const = 0;
};

/// The result of a run.
struct SimulationResult {
    RunStats stats;
    std::optional<Fault> fault;        ///< empty: every CTA has completed, or the run has ended early
    std::optional<EarlyEnd> early_end; ///< never together with a fault
    std::string exception;             ///< the full message of the fault: where, what, masks, and who waits for whom
    /// Final bytes of each buffer, index = argument; empty where `memory` was requested instead.
    std::vector<std::vector<std::uint8_t>> buffers;
    std::shared_ptr<const FinalBuffers> memory{}; ///< null where `buffers` has them
    /// Files that could not be written to their end, each as a message with path and cause.
    std::vector<std::string> file_errors{};
    std::optional<RaisedException> raised{}; ///< the fault as fields
    /// The cause of the exception LockstepDifference.
    std::optional<LockstepDifference> difference{};
    std::string printed{}; ///< by printf (LaunchResult::printed)
    bool in_time = true;   ///< as LaunchResult::in_time
    UntimedWork untimed{}; ///< as `LaunchResult::untimed`
    /// The critical path of the observed CTA; empty: none was observed, or that CTA has not ended.
    std::optional<CriticalPath> critical_path{};
};

} // namespace smsim::session
