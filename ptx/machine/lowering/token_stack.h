// Lowering to the token stack: SSY, PBK or PCNT where threads enter a region, SYNC, BRK or CONT on the edges that
// leave it; calls and returns by tokens; EXIT unchanged (engines.md Lowering).
#pragma once

#include <string_view>

#include "ptx/machine/lowering/lowering.h"

namespace smsim::ptx::machine {

class TokenStackLowering : public Lowering {
  public:
    /// `module` must outlive the lowering. With `force`, functions that wait for other threads of their warp are
    /// lowered, too.
    TokenStackLowering(Module &module, bool force) : module_(module), force_(force) {}

    std::string_view engine() const override { return "token_stack"; }
    ReturnAddress return_address() const override { return ReturnAddress::kOnStack; }

    /// Leads edges that leave several regions of one kind through the meetings of these, where flags distinguish them.
    /// Rejects control flow with entries into the middle of loops, and too deep nesting.
    void prepare(std::size_t function, const CallsSync &calls_sync) override;
    void lower(std::size_t function, const Regions &regions) override;

  private:
    [[noreturn]] void refuse(const Function &function, std::uint32_t line, std::string_view cause) const;

    Module &module_;
    bool force_;
};

} // namespace smsim::ptx::machine
