#include "tb/fuzz/programs/pair_watch.h"

#include <algorithm>

namespace smsim::fuzz {
namespace {

bool overlap(isa::Dependences::Range a, isa::Dependences::Range b) {
    return a.count != 0 && b.count != 0 && a.first < b.first + b.count && b.first < a.first + a.count;
}

bool writes_the_same(const isa::Dependences &a, const isa::Dependences &b) {
    return overlap(a.write, b.write) || overlap(a.uniform_write, b.uniform_write) ||
           (a.predicate_writes & b.predicate_writes) != 0;
}

} // namespace

void PairWatch::executed(const sm::ExecutedInstruction &instruction) {
    if (pairs_.empty()) {
        return;
    }
    const isa::Dependences deps = isa::dependences_of(instruction.insn);
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
        WatchedPair &pair = pairs_[i];
        const LaneMask lanes = pair.whole_warp && instruction.executed.any() ? LaneMask::all() : instruction.executed;
        const auto key = std::pair(instruction.start.age, i);
        if (const auto found = issues_.find(key); found != issues_.end()) {
            Issues &issues = found->second;
            if (instruction.insn.pc == pair.second) {
                for_each_lane(lanes, [&](unsigned lane) {
                    pair.least =
                        issues[lane] == kNever ? pair.least : std::min(pair.least, instruction.cycle - issues[lane]);
                });
            }
            if (writes_the_same(results_[i], deps)) {
                for_each_lane(lanes, [&](unsigned lane) { issues[lane] = kNever; });
            }
        }
        if (instruction.insn.pc == pair.first) {
            const auto entry = issues_.try_emplace(key);
            auto &issues = entry.first->second;
            if (entry.second) {
                issues.fill(kNever);
            }
            for_each_lane(lanes, [&](unsigned lane) { issues[lane] = instruction.cycle; });
            results_[i] = deps;
        }
    }
}

} // namespace smsim::fuzz
