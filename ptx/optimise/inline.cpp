#include "ptx/optimise/inline.h"

#include <algorithm>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "ptx/machine/abi.h"
#include "ptx/machine/operands.h"
#include "ptx/machine/steps.h"

namespace smsim::ptx::optimise {

using namespace machine;

namespace {

/// A frame inside a frame is aligned like any frame.
std::uint32_t whole_frame(std::uint32_t bytes) {
    return (bytes + 15) / 16 * 16;
}

int fixed_number(const Function &function, const Operand &operand) {
    return operand.kind == OperandKind::kRegister ? function.registers[operand.reg].fixed : -1;
}

bool reads_frame(const Function &function, const Operand &operand) {
    return operand.has_register() && function.registers[operand.reg].fixed == kFrame;
}

/// frame + number.
bool is_place_in_frame(const Function &function, const Instruction &instruction) {
    return instruction.mnemonic == "IADD3" && instruction.operands.size() == 4 &&
           reads_frame(function, instruction.operands[1]) && !instruction.operands[1].negated &&
           instruction.operands[2].kind == OperandKind::kInteger && instruction.operands[3].kind == OperandKind::kZero;
}

/// True when the frame of `body` can be part of another one.
bool fits(const Function &body) {
    for (const Block &block : body.blocks) {
        for (const Instruction &instruction : block.code) {
            for (const Operand &operand : instruction.operands) {
                if (reads_frame(body, operand) && operand.kind != OperandKind::kAddress &&
                    !is_place_in_frame(body, instruction)) {
                    return false;
                }
            }
        }
    }
    return !body.moves_stack;
}

/// Puts one body in place of one call.
class InlinedCall {
  public:
    InlinedCall(Function &caller, const Function &body, std::uint32_t frame)
        : caller_(caller), body_(body), frame_(frame), registers_(body.registers.size(), kNoRegister) {}

    /// `call` ends what `block` contains so far; `after` follows it. Returns the block that `after` belongs in.
    BlockIndex place(BlockIndex block, const Instruction &call, std::span<Instruction> after) {
        const BlockIndex behind = caller_.add_block();
        first_ = static_cast<BlockIndex>(caller_.blocks.size());
        caller_.blocks.resize(caller_.blocks.size() + body_.blocks.size());
        caller_.blocks[behind].end = std::exchange(caller_.blocks[block].end, End{.next = first_, .line = call.line});
        take_arguments(caller_.blocks[block].code, call);
        take_results(after, call);
        for (BlockIndex i = 0; i < body_.blocks.size(); ++i) {
            copy(body_.blocks[i], caller_.blocks[first_ + i], i == 0, behind);
        }
        return behind;
    }

  private:
    Register word() { return caller_.add(RegisterClass::kGeneral); }

    /// What moves into the registers of arguments goes into words of the call instead.
    void take_arguments(std::vector<Instruction> &code, const Instruction &call) {
        for (const Register argument : call.uses) {
            const Register taken = arguments_[caller_.registers[argument].fixed] = word();
            if (Instruction *move = last_definition(code, argument)) {
                move->operands[0].reg = taken;
            } else {
                code.push_back({.mnemonic = "MOV", .operands = {define(taken), use(argument)}, .line = call.line});
            }
        }
    }

    /// The unguarded MOV into a register among the moves at the end of `code`; null for none.
    static Instruction *last_definition(std::vector<Instruction> &code, Register reg) {
        for (auto instruction = code.rbegin(); instruction != code.rend(); ++instruction) {
            if (instruction->mnemonic != "MOV" || instruction->guarded()) {
                return nullptr;
            }
            if (instruction->operands[0].reg == reg) {
                return &*instruction;
            }
        }
        return nullptr;
    }

    /// Results are read from words of the call, up to the next one.
    void take_results(std::span<Instruction> code, const Instruction &call) {
        std::map<Register, Register> words;
        for (const Register result : call.defines) {
            words[result] = results_[caller_.registers[result].fixed] = word();
        }
        for (Instruction &instruction : code) {
            if (instruction.mnemonic == "CALL") {
                return;
            }
            for_each_register(instruction, [&](Operand &operand) {
                if (const auto found = words.find(operand.reg); found != words.end() && !operand.defined) {
                    operand.reg = found->second;
                }
            });
        }
    }

    Register mapped(Register reg) {
        Register &here = registers_[reg];
        if (here == kNoRegister) {
            const RegisterInfo info = body_.registers[reg];
            here = caller_.add(info.kind, info.words, info.fixed);
            caller_.registers[here] = info;
        }
        return here;
    }

