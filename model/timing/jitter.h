// Bounded pseudo-random delays (configuration section `jitter`), to exercise one program in many schedules. It
// lengthens only what no program may rely on: answers that a scoreboard guards, fetches, holds, wake-ups, and the time
// until a unit takes the next instruction. Results of fixed latency never change.
#pragma once

#include <cstdint>

#include "model/config/sections/experiments.h"
#include "model/types.h"

namespace smsim::timing {

/// The delays of one part. A delay is a function of the seed, the part, a time and the warp or unit concerned, without
/// any state: it cannot depend on the order in which the processes of a time step run.
class Jitter {
  public:
    /// Distinguishes parts that ask at the same time.
    enum class Part : std::uint8_t {
        kFetch,
        kPipeResult,
        kPipe,
        kBranch,
        kBarrier,
        kTimer,
        kLoadStore,
        kMemory,
        kSharedPipe
    };

    /// No delays.
    Jitter() = default;
    /// Those of `part`, of which there may be several kinds, numbered from 0; none when `config.seed` is 0.
    Jitter(const JitterConfig &config, Part part, unsigned kind = 0)
        : max_(config.seed == 0 ? 0 : config.max),
          key_(mix(config.seed + (static_cast<std::uint64_t>(part) + kind) * kStep)) {}

    /// Extra cycles, at most `jitter.max`: none in three of four cases, otherwise evenly distributed from 1 on.
    Cycle operator()(std::uint64_t time, std::uint64_t who) const {
        if (max_ == 0) [[likely]] {
            return 0;
        }
        return draw(time, who);
    }

  private:
    static constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15;

    /// One output of splitmix64.
    static constexpr std::uint64_t mix(std::uint64_t z) {
        z += kStep;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        return z ^ (z >> 31);
    }
    [[gnu::noinline]] Cycle draw(std::uint64_t time, std::uint64_t who) const {
        const std::uint64_t word = mix(mix(key_ ^ time) ^ who);
        return (word & 3U) != 0 ? 0 : 1 + (word >> 2) % max_;
    }

    std::uint32_t max_ = 0;
    std::uint64_t key_ = 0;
};

} // namespace smsim::timing
