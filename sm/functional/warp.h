// The warps and CTAs resident in functional execution.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "bcu/barrier.h"
#include "model/error.h"
#include "model/isa/instruction.h"
#include "model/state/warp_life.h"
#include "model/types.h"
#include "sm/datapath/compute/execute.h"
#include "sm/datapath/compute/registers.h"
#include "sm/dispatch/cta_allocator.h"

namespace smsim::sm::functional {

enum class Condition : std::uint8_t {
    kRunning,
    kBlocked, ///< at a CTA barrier
    kAsleep,  ///< all its threads, until the other warps have had their turn
    kEnded,
};

struct Warp {
    WarpStart start;
    compute::WarpRegisters registers{0};
    compute::WarpIdentity identity;
    Pc pc = 0;
    LaneMask active;
    Condition condition = Condition::kRunning;
    bool timer_runs = false;                        ///< for a sleep of some thread
    bool timer_expired = false;                     ///< and the reconvergence engine has not been notified
    std::optional<ArrivalRefusal> refuses_arrivals; ///< reported by its last control instruction
    std::uint64_t instructions = 0;
    std::uint64_t thread_instructions = 0;
};

struct Cta {
    Cta(std::uint64_t number_, CtaPlace place_)
        : number(number_), place(std::move(place_)), barriers(static_cast<std::uint32_t>(place.warps.size())),
          warps(place.warps.size()), left(warps.size()) {}

    std::uint64_t number; ///< in the grid
    CtaPlace place;
    bcu::CtaBarriers barriers;
    std::vector<Warp> warps;
    std::size_t left;     ///< warps that have not ended
    std::size_t next = 0; ///< whose turn it is
};

/// The exception of an instruction.
struct Raised {
    FaultReport report;
    WarpStart start;
    const isa::Instruction *insn = nullptr; ///< null: there is none at `pc`
    Pc pc = 0;
    LaneMask active;
    LaneMask executed;
};

} // namespace smsim::sm::functional
