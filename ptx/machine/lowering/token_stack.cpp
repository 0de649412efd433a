#include "ptx/machine/lowering/token_stack.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "model/error.h"
#include "ptx/machine/liveness.h"
#include "ptx/machine/lowering/edges.h"
#include "ptx/machine/lowering/sync_ways.h"
#include "ptx/machine/lowering/token_plan.h"
#include "ptx/machine/operands.h"

namespace smsim::ptx::machine {

namespace {

/// Edges of a function that may be led through flags, and total blocks that may be examined for that; far beyond
/// hand-written code, and below what takes minutes.
constexpr unsigned kMostFlags = 128;
constexpr std::size_t kMostLooks = 100000;
/// Ends of threads in a function; if there are more, no side of a branch is led on.
constexpr std::ptrdiff_t kMostEnds = 64;

std::string_view push_name(TokenKind kind) {
    return kind == TokenKind::kSync ? "SSY" : kind == TokenKind::kBreak ? "PBK" : "PCNT";
}

std::string_view leave_name(TokenKind kind) {
    return kind == TokenKind::kSync ? "SYNC" : kind == TokenKind::kBreak ? "BRK" : "CONT";
}

/// A block that every way into the region passes first.
BlockIndex before_region(const Regions &regions, const Region &region) {
    BlockIndex block = region.entries.front();
    for (const BlockIndex inside : region.blocks) {
        while (!regions.graph.dominates(block, inside)) {
            block = regions.graph.idom[block];
        }
    }
    return block;
}

/// Leads the edge of a conflict through a block before the meeting of its region, which all others of that region
/// pass, too.
void lead_through_meeting(Function &function, const Regions &regions, const TokenConflict &conflict) {
    const Region &region = regions.regions[conflict.region];
    const BlockIndex landing = function.add_block();
    const std::uint32_t line = function.blocks[conflict.from].end.line;
    function.blocks[landing].end = {.kind = EndKind::kFall, .next = region.meeting, .line = line};
    if (conflict.goes_on) {
        // The flag is true only between the edge and the landing.
        const Register flag = function.add(RegisterClass::kPredicate);
        Block &leaving = function.blocks[split_edge(function, conflict.from, conflict.to)];
        leaving.code.push_back(set_predicate(flag, true, line));
        leaving.end.next = landing;
        function.blocks[before_region(regions, region)].code.push_back(set_predicate(flag, false, line));
        function.blocks[landing].end = {.kind = EndKind::kBranch,
                                        .predicate = if_true(flag),
                                        .taken = conflict.to,
                                        .next = region.meeting,
                                        .line = line};
        Block &behind = function.blocks[split_edge(function, landing, conflict.to)];
        behind.code.push_back(set_predicate(flag, false, line));
    }
    for (const BlockIndex from : region.blocks) {
        for_each_edge(function.blocks[from], [&](BlockIndex &to) { to = to == region.meeting ? landing : to; });
    }
}

/// Blocks that lead to an end of the function other than `left_out`.
std::vector<bool> leading_elsewhere(const Function &function, const FlowGraph &graph, BlockIndex left_out) {
    std::vector<bool> found(function.blocks.size(), false);
    std::vector<BlockIndex> open;
    for (const BlockIndex block : graph.order) {
        if (graph.successors[block].empty() && block != left_out) {
            open.push_back(block);
        }
    }
    spread(graph.predecessors, std::move(open), found);
    return found;
}

/// Threads that end on one side of a branch do not bypass the meeting of the others: EXIT takes them out of every
/// token. So the end of such a side continues with the other one after its EXIT, where no thread arrives. Only the
/// last end of a loop's ways out remains an end.
void ends_inside(Function &function) {
    const auto ends =
        std::ranges::count_if(function.blocks, [](const Block &block) { return block.end.kind == EndKind::kExit; });
    for (auto left = ends; left > 1 && ends <= kMostEnds; --left) {
        const FlowGraph graph = analyse(function);
        const auto goes_on = [&](BlockIndex block) {
            const std::vector<bool> elsewhere = leading_elsewhere(function, graph, block);
            BlockIndex branch = block;
            while (branch != graph.idom[branch] && !elsewhere[branch]) {
                branch = graph.idom[branch];
            }
            const LoopIndex loop = graph.loop_of[branch];
            const auto leads_on = [&](BlockIndex to) { return elsewhere[to]; };
            const auto other = std::ranges::find_if(graph.successors[branch], leads_on);
            const bool is_left =
                loop == kNoLoop || std::ranges::any_of(graph.order, [&](BlockIndex from) {
                    return graph.inside(from, loop) && std::ranges::any_of(graph.successors[from], [&](BlockIndex to) {
                               return elsewhere[to] && !graph.inside(to, loop);
                           });
                });
            return elsewhere[branch] && is_left && other != graph.successors[branch].end() ? *other : kNoBlock;
        };
        const auto side = std::ranges::find_if(graph.order, [&](BlockIndex block) {
            return function.blocks[block].end.kind == EndKind::kExit && goes_on(block) != kNoBlock;
        });
        if (side == graph.order.end()) {
            return;
        }
        Block &block = function.blocks[*side];
        const BlockIndex next = goes_on(*side);
        block.code.push_back({.mnemonic = "EXIT", .line = block.end.line});
        block.end = {.kind = EndKind::kFall, .next = next, .line = block.end.line};
    }
}

class TokenStackWriter {
  public:
    TokenStackWriter(Function &function, const Regions &regions)
        : function_(function), regions_(regions), plan_(plan_tokens(regions)) {}

