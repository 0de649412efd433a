#include "ptx/optimise/merge.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "ptx/machine/flow_graph.h"
#include "ptx/optimise/facts.h"

namespace smsim::ptx::optimise {

using namespace machine;

namespace {

/// True for instructions that concern only their own thread.
bool may_move(const Instruction &instruction) {
    constexpr std::array<std::string_view, 7> kAccesses = {"LDG", "LDS", "LDL", "LDC", "STG", "STS", "STL"};
    return is_pure(instruction) || std::ranges::any_of(kAccesses, [&](std::string_view access) {
               return is_operation(instruction.mnemonic, access);
           });
}

/// Equal except for their source line.
bool do_the_same(const Instruction &a, const Instruction &b) {
    return a.mnemonic == b.mnemonic && a.operands == b.operands && a.guard == b.guard && a.kills == b.kills &&
           a.spins == b.spins;
}

unsigned merge_into(Function &function, BlockIndex block, const std::vector<BlockIndex> &ways) {
    std::vector<Instruction> moved; // the last one first
    for (;;) {
        const std::vector<Instruction> &first = function.blocks[ways.front()].code;
        const bool same = !first.empty() && may_move(first.back()) && std::ranges::all_of(ways, [&](BlockIndex way) {
            const std::vector<Instruction> &code = function.blocks[way].code;
            return !code.empty() && do_the_same(code.back(), first.back());
        });
        if (!same) {
            break;
        }
        moved.push_back(first.back());
        for (const BlockIndex way : ways) {
            function.blocks[way].code.pop_back();
        }
    }
    std::vector<Instruction> &code = function.blocks[block].code;
    code.insert(code.begin(), std::make_move_iterator(moved.rbegin()), std::make_move_iterator(moved.rend()));
    return static_cast<unsigned>(moved.size());
}

} // namespace

unsigned merge_tails(Function &function) {
    const FlowGraph graph = analyse(function);
    std::vector<bool> is_header(function.blocks.size(), false);
    for (const Loop &loop : graph.loops) {
        is_header[loop.header] = true;
    }
    unsigned moved = 0;
    // From the end on: what has moved to the end of a block may move on to the next one.
    for (auto block = graph.order.rbegin(); block != graph.order.rend(); ++block) {
        const std::vector<BlockIndex> &ways = graph.predecessors[*block];
        const bool all_fall =
            std::ranges::all_of(ways, [&](BlockIndex way) { return function.blocks[way].end.kind == EndKind::kFall; });
        if (*block != 0 && ways.size() > 1 && all_fall && !is_header[*block]) {
            moved += merge_into(function, *block, ways);
        }
    }
    return moved;
}

} // namespace smsim::ptx::optimise
