#include "model/program/branch_targets.h"

#include <fmt/format.h>

namespace smsim {

namespace {

std::string outside(const Program &program, const isa::Instruction &insn, std::int64_t address) {
    return fmt::format("{} to {}{:#x}, outside of the program of {:#x} bytes; expected one of its instructions",
                       insn.spec().name, address < 0 ? "-" : "",
                       static_cast<std::uint64_t>(address < 0 ? -address : address), program.size_bytes());
}

} // namespace

std::optional<std::string> branch_target_error(const Program &program, const isa::Instruction &insn) {
    if (const auto named = isa::named_address(insn)) {
        if (*named < 0 || static_cast<Pc>(*named) >= program.size_bytes()) {
            return outside(program, insn, *named);
        }
        if (static_cast<Pc>(*named) % kInstructionBytes != 0) {
            return fmt::format("{} to {:#x}, which is not a multiple of {}; expected one of its instructions",
                               insn.spec().name, *named, kInstructionBytes);
        }
        return std::nullopt;
    }
    const bool has_target = insn.op == isa::Op::kBra || insn.op == isa::Op::kSetrpc || isa::is_vector_branch(insn.op);
    if (!has_target) {
        return std::nullopt;
    }
    const auto own = static_cast<std::int64_t>(insn.pc / kInstructionBytes);
    const std::int64_t target = own + 1 + insn.imm;
    if (target >= 0 && target < static_cast<std::int64_t>(program.code.size())) {
        return std::nullopt;
    }
    return outside(program, insn, target * static_cast<std::int64_t>(kInstructionBytes));
}

} // namespace smsim
