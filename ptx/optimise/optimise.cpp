#include "ptx/optimise/optimise.h"

#include "ptx/machine/flow_graph.h"
#include "ptx/machine/liveness.h"
#include "ptx/optimise/combine.h"
#include "ptx/optimise/gather.h"
#include "ptx/optimise/invariants.h"
#include "ptx/optimise/predicate.h"
#include "ptx/optimise/propagate.h"
#include "ptx/optimise/share.h"
#include "ptx/optimise/thread.h"
#include "ptx/optimise/vectorise.h"
#include "ptx/optimise/webs.h"

namespace smsim::ptx::optimise {

using namespace machine;

void optimise(Function &function, unsigned level, unsigned words) {
    if (level == 0) {
        return;
    }
    constexpr unsigned kMostRounds = 3;
    split_registers(function);
    for (unsigned round = 0; round < kMostRounds; ++round) {
        unsigned changed = propagate(function);
        remove_dead_code(function);
        changed += thread_branches(function);
        tidy(function);
        changed += gather_words(function);
        changed += combine(function);
        remove_dead_code(function);
        if (changed == 0) {
            break;
        }
    }
    if (level >= 2) {
        if (predicate_branches(function) != 0) {
            propagate(function);
            remove_dead_code(function);
            combine(function);
            remove_dead_code(function);
        }
        if (level >= 3 && vectorise_loads(function) != 0) {
            propagate(function);
            remove_dead_code(function);
        }
        normalise_loops(function);
        share_numbers(function);
        hoist_invariants(function, words);
        share_numbers(function);
        remove_dead_code(function);
        tidy(function);
    }
}

} // namespace smsim::ptx::optimise
