#include "ptx/machine/lowering/simt_stack_shape.h"

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "model/error.h"
#include "ptx/machine/loop_level.h"
#include "ptx/machine/lowering/edges.h"
#include "ptx/machine/operands.h"

namespace smsim::ptx::machine {

namespace {

/// Far beyond what kernels have: branches with ways out past barriers.
constexpr unsigned kMostFlags = 32;

class Shaper {
  public:
    Shaper(const Module &module, Function &function, const CallsSync &calls_sync)
        : module_(module), function_(function), calls_sync_(calls_sync) {}

    void run() {
        one_end();
        ways_to_the_end();
        for (unsigned flags = 0; ways_past_a_sync(); ++flags) {
            if (flags == kMostFlags) {
                refuse(function_.line, fmt::format("has more than {} branches with ways out past a place where threads "
                                                   "must be together",
                                                   kMostFlags));
            }
        }
        branches_for_tables();
        rounds_for_calls();
    }

  private:
    [[noreturn]] void refuse(std::uint32_t line, const std::string &cause) const {
        throw InputError(
            fmt::format("{}:{}:1: '{}' {}, which simt_stack cannot hold", module_.file, line, function_.name, cause));
    }

    // --- ends --------------------------------------------------------------------------------------------------------

    /// All threads of a kernel end in one block, those of a function return in one.
    void one_end() {
        if (!function_.kernel) {
            for (BlockIndex block = 0; block < function_.blocks.size(); ++block) {
                if (function_.blocks[block].end.kind == EndKind::kReturn) {
                    end_ = block; // selection makes one at most
                }
            }
        } else {
            end_ = function_.add_block();
            function_.blocks[end_].end = {.kind = EndKind::kExit, .line = function_.line};
        }
        const auto blocks = static_cast<BlockIndex>(function_.blocks.size());
        for (BlockIndex block = 0; block < blocks; ++block) {
            leave_at_exits(block);
        }
        if (function_.blocks.size() > kMostBlocks) {
            refuse(function_.line, fmt::format("has more than {} blocks between its exits", kMostBlocks));
        }
    }

    void leave_at_exits(BlockIndex block) {
        std::vector<std::size_t> exits;
        for (std::size_t i = 0; i < function_.blocks[block].code.size(); ++i) {
            if (function_.blocks[block].code[i].mnemonic == "EXIT") {
                exits.push_back(i);
            }
        }
        End &end = function_.blocks[block].end;
        const bool ends = end.kind == EndKind::kExit && block != end_;
        if (!function_.kernel && (ends || !exits.empty())) {
            refuse(exits.empty() ? end.line : function_.blocks[block].code[exits.front()].line,
                   "ends threads inside of a called function");
        }
        if (ends) {
            end = {.kind = EndKind::kFall, .next = end_, .line = end.line};
        }
        for (auto exit = exits.rbegin(); exit != exits.rend(); ++exit) { // so that each instruction moves once
            split_at_exit(block, *exit);
        }
    }

    void split_at_exit(BlockIndex block, std::size_t index) {
        const BlockIndex rest = function_.add_block();
        Block &from = function_.blocks[block];
        Block &to = function_.blocks[rest];
        const Operand guard = from.code[index].guard;
        const std::uint32_t line = from.code[index].line;
        const auto at = from.code.begin() + static_cast<std::ptrdiff_t>(index);
        std::move(at + 1, from.code.end(), std::back_inserter(to.code));
        from.code.erase(at, from.code.end());
        to.end = std::exchange(
            from.end, {.kind = EndKind::kBranch, .predicate = guard, .taken = end_, .next = rest, .line = line});
    }

    /// Code that never ends gets a way to the end that nobody takes, so that its branches have a place to meet.
    void ways_to_the_end() {
        const FlowGraph graph = analyse(function_);
        std::vector<bool> ends(function_.blocks.size(), false);
        if (end_ != kNoBlock) {
            spread(graph.predecessors, {end_}, ends);
        }
        for (auto block = graph.order.rbegin(); block != graph.order.rend(); ++block) {
            if (ends[*block]) {
                continue;
            }
            if (end_ == kNoBlock) {
                refuse(function_.line, "never returns");
            }
            const BlockIndex to = graph.successors[*block].front();
            End &end = function_.blocks[split_edge(function_, *block, to)].end;
            end = {.kind = EndKind::kBranch, .predicate = never(), .taken = end_, .next = to, .line = end.line};
            spread(graph.predecessors, {*block}, ends);
        }
    }

