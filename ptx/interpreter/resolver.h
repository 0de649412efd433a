// Prepares one function of a module: its frame, its steps, its jumps.
#pragma once

#include <string>
#include <vector>

#include "ptx/ast.h"
#include "ptx/interpreter/names.h"
#include "ptx/interpreter/operands.h"
#include "ptx/interpreter/program.h"

namespace smsim::ptx::interpreter {

/// Memory of the module in which variables inside of functions are placed, too.
struct ModuleMemory {
    std::uint64_t global = 0; ///< bytes so far
    std::uint64_t shared = 0;
    std::vector<std::uint8_t> initial_global;
};

class FunctionResolver {
  public:
    FunctionResolver(const ptx::Function &function, Names &names, ModuleMemory &memory, CompiledFunction &out)
        : function_(function), names_(names), memory_(memory), out_(out), operands_(names, out.slots) {}

    /// Fills `out` from the signature alone.
    void signature();
    /// Fills `out` with the steps of the body.
    void body();

  private:
    Parameter formal(const ptx::Variable &variable);
    void block(const ptx::Block &block);
    void statement(const ptx::Statement &statement);
    void variable(const ptx::Variable &variable);
    void instruction(const ptx::Instruction &instruction);
    void operands(const ptx::Instruction &instruction, std::string_view pattern, const std::vector<ptx::Type> &types,
                  Step &step);
    void operand(const ptx::Operand &operand, std::string_view word, const std::vector<ptx::Type> &types, Step &step);
    void guard(const ptx::Instruction &instruction, Step &step);
    void matrix(const ptx::Instruction &instruction);
    void matrix_operands(const ptx::Instruction &instruction, Step &step);
    void call(const ptx::Instruction &instruction, Step &step);
    Parameter actual(const ptx::Operand &operand, bool result);
    unsigned label(const std::string &name);

    const ptx::Function &function_;
    Names &names_;
    ModuleMemory &memory_;
    CompiledFunction &out_;
    Operands operands_;
    std::vector<unsigned> label_positions_;
};

/// The kind of a step and what memory it touches, by opcode and modifiers.
void classify(const ptx::Instruction &instruction, Step &step);

} // namespace smsim::ptx::interpreter
