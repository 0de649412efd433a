#include "ptx/machine/spill.h"

#include <algorithm>
#include <map>

#include "ptx/machine/abi.h"
#include "ptx/machine/operands.h"

namespace smsim::ptx::machine {

namespace {

/// Words that one access moves.
constexpr unsigned kMostWords = 4;

class Spiller {
  public:
    Spiller(Function &function, const std::vector<Register> &registers) : function_(function) {
        for (const Register reg : registers) {
            const RegisterInfo &info = function.registers[reg];
            const std::uint32_t bytes = 4U * info.words;
            const std::uint32_t aligned = 4U * std::min<unsigned>(info.words, kMostWords);
            function.frame_bytes = (function.frame_bytes + aligned - 1) / aligned * aligned;
            places_[reg] = function.frame_bytes;
            function.frame_bytes += bytes;
        }
    }

    void run() {
        for (Block &block : function_.blocks) {
            code_.clear();
            for (Instruction &instruction : block.code) {
                this->instruction(instruction);
            }
            end(block.end);
            block.code = std::move(code_);
        }
    }

  private:
    bool spilled(const Operand &operand) const { return operand.has_register() && places_.contains(operand.reg); }

    void instruction(Instruction &instruction) {
        if (instruction.mnemonic == kUndefined && spilled(instruction.operands[0])) {
            return; // memory needs no announcement
        }
        std::map<Register, Register> here; // short-lived register of each
        std::vector<Instruction> behind;
        for_each_register(instruction, [&](Operand &operand) {
            if (!places_.contains(operand.reg)) {
                return;
            }
            const auto [entry, fresh] = here.try_emplace(operand.reg, kNoRegister);
            if (fresh) {
                entry->second = short_lived(operand.reg);
            }
        });
        for (const auto &[reg, brief] : here) {
            if (reads(instruction, reg)) {
                load(reg, brief, instruction.line);
            } else if (function_.registers[reg].words > 1 || instruction.guarded()) {
                code_.push_back(undefined(brief));
            }
        }
        for_each_register(instruction, [&](Operand &operand) {
            if (operand.defined && places_.contains(operand.reg)) {
                store(operand, here.at(operand.reg), instruction, behind);
            }
        });
        for_each_register(instruction, [&](Operand &operand) {
            const auto entry = here.find(operand.reg);
            operand.reg = entry == here.end() ? operand.reg : entry->second;
        });
        code_.push_back(std::move(instruction));
        std::ranges::move(behind, std::back_inserter(code_));
    }

    void end(End &end) {
        for (Operand *operand : {&end.predicate, &end.index}) {
            if (spilled(*operand)) {
                const Register brief = short_lived(operand->reg);
                load(operand->reg, brief, end.line);
                operand->reg = brief;
            }
        }
    }

    static bool reads(const Instruction &instruction, Register reg) {
        bool found = false;
        for_each_register(instruction,
                          [&](const Operand &operand) { found |= !operand.defined && operand.reg == reg; });
        return found;
    }

    Register short_lived(Register reg) {
        const RegisterInfo info = function_.registers[reg];
        const Register brief = function_.add(info.kind, info.words);
        function_.registers[brief].spilled = true;
        return brief;
    }

    Register word() {
        const Register reg = function_.add(RegisterClass::kGeneral);
        function_.registers[reg].spilled = true;
        return reg;
    }

    Instruction undefined(Register reg) const {
        const RegisterInfo &info = function_.registers[reg];
        const Operand operand =
            info.kind == RegisterClass::kPredicate ? define_predicate(reg) : define(reg, info.words);
        return {.mnemonic = std::string(kUndefined), .operands = {operand}};
    }

    /// The frame register is fixed; each use is a new operand.
    Operand place(Register reg, unsigned word) {
        Register base = kNoRegister;
        if (!function_.kernel) {
            if (frame_ == kNoRegister) {
                frame_ = function_.add(RegisterClass::kGeneral, 1, kFrame);
            }
            base = frame_;
        }
        return address(base, places_.at(reg) + 4 * word);
    }

    static std::string width(unsigned words) { return words == 4 ? ".128" : (words == 2 ? ".64" : ""); }

    void load(Register reg, Register brief, std::uint32_t line) {
        const RegisterInfo info = function_.registers[reg];
        if (info.kind == RegisterClass::kPredicate) {
            const Register flag = word();
            code_.push_back({.mnemonic = "LDL", .operands = {define(flag), place(reg, 0)}, .line = line});
            code_.push_back({.mnemonic = "ISETP.NE.U32.AND",
                             .operands = {define_predicate(brief), always(), use(flag), zero(), always()},
                             .line = line});
            return;
        }
        const unsigned step = std::min<unsigned>(info.words, kMostWords);
        for (unsigned i = 0; i < info.words; i += step) {
            code_.push_back(
                {.mnemonic = "LDL" + width(step), .operands = {define(brief, step, i), place(reg, i)}, .line = line});
        }
    }

    /// Stores what `operand` has written, under the guard of the instruction.
    void store(const Operand &operand, Register brief, const Instruction &instruction,
               std::vector<Instruction> &behind) {
        const RegisterInfo info = function_.registers[operand.reg];
        // The guard may be spilled too: its short-lived copy is still there unless the instruction writes it.
        Operand guard = instruction.guard;
        if (spilled(guard)) {
            const Register copy = short_lived(guard.reg);
            load(guard.reg, copy, instruction.line);
            guard.reg = copy;
        }
        if (info.kind == RegisterClass::kPredicate) {
            const Register flag = word();
            // !p selects 0, p the number.
            behind.push_back({.mnemonic = "SEL",
                              .operands = {define(flag), zero(), number(1), if_false(brief)},
                              .guard = guard,
                              .line = instruction.line,
                              .kills = true});
            behind.push_back({.mnemonic = "STL",
                              .operands = {place(operand.reg, 0), use(flag)},
                              .guard = guard,
                              .line = instruction.line});
            return;
        }
        const unsigned words = operand.words;
        const unsigned step = words == info.words ? std::min(words, kMostWords) : 1;
        for (unsigned i = 0; i < words; i += step) {
            behind.push_back({.mnemonic = "STL" + width(step),
                              .operands = {place(operand.reg, operand.first + i), use(brief, step, operand.first + i)},
                              .guard = guard,
                              .line = instruction.line});
        }
    }

    Function &function_;
    std::map<Register, std::uint32_t> places_;
    std::vector<Instruction> code_;
    Register frame_ = kNoRegister;
};

} // namespace

void insert_spills(Function &function, const std::vector<Register> &registers) {
    Spiller(function, registers).run();
}

} // namespace smsim::ptx::machine
