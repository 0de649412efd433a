#include "cosim/rtl_operations.h"

#include <algorithm>
#include <set>
#include <string_view>

#include <fmt/format.h>

namespace smsim::cosim {
namespace {

/// Whether the instruction at `pc` belongs to another kernel than `kernel`.
bool is_of_another(const Program &program, const Kernel &kernel, Pc pc) {
    const auto holds = [pc](const Kernel &one) { return one.entry <= pc && pc < one.end; };
    return !holds(kernel) && std::ranges::any_of(program.kernels, holds);
}

std::string place_of(const Program &program, const isa::Instruction &insn) {
    const std::size_t index = insn.pc / kInstructionBytes;
    if (index < program.lines.size() && program.lines[index].line != 0 &&
        program.lines[index].file < program.files.size()) {
        return fmt::format("{:#06x}, {}:{}", insn.pc, program.files[program.lines[index].file],
                           program.lines[index].line);
    }
    return fmt::format("{:#06x}", insn.pc);
}

} // namespace

bool only_reads(const isa::Instruction &insn) {
    return insn.op == isa::Op::kLepc || insn.op == isa::Op::kSyscall ||
           (insn.op == isa::Op::kBmov && insn.form == isa::Form::kX);
}

std::string unclaimed(const Config &config, const Program &program, const Kernel &kernel) {
    std::string text;
    if (config.bru.implementation.kind() == Implementation::Kind::kModel || config.bru.rtl_operations.all()) {
        return text;
    }
    std::set<std::string_view> named;
    for (const isa::Instruction &insn : program.code) {
        const isa::OpSpec &spec = insn.spec();
        if (spec.unit == isa::Unit::kBranch && !config.bru.rtl_operations.has(spec.name) && !only_reads(insn) &&
            !is_of_another(program, kernel, insn.pc) && named.insert(spec.name).second) {
            text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", spec.name, place_of(program, insn));
        }
    }
    return text.empty()
               ? text
               : fmt::format("its block of the branch unit does not claim what it needs (bru.rtl_operations): {}",
                             text);
}

} // namespace smsim::cosim
