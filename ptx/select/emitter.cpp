#include "ptx/select/emitter.h"

#include <algorithm>

namespace smsim::ptx::select {

using namespace machine;

Instruction &Emitter::emit(std::string mnemonic, std::vector<Operand> operands) {
    Instruction instruction{
        .mnemonic = std::move(mnemonic), .operands = std::move(operands), .guard = guard_, .line = line_};
    // Names of the program keep their old value where the guard is false; temporaries have none worth keeping.
    instruction.kills =
        guard_.has_register() && std::ranges::all_of(instruction.operands, [&](const Operand &operand) {
            return !operand.defined || !operand.has_register() || function_.registers[operand.reg].temporary;
        });
    auto &code = function_.blocks[block_].code;
    ++emitted_;
    code.push_back(std::move(instruction));
    return code.back();
}

Instruction &Emitter::emit_if(Operand guard, std::string mnemonic, std::vector<Operand> operands) {
    auto &code = function_.blocks[block_].code;
    ++emitted_;
    code.push_back(
        {.mnemonic = std::move(mnemonic), .operands = std::move(operands), .guard = std::move(guard), .line = line_});
    return code.back();
}

Register Emitter::temporary(unsigned words) {
    const Register reg = function_.add(RegisterClass::kGeneral, words);
    function_.registers[reg].temporary = true;
    return reg;
}

Register Emitter::temporary_predicate() {
    const Register reg = function_.add(RegisterClass::kPredicate);
    function_.registers[reg].temporary = true;
    return reg;
}

void Emitter::undefined(Register reg) {
    const RegisterInfo &info = function_.registers[reg];
    Operand operand = info.kind == RegisterClass::kPredicate ? define_predicate(reg) : define(reg, info.words);
    auto &code = function_.blocks[block_].code;
    ++emitted_;
    code.push_back({.mnemonic = std::string(kUndefined), .operands = {std::move(operand)}, .line = line_});
}

Operand Emitter::in_register(const Operand &operand) {
    const bool plain =
        operand.kind == OperandKind::kRegister || (operand.kind == OperandKind::kZero && operand.words == 1);
    if (plain && !operand.negated && !operand.absolute) {
        return operand;
    }
    const Register reg = temporary(operand.words);
    if (operand.words > 1) {
        undefined(reg);
    }
    move(define(reg, operand.words), operand);
    return use(reg, operand.words);
}

void Emitter::move(const Operand &to, const Operand &from) {
    const unsigned words = to.words;
    for (unsigned i = 0; i < words; ++i) {
        emit("MOV", {word(to, i), word(from, i)});
    }
}

Operand Emitter::with_guard(const Operand &a) {
    if (!guard_.has_register()) {
        return a;
    }
    const Register both = temporary_predicate();
    emit_if(always(), "PSETP.AND.AND", {define_predicate(both), always(), a, guard_, always()});
    return if_true(both);
}

void Emitter::fall_to(BlockIndex next) {
    End &end = function_.blocks[block_].end;
    end.kind = EndKind::kFall;
    end.next = next;
    end.line = line_;
    block_ = next;
}

void Emitter::branch(const Operand &predicate, BlockIndex taken, BlockIndex next, Ways ways) {
    End &end = function_.blocks[block_].end;
    end.kind = EndKind::kBranch;
    end.predicate = predicate;
    end.taken = taken;
    end.next = next;
    end.uniform = ways == Ways::kUniform;
    end.rare = ways == Ways::kNextIsRare;
    end.line = line_;
    block_ = next;
}

} // namespace smsim::ptx::select
