#include "ptx/machine/lowering/simt_stack_shape.h"

#include <algorithm>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "model/error.h"
#include "ptx/machine/lowering/edges.h"
#include "ptx/machine/operands.h"

namespace smsim::ptx::machine {

namespace {

/// Far beyond what kernels have: exits from regions with barriers behind them.
constexpr unsigned kMostFlags = 64;

class Shaper {
  public:
    Shaper(const Module &module, Function &function, const CallsBarrier &calls_barrier)
        : module_(module), function_(function), calls_barrier_(calls_barrier) {}

    void run() {
        one_end();
        ways_to_the_end();
        for (unsigned flags = 0; exits_before_a_barrier(); ++flags) {
            if (flags == kMostFlags) {
                refuse(function_.line, fmt::format("has more than {} exits from regions that lie before a barrier of "
                                                   "the CTA",
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
        for (BlockIndex block = 0; block < function_.blocks.size(); ++block) {
            leave_at_exits(block);
        }
    }

    void leave_at_exits(BlockIndex block) {
        const auto &code = function_.blocks[block].code;
        const auto exit = std::ranges::find(code, "EXIT", &Instruction::mnemonic);
        const bool ends = function_.blocks[block].end.kind == EndKind::kExit && block != end_;
        if (exit == code.end() && !ends) {
            return;
        }
        const std::uint32_t line = exit == code.end() ? function_.blocks[block].end.line : exit->line;
        if (!function_.kernel) {
            refuse(line, "ends threads inside of a called function");
        }
        if (exit == code.end()) {
            function_.blocks[block].end = {.kind = EndKind::kFall, .next = end_, .line = line};
            return;
        }
        const auto at = exit - code.begin();
        const BlockIndex rest = function_.add_block(); // looked at later, as it stands behind
        Block &from = function_.blocks[block];
        Block &to = function_.blocks[rest];
        const Operand guard = from.code[static_cast<std::size_t>(at)].guard;
        std::move(from.code.begin() + at + 1, from.code.end(), std::back_inserter(to.code));
        from.code.erase(from.code.begin() + at, from.code.end());
        to.end = std::exchange(
            from.end, {.kind = EndKind::kBranch, .predicate = guard, .taken = end_, .next = rest, .line = line});
    }

    /// Code that never ends gets a way to the end that nobody takes, so that its branches have a place to meet.
    void ways_to_the_end() {
        for (;;) {
            const FlowGraph graph = analyse(function_);
            const Graph back = reversed(graph.successors);
            std::vector<bool> ends(function_.blocks.size(), false);
            if (end_ != kNoBlock) {
                for (const BlockIndex block : reverse_postorder(back, end_)) {
                    ends[block] = true;
                }
            }
            const auto lost = std::ranges::find_if(graph.order.rbegin(), graph.order.rend(),
                                                   [&](BlockIndex block) { return !ends[block]; });
            if (lost == graph.order.rend()) {
                return;
            }
            if (end_ == kNoBlock) {
                refuse(function_.line, "never returns");
            }
            const BlockIndex to = graph.successors[*lost].front();
            End &end = function_.blocks[split_edge(function_, *lost, to)].end;
            end = {.kind = EndKind::kBranch, .predicate = never(), .taken = end_, .next = to, .line = end.line};
        }
    }

    // --- barriers ----------------------------------------------------------------------------------------------------

    bool has_barrier(BlockIndex block) const {
        return std::ranges::any_of(function_.blocks[block].code, [&](const Instruction &instruction) {
            return is_cta_barrier(instruction) || (instruction.mnemonic == "CALL" && calls_barrier_(instruction));
        });
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

    /// Blocks on the ways from the successors of `from` before `to`; with `stop_at_barriers` up to those with barriers,
    /// which are not among them.
    std::vector<bool> between(const FlowGraph &graph, BlockIndex from, BlockIndex to, bool stop_at_barriers) const {
        std::vector<bool> seen(function_.blocks.size(), false);
        std::vector<BlockIndex> open = graph.successors[from];
        while (!open.empty()) {
            const BlockIndex at = open.back();
            open.pop_back();
            if (at == to || seen[at] || (stop_at_barriers && has_barrier(at))) {
                continue;
            }
            seen[at] = true;
            open.insert(open.end(), graph.successors[at].begin(), graph.successors[at].end());
        }
        return seen;
    }

    /// True when more than one side of the branch has something to do before `meeting`, a barrier among it: a side
    /// would arrive while another one has not run.
    bool arrives_apart(const FlowGraph &graph, BlockIndex branch, BlockIndex meeting) const {
        if (std::ranges::count_if(graph.successors[branch], [&](BlockIndex to) { return to != meeting; }) < 2) {
            return false;
        }
        const std::vector<bool> inside = between(graph, branch, meeting, false);
        for (BlockIndex block = 0; block < inside.size(); ++block) {
            if (inside[block] && has_barrier(block)) {
                return true;
            }
        }
        return false;
    }

    /// Finds a branch whose sides would come to a barrier one after the other because threads end on one of them. These
    /// go to where the others meet, and end behind that. False when there is none. Of other branches with barriers on
    /// their sides nobody knows here whether they ever part a warp; the engine stops those that do.
    bool exits_before_a_barrier() {
        const FlowGraph graph = analyse(function_);
        const Divergence divergence = find_divergence(function_, graph);
        const std::vector<bool> none(function_.blocks.size(), false);
        const std::vector<BlockIndex> meet = meetings(graph, none);
        for (const BlockIndex branch : graph.order) {
            if (!divergence.branches[branch] || !arrives_apart(graph, branch, meet[branch])) {
                continue;
            }
            std::vector<bool> early = between(graph, branch, end_, true);
            for (BlockIndex block = 0; block < early.size(); ++block) {
                early[block] =
                    early[block] && std::ranges::find(graph.successors[block], end_) != graph.successors[block].end();
            }
            const BlockIndex place = meetings(graph, early)[branch];
            const bool meets = place != end_ && place != kNoBlock && !has_barrier_between(graph, branch, place);
            if (meets && end_behind(graph, branch, place, early)) {
                return true;
            }
        }
        return false;
    }

    bool has_barrier_between(const FlowGraph &graph, BlockIndex branch, BlockIndex place) const {
        const std::vector<bool> inside = between(graph, branch, place, false);
        for (BlockIndex block = 0; block < inside.size(); ++block) {
            if (inside[block] && block != end_ && has_barrier(block) && reaches(graph, block, place)) {
                return true;
            }
        }
        return false;
    }

    bool reaches(const FlowGraph &graph, BlockIndex from, BlockIndex to) const {
        std::vector<bool> seen(function_.blocks.size(), false);
        std::vector<BlockIndex> open = {from};
        while (!open.empty()) {
            const BlockIndex at = open.back();
            open.pop_back();
            if (at == to) {
                return true;
            }
            if (!seen[at]) {
                seen[at] = true;
                open.insert(open.end(), graph.successors[at].begin(), graph.successors[at].end());
            }
        }
        return false;
    }

    /// Threads of the blocks `early` before `place` set a flag instead of ending, and those with the flag end in front
    /// of `place`. False when there are none.
    bool end_behind(const FlowGraph &graph, BlockIndex branch, BlockIndex place, const std::vector<bool> &early) {
        std::vector<bool> inside = between(graph, branch, place, false);
        inside[branch] = true;
        bool any = false;
        for (BlockIndex block = 0; block < inside.size(); ++block) {
            any |= inside[block] && early[block];
        }
        if (!any) {
            return false;
        }
        const Register flag = function_.add(RegisterClass::kPredicate);
        const BlockIndex test = function_.add_block();
        const std::uint32_t line = function_.blocks[branch].end.line;
        function_.blocks[test].end = {
            .kind = EndKind::kBranch, .predicate = if_true(flag), .taken = end_, .next = place, .line = line};
        for (BlockIndex block = 0; block < inside.size(); ++block) {
            if (inside[block]) {
                for_each_edge(function_.blocks[block], [&](BlockIndex &to) { to = to == place ? test : to; });
            }
            if (inside[block] && early[block]) {
                Block &leaving = function_.blocks[split_edge(function_, block, end_)];
                leaving.code.push_back(set_predicate(flag, true, leaving.end.line));
                leaving.end.next = test;
            }
        }
        function_.blocks[branch].code.push_back(set_predicate(flag, false, line));
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
    const CallsBarrier &calls_barrier_;
    BlockIndex end_ = kNoBlock;
    std::vector<BlockIndex> in_rounds_; ///< blocks whose call is that of a round
};

} // namespace

void shape_for_simt_stack(const Module &module, Function &function, const CallsBarrier &calls_barrier) {
    Shaper(module, function, calls_barrier).run();
}

} // namespace smsim::ptx::machine
