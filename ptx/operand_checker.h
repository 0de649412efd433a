// Single operands: what is allowed where an instruction requires a value, a register, an address or a label.
#pragma once

#include <optional>
#include <string_view>

#include "ptx/instruction_checker.h"

namespace smsim::ptx {

/// True when `selector` is one that an operand of letter `code` (q, z, Q or Z of instruction_table.h) of a video
/// instruction may have.
bool is_video_selector(std::string_view opcode, char code, std::string_view selector);

/// Checks operands of one instruction. Every function reports errors to the context's diagnostics.
class OperandChecker {
  public:
    OperandChecker(const CheckContext &context, const Instruction &instruction, const std::vector<Type> &types)
        : context_(context), instruction_(instruction), types_(types) {}

    /// Checks one operand against its word of the table (instruction_table.h).
    void check(std::string_view word, const Operand &operand);

    /// A value of type `asked`: register, special register or constant. `wider`: a wider register is accepted.
    void read(const Operand &operand, Type asked, bool wider = false);

    /// A register of type `asked` that is written. `wider`: a wider one is accepted.
    void write(const Operand &operand, Type asked, bool wider = false);

    /// The type of the register or special register that `operand` names; nothing when there is none (reported).
    std::optional<Type> register_type(const Operand &operand, bool written);

  private:
    void error(const Operand &operand, const std::string &message) const;
    void check_single(char code, const Operand &operand);
    void constant(const Operand &operand, Type asked);
    void vector(const Operand &operand, bool written);
    void packed(const Operand &operand, bool written);
    void video(char code, const Operand &operand);
    void symbol_or_value(const Operand &operand);
    void address(const Operand &operand);
    void address_of_variable(const Operand &operand, const Symbol &symbol);
    void label(const Operand &operand, bool targets);
    std::optional<Type> component_type(const Operand &operand, Type type, unsigned count);
    Type type(std::size_t index) const;
    Type doubled() const;

    const CheckContext &context_;
    const Instruction &instruction_;
    const std::vector<Type> &types_;
};

} // namespace smsim::ptx