    void run() {
        for (Block &block : function_.blocks) {
            for (Instruction &instruction : block.code) {
                if (instruction.mnemonic.starts_with("RET")) {
                    instruction.mnemonic = "RET";
                    instruction.operands.clear();
                }
            }
        }
        for (BlockIndex block = 0; block < plan_.pushes.size(); ++block) {
            push(block, plan_.pushes[block]);
        }
        for (const TokenEdge &edge : plan_.edges) {
            write(edge);
        }
        remove_dead_code(function_);
    }

  private:
    void push(BlockIndex block, const std::vector<RegionIndex> &regions) {
        Block &at = function_.blocks[block];
        for (const RegionIndex region : regions) {
            at.code.push_back(control(std::string(push_name(plan_.kinds[region])),
                                      {label(regions_.regions[region].meeting)}, at.end.line));
        }
    }

    void write(const TokenEdge &edge) {
        if (!edge.leaves) {
            push(split_edge(function_, edge.from, edge.to), edge.enters);
            return;
        }
        Instruction leave = control(std::string(leave_name(*edge.leaves)), {}, function_.blocks[edge.from].end.line);
        End &end = function_.blocks[edge.from].end;
        if (end.kind == EndKind::kTable) {
            Block &between = function_.blocks[split_edge(function_, edge.from, edge.to)];
            between.code.push_back(std::move(leave));
            between.end.next_written = true;
            return;
        }
        if (end.kind == EndKind::kFall || end.taken_written) {
            function_.blocks[edge.from].code.push_back(std::move(leave));
            end.next_written = true;
            return;
        }
        if (end.taken != edge.to) {
            std::swap(end.taken, end.next);
            end.predicate.negated = !end.predicate.negated;
        }
        leave.guard = std::exchange(end.predicate, always());
        end.taken_written = true;
        function_.blocks[edge.from].code.push_back(std::move(leave));
    }

    Function &function_;
    const Regions &regions_;
    TokenPlan plan_;
};

} // namespace

void TokenStackLowering::refuse(const Function &function, std::uint32_t line, std::string_view cause) const {
    throw InputError(
        fmt::format("{}:{}:1: '{}' {}, which token_stack cannot hold", module_.file, line, function.name, cause));
}

void TokenStackLowering::prepare(std::size_t index, const CallsSync &calls_sync) {
    Function &function = module_.functions[index];
    ends_inside(function);
    lead_ways_over_syncs(function, calls_sync);
    std::size_t looks = 0;
    for (unsigned flags = 0;; ++flags) {
        looks += function.blocks.size();
        normalise_loops(function);
        const FlowGraph graph = analyse(function);
        if (!graph.reducible) {
            refuse(function, function.line, "has a loop that is entered at several places");
        }
        const Regions regions = find_regions(function, find_divergence(function, graph));
        if (std::ranges::any_of(regions.regions, [](const Region &region) { return region.depth >= kMostDepth; })) {
            refuse(function, function.line, fmt::format("has regions nested deeper than {}", kMostDepth));
        }
        const TokenPlan plan = plan_tokens(regions);
        if (!plan.in_order) {
            refuse(function, function.line, "has ways into the middle of regions");
        }
        if (!plan.conflict) {
            return;
        }
        if (flags == kMostFlags || looks > kMostLooks) {
            refuse(function, function.line,
                   fmt::format("has more than {} edges out of several regions, or too many for {} blocks", flags,
                               function.blocks.size()));
        }
        lead_through_meeting(function, regions, *plan.conflict);
    }
}

void TokenStackLowering::lower(std::size_t index, const Regions &regions) {
    Function &function = module_.functions[index];
    if (!force_) {
        refuse_waiting(module_, function, regions, engine());
    }
    TokenStackWriter(function, regions).run();
}

} // namespace smsim::ptx::machine
