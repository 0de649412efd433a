#include "ptx/machine/lowering/convergence_barrier.h"

#include <algorithm>
#include <map>
#include <utility>

#include "ptx/machine/lowering/edges.h"
#include "ptx/machine/operands.h"

namespace smsim::ptx::machine {

namespace {

/// Barriers that can be nested: those in B registers, and as many again that are kept in general ones.
constexpr unsigned kMostBarriers = 2 * kBarriers;
static_assert(kMostDepth >= kMostBarriers);

/// Lets the thread that a loop waits for, which may be one of its own warp, get its turn.
void insert_yields(Function &function, const Regions &regions) {
    for (LoopIndex loop = 0; loop < regions.loops.size(); ++loop) {
        if (!regions.loops[loop].waits) {
            continue;
        }
        for (const BlockIndex latch : regions.graph.loops[loop].latches) {
            Block &block = function.blocks[latch];
            block.code.push_back({.mnemonic = "YIELD", .line = block.end.line});
        }
    }
}

/// Where a pointer may send threads to different functions, they reconverge after the call.
void insert_around_calls(Function &function, const Regions &regions) {
    // Last call first, so that the positions of earlier ones stay valid.
    for (auto call = regions.calls.rbegin(); call != regions.calls.rend(); ++call) {
        if (!call->divergent) {
            continue;
        }
        auto &code = function.blocks[call->block].code;
        const auto at = code.begin() + static_cast<std::ptrdiff_t>(call->index);
        const std::uint32_t line = at->line;
        const Operand own = barrier(call->depth);
        const auto behind = code.insert(at + 1, {.mnemonic = "BSYNC", .operands = {own}, .line = line});
        code.insert(behind - 1, {.mnemonic = "BSSY", .operands = {own}, .line = line});
    }
}

/// On each edge that leaves regions other than at their meetings.
void insert_breaks(Function &function, const Regions &regions) {
    for (const WayOut &way : regions.ways_out) {
        if (way.regions.empty()) {
            continue;
        }
        const BlockIndex edge = split_edge(function, way.from, way.to);
        for (const RegionIndex region : way.regions) {
            function.blocks[edge].code.push_back({.mnemonic = "BREAK",
                                                  .operands = {barrier(regions.regions[region].depth)},
                                                  .line = function.blocks[edge].end.line});
        }
    }
}

void insert_region(Function &function, const Region &region) {
    for (const BlockIndex entry : region.entries) {
        Block &block = function.blocks[entry];
        block.code.push_back(
            {.mnemonic = "BSSY", .operands = {barrier(region.depth), label(region.meeting)}, .line = block.end.line});
    }
    Block &meeting = function.blocks[region.meeting];
    const std::uint32_t line = meeting.code.empty() ? meeting.end.line : meeting.code.front().line;
    meeting.code.insert(meeting.code.begin(), {.mnemonic = "BSYNC", .operands = {barrier(region.depth)}, .line = line});
}

/// Turns depths into B registers, of which callers use the first `base`. `entered_again`: the function may be
/// re-entered inside of its regions, so that each of them saves what its barrier held.
void assign_registers(Function &function, unsigned base, bool entered_again) {
    std::map<unsigned, Register> kept; // what a reused barrier held, by number
    for (Block &block : function.blocks) {
        std::vector<Instruction> code;
        for (Instruction &instruction : block.code) {
            const bool joins = instruction.mnemonic == "BSSY";
            const bool leaves = instruction.mnemonic == "BSYNC";
            if (!joins && !leaves && instruction.mnemonic != "BREAK") {
                code.push_back(std::move(instruction));
                continue;
            }
            const auto number = static_cast<unsigned>(instruction.operands[0].value) + base;
            if (number >= kMostBarriers) {
                continue;
            }
            instruction.operands[0].value = number % kBarriers;
            const Operand physical = instruction.operands[0];
            const std::uint32_t line = instruction.line;
            const bool again = entered_again || number >= kBarriers;
            if (again && !kept.contains(number)) {
                kept[number] = function.add(RegisterClass::kGeneral);
            }
            if (again && joins) {
                code.push_back({.mnemonic = "BMOV.CLEAR", .operands = {define(kept[number]), physical}, .line = line});
            }
            code.push_back(std::move(instruction));
            if (again && leaves) {
                code.push_back({.mnemonic = "BMOV", .operands = {physical, use(kept[number])}, .line = line});
            }
        }
        block.code = std::move(code);
    }
}

} // namespace

ConvergenceBarrierLowering::ConvergenceBarrierLowering(Module &module, const CallGraph &calls)
    : module_(module), calls_(calls), in_use_(module.functions.size(), 0) {}

void ConvergenceBarrierLowering::lower(std::size_t function, const Regions &regions) {
    Function &code = module_.functions[function];
    for (const CallSite &call : regions.calls) {
        const unsigned around = call.depth + (call.divergent ? 1 : 0);
        for (const std::size_t target : calls_.targets(code.blocks[call.block].code[call.index])) {
            const unsigned more = calls_.within_ring(function, target) ? 0 : around;
            in_use_[target] = std::max(in_use_[target], in_use_[function] + more);
        }
    }
    insert_yields(code, regions);
    insert_around_calls(code, regions);
    insert_breaks(code, regions);
    for (const Region &region : regions.regions) {
        insert_region(code, region);
    }
    assign_registers(code, in_use_[function], calls_.in_circle(function));
}

} // namespace smsim::ptx::machine
