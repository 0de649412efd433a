// Lowering to the SIMT stack: before a branch that may diverge, SETRPC names the JOIN at its immediate post-dominator,
// and a vector compare and branch replaces the branch on a predicate (engines.md Lowering).
#pragma once

#include <string_view>

#include "ptx/machine/lowering/lowering.h"
#include "ptx/machine/lowering/mask_checks.h"

namespace smsim::ptx::machine {

class SimtStackLowering : public Lowering {
  public:
    /// Both references must outlive the lowering. With `force`, functions that wait for other threads of their warp
    /// are lowered, too.
    SimtStackLowering(Module &module, const CallGraph &calls, bool force);

    std::string_view engine() const override { return "simt_stack"; }

    /// Like `shape_for_simt_stack`; also rejects functions that may recurse through pointers, whose inner activation
    /// would take the entries of the outer one.
    void prepare(std::size_t function, const CallsSync &calls_sync) override;
    void lower(std::size_t function, const Regions &regions) override;

  private:
    Module &module_;
    const CallGraph &calls_;
    bool force_;
    MaskChecks checks_;
};

} // namespace smsim::ptx::machine
