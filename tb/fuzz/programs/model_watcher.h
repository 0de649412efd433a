// Inspects the model after each instruction, and keeps the registers of warps that have ended. Each reconvergence
// engine defines what is checked.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "model/program/program.h"
#include "model/stats/statistics.h"
#include "sm/execution_observer.h"
#include "tb/fuzz/programs/coverage.h"

namespace smsim {
struct Config;
}

namespace smsim::fuzz {

/// Registers of one warp at its end.
struct EndedWarp {
    std::uint64_t cta = 0;
    std::uint32_t warp_in_cta = 0;
    LaneMask lanes;                                  ///< threads that it began with
    std::vector<std::array<std::uint32_t, 32>> rows; ///< R0 .. : 32 lanes each
    std::array<LaneMask, 7> predicates{};
};

class ModelWatcher : public sm::ExecutionObserver {
  public:
    /// `registers`: how many general registers are kept.
    explicit ModelWatcher(unsigned registers) : registers_(registers) {}
    void begin(const ControlStateOf &state_of) override { state_of_ = state_of; }
    void ended(const WarpStart &start, const sm::compute::WarpRegisters &registers) override;

    /// The first rule that was violated, with instruction and masks; empty: none.
    const std::string &violation() const { return violation_; }
    const std::vector<EndedWarp> &warps() const { return warps_; }
    /// Which of the engine's counters differs from the observed value; empty: none.
    virtual std::string miscounted(const std::vector<EngineCounter> & /*counters*/) const { return {}; }

  protected:
    /// The control state after an instruction.
    ControlSnapshot snapshot(const sm::ExecutedInstruction &instruction) const {
        return state_of_(instruction.start.warp, std::nullopt);
    }
    void set_violation(std::string what) { violation_ = std::move(what); }

  private:
    unsigned registers_;
    ControlStateOf state_of_;
    std::vector<EndedWarp> warps_;
    std::string violation_;
};

/// The watcher for the engine of `config`. `counts` may be null.
std::unique_ptr<ModelWatcher> watcher_for(const Program &program, unsigned registers, CoverageCounts *counts,
                                          const Config &config);

} // namespace smsim::fuzz
