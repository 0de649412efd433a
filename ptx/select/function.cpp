#include "ptx/select/function.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "model/error.h"
#include "model/program/compiler_traps.h"
#include "model/program/program.h"
#include "ptx/instruction_table.h"
#include "ptx/matrix_form.h"
#include "ptx/select/address_space.h"
#include "ptx/select/calls.h"
#include "ptx/select/selector.h"

namespace smsim::ptx::select {

using namespace machine;

namespace {

/// What a constant bank holds.
constexpr std::uint64_t kMostTableWords = 16384;

class FunctionSelector {
  public:
    FunctionSelector(const ptx::Function &function, Scopes &scopes, Module &module, machine::Function &code)
        : function_(function), module_(module), code_(code), names_(scopes, module, code),
          selector_(code, names_, module.file, module.matrix_steps) {}

    void run() {
        selector_.set_block(selector_.new_block());
        return_block_ = code_.kernel ? kNoBlock : selector_.new_block();
        selector_.set_line(function_.place.line);
        names_.enter();
        declare_parameters();
        infer_address_spaces(*function_.body, names_, code_.kernel, selector_.spaces());
        names_.enter();
        block(*function_.body);
        names_.leave();
        leave_function(); // after the last statement
        names_.leave();
    }

  private:
    void declare_parameters() {
        for (const auto *list : {&function_.signature.returns, &function_.signature.parameters}) {
            for (const Variable &variable : *list) {
                names_.scopes().declare(variable.name, {&variable, nullptr, function_.entry});
            }
        }
        if (code_.kernel) {
            std::uint64_t offset = 0;
            for (const Variable &variable : function_.signature.parameters) {
                offset = align_up(offset, alignment_of(variable));
                names_.place_kernel_parameter(variable, offset);
                offset += size_in_bytes(variable);
            }
            return;
        }
        enter_function(selector_, function_.signature);
    }

    void block(const ptx::Block &block) {
        for (const Statement &statement : block.statements) {
            if (const auto *label = std::get_if<Label>(&statement.what)) { // branches may lead forward
                names_.place_label(label->name, selector_.new_block());
            }
        }
        for (const Statement &statement : block.statements) {
            this->statement(statement);
            limit();
        }
    }

    /// What follows takes time and memory proportional to blocks times registers, so both are limited.
    void limit() {
        if (selector_.emitted() > kMostInstructions || code_.registers.size() > kMostInstructions ||
            code_.blocks.size() > kMostBlocks) {
            refuse(function_.place, "'" + function_.name + "' is too large; expected at most " +
                                        std::to_string(kMostInstructions) + " instructions of the model and " +
                                        std::to_string(kMostBlocks) + " blocks");
        }
    }

    void statement(const Statement &statement) {
        if (const auto *instruction = std::get_if<ptx::Instruction>(&statement.what)) {
            this->instruction(*instruction);
        } else if (const auto *label = std::get_if<Label>(&statement.what)) {
            names_.scopes().declare_label(label->name, {});
            selector_.fall_to(names_.block_of(label->name));
        } else if (const auto *variable = std::get_if<Variable>(&statement.what)) {
            names_.scopes().declare(variable->name, {variable, nullptr, false});
            if (variable->space == Space::kReg && variable->vector > 1) {
                refuse(variable->place, "'" + variable->name + "': vectors in registers are not covered");
            }
            if (variable->space == Space::kParam) {
                for (const Register word : names_.place_words(*variable).registers) {
                    selector_.undefined(word);
                }
            }
        } else if (const auto *inner = std::get_if<ptx::Block>(&statement.what)) {
            names_.enter();
            block(*inner);
            names_.leave();
        } else if (const auto *targets = std::get_if<TargetList>(&statement.what)) {
            names_.scopes().declare_label(targets->name, {targets, nullptr});
        } else if (const auto *prototype = std::get_if<Prototype>(&statement.what)) {
            names_.scopes().declare_label(prototype->name, {nullptr, prototype});
        }
    }

    [[noreturn]] void refuse(const Position &place, const std::string &cause) const {
        throw InputError(module_.file + ":" + std::to_string(place.line) + ":" + std::to_string(place.column) + ": " +
                         cause);
    }

