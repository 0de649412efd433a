// atom and red. Operations without an instruction in the model become a loop (atomic_loop.h).
#include <algorithm>
#include <array>
#include <cctype>

#include "ptx/select/atomic_loop.h"

namespace smsim::ptx::select {

using namespace machine;

namespace {

/// The operation among the modifiers ("add").
std::string operation_of(const Selection &selection) {
    constexpr std::array<std::string_view, 10> kOperations = {"add", "min", "max", "inc",  "dec",
                                                              "and", "or",  "xor", "exch", "cas"};
    for (const std::string &word : selection.instruction.modifiers) {
        if (std::ranges::find(kOperations, word) != kOperations.end()) {
            return word;
        }
    }
    return {};
}

std::string type_suffix(const std::string &operation, Type type) {
    if (type.kind == TypeClass::kFloat) {
        return type.bits == 64 ? ".F64" : ".F32";
    }
    const bool ordered = operation == "min" || operation == "max";
    if (type.bits == 64) {
        return ordered && type.kind == TypeClass::kSigned ? ".S64" : ".U64";
    }
    return ordered && type.kind == TypeClass::kSigned ? ".S32" : "";
}

/// One atomic instruction for each memory that the address may point to.
void one_instruction(Selector &selector, const Selection &selection, const Address &address, const Operand &to,
                     const std::vector<Operand> &values) {
    const std::string operation = operation_of(selection);
    const std::string suffix = "." + upper_case(operation) + type_suffix(operation, selection.type());
    const std::vector<Route> ways = routes(selector, address);
    for (const Route &way : ways) {
        const bool drop = selection.instruction.opcode == "red" && way.space == kGlobalSet;
        std::vector<Operand> operands;
        if (!drop) {
            operands.push_back(to);
        }
        operands.push_back(address_operand(selector, address, way.space));
        operands.insert(operands.end(), values.begin(), values.end());
        const std::string mnemonic = (way.space == kSharedSet ? "ATOMS" : (drop ? "RED" : "ATOMG")) + suffix;
        Instruction &atomic = ways.size() == 1 ? selector.emit(mnemonic, std::move(operands))
                                               : selector.emit_if(way.guard, mnemonic, std::move(operands));
        atomic.spins = true;
    }
}

} // namespace

bool select_atomic(Selector &selector, const Selection &selection) {
    const std::string &opcode = selection.instruction.opcode;
    if (opcode != "atom" && opcode != "red") {
        return false;
    }
    const bool reduce = opcode == "red";
    const Type type = selection.type();
    const Address address =
        written_address(selector, address_of(selector, selection.instruction, selection.operand(reduce ? 0 : 1)), true);
    if (selection.has("release") || selection.has("acq_rel")) {
        selector.emit("MEMBAR.GPU", {});
    }
    if (needs_loop(type)) {
        select_atomic_loop(selector, selection, address);
    } else {
        std::vector<Operand> values;
        for (std::size_t i = reduce ? 1 : 2; i < selection.operands(); ++i) {
            values.push_back(selector.read_register(selection.operand(i), type));
        }
        const unsigned words = words_of_type(type);
        const Register old = selector.temporary(words);
        selector.undefined(old);
        one_instruction(selector, selection, address, define(old, words), values);
        if (!reduce) {
            selector.write_value(selection.operand(0), use(old, words), type);
        }
    }
    if (selection.has("acquire") || selection.has("acq_rel")) {
        selector.emit("MEMBAR.GPU", {});
    }
    return true;
}

} // namespace smsim::ptx::select
