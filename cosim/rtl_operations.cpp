#include "cosim/rtl_operations.h"

#include "model/config/config.h"

#include <set>
#include <string_view>

#include <fmt/format.h>

namespace smsim::cosim {
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
            !program.is_of_another(kernel, insn.pc) && named.insert(spec.name).second) {
            text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", spec.name, program.place_of(insn));
        }
    }
    return text.empty()
               ? text
               : fmt::format("its block of the branch unit does not claim what it needs (bru.rtl_operations): {}",
                             text);
}

} // namespace smsim::cosim
