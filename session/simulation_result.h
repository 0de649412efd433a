// What the run of one launch leaves behind. Apart from the run itself, so that who only reads results needs no SystemC.
#pragma once

#include <cstdint>
#include <optional>
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

/// What a run left behind.
struct SimulationResult {
    RunStats stats;
    std::optional<Fault> fault;        ///< empty: every CTA has completed, or the run has ended early
    std::optional<EarlyEnd> early_end; ///< never together with a fault
    std::string exception;             ///< the full message of the fault: where, what, masks, and who waits for whom
    std::vector<std::vector<std::uint8_t>> buffers; ///< final bytes of each buffer, index = argument
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
