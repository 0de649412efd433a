#include "ptx/machine/liveness.h"

#include <algorithm>
#include <ranges>

namespace smsim::ptx::machine {

namespace {

void add_units(const Operand &operand, const Units &units, std::vector<std::uint32_t> &to) {
    const bool memory = operand.kind == OperandKind::kAddress || operand.kind == OperandKind::kConstant;
    const unsigned first = memory ? 0 : operand.first;
    const unsigned words =
        operand.kind == OperandKind::kPredicate || operand.kind == OperandKind::kConstant ? 1 : operand.words;
    for (unsigned i = 0; i < words; ++i) {
        to.push_back(units.first[operand.reg] + first + i);
    }
}

/// Steps `live` back over one instruction.
void step_back(UnitSet &live, const Access &access) {
    for (const std::uint32_t unit : access.kills) {
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

bool UnitSet::merge(const UnitSet &other) {
    bool changed = false;
    for (std::size_t i = 0; i < words_.size(); ++i) {
        changed |= (other.words_[i] & ~words_[i]) != 0;
        words_[i] |= other.words_[i];
    }
    return changed;
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
    if (!instruction.guarded() || instruction.kills) {
        access.kills = access.writes;
    }
    return access;
}

std::vector<std::uint32_t> reads_of_end(const End &end, const Units &units) {
    std::vector<std::uint32_t> reads;
    if (end.kind == EndKind::kBranch && end.predicate.has_register()) {
        add_units(end.predicate, units, reads);
    }
    if (end.kind == EndKind::kTable) {
        add_units(end.index, units, reads);
    }
    return reads;
}

UnitSet live_out(const Function &function, const Units &units, const std::vector<UnitSet> &in, BlockIndex block) {
    UnitSet live(units.count);
    for (const BlockIndex next : successors(function.blocks[block])) {
        live.merge(in[next]);
    }
    return live;
}

std::vector<UnitSet> live_in(const Function &function, const FlowGraph &graph, const Units &units) {
    std::vector<UnitSet> in(function.blocks.size(), UnitSet(units.count));
    for (bool changed = true; changed;) {
        changed = false;
        for (const BlockIndex block : std::views::reverse(graph.order)) {
            UnitSet live = live_out(function, units, in, block);
            for (const std::uint32_t unit : reads_of_end(function.blocks[block].end, units)) {
                live.add(unit);
            }
            for (const Instruction &instruction : std::views::reverse(function.blocks[block].code)) {
                step_back(live, access_of(instruction, units));
            }
            changed |= in[block].merge(live);
        }
    }
    return in;
}

void remove_dead_code(Function &function) {
    const Units units(function);
    for (bool again = true; again;) {
        again = false;
        const FlowGraph graph = analyse(function);
        const std::vector<UnitSet> in = live_in(function, graph, units);
        for (const BlockIndex block : graph.order) {
            UnitSet live = live_out(function, units, in, block);
            for (const std::uint32_t unit : reads_of_end(function.blocks[block].end, units)) {
                live.add(unit);
            }
            auto &code = function.blocks[block].code;
            std::vector<bool> dead(code.size(), false);
            for (std::size_t i = code.size(); i-- > 0;) {
                const Access access = access_of(code[i], units);
                const bool read =
                    std::ranges::any_of(access.writes, [&](std::uint32_t unit) { return live.has(unit); });
                dead[i] = !read && !has_effect(code[i]) && code[i].mnemonic != kUndefined;
                if (!dead[i]) {
                    step_back(live, access);
                }
                again |= dead[i];
            }
            std::size_t index = 0;
            std::erase_if(code, [&](const Instruction &) { return dead[index++]; });
        }
    }
}

} // namespace smsim::ptx::machine
