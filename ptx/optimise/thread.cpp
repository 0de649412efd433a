#include "ptx/optimise/thread.h"

#include "ptx/optimise/definitions.h"

namespace smsim::ptx::optimise {

using namespace machine;

unsigned thread_branches(Function &function) {
    const Units units(function);
    const FlowGraph graph = analyse(function);
    const DominatorTree tree(graph);
    const Definitions definitions(function, graph, tree, units);
    unsigned changed = 0;
    for (const BlockIndex from : graph.order) {
        End &end = function.blocks[from].end;
        if (end.kind != EndKind::kBranch || !end.predicate.has_register() ||
            !definitions.is_single(units.first[end.predicate.reg])) {
            continue;
        }
        for (const bool taken : {true, false}) {
            BlockIndex &edge = taken ? end.taken : end.next;
            // Each step leads to another block; circles of empty blocks end the search.
            for (std::size_t steps = 0; steps < graph.order.size(); ++steps) {
                const Block &to = function.blocks[edge];
                if (!to.code.empty() || to.end.kind != EndKind::kBranch || to.end.predicate.reg != end.predicate.reg ||
                    edge == from) {
                    break;
                }
                const bool holds = taken != (end.predicate.negated != to.end.predicate.negated);
                edge = holds ? to.end.taken : to.end.next;
                ++changed;
            }
        }
    }
    return changed;
}

} // namespace smsim::ptx::optimise