    // --- where threads must be together ------------------------------------------------------------------------------

    /// By block: whether it has a barrier, of the CTA or of the warp, or calls what has one.
    std::vector<bool> find_syncs() const {
        std::vector<bool> found;
        for (const Block &block : function_.blocks) {
            found.push_back(std::ranges::any_of(block.code, [&](const Instruction &instruction) {
                return is_sync(instruction) || (instruction.mnemonic == "CALL" && calls_sync_(instruction));
            }));
        }
        return found;
    }

    /// What every way from each block comes to first, without the ways `cut` to the end.
    std::vector<BlockIndex> meetings(const FlowGraph &graph, const std::vector<bool> &cut) const {
        Graph ways = graph.successors;
        for (BlockIndex block = 0; block < ways.size(); ++block) {
            if (cut[block]) {
                std::erase(ways[block], end_);
            }
        }
        return dominators(reversed(ways), end_);
    }

    /// Blocks on the ways from the successors of `from` before `to`, not beyond those for which `stops` holds, which
    /// are not among them.
    template <typename Stops>
    std::vector<bool> between(const FlowGraph &graph, BlockIndex from, BlockIndex to, Stops stops) const {
        std::vector<bool> seen(function_.blocks.size(), false);
        spread(graph.successors, graph.successors[from], seen, [&](BlockIndex at) { return at != to && !stops(at); });
        return seen;
    }

    std::vector<bool> between(const FlowGraph &graph, BlockIndex from, BlockIndex to) const {
        return between(graph, from, to, [](BlockIndex) { return false; });
    }

    static bool any_common(const std::vector<bool> &a, const std::vector<bool> &b) {
        for (std::size_t i = 0; i < a.size(); ++i) {
            if (a[i] && b[i]) {
                return true;
            }
        }
        return false;
    }

    /// Finds a branch behind which threads must be together before the post-dominator of the branch, because a way out
    /// leads past the place where its sides meet. Threads that take that way go to the place, with a flag, and on from
    /// there. False when there is none. Of branches with barriers on their sides nobody knows here whether they ever
    /// part a warp; the engine stops those that do.
    bool ways_past_a_sync() {
        normalise_loops(function_);
        const FlowGraph graph = analyse(function_);
        const Divergence divergence = find_divergence(function_, graph);
        const std::vector<bool> syncs = find_syncs();
        const std::vector<BlockIndex> meet = meetings(graph, std::vector<bool>(function_.blocks.size(), false));
        std::map<LoopIndex, LoopLevel> levels;
        for (const BlockIndex branch : graph.order) {
            if (!divergence.branches[branch]) {
                continue;
            }
            const LoopIndex loop = graph.loop_of[branch];
            if (loop != kNoLoop && graph.reducible) {
                const LoopLevel &level = levels.try_emplace(loop, function_, graph, loop).first->second;
                if (out_of_a_round(graph, level, branch, meet[branch], syncs)) {
                    return true;
                }
            }
            if (out_to_the_end(graph, branch, meet[branch], syncs)) {
                return true;
            }
        }
        return false;
    }

    /// Ways out of the loop around `branch`, when its sides meet in the round and a sync follows before all meet.
    bool out_of_a_round(const FlowGraph &graph, const LoopLevel &level, BlockIndex branch, BlockIndex meeting,
                        const std::vector<bool> &syncs) {
        const LoopIndex loop = graph.loop_of[branch];
        const BlockIndex place = level.ways(branch) > 1 ? level.meeting(branch) : kNoBlock;
        if (place == kNoBlock || place == meeting) {
            return false;
        }
        std::vector<bool> behind = between(graph, place, meeting);
        behind[place] = true;
        if (!any_common(behind, syncs)) {
            return false;
        }
        std::vector<bool> inside =
            between(graph, branch, place, [&](BlockIndex block) { return !graph.inside(block, loop); });
        inside[branch] = true;
        return lead_over(graph, branch, place, inside,
                         [&](BlockIndex, BlockIndex to) { return !graph.inside(to, loop); });
    }

