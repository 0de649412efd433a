#include "ptx/machine/lowering/simt_stack_shape.h"

#include <algorithm>
#include <set>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "model/error.h"
#include "ptx/machine/lowering/edges.h"
#include "ptx/machine/lowering/sync_ways.h"
#include "ptx/machine/operands.h"

namespace smsim::ptx::machine {

namespace {

class Shaper {
  public:
    Shaper(const Module &module, Function &function, const CallsSync &calls_sync)
        : module_(module), function_(function), calls_sync_(calls_sync) {}

    void run() {
        one_end();
        ways_to_the_end();
        if (!lead_ways_over_syncs(function_, calls_sync_)) {
            refuse(function_.line, "has too many branches with ways out past a place where threads must be together");
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

    /// Makes all threads of a kernel end in one block, and those of a function return in one.
    void one_end() {
        if (!function_.kernel) {
            for (BlockIndex block = 0; block < function_.blocks.size(); ++block) {
                if (function_.blocks[block].end.kind == EndKind::kReturn) {
                    end_ = block; // selection creates at most one
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

    /// Gives endless code a way to the end that no thread takes, so that its branches have a meeting point.
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

    // --- tables and calls --------------------------------------------------------------------------------------------

    /// Replaces a table whose entry differs between threads by a tree of branches.
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

    /// Makes the end of `block` lead to the entries from `first` to before `last` of `table`, which differ.
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

    /// Where a pointer may send threads to different functions, they call in rounds, in each those with the lowest
    /// address, and meet after them.
    void rounds_for_calls() {
        const FlowGraph graph = analyse(function_);
        const Divergence divergence = find_divergence(function_, graph);
        for (BlockIndex block = 0; block < function_.blocks.size(); ++block) { // what follows a call is visited later
            const auto &code = function_.blocks[block].code;
            const bool in_round = in_rounds_.contains(block);
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
            function_.add_block(); // so that waiting threads do not meet the others before the call
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
        in_rounds_.insert(calls);
        function_.blocks[calls].end = {.kind = EndKind::kFall, .next = check, .line = call.line};
    }

    const Module &module_;
    Function &function_;
    const CallsSync &calls_sync_;
    BlockIndex end_ = kNoBlock;
    std::set<BlockIndex> in_rounds_; ///< blocks whose call is that of a round
};

} // namespace

void shape_for_simt_stack(const Module &module, Function &function, const CallsSync &calls_sync) {
    Shaper(module, function, calls_sync).run();
}

} // namespace smsim::ptx::machine
