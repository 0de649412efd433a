#include "ptx/select/address_space.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "ptx/instruction_table.h"
#include "ptx/select/names.h"

namespace smsim::ptx::select {

namespace {

using machine::Register;

/// How an instruction combines the sets of its sources.
struct Flow {
    Register to = machine::kNoRegister;
    std::uint8_t set = kNone; ///< that it gives whatever the sources are
    std::vector<Register> from{};
};

std::uint8_t set_of(std::string_view space) {
    if (space.starts_with("shared")) {
        return kSharedSet;
    }
    if (space == "local") {
        return kLocalSet;
    }
    if (space == "const") {
        return kGlobalSet | kConstantSet;
    }
    return space == "param" ? kParameterSet : kGlobalSet;
}

class Inference {
  public:
    Inference(Names &names, bool kernel, AddressSpaces &spaces) : names_(names), kernel_(kernel), spaces_(spaces) {}

    void block(const ptx::Block &block) {
        names_.enter();
        for (const Statement &statement : block.statements) {
            if (const auto *variable = std::get_if<Variable>(&statement.what)) {
                names_.scopes().declare(variable->name, {variable, nullptr, false});
            } else if (const auto *inner = std::get_if<ptx::Block>(&statement.what)) {
                this->block(*inner);
            } else if (const auto *instruction = std::get_if<ptx::Instruction>(&statement.what)) {
                this->instruction(*instruction);
            }
        }
        names_.leave();
    }

    void solve() {
        std::map<Register, std::vector<Register>> leads_to;
        std::vector<Register> open;
        for (const Flow &flow : flows_) {
            for (const Register from : flow.from) {
                leads_to[from].push_back(flow.to);
            }
            spaces_[flow.to] |= flow.set;
        }
        for (const auto &[reg, set] : spaces_) {
            open.push_back(reg);
        }
        while (!open.empty()) {
            const Register from = open.back();
            open.pop_back();
            const std::uint8_t set = spaces_[from];
            for (const Register reg : leads_to[from]) {
                std::uint8_t &to = spaces_[reg];
                if ((to | set) != to) {
                    to |= set;
                    open.push_back(reg);
                }
            }
        }
    }

  private:
    bool is_register(const ptx::Operand &operand) const {
        if (operand.kind != ptx::OperandKind::kName) {
            return false;
        }
        const Symbol symbol = names_.scopes().find(operand.name);
        return symbol.variable != nullptr && symbol.variable->space == Space::kReg;
    }

    void instruction(const ptx::Instruction &instruction) {
        if (instruction.opcode == "call") {
            return call(instruction);
        }
        if (instruction.operands.empty()) {
            return;
        }
        const ptx::Operand &destination = instruction.operands[0];
        if (destination.kind == ptx::OperandKind::kVector) {
            for (const ptx::Operand &element : destination.elements) {
                written(instruction, element);
            }
            return;
        }
        written(instruction, destination);
    }

    void call(const ptx::Instruction &instruction) {
        if (instruction.operands[0].kind == ptx::OperandKind::kList) {
            for (const ptx::Operand &result : instruction.operands[0].elements) {
                if (is_register(result)) {
                    flows_.push_back({names_.register_of(result.name), kAnySet, {}});
                }
            }
        }
    }

    void written(const ptx::Instruction &instruction, const ptx::Operand &destination) {
        if (!is_register(destination)) {
            return;
        }
        Flow flow{.to = names_.register_of(destination.name)};
        const std::string &opcode = instruction.opcode;
        const auto has = [&](std::string_view word) {
            return std::ranges::find(instruction.modifiers, word) != instruction.modifiers.end();
        };
        if (opcode == "cvta") {
            // After .to the register holds an address inside the space, which its users name.
            flow.set = has("to") ? kAnySet : set_of(modifier_among("SPACE", instruction.modifiers));
        } else if (opcode == "ld") {
            flow.set = kernel_ && has("param") ? kGlobalSet : kAnySet;
        } else if (opcode == "mov" && !is_register(instruction.operands[1])) {
            flow.set = of_variable(instruction.operands[1]);
        } else if (passes_addresses(opcode)) {
            for (std::size_t i = 1; i < instruction.operands.size(); ++i) {
                if (is_register(instruction.operands[i])) {
                    flow.from.push_back(names_.register_of(instruction.operands[i].name));
                }
            }
        } else if (!makes_numbers(opcode)) {
            flow.set = kAnySet;
        }
        flows_.push_back(std::move(flow));
    }

    std::uint8_t of_variable(const ptx::Operand &operand) const {
        const Symbol symbol = names_.scopes().find(operand.name);
        if (symbol.variable == nullptr) {
            return kNone;
        }
        // An address of shared memory that is used as a generic one without cvta is one of global memory.
        return symbol.variable->space == Space::kGlobal ? kGlobalSet : kAnySet;
    }

    static bool passes_addresses(std::string_view opcode) {
        constexpr std::array<std::string_view, 10> kPassing = {"mov",  "add", "sub", "and", "or",
                                                               "selp", "mad", "min", "max", "slct"};
        return std::ranges::find(kPassing, opcode) != kPassing.end();
    }

    /// Instructions whose results are not addresses: offsets are computed from them.
    static bool makes_numbers(std::string_view opcode) {
        constexpr std::array<std::string_view, 11> kNumbers = {"cvt", "mul", "shl", "shr",  "neg", "div",
                                                               "rem", "not", "bfe", "popc", "setp"};
        return std::ranges::find(kNumbers, opcode) != kNumbers.end();
    }

    Names &names_;
    bool kernel_;
    AddressSpaces &spaces_;
    std::vector<Flow> flows_;
};

} // namespace

void infer_address_spaces(const ptx::Block &body, Names &names, bool kernel, AddressSpaces &spaces) {
    Inference inference(names, kernel, spaces);
    inference.block(body);
    inference.solve();
}

} // namespace smsim::ptx::select