    void copy(const Block &from, Block &to, bool entry, BlockIndex behind) {
        std::size_t first = 0;
        if (entry) {
            first = enter(from, to);
        }
        for (std::size_t i = first; i < from.code.size(); ++i) {
            if (from.end.kind == EndKind::kReturn && i + 1 == from.code.size()) {
                continue; // RET
            }
            to.code.push_back(changed(from.code[i]));
        }
        to.end = from.end;
        if (from.end.kind == EndKind::kReturn) {
            give_results(to.code, from.code.back());
            to.end = {.next = behind, .line = from.end.line};
            return;
        }
        for (Operand *operand : {&to.end.predicate, &to.end.index}) {
            if (operand->has_register()) {
                operand->reg = mapped(operand->reg);
            }
        }
        for_each_edge(to, [&](BlockIndex &edge) { edge += first_; });
    }

    /// The moves from fixed registers at the beginning of a function; returns how many instructions these are.
    std::size_t enter(const Block &from, Block &to) {
        std::size_t index = 0;
        for (; index < from.code.size() && from.code[index].mnemonic == "MOV"; ++index) {
            const Operand &source = from.code[index].operands[1];
            const int number = fixed_number(body_, source);
            if (number >= kFirstArgument) {
                Instruction move = from.code[index];
                move.operands[0].reg = mapped(move.operands[0].reg);
                move.operands[1].reg = arguments_.at(number);
                to.code.push_back(std::move(move));
            } else if (number < kReturnAddress) {
                break;
            }
        }
        return index;
    }

    void give_results(std::vector<Instruction> &code, const Instruction &back) {
        for (const Register result : back.uses) {
            const auto wanted = results_.find(body_.registers[result].fixed);
            if (wanted == results_.end()) {
                continue;
            }
            if (Instruction *move = last_definition(code, mapped(result))) {
                move->operands[0].reg = wanted->second;
            } else {
                code.push_back(
                    {.mnemonic = "MOV", .operands = {define(wanted->second), use(mapped(result))}, .line = back.line});
            }
        }
    }

    Instruction changed(const Instruction &from) {
        Instruction to = from;
        if (is_place_in_frame(body_, from) && caller_.kernel) {
            to.mnemonic = "MOV";
            to.operands = {from.operands[0], number(from.operands[2].value + frame_)};
        } else if (is_place_in_frame(body_, from)) {
            to.operands[2] = number(from.operands[2].value + frame_);
        }
        for (Operand &operand : to.operands) {
            if (operand.kind == OperandKind::kAddress && reads_frame(body_, operand)) {
                operand.value += frame_;
                operand.reg = caller_.kernel ? kNoRegister : operand.reg;
            }
        }
        for_each_register(to, [&](Operand &operand) { operand.reg = mapped(operand.reg); });
        for (std::vector<Register> *list : {&to.uses, &to.defines}) {
            for (Register &reg : *list) {
                reg = mapped(reg);
            }
        }
        return to;
    }

    Function &caller_;
    const Function &body_;
    std::uint32_t frame_; ///< of the body in that of the caller
    BlockIndex first_ = 0;
    std::map<int, Register> arguments_; ///< by fixed number
    std::map<int, Register> results_;
    std::vector<Register> registers_; ///< of the body, in the caller
};

void append_new(auto &to, const auto &from) {
    for (const auto &value : from) {
        if (std::ranges::find(to, value) == to.end()) {
            to.push_back(value);
        }
    }
}

} // namespace

unsigned inline_calls(Function &function, const BodyOf &body_of) {
    const std::uint32_t frame = whole_frame(function.frame_bytes); // consecutive bodies share the space after it
    unsigned count = 0;
    const auto blocks = static_cast<BlockIndex>(function.blocks.size());
    for (BlockIndex block = blocks; block-- > 0;) {
        std::vector<Instruction> code = std::move(function.blocks[block].code);
        BlockIndex here = block; // where the code up to the next call belongs
        std::size_t from = 0;    // its first instruction
        const auto put = [&](std::size_t to) {
            count_steps(to - from);
            const auto first = std::make_move_iterator(code.begin());
            const auto at = [&](std::size_t index) { return first + static_cast<std::ptrdiff_t>(index); };
            function.blocks[here].code.assign(at(from), at(to));
        };
        for (std::size_t i = 0; i < code.size(); ++i) {
            if (code[i].mnemonic != "CALL") {
                continue;
            }
            const Function *body = body_of(code[i]);
            if (body == nullptr || !fits(*body)) {
                continue;
            }
            put(i);
            here = InlinedCall(function, *body, frame).place(here, code[i], std::span(code).subspan(i + 1));
            from = i + 1;
            if (body->frame_bytes != 0) {
                function.frame_bytes = std::max(function.frame_bytes, frame + body->frame_bytes);
            }
            append_new(function.address_of, body->address_of);
            append_new(function.shared, body->shared);
            ++count;
        }
        put(code.size());
    }
    return count;
}

} // namespace smsim::ptx::optimise
