// The engine-specific side of a branch unit of RTL (docs/pins.md): straps and operands that only its block has, the
// configurations that it supports, and the state that its debug port shows.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "cosim/block.h"
#include "model/config/sections/bru.h"
#include "model/error.h"
#include "model/protocol/links.h"
#include "model/state/control_snapshot.h"
#include "model/state/warp_life.h"

namespace smsim::cosim {

/// Throws InputError: the pins of the branch unit cannot express the value of `key`, because of `why`.
[[noreturn]] void refuse_bru(const char *key, const std::string &why);

class BruEnginePins {
  public:
    BruEnginePins() = default;
    BruEnginePins(const BruEnginePins &) = delete;
    BruEnginePins &operator=(const BruEnginePins &) = delete;
    virtual ~BruEnginePins() = default;

    /// Sets the engine's straps. InputError when they cannot express `config`, or when it needs more than the block
    /// holds.
    virtual void set_straps(const BruConfig &config) = 0;
    /// Notes that `warp` starts in this cycle; several warps may.
    virtual void start(const WarpStart &) {}
    /// Drives the engine-specific operands of the instruction in `request`, from a warp of `sub_partition` that was
    /// started with `start`.
    virtual void drive(unsigned /*sub_partition*/, const protocol::BranchExtension & /*request*/,
                       const WarpStart & /*start*/) {}
    /// Whether, and why, the response on `channel` refuses the warp's next arrival at a CTA barrier.
    virtual std::optional<ArrivalRefusal> refuses_arrivals(unsigned /*channel*/) const { return std::nullopt; }
    /// The state of `warp` as the debug port shows it, in the fields of the engine.
    virtual ControlSnapshot state(WarpSlot warp) const = 0;
    /// Updates `state` for the instructions of other units that the warp has executed, up to the one before `next`.
    virtual void catch_up(ControlSnapshot &state, Pc next) const = 0;
    /// `state` in one line for reports.
    virtual std::string describe(const ControlSnapshot &state) const = 0;
};

/// The pins of the engine of `config` at `block`, for `sub_partitions` sub-partitions. InputError when a pin is
/// missing or has another width.
std::unique_ptr<BruEnginePins> make_engine_pins(const BruConfig &config, Block &block, unsigned sub_partitions);

} // namespace smsim::cosim
