// The validated configuration of a model: plain constants, one struct per part, each in its own header
// (model/config/sections/), so that code that needs one part does not depend on the others. `loader.h` reads the values
// (YAML, --set, defaults); keys are `section.member` with the names used here.
#pragma once

#include <cmath>
#include <cstdint>

#include "model/config/sections/bcu.h"
#include "model/config/sections/bru.h"
#include "model/config/sections/constants.h"
#include "model/config/sections/experiments.h"
#include "model/config/sections/global.h"
#include "model/config/sections/ibuffer.h"
#include "model/config/sections/icache.h"
#include "model/config/sections/l1.h"
#include "model/config/sections/l2.h"
#include "model/config/sections/lsu.h"
#include "model/config/sections/pipes.h"
#include "model/config/sections/register_file.h"
#include "model/config/sections/rtl.h"
#include "model/config/sections/shared.h"
#include "model/config/sections/sm.h"
#include "model/config/sections/tensor.h"
#include "model/config/sections/timer.h"

namespace smsim {

struct Config {
    SmConfig sm;
    IBufferConfig ibuffer;
    ICacheConfig icache;
    ConstantsConfig constants;
    RegisterFileConfig register_file;
    PipesConfig pipes;
    TensorConfig tensor;
    BruConfig bru;
    BcuConfig bcu;
    TimerConfig timer;
    LsuConfig lsu;
    SharedMemoryConfig shared;
    L1Config l1;
    GlobalMemoryConfig global;
    L2Config l2;
    JitterConfig jitter;
    IdealConfig ideal;
    RtlConfig rtl;

    std::uint32_t warps() const { return sm.sub_partitions * sm.warps_per_sub_partition; }
    /// Cycles of `shared.latency` and `l1.latency` spent outside the memory: in the queue, and on the way back.
    std::uint32_t outside_memory() const { return lsu.queue_latency + 1; }
    /// Clock period of the simulation in picoseconds, rounded to the nearest. Times that programs see follow ClockRate.
    std::uint64_t period_ps() const { return static_cast<std::uint64_t>(std::llround(1000.0 / sm.clock_ghz)); }
};

} // namespace smsim
