// mov, cvta, isspacep and the memory of alloca.
#include <algorithm>
#include <optional>

#include "model/error.h"
#include "model/program/program.h"
#include "ptx/select/address.h"
#include "ptx/select/function.h"
#include "ptx/select/parts.h"

namespace smsim::ptx::select {

using namespace machine;

namespace {

/// The address of a variable or function as a value of two words; nothing when `operand` names a register or number.
std::optional<Operand> named_address(Selector &selector, const ptx::Instruction &instruction,
                                     const ptx::Operand &operand, bool generic) {
    if (operand.name.empty()) {
        return std::nullopt;
    }
    const std::int64_t offset = offset_of(selector, instruction, operand);
    if (Words *words = selector.names().words_of(operand.name)) {
        return words_address(selector, *words, offset, generic);
    }
    const auto place = selector.names().place_of(operand.name);
    if (!place) {
        return std::nullopt;
    }
    if (!place->function) {
        return variable_address(selector, *place, offset, generic);
    }
    if (offset != 0) {
        selector.refuse(instruction, "takes an address inside of a function, which is not covered");
    }
    if (place->offset == ~std::uint64_t{0}) {
        throw InputError(selector.file() + ":" + std::to_string(operand.place.line) + ":" +
                         std::to_string(operand.place.column) + ": '" + operand.name +
                         "' is declared and not defined; expected its definition in the module");
    }
    machine::Function &function = selector.function();
    const auto index = static_cast<std::int32_t>(place->offset);
    if (selector.names().module().functions[place->offset].kernel) {
        selector.refuse(instruction, "takes the address of the kernel '" + operand.name + "', which is not covered");
    }
    if (std::ranges::find(function.address_of, index) == function.address_of.end()) {
        function.address_of.push_back(index);
    }
    const Register pointer = selector.temporary(2);
    selector.undefined(pointer);
    selector.emit("MOV", {define(pointer, 1, 0), text(selector.names().module().functions[place->offset].label)});
    selector.emit("MOV", {define(pointer, 1, 1), zero()});
    return use(pointer, 2);
}

/// mov from one value to a vector of parts.
void take_apart(Selector &selector, const Selection &selection) {
    const auto &parts = selection.operand(0).elements;
    const unsigned bits = selection.type().bits / static_cast<unsigned>(parts.size());
    const auto address = named_address(selector, selection.instruction, selection.operand(1), false);
    Operand value = address ? *address : selector.read(selection.operand(1), selection.type());
    value.words = static_cast<std::uint8_t>(words_of_type(selection.type()));
    value = selector.in_register(value);
    if (parts.size() > 1 && selection.type().bits == 64) { // a part may be written before the last one is read
        const Register copy = selector.temporary(2);
        selector.undefined(copy);
        selector.move(define(copy, 2), value);
        value = use(copy, 2);
    }
    std::vector<Operand> values;
    for (unsigned i = 0; i < parts.size(); ++i) {
        values.push_back(part_of(selector, value, i, bits));
    }
    for (unsigned i = 0; i < parts.size(); ++i) {
        if (parts[i].kind != ptx::OperandKind::kSink) {
            selector.write_value(parts[i], values[i], bits_type(bits));
        }
    }
}

/// mov from a vector of parts to one value.
void put_together(Selector &selector, const Selection &selection) {
    const auto &parts = selection.operand(1).elements;
    const unsigned bits = selection.type().bits / static_cast<unsigned>(parts.size());
    const unsigned words = selection.type().bits <= 32 ? 1 : selection.type().bits / 32;
    const Register whole = selector.temporary(words);
    if (words > 1) {
        selector.undefined(whole);
    }
    const Type part = bits_type(bits);
    if (bits >= 32) {
        for (unsigned i = 0; i < parts.size(); ++i) {
            selector.move(define(whole, bits / 32, i * bits / 32), selector.read(parts[i], part));
        }
    } else {
        const std::vector<const ptx::Operand *> all = elements_of(selection.operand(1));
        const std::size_t each = std::min<std::size_t>(parts.size(), 32 / bits);
        for (unsigned w = 0; w < words; ++w) {
            selector.move(define(whole, 1, w), joined(selector, std::span(all).subspan(w * each, each), part));
        }
    }
    selector.write_value(selection.operand(0), use(whole, words), selection.type());
}

void select_mov(Selector &selector, const Selection &selection) {
    const Type type = selection.type();
    const ptx::Operand &to = selection.operand(0);
    const ptx::Operand &from = selection.operand(1);
    if (type.kind == TypeClass::kPredicate) {
        const Operand value = selector.read_predicate(from);
        selector.emit("PSETP.AND.AND", {selector.write_predicate(to), always(), always(), value, always()});
    } else if (to.kind == ptx::OperandKind::kVector) {
        take_apart(selector, selection);
    } else if (from.kind == ptx::OperandKind::kVector) {
        put_together(selector, selection);
    } else if (const auto address = named_address(selector, selection.instruction, from, false)) {
        Operand value = *address;
        value.words = type.bits == 64 ? 2 : 1;
        selector.write_value(to, value, type);
    } else {
        selector.write_value(to, selector.read(from, type), type);
    }
}

/// Adds or subtracts a window's upper word to convert to and from addresses in the space.
void select_cvta(Selector &selector, const Selection &selection) {
    if (selection.type().bits == 32) {
        selector.refuse(selection.instruction, "makes an address of 32 bits, which is not covered");
    }
    const std::string_view space = named_space(selection.instruction);
    const bool to = selection.has("to");
    const ptx::Operand &from = selection.operand(1);
    if (const auto address = named_address(selector, selection.instruction, from, !to)) {
        return selector.write_value(selection.operand(0), *address, selection.type());
    }
    const Operand value = selector.read_register(from, selection.type());
    if (space == "global") {
        return selector.write_value(selection.operand(0), value, selection.type());
    }
    const Register result = selector.temporary(2);
    selector.undefined(result);
    if (space == "const") {
        const auto base = static_cast<std::int64_t>(kGlobalDataBase + selector.names().module().constant_in_global);
        const Operand distance = wide_number(to ? -base : base);
        const Register carry = selector.temporary_predicate();
        selector.emit("IADD3", {define(result, 1, 0), define_predicate(carry), low(value), low(distance), zero()});
        selector.emit("IADD3.X", {define(result, 1, 1), high(value), high(distance), zero(), if_true(carry)});
    } else {
        const std::uint32_t window =
            space == "shared" ? kSharedWindow : (space == "local" ? kLocalWindow : kParameterWindow);
        selector.emit("MOV", {define(result, 1, 0), low(value)});
        selector.emit("MOV", {define(result, 1, 1), to ? zero() : number(window)});
    }
    selector.write_value(selection.operand(0), use(result, 2), selection.type());
}

void select_isspacep(Selector &selector, const Selection &selection) {
    const std::string_view space = named_space(selection.instruction);
    const Type u64 = *find_type("u64");
    const auto held = selector.names().type_of(selection.operand(1).name);
    if (held && held->bits != 64) {
        selector.refuse(selection.instruction,
                        "asks for an address of " + std::to_string(held->bits) + " bits, which is not covered");
    }
    const Operand address = selector.read_register(selection.operand(1), u64);
    const Module &module = selector.names().module();
    const Operand result = selector.write_predicate(selection.operand(0));
    const auto is = [&](std::uint32_t window, const Operand &also, bool equal, const Operand &to) {
        selector.emit(equal ? "ISETP.EQ.U32.AND" : "ISETP.NE.U32.AND",
                      {to, always(), high(address), number(window), also});
    };
    if (space == "shared") {
        return is(kSharedWindow, always(), true, result);
    }
    if (space == "local") {
        return is(kLocalWindow, always(), true, result);
    }
    if (space == "param") {
        return is(kParameterWindow, always(), true, result);
    }
    // The upper words of the addresses of a module's variables are all equal.
    const std::uint64_t first = kGlobalDataBase + module.constant_in_global;
    const Register upper = selector.temporary_predicate();
    is(static_cast<std::uint32_t>(first >> 32), always(), true, define_predicate(upper));
    const Register above = selector.temporary_predicate();
    selector.emit("ISETP.GE.U32.AND", {define_predicate(above), always(), low(address),
                                       number(static_cast<std::int64_t>(first)), if_true(upper)});
    const Register constant = selector.temporary_predicate();
    selector.emit("ISETP.LT.U32.AND",
                  {define_predicate(constant), always(), low(address),
                   number(static_cast<std::int64_t>(first + module.constant.size)), if_true(above)});
    if (space == "const") {
        selector.emit("PSETP.AND.AND", {result, always(), always(), if_true(constant), always()});
        return;
    }
    const Register a = selector.temporary_predicate();
    const Register b = selector.temporary_predicate();
    is(kSharedWindow, if_false(constant), false, define_predicate(a));
    is(kLocalWindow, if_true(a), false, define_predicate(b));
    is(kParameterWindow, if_true(b), false, result);
}

/// The memory of alloca follows all frames; register kAllocaTop is the first free byte.
void select_stack(Selector &selector, const Selection &selection) {
    const std::string &opcode = selection.instruction.opcode;
    const Register top = selector.fixed(kAllocaTop);
    selector.function().moves_stack = true;
    if (opcode == "stackrestore") {
        selector.emit("MOV", {define(top), word(selector.read(selection.operand(0), selection.type()), 0)});
        return;
    }
    const Register result = selector.temporary(2);
    selector.undefined(result);
    if (opcode == "alloca") {
        const std::int64_t align = selection.operands() > 2 ? std::max<std::int64_t>(selection.operand(2).value, 8) : 8;
        const Register raised = selector.temporary();
        selector.emit("IADD3", {define(raised), use(top), number(align - 1), zero()});
        selector.emit("LOP3", {define(result, 1, 0), use(raised), number(-align), zero(), number(0xc0)});
        const Operand size = word(selector.read(selection.operand(1), selection.type()), 0);
        selector.emit("IADD3", {define(top), use(result, 1, 0), size, zero()});
    } else {
        selector.emit("MOV", {define(result, 1, 0), use(top)});
    }
    selector.emit("MOV", {define(result, 1, 1), zero()});
    selector.write_value(selection.operand(0), use(result, words_of_type(selection.type())), selection.type());
}

} // namespace

Operand words_address(Selector &selector, Words &words, std::int64_t offset, bool generic) {
    machine::Function &function = selector.function();
    if (!words.home) {
        function.frame_bytes = (function.frame_bytes + 15) / 16 * 16;
        words.home = function.frame_bytes;
        function.frame_bytes += static_cast<std::uint32_t>(4 * words.registers.size());
    }
    const Place place{.space = Space::kLocal, .offset = *words.home};
    const Register base = selector.frame_is_zero() ? kNoRegister : selector.fixed(kFrame);
    for (std::size_t i = 0; i < words.registers.size(); ++i) {
        selector.emit(
            "STL", {machine::address(base, static_cast<std::int64_t>(*words.home + 4 * i)), use(words.registers[i])});
    }
    return variable_address(selector, place, offset, generic);
}

bool select_move(Selector &selector, const Selection &selection) {
    const std::string &opcode = selection.instruction.opcode;
    if (opcode == "mov") {
        select_mov(selector, selection);
    } else if (opcode == "cvta") {
        select_cvta(selector, selection);
    } else if (opcode == "isspacep") {
        select_isspacep(selector, selection);
    } else if (opcode == "alloca" || opcode == "stacksave" || opcode == "stackrestore") {
        select_stack(selector, selection);
    } else {
        return false;
    }
    return true;
}

} // namespace smsim::ptx::select
