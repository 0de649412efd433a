// Checks mma, wmma, ldmatrix, stmatrix and movmatrix: that they exist, that the target has them, and their operands.
#include <array>
#include <string>

#include "ptx/instruction_checker.h"
#include "ptx/instruction_table.h"
#include "ptx/matrix_form.h"
#include "ptx/operand_checker.h"
#include "ptx/printer.h"

namespace smsim::ptx {

namespace {

class MatrixChecker {
  public:
    MatrixChecker(const CheckContext &context, const Instruction &instruction, const MatrixForm &form)
        : context_(context), instruction_(instruction), form_(form), operands_(context, instruction, no_types_) {}

    void run() {
        switch (form_.verb) {
        case MatrixVerb::kMma:
            return product(form_.operation.sparse ? 6 : 4);
        case MatrixVerb::kWmmaMma:
            return product(4);
        case MatrixVerb::kWmmaLoad:
            return access(3, 0);
        case MatrixVerb::kWmmaStore:
            return access(3, 1);
        case MatrixVerb::kLoad:
            return access(2, 0);
        case MatrixVerb::kStore:
            return access(2, 1);
        case MatrixVerb::kMove:
            if (has(2, 2)) {
                fragment(0, MatrixName::kA, true);
                fragment(1, MatrixName::kA, false);
            }
        }
    }

  private:
    bool has(std::size_t least, std::size_t most) const {
        const std::size_t count = instruction_.operands.size();
        if (count >= least && count <= most) {
            return true;
        }
        context_.diagnostics.add(instruction_.place, "'" + full_name(instruction_) + "' has " + std::to_string(count) +
                                                         " operands; expected " + std::to_string(most));
        return false;
    }

    /// d, a, b, c, and of a sparse product its metadata and their selector.
    void product(std::size_t count) {
        if (!has(count, count)) {
            return;
        }
        fragment(0, MatrixName::kD, true);
        fragment(1, MatrixName::kA, false);
        fragment(2, MatrixName::kB, false);
        fragment(3, MatrixName::kC, false);
        if (count > 4) {
            operands_.check("u", instruction_.operands[4]);
            selector(instruction_.operands[5]);
        }
    }

    void selector(const Operand &operand) {
        isa::matrix::MatrixOperation op = form_.operation;
        const bool number = operand.kind == OperandKind::kInteger && operand.value >= 0 && operand.value < 4;
        op.selector = number ? static_cast<unsigned>(operand.value) : 0;
        if (!number || !isa::matrix::is_valid(op)) {
            for (op.selector = 3; !isa::matrix::is_valid(op);) {
                --op.selector;
            }
            error(operand, "'" + print_operand(operand) + "' selects no metadata; expected an integer of 0 to " +
                               std::to_string(op.selector));
        }
    }

    /// An access with `count` operands, the last of wmma optional; operand `at` is the address.
    void access(std::size_t count, std::size_t registers) {
        const bool wmma = form_.verb == MatrixVerb::kWmmaLoad || form_.verb == MatrixVerb::kWmmaStore;
        if (!has(wmma ? count - 1 : count, count)) {
            return;
        }
        const bool written = form_.verb == MatrixVerb::kWmmaLoad || form_.verb == MatrixVerb::kLoad;
        fragment(registers, wmma ? form_.matrix : MatrixName::kA, written);
        operands_.check("m", instruction_.operands[1 - registers]);
        if (instruction_.operands.size() > 2) {
            operands_.check("u", instruction_.operands[2]);
        }
    }

    void fragment(std::size_t index, MatrixName name, bool written) {
        const Operand &operand = instruction_.operands[index];
        const FragmentForm asked = form_.fragment(name);
        const bool vector = operand.kind == OperandKind::kVector;
        if (vector ? operand.elements.size() != asked.registers : asked.registers != 1) {
            return error(operand, "'" + print_operand(operand) + "' has " +
                                      std::to_string(vector ? operand.elements.size() : 1) + " registers; expected " +
                                      std::to_string(asked.registers));
        }
        if (!vector) {
            return element(operand, asked.type, written);
        }
        for (const Operand &one : operand.elements) {
            element(one, asked.type, written);
        }
    }

    void element(const Operand &operand, Type type, bool written) {
        if (operand.kind != OperandKind::kName) {
            return error(operand, "'" + print_operand(operand) + "' is not a register; expected one");
        }
        written ? operands_.write(operand, type) : operands_.read(operand, type);
    }

    void error(const Operand &operand, const std::string &message) const {
        context_.diagnostics.add(operand.place, "'" + full_name(instruction_) + "': " + message);
    }

    const CheckContext &context_;
    const Instruction &instruction_;
    const MatrixForm &form_;
    const std::vector<Type> no_types_;
    OperandChecker operands_;
};

} // namespace

void check_matrix(const CheckContext &context, const Instruction &instruction) {
    std::string reason;
    const std::optional<MatrixForm> form = matrix_form(instruction.opcode, instruction.modifiers, reason);
    const std::string name = "'" + full_name(instruction) + "'";
    if (!form && !reason.empty()) {
        return context.refuse(instruction.place, name + " is not supported: " + reason);
    }
    if (!form) {
        return context.diagnostics.add(instruction.place, "there is no " + name +
                                                              "; expected a shape, layouts and types that go together");
    }
    if (refuse_for_target(context, instruction, form->target)) {
        return;
    }
    MatrixChecker(context, instruction, *form).run();
}

} // namespace smsim::ptx
