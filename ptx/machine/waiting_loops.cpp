#include "ptx/machine/waiting_loops.h"

#include <algorithm>
#include <set>

namespace smsim::ptx::machine {

namespace {

template <typename Visit>
void for_each_instruction(const Function &function, const FlowGraph &graph, LoopIndex loop, Visit visit) {
    for (const BlockIndex block : graph.order) {
        if (graph.inside(block, loop)) {
            for (const Instruction &instruction : function.blocks[block].code) {
                visit(instruction);
            }
        }
    }
}

bool may_spin(const Instruction &instruction) {
    return instruction.spins || instruction.mnemonic == "CALL";
}

/// Registers that decide whether threads leave the loop.
std::set<Register> deciding(const Function &function, const FlowGraph &graph, LoopIndex loop) {
    std::set<Register> wanted;
    for (const BlockIndex block : graph.order) {
        const End &end = function.blocks[block].end;
        if (!graph.inside(block, loop) ||
            std::ranges::all_of(graph.successors[block], [&](BlockIndex to) { return graph.inside(to, loop); })) {
            continue;
        }
        wanted.insert(end.kind == EndKind::kTable ? end.index.reg : end.predicate.reg);
    }
    for_each_instruction(function, graph, loop, [&](const Instruction &instruction) {
        if (instruction.mnemonic == "EXIT") {
            wanted.insert(instruction.guard.reg);
        }
    });
    return wanted;
}

/// True when a register of `wanted` is made in the loop from memory that may change under it.
bool comes_from_memory(const Function &function, const FlowGraph &graph, LoopIndex loop, std::set<Register> wanted) {
    bool found = false;
    for (std::size_t before = 0; before != wanted.size() && !found;) {
        before = wanted.size();
        for_each_instruction(function, graph, loop, [&](const Instruction &instruction) {
            const auto is_wanted = [&](Register reg) { return wanted.contains(reg); };
            bool defines = std::ranges::any_of(instruction.defines, is_wanted);
            for_each_register(instruction,
                              [&](const Operand &operand) { defines |= operand.defined && is_wanted(operand.reg); });
            if (!defines || instruction.mnemonic == kUndefined) {
                return;
            }
            // A value that went through memory of the thread's own may be what was read.
            found |= may_spin(instruction) || instruction.mnemonic.starts_with("LD");
            for_each_register(instruction, [&](const Operand &operand) { wanted.insert(operand.reg); });
        });
    }
    return found;
}

} // namespace

std::vector<bool> find_waiting_loops(const Function &function, const FlowGraph &graph) {
    std::vector<bool> waiting;
    for (LoopIndex loop = 0; loop < graph.loops.size(); ++loop) {
        bool any = false;
        for_each_instruction(function, graph, loop,
                             [&](const Instruction &instruction) { any |= may_spin(instruction); });
        waiting.push_back(any && comes_from_memory(function, graph, loop, deciding(function, graph, loop)));
    }
    return waiting;
}

} // namespace smsim::ptx::machine
