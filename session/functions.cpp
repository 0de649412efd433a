#include "session/functions.h"

#include <map>
#include <optional>
#include <set>
#include <vector>

namespace smsim::session {
namespace {

/// The target of a direct call.
std::optional<Pc> called_by(const Program &program, std::size_t index) {
    const isa::Instruction &insn = program.code[index];
    if (insn.op != isa::Op::kCall && insn.op != isa::Op::kCal) {
        return std::nullopt;
    }
    if (const auto named = isa::named_address(insn)) {
        return static_cast<Pc>(*named);
    }
    return static_cast<Pc>(static_cast<std::int64_t>(index) + 1 + insn.imm) * kInstructionBytes;
}

} // namespace

FunctionPlace function_at(const Program &program, Pc pc) {
    std::map<Pc, std::string> names;
    std::map<Pc, std::string> entries;
    for (const Symbol &symbol : program.symbols) {
        names.emplace(symbol.address, symbol.name);
    }
    for (const Kernel &kernel : program.kernels) {
        entries[kernel.entry] = kernel.name;
    }
    std::vector<std::pair<Pc, Pc>> calls; // from an instruction to an entry
    for (std::size_t i = 0; i < program.code.size(); ++i) {
        const std::optional<Pc> target = called_by(program, i);
        if (target && names.contains(*target)) {
            entries.emplace(*target, names[*target]);
            calls.emplace_back(i * kInstructionBytes, *target);
        }
    }
    const auto around = [&entries](Pc at) {
        const auto after = entries.upper_bound(at);
        return after == entries.begin() ? entries.end() : std::prev(after);
    };
    const auto own = around(pc);
    if (own == entries.end()) {
        return {};
    }
    std::map<Pc, std::set<Pc>> callees;
    for (const auto &[from, to] : calls) {
        if (const auto caller = around(from); caller != entries.end()) {
            callees[caller->first].insert(to);
        }
    }
    std::set<Pc> reached;
    std::vector<Pc> open(callees[own->first].begin(), callees[own->first].end());
    while (!open.empty()) {
        const Pc next = open.back();
        open.pop_back();
        if (reached.insert(next).second) {
            open.insert(open.end(), callees[next].begin(), callees[next].end());
        }
    }
    return {own->second, reached.contains(own->first)};
}

} // namespace smsim::session