    void instruction(const ptx::Instruction &instruction) {
        selector_.set_line(instruction.place.line);
        if (control(instruction)) {
            return;
        }
        std::vector<Type> types;
        for (const InstructionForm &form : forms_of(instruction.opcode)) {
            if (covers_row(form.row) && match_modifiers(form, instruction.modifiers, types)) {
                if (meets(instruction)) {
                    around(instruction, [&] { compute(instruction, types, false); });
                } else {
                    compute(instruction, types, true);
                }
                return;
            }
        }
        selector_.refuse(instruction, "has modifiers that do not go together");
    }

    /// True where the members of a mask meet. A guard on it becomes a branch around it, because it separates them.
    static bool meets(const ptx::Instruction &instruction) {
        const auto has = [&](std::string_view modifier) {
            return std::ranges::find(instruction.modifiers, modifier) != instruction.modifiers.end();
        };
        constexpr std::array<std::string_view, 4> kOverLanes = {"vote", "match", "redux", "shfl"};
        return std::ranges::find(kOverLanes, instruction.opcode) != kOverLanes.end() ||
               is_matrix_opcode(instruction.opcode) ||
               ((instruction.opcode == "bar" || instruction.opcode == "barrier") && has("warp"));
    }

    void compute(const ptx::Instruction &instruction, const std::vector<Type> &types, bool guarded) {
        const Selection selection{instruction, types};
        if (guarded && instruction.guard) {
            selector_.set_guard(guard_of(instruction));
        }
        const bool done = select_move(selector_, selection) || select_memory(selector_, selection) ||
                          select_atomic(selector_, selection) || select_warp(selector_, selection) ||
                          select_barrier(selector_, selection) || select_integer(selector_, selection) ||
                          select_compare(selector_, selection) || select_convert(selector_, selection) ||
                          select_float(selector_, selection) || select_half(selector_, selection) ||
                          select_matrix(selector_, selection) || select_video(selector_, selection);
        selector_.set_guard(always());
        if (!done) {
            selector_.refuse(instruction, "is not covered by the compiler");
        }
    }

    /// The guard as predicate. An instruction that writes its own guard gets a copy of it.
    Operand guard_of(const ptx::Instruction &instruction) {
        const Register reg = names_.register_of(instruction.guard->name);
        const auto writes = [&](const ptx::Operand &operand) {
            return operand.name == instruction.guard->name ||
                   std::ranges::any_of(operand.elements, [&](const ptx::Operand &element) {
                       return element.name == instruction.guard->name;
                   });
        };
        Operand guard = instruction.guard->negated ? if_false(reg) : if_true(reg);
        if (std::ranges::none_of(instruction.operands, writes)) {
            return guard;
        }
        const Register copy = selector_.temporary_predicate();
        selector_.emit("PSETP.AND.AND", {define_predicate(copy), always(), always(), guard, always()});
        return if_true(copy);
    }

    /// Branches, calls and ends; false for everything else.
    bool control(const ptx::Instruction &instruction) {
        const std::string &opcode = instruction.opcode;
        if (opcode == "bra") {
            branch(instruction);
        } else if (opcode == "brx") {
            around(instruction, [&] { table(instruction); });
        } else if (opcode == "call") {
            around(instruction, [&] { select_call(selector_, instruction); });
        } else if (opcode == "exit" || (opcode == "ret" && code_.kernel)) {
            exit(instruction);
        } else if (opcode == "ret") {
            around(instruction, [&] { leave_and_go_on(); });
        } else if (opcode == "trap" || opcode == "brkpt") {
            if (instruction.guard) {
                selector_.set_guard(guard_of(instruction));
            }
            selector_.emit("TRAP", {number(opcode == "trap" ? 1 : 2)});
            selector_.set_guard(always());
        } else {
            return false;
        }
        return true;
    }

