#include "ptx/machine/liveness.h"

#include <algorithm>
#include <utility>

namespace smsim::ptx::machine {

namespace {

void add_units(const Operand &operand, const Units &units, UnitList &to) {
    const bool memory = operand.kind == OperandKind::kAddress || operand.kind == OperandKind::kConstant;
    const unsigned first = memory ? 0 : operand.first;
    const unsigned words =
        operand.kind == OperandKind::kPredicate || operand.kind == OperandKind::kConstant ? 1 : operand.words;
    for (unsigned i = 0; i < words; ++i) {
        to.push_back(units.first[operand.reg] + first + i);
    }
}

/// Updates `live` backwards over one instruction.
void step_back(UnitSet &live, const Access &access) {
    for (const std::uint32_t unit : access.kills()) {
        live.remove(unit);
    }
    for (const std::uint32_t unit : access.reads) {
        live.add(unit);
    }
}

} // namespace

Units::Units(const Function &function) {
    for (Register reg = 0; reg < function.registers.size(); ++reg) {
        first.push_back(count);
        count += function.registers[reg].words;
        owner.resize(count, reg);
    }
}

Access access_of(const Instruction &instruction, const Units &units) {
    Access access;
    for_each_register(instruction, [&](const Operand &operand) {
        add_units(operand, units, operand.defined ? access.writes : access.reads);
    });
    for (const Register reg : instruction.uses) {
        access.reads.push_back(units.first[reg]);
    }
    for (const Register reg : instruction.defines) {
        access.writes.push_back(units.first[reg]);
    }
    access.for_good = !instruction.guarded() || instruction.kills;
    return access;
}

UnitList reads_of_end(const End &end, const Units &units) {
    UnitList reads;
    if (end.kind == EndKind::kBranch && end.predicate.has_register()) {
        add_units(end.predicate, units, reads);
    }
    if (end.kind == EndKind::kTable) {
        add_units(end.index, units, reads);
    }
    return reads;
}

namespace {

/// Adds what is live after a block to `live`.
void add_live_out(const Function &function, const std::vector<SmallUnitSet> &in, BlockIndex block, UnitSet &live) {
    for (const BlockIndex next : successors(function.blocks[block])) {
        in[next].for_each([&](std::uint32_t unit) { live.add(unit); });
    }
}

/// True when `live` contains something that the instruction writes, or it does more than write registers.
bool is_wanted(const Instruction &instruction, const Access &access, const UnitSet &live) {
    return instruction.mnemonic == kUndefined || has_effect(instruction) ||
           std::ranges::any_of(access.writes, [&](std::uint32_t unit) { return live.has(unit); });
}

/// Like `live_in`; with `wanted_only`, reads that only serve unread results do not count.
std::vector<SmallUnitSet> solve(const Function &function, const FlowGraph &graph, const Units &units,
                                bool wanted_only) {
    std::vector<SmallUnitSet> in(function.blocks.size());
    UnitSet live(units.count);
    for (bool changed = true; changed;) {
        changed = false;
        for (auto block = graph.order.rbegin(); block != graph.order.rend(); ++block) {
            live.clear();
            count_steps(1 + function.blocks[*block].code.size());
            add_live_out(function, in, *block, live);
            for (const std::uint32_t unit : reads_of_end(function.blocks[*block].end, units)) {
                live.add(unit);
            }
            const auto &code = function.blocks[*block].code;
            for (auto instruction = code.rbegin(); instruction != code.rend(); ++instruction) {
                const Access access = access_of(*instruction, units);
                if (!wanted_only || is_wanted(*instruction, access, live)) {
                    step_back(live, access);
                }
            }
            SmallUnitSet now(live);
            if (now != in[*block]) {
                in[*block] = std::move(now);
                changed = true;
            }
        }
    }
    return in;
}

} // namespace

std::vector<SmallUnitSet> live_in(const Function &function, const FlowGraph &graph, const Units &units) {
    return solve(function, graph, units, false);
}

UnitSet live_out(const Function &function, const Units &units, const std::vector<SmallUnitSet> &in, BlockIndex block) {
    UnitSet live(units.count);
    add_live_out(function, in, block, live);
    return live;
}

UnitSet live_before_end(const Function &function, const Units &units, const std::vector<SmallUnitSet> &in,
                        BlockIndex block) {
    UnitSet live = live_out(function, units, in, block);
    for (const std::uint32_t unit : reads_of_end(function.blocks[block].end, units)) {
        live.add(unit);
    }
    return live;
}

void step_back(const Access &access, UnitSet &live) {
    for (const std::uint32_t unit : access.kills()) {
        live.remove(unit);
    }
    for (const std::uint32_t unit : access.reads) {
        live.add(unit);
    }
}

void remove_dead_code(Function &function) {
    const Units units(function);
    const FlowGraph graph = analyse(function);
    const std::vector<SmallUnitSet> in = solve(function, graph, units, true);
    for (const BlockIndex block : graph.order) {
        UnitSet live = live_out(function, units, in, block);
        for (const std::uint32_t unit : reads_of_end(function.blocks[block].end, units)) {
            live.add(unit);
        }
        auto &code = function.blocks[block].code;
        std::vector<bool> dead(code.size(), false);
        for (std::size_t i = code.size(); i-- > 0;) {
            const Access access = access_of(code[i], units);
            dead[i] = !is_wanted(code[i], access, live);
            if (!dead[i]) {
                step_back(live, access);
            }
        }
        std::size_t index = 0;
        std::erase_if(code, [&](const Instruction &) { return dead[index++]; });
    }
}

} // namespace smsim::ptx::machine
