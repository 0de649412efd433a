#include "tb/oracle/deadlock.h"

#include <fmt/format.h>

namespace smsim::oracle {
namespace {

constexpr unsigned kMostLines = 40;

std::string waits_for(Machine &machine, std::uint32_t warp, const Thread &thread) {
    const std::uint32_t living = machine.warps[warp].living;
    if (thread.state == State::kAtBarrier) {
        const Cta &cta = machine.ctas[machine.warps[warp].cta];
        const Barrier &barrier = cta.barriers[thread.barrier];
        return fmt::format("barrier {}: {} of {} warps are there", thread.barrier, barrier.arrived,
                           barrier.expected != 0 ? barrier.expected : cta.living_warps);
    }
    if (thread.state == State::kAtWarpsync) {
        return fmt::format("a meeting of lanes {:#010x}", thread.mask & living);
    }
    return fmt::format("all of the set {:#010x}", thread.set & living);
}

} // namespace

std::string describe_waiting(Machine &machine) {
    std::string text;
    unsigned lines = 0;
    for (std::uint32_t w = 0; w < machine.warps.size(); ++w) {
        const Warp &warp = machine.warps[w];
        for (std::uint32_t rest = warp.living; rest != 0 && lines < kMostLines;) {
            const Thread &first = machine.threads[w * kLanes + LaneMask(rest).lowest()];
            std::uint32_t alike = 0;
            for_each_lane(LaneMask(rest), [&](unsigned lane) {
                const Thread &other = machine.threads[w * kLanes + lane];
                const bool same = other.state == first.state && other.pc == first.pc && other.set == first.set &&
                                  (first.state != State::kAtWarpsync || other.mask == first.mask);
                alike |= same ? LaneMask::lane(lane).bits() : 0;
            });
            rest &= ~alike;
            ++lines;
            const std::uint32_t pc = first.pc - (first.state == State::kAtBarrier ? 1 : 0);
            text += fmt::format("CTA {}, warp {}, lanes {:#010x} at {:#06x} ({}) wait for {}\n",
                                machine.ctas[warp.cta].number, warp.number, alike, pc * kInstructionBytes,
                                machine.step_at(pc).insn->spec().name, waits_for(machine, w, first));
        }
    }
    return text;
}

} // namespace smsim::oracle