    void branch(const ptx::Instruction &instruction) {
        const BlockIndex target = names_.block_of(instruction.operands[0].name);
        const bool uniform = std::ranges::find(instruction.modifiers, "uni") != instruction.modifiers.end();
        const BlockIndex next = selector_.new_block();
        if (!instruction.guard) {
            selector_.fall_to(target);
            selector_.set_block(next);
            return;
        }
        selector_.branch(guard_of(instruction), target, next,
                         uniform ? Emitter::Ways::kUniform : Emitter::Ways::kDiffer);
    }

    /// Puts what `body` writes into a block that is entered only where the guard holds.
    template <typename Body> void around(const ptx::Instruction &instruction, Body body) {
        if (!instruction.guard) {
            return body();
        }
        const BlockIndex inside = selector_.new_block();
        const BlockIndex behind = selector_.new_block();
        selector_.branch(negated(guard_of(instruction)), behind, inside);
        body();
        selector_.fall_to(behind);
    }

    void table(const ptx::Instruction &instruction) {
        const LabelSymbol *label = names_.scopes().find_label(instruction.operands[1].name);
        const Type u32 = *find_type("u32");
        const Operand index = selector_.read_register(instruction.operands[0], u32);
        const std::size_t count = label->targets->targets.size();
        module_.table_words += count;
        if (module_.table_words > kMostTableWords) {
            selector_.refuse(instruction, "makes the tables of all branches longer than " +
                                              std::to_string(kMostTableWords) + " entries");
        }
        const Register outside = selector_.temporary_predicate();
        selector_.emit("ISETP.GE.U32.AND", {define_predicate(outside), always(), index,
                                            number(static_cast<std::int64_t>(count)), always()});
        selector_.emit_if(if_true(outside), "TRAP", {number(kTableTrap)});
        const Register scaled = selector_.temporary();
        selector_.emit("SHL", {define(scaled), index, number(2)});
        End &end = code_.blocks[selector_.block()].end;
        end.kind = EndKind::kTable;
        end.index = use(scaled);
        end.uniform = std::ranges::find(instruction.modifiers, "uni") != instruction.modifiers.end();
        end.line = instruction.place.line;
        for (const Label &target : label->targets->targets) {
            end.table.push_back(names_.block_of(target.name));
        }
        selector_.set_block(selector_.new_block());
    }

    void exit(const ptx::Instruction &instruction) {
        if (instruction.guard) {
            selector_.set_guard(guard_of(instruction));
            selector_.emit("EXIT", {});
            selector_.set_guard(always());
            return;
        }
        end_here(EndKind::kExit);
        selector_.set_block(selector_.new_block());
    }

    void end_here(EndKind kind) {
        End &end = code_.blocks[selector_.block()].end;
        end.kind = kind;
        end.line = selector_.line();
    }

    void leave_and_go_on() {
        selector_.fall_to(return_block_);
        selector_.set_block(selector_.new_block());
    }

    /// A function has one return, so that threads that leave it in different ways meet there.
    void leave_function() {
        if (code_.kernel) {
            return end_here(EndKind::kExit);
        }
        selector_.fall_to(return_block_);
        return_words(selector_, function_.signature);
        end_here(EndKind::kReturn);
    }

    const ptx::Function &function_;
    Module &module_;
    machine::Function &code_;
    Names names_;
    Selector selector_;
    BlockIndex return_block_ = 0;
};

} // namespace

std::uint32_t parameter_bytes(const Signature &signature, const std::string &file) {
    constexpr std::uint64_t kMost = constant_bank0::kMaxArgumentBytes;
    std::uint64_t offset = 0;
    for (const Variable &variable : signature.parameters) {
        offset = align_up(offset, alignment_of(variable));
        const std::uint64_t bytes = size_in_bytes(variable);
        if (offset > kMost || bytes > kMost - offset) {
            throw InputError(fmt::format("{}:{}:{}: '{}' of {} bytes at byte {} makes the parameters of its kernel "
                                         "larger than {} bytes",
                                         file, variable.place.line, variable.place.column, variable.name, bytes, offset,
                                         kMost));
        }
        offset += bytes;
    }
    return static_cast<std::uint32_t>(offset);
}

void select_function(const ptx::Function &function, Scopes &scopes, Module &module, machine::Function &code) {
    FunctionSelector(function, scopes, module, code).run();
}

} // namespace smsim::ptx::select
