// atom and red. What the model has no instruction for becomes a loop of compare-and-swap.
#include <algorithm>
#include <array>
#include <cctype>

#include "ptx/select/address.h"

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

/// One atomic instruction to each memory that the address may name.
void one_instruction(Selector &selector, const Selection &selection, const Address &address, const Operand &to,
                     const std::vector<Operand> &values) {
    const std::string operation = operation_of(selection);
    const std::string suffix = "." + upper_case(operation) + type_suffix(operation, selection.type());
    const std::vector<Route> ways = routes(selector, address);
    for (const Route &way : ways) {
        if (way.space != kGlobalSet && way.space != kSharedSet) {
            continue; // there are no atomics on local memory
        }
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

/// atom.cas.b16 by compare-and-swap of the word around it: again while another part of the word changes.
void narrow_swap(Selector &selector, const Selection &selection, const Address &address) {
    const Type b16 = selection.type();
    const Operand guard = selector.guard();
    selector.set_guard(always());
    const BlockIndex loop = selector.new_block();
    const BlockIndex behind = selector.new_block();
    const BlockIndex first = selector.new_block();
    selector.branch(negated(guard), behind, first);

    const bool based = address.base != machine::kNoRegister; // variables of shared memory have a plain number
    const Operand at = based ? use(address.base, 1, 0) : zero();
    const Register byte = selector.temporary();
    selector.emit("IADD3", {define(byte), at, number(address.offset), zero()});
    const Register word_address = selector.temporary(2);
    selector.undefined(word_address);
    selector.emit("LOP3", {define(word_address, 1, 0), use(byte), number(-4), zero(), number(0xc0)});
    selector.emit("MOV",
                  {define(word_address, 1, 1), based && address.base_words == 2 ? use(address.base, 1, 1) : zero()});
    const Register half = selector.temporary();
    const Register shift = selector.temporary();
    selector.emit("LOP3", {define(half), use(byte), number(2), zero(), number(0xc0)});
    selector.emit("SHL", {define(shift), use(half), number(3)});
    const Register place = selector.temporary();
    const Register mask = selector.temporary();
    selector.emit("MOV", {define(place), number(0xffff)});
    selector.emit("SHL", {define(mask), use(place), use(shift)});
    const auto placed = [&](const ptx::Operand &operand) {
        const Register value = selector.temporary();
        selector.emit("SHL", {define(value), selector.in_register(selector.read_extended(operand, *find_type("u16"))),
                              use(shift)});
        return value;
    };
    const Register expected = placed(selection.operand(2));
    const Register wanted = placed(selection.operand(3));
    Address around = address;
    around.base = word_address;
    around.offset = 0;
    const Register old = selector.temporary();
    const auto access = [&](const Operand &to, const std::vector<Operand> &values, const std::string &name) {
        const std::vector<Route> ways = routes(selector, around);
        selector.undefined(to.reg);
        for (const Route &way : ways) {
            if (way.space != kGlobalSet && way.space != kSharedSet) {
                continue;
            }
            std::vector<Operand> operands = {to, address_operand(selector, around, way.space)};
            operands.insert(operands.end(), values.begin(), values.end());
            selector.emit_if(way.guard, (way.space == kSharedSet ? "ATOMS" : "ATOMG") + name, std::move(operands))
                .spins = true;
        }
    };
    access(define(old), {zero()}, ".OR"); // reads the word
    selector.fall_to(loop);
    const Register now = selector.temporary();
    selector.emit("LOP3", {define(now), use(old), use(mask), zero(), number(0xc0)});
    const Register differs = selector.temporary_predicate();
    selector.emit("ISETP.NE.U32.AND", {define_predicate(differs), always(), use(now), use(expected), always()});
    const BlockIndex swap = selector.new_block();
    const BlockIndex done = selector.new_block();
    selector.branch(if_true(differs), done, swap);
    const Register next = selector.temporary();
    // wanted | (old & ~mask)
    selector.emit("LOP3", {define(next), use(wanted), use(old), use(mask), number(0xf4)});
    const Register seen = selector.temporary();
    access(define(seen), {use(old), use(next)}, ".CAS");
    const Register same = selector.temporary_predicate();
    selector.emit("ISETP.EQ.U32.AND", {define_predicate(same), always(), use(seen), use(old), always()});
    const BlockIndex retry = selector.new_block();
    selector.branch(if_true(same), done, retry);
    selector.emit("MOV", {define(old), use(seen)});
    selector.fall_to(loop);
    selector.set_block(done);
    const Register result = selector.temporary();
    selector.emit("SHR", {define(result), use(old), use(shift)});
    selector.write_value(selection.operand(0), use(result), b16);
    selector.fall_to(behind);
    selector.set_guard(guard);
}

} // namespace

bool select_atomic(Selector &selector, const Selection &selection) {
    const std::string &opcode = selection.instruction.opcode;
    if (opcode != "atom" && opcode != "red") {
        return false;
    }
    const bool reduce = opcode == "red";
    const Type type = selection.type();
    const Address address = address_of(selector, selection.instruction, selection.operand(reduce ? 0 : 1));
    if (selection.has("release") || selection.has("acq_rel")) {
        selector.emit("MEMBAR.GPU", {});
    }
    if (type.bits == 16) {
        narrow_swap(selector, selection, address);
        return true;
    }
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
    if (selection.has("acquire") || selection.has("acq_rel")) {
        selector.emit("MEMBAR.GPU", {});
    }
    return true;
}

} // namespace smsim::ptx::select
