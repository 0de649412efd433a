#include "model/program/program.h"

#include <algorithm>

#include <fmt/format.h>

namespace smsim {

const Kernel *Program::find_kernel(std::string_view name) const {
    const auto found = std::ranges::find(kernels, name, &Kernel::name);
    return found == kernels.end() ? nullptr : &*found;
}

bool Program::is_of_another(const Kernel &kernel, Pc pc) const {
    const auto holds = [pc](const Kernel &one) { return one.entry <= pc && pc < one.end; };
    return !holds(kernel) && std::ranges::any_of(kernels, holds);
}

std::string Program::place_of(const isa::Instruction &insn) const {
    const std::size_t index = insn.pc / kInstructionBytes;
    if (index < lines.size() && lines[index].line != 0 && lines[index].file < files.size()) {
        return fmt::format("{:#06x}, {}:{}", insn.pc, files[lines[index].file], lines[index].line);
    }
    return fmt::format("{:#06x}", insn.pc);
}

} // namespace smsim
