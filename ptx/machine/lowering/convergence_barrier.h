// Lowering to convergence barriers: BSSY at the entries of regions, BSYNC where their ways meet, BREAK on ways out,
// YIELD in loops that wait for other threads (lowering.md Convergence insertion). A BSYNC never affects what is
// computed: a WARPSYNC is inserted where threads must be together.
#pragma once

#include <string_view>
#include <vector>

#include "ptx/machine/lowering/lowering.h"

namespace smsim::ptx::machine {

/// Number of B registers of a warp.
inline constexpr unsigned kBarriers = 16;

/// Lowers the functions of a module, callers before callees: a function's barriers are numbered after those that are
/// in use where it is called.
class ConvergenceBarrierLowering : public Lowering {
  public:
    /// Both must outlive the lowering.
    ConvergenceBarrierLowering(Module &module, const CallGraph &calls);

    std::string_view engine() const override { return "convergence_barrier"; }

    /// Inserts BSSY, BSYNC, BREAK, YIELD and BMOV into a function, whose `regions` these are. B registers are numbered
    /// by nesting; beyond 16 one is reused, and what its region needs is kept in general registers; regions nested
    /// deeper than 32 get none.
    void lower(std::size_t function, const Regions &regions) override;

  private:
    Module &module_;
    const CallGraph &calls_;
    std::vector<unsigned> in_use_; ///< by function: barriers of its callers
};

} // namespace smsim::ptx::machine
