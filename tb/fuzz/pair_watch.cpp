#include "tb/fuzz/pair_watch.h"

#include <algorithm>

namespace smsim::fuzz {

void PairWatch::executed(const sm::ExecutedInstruction &instruction) {
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
        WatchedPair &pair = pairs_[i];
        const LaneMask lanes = pair.whole_warp && instruction.executed.any() ? LaneMask::all() : instruction.executed;
        const auto key = std::pair(instruction.start.age, i);
        if (instruction.insn.pc == pair.second) {
            if (const auto found = issues_.find(key); found != issues_.end()) {
                for_each_lane(lanes, [&](unsigned lane) {
                    const Cycle issued = found->second[lane];
                    pair.least = issued == kNever ? pair.least : std::min(pair.least, instruction.cycle - issued);
                });
            }
        }
        if (instruction.insn.pc == pair.first) {
            const auto [at, fresh] = issues_.try_emplace(key);
            if (fresh) {
                at->second.fill(kNever);
            }
            for_each_lane(lanes, [&](unsigned lane) { at->second[lane] = instruction.cycle; });
        }
    }
}

} // namespace smsim::fuzz