    /// Ends of threads on the sides of `branch`, before a sync that the others come to together.
    bool out_to_the_end(const FlowGraph &graph, BlockIndex branch, BlockIndex meeting, const std::vector<bool> &syncs) {
        const auto &sides = graph.successors[branch];
        if (std::ranges::count_if(sides, [&](BlockIndex to) { return to != meeting; }) < 2 ||
            !any_common(between(graph, branch, meeting), syncs)) {
            return false;
        }
        std::vector<bool> early = between(graph, branch, end_, [&](BlockIndex block) { return syncs[block]; });
        for (BlockIndex block = 0; block < early.size(); ++block) {
            early[block] =
                early[block] && std::ranges::find(graph.successors[block], end_) != graph.successors[block].end();
        }
        if (std::ranges::find(early, true) == early.end()) {
            return false;
        }
        const BlockIndex place = meetings(graph, early)[branch];
        if (place == kNoBlock || place == end_) {
            return false;
        }
        std::vector<bool> inside = between(graph, branch, place);
        std::vector<bool> before(function_.blocks.size(), false);
        spread(graph.predecessors, {place}, before);
        before[end_] = false;
        std::vector<bool> arriving(inside);
        for (BlockIndex block = 0; block < arriving.size(); ++block) {
            arriving[block] = inside[block] && before[block];
        }
        if (any_common(arriving, syncs)) {
            return false;
        }
        inside[branch] = true;
        inside[end_] = false;
        return lead_over(graph, branch, place, inside,
                         [&](BlockIndex from, BlockIndex to) { return to == end_ && early[from]; });
    }

    /// Leads the ways from the blocks `inside` for which `is_out` holds over tests in front of `place`, where all
    /// others pass too. False when there are none.
    template <typename Out>
    bool lead_over(const FlowGraph &graph, BlockIndex branch, BlockIndex place, const std::vector<bool> &inside,
                   Out is_out) {
        std::map<BlockIndex, std::vector<BlockIndex>> out; // by target: where from
        for (BlockIndex from = 0; from < inside.size(); ++from) {
            if (inside[from]) {
                for (const BlockIndex to : graph.successors[from]) {
                    if (to != place && is_out(from, to)) {
                        out[to].push_back(from);
                    }
                }
            }
        }
        if (out.empty()) {
            return false;
        }
        const std::uint32_t line = function_.blocks[branch].end.line;
        BlockIndex first = place;
        std::map<BlockIndex, Register> flags;
        for (const auto &[to, from] : out) {
            flags[to] = function_.add(RegisterClass::kPredicate);
            const BlockIndex test = function_.add_block();
            function_.blocks[test].end = {
                .kind = EndKind::kBranch, .predicate = if_true(flags[to]), .taken = to, .next = first, .line = line};
            first = test;
        }
        for (BlockIndex from = 0; from < inside.size(); ++from) {
            if (inside[from]) {
                for_each_edge(function_.blocks[from], [&](BlockIndex &to) { to = to == place ? first : to; });
            }
        }
        for (const auto &[to, sources] : out) {
            for (const BlockIndex from : sources) {
                Block &leaving = function_.blocks[split_edge(function_, from, to)];
                leaving.code.push_back(set_predicate(flags[to], true, leaving.end.line));
                leaving.end.next = first;
            }
            function_.blocks[branch].code.push_back(set_predicate(flags[to], false, line));
        }
        return true;
    }

    // --- tables and calls --------------------------------------------------------------------------------------------

    /// Where threads differ in the entry of a table, a tree of branches takes its place.
    void branches_for_tables() {
        const FlowGraph graph = analyse(function_);
        const Divergence divergence = find_divergence(function_, graph);
        for (const BlockIndex block : graph.order) {
            if (function_.blocks[block].end.kind == EndKind::kTable && divergence.branches[block]) {
                const End table = function_.blocks[block].end;
                choose(block, table, 0, table.table.size());
            }
        }
    }

