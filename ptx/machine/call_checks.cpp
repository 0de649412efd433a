#include "ptx/machine/call_checks.h"

#include <algorithm>
#include <utility>

#include "model/program/compiler_traps.h"
#include "ptx/machine/operands.h"

namespace smsim::ptx::machine {

namespace {

bool is_indirect(const Instruction &instruction) {
    return instruction.mnemonic == "CALL" && instruction.callee < 0;
}

/// Appends the check of `call` to `code`.
void put_check(Function &function, std::vector<Instruction> &code, Instruction &call) {
    const auto put = [&](std::string mnemonic, std::vector<Operand> operands, Operand guard = always()) {
        code.push_back({.mnemonic = std::move(mnemonic),
                        .operands = std::move(operands),
                        .guard = std::move(guard),
                        .line = call.line});
    };
    Operand &pointer = call.operands[0];
    if (pointer.kind != OperandKind::kRegister) {
        const Register reg = function.add(RegisterClass::kGeneral, 2);
        put("MOV", {define(reg, 1, 0), low(pointer)});
        put("MOV", {define(reg, 1, 1), high(pointer)});
        pointer = use(reg, 2);
    }
    // No function is at a multiple of 4 GiB, so the lower word suffices.
    const Register null = function.add(RegisterClass::kPredicate);
    put("ISETP.EQ.U32.AND", {define_predicate(null), always(), low(pointer), zero(), call.guard});
    put("TRAP", {number(kNullCallTrap)}, if_true(null));
}

} // namespace

unsigned check_null_calls(Function &function) {
    unsigned checks = 0;
    for (Block &block : function.blocks) {
        if (std::ranges::none_of(block.code, is_indirect)) {
            continue;
        }
        std::vector<Instruction> checked;
        for (Instruction &instruction : block.code) {
            if (is_indirect(instruction)) {
                put_check(function, checked, instruction);
                ++checks;
            }
            checked.push_back(std::move(instruction));
        }
        block.code = std::move(checked);
    }
    return checks;
}

} // namespace smsim::ptx::machine