    /// The end of `block` leads to the entries from `first` to before `last` of `table`, which differ.
    void choose(BlockIndex block, const End &table, std::size_t first, std::size_t last) {
        const std::size_t middle = first + (last - first) / 2;
        const Register below = function_.add(RegisterClass::kPredicate);
        const BlockIndex low_half = choice(table, first, middle);
        const BlockIndex high_half = choice(table, middle, last);
        function_.blocks[block].code.push_back({.mnemonic = "ISETP.LT.U32.AND",
                                                .operands = {define_predicate(below), always(), table.index,
                                                             number(static_cast<std::int64_t>(4 * middle)), always()},
                                                .line = table.line});
        function_.blocks[block].end = {.kind = EndKind::kBranch,
                                       .predicate = if_true(below),
                                       .taken = low_half,
                                       .next = high_half,
                                       .line = table.line};
    }

    /// The block that leads to the entries from `first` to before `last`.
    BlockIndex choice(const End &table, std::size_t first, std::size_t last) {
        const auto entries = std::span(table.table).subspan(first, last - first);
        if (std::ranges::all_of(entries, [&](BlockIndex to) { return to == entries.front(); })) {
            return entries.front();
        }
        const BlockIndex block = function_.add_block();
        choose(block, table, first, last);
        return block;
    }

    /// Where a pointer may send threads to different functions, they call in rounds, those with the lowest address in
    /// each, and meet behind them.
    void rounds_for_calls() {
        const FlowGraph graph = analyse(function_);
        const Divergence divergence = find_divergence(function_, graph);
        for (BlockIndex block = 0; block < function_.blocks.size(); ++block) { // what is behind a call comes later
            const auto &code = function_.blocks[block].code;
            const bool in_round = std::ranges::find(in_rounds_, block) != in_rounds_.end();
            const auto call = std::ranges::find_if(code, [&](const Instruction &instruction) {
                return instruction.mnemonic == "CALL" && instruction.callee < 0 &&
                       divergence.registers[instruction.operands[0].reg];
            });
            if (call != code.end() && !in_round) {
                call_in_rounds(block, static_cast<std::size_t>(call - code.begin()));
            }
        }
    }

    void call_in_rounds(BlockIndex block, std::size_t index) {
        const BlockIndex round = function_.add_block();
        const BlockIndex calls = function_.add_block();
        const BlockIndex check =
            function_.add_block(); // so that those that wait do not meet the others before the call
        const BlockIndex behind = function_.add_block();
        Block &before = function_.blocks[block];
        const Instruction call = before.code[index];
        const auto at = before.code.begin() + static_cast<std::ptrdiff_t>(index);
        std::move(at + 1, before.code.end(), std::back_inserter(function_.blocks[behind].code));
        before.code.erase(at, before.code.end());
        function_.blocks[behind].end =
            std::exchange(before.end, {.kind = EndKind::kFall, .next = round, .line = call.line});
        const Register lowest = function_.add(RegisterClass::kGeneral);
        const Register waits = function_.add(RegisterClass::kPredicate);
        const Operand target = low(call.operands[0]);
        function_.blocks[round].code = {
            {.mnemonic = "REDUX.MIN", .operands = {define(lowest), target}, .line = call.line},
            {.mnemonic = "ISETP.NE.U32.AND",
             .operands = {define_predicate(waits), always(), target, use(lowest), always()},
             .line = call.line}};
        function_.blocks[round].end = {
            .kind = EndKind::kBranch, .predicate = if_true(waits), .taken = check, .next = calls, .line = call.line};
        function_.blocks[check].end = {
            .kind = EndKind::kBranch, .predicate = if_true(waits), .taken = round, .next = behind, .line = call.line};
        function_.blocks[calls].code = {call};
        in_rounds_.push_back(calls);
        function_.blocks[calls].end = {.kind = EndKind::kFall, .next = check, .line = call.line};
    }

    const Module &module_;
    Function &function_;
    const CallsSync &calls_sync_;
    BlockIndex end_ = kNoBlock;
    std::vector<BlockIndex> in_rounds_; ///< blocks whose call is that of a round
};

} // namespace

void shape_for_simt_stack(const Module &module, Function &function, const CallsSync &calls_sync) {
    Shaper(module, function, calls_sync).run();
}

} // namespace smsim::ptx::machine
