// ld, st and ldu in all spaces, widths and vectors.
#include <algorithm>

#include <fmt/format.h>

#include "ptx/select/address.h"
#include "ptx/select/parts.h"

namespace smsim::ptx::select {

using namespace machine;

namespace {

/// What one access moves: elements of a type, at most 16 bytes.
struct Shape {
    Type element;
    unsigned count = 1;
    unsigned bytes() const { return element.bits / 8 * count; }
    unsigned words() const { return std::max(1U, bytes() / 4); }
};

std::string width_of(const Shape &shape) {
    switch (shape.bytes()) {
    case 1:
        return shape.element.kind == TypeClass::kSigned && shape.count == 1 ? ".S8" : ".U8";
    case 2:
        return shape.element.kind == TypeClass::kSigned && shape.count == 1 ? ".S16" : ".U16";
    case 4:
        return "";
    case 8:
        return ".64";
    default:
        return ".128";
    }
}

/// Of `bytes` bytes without a sign.
Shape shape_of(unsigned bytes) {
    return {bits_type(std::min(bytes * 8, 64U)), bytes == 16 ? 2U : 1U};
}

bool routes_are_one(const Address &address) {
    return address.constant || (address.spaces & (address.spaces - 1)) == 0;
}

unsigned vector_count(const Selection &selection) {
    return selection.has("v4") ? 4 : (selection.has("v2") ? 2 : 1);
}

/// Volatile, ordered and uncached accesses see other threads' writes: they bypass the first-level cache.
bool is_strong(const Selection &selection) {
    return std::ranges::any_of(selection.instruction.modifiers, [](const std::string &word) {
        return word == "volatile" || word == "relaxed" || word == "acquire" || word == "release" || word == "cv";
    });
}

std::string_view cache_of(const Selection &selection) {
    return is_strong(selection) || selection.has("cg") ? ".CG" : "";
}

/// Loads the `shape.words()` words at `address` into `to`.
void load_words(Selector &selector, const Selection &selection, const Shape &shape, const Address &address,
                const Operand &to) {
    const std::string width = width_of(shape);
    if (address.constant) {
        const Operand place = constant_operand(selector, selection.instruction, address, shape.element.bits / 8);
        if (address.base == kNoRegister && shape.bytes() >= 4) {
            for (unsigned i = 0; i < shape.words(); ++i) {
                selector.emit("MOV", {word(to, i), constant(address.bank, address.offset + 4 * std::int64_t{i})});
            }
            return;
        }
        selector.emit("LDC" + width, {to, place});
        return;
    }
    const std::vector<Route> ways = routes(selector, address);
    if (ways.size() > 1 && to.has_register() && selector.function().registers[to.reg].temporary) {
        selector.undefined(to.reg);
    }
    for (const Route &way : ways) {
        const bool only = ways.size() == 1;
        std::string mnemonic = "LDG" + width + std::string(cache_of(selection));
        std::vector<Operand> operands = {to};
        if (way.space == kParameterSet) {
            mnemonic = "LDC" + width;
            const Operand place = constant_operand(selector, selection.instruction, address, shape.element.bits / 8);
            operands.push_back(place);
        } else {
            if (way.space != kGlobalSet) {
                mnemonic = (way.space == kSharedSet ? "LDS" : "LDL") + width;
            }
            operands.push_back(address_operand(selector, address, way.space));
        }
        Instruction &load = only ? selector.emit(mnemonic, std::move(operands))
                                 : selector.emit_if(way.guard, mnemonic, std::move(operands));
        load.spins = is_strong(selection);
    }
}

/// Stores the low `bytes` bytes of `from`.
void store_words(Selector &selector, const Selection &selection, unsigned bytes, const Address &address,
                 const Operand &from) {
    const std::string width = width_of(shape_of(bytes));
    const std::vector<Route> ways = routes(selector, address);
    for (const Route &way : ways) {
        std::string mnemonic = "STG" + width + std::string(cache_of(selection));
        if (way.space != kGlobalSet) {
            mnemonic = (way.space == kSharedSet ? "STS" : "STL") + width;
        }
        Operand to = address_operand(selector, address, way.space);
        if (ways.size() == 1) {
            selector.emit(mnemonic, {to, from});
        } else {
            selector.emit_if(way.guard, mnemonic, {to, from});
        }
    }
}

/// Loads at most 16 bytes into `to`.
void load_part(Selector &selector, const Selection &selection, const Shape &shape, const Address &address,
               std::span<const ptx::Operand *const> to) {
    if (shape.count == 1 && to[0]->kind != ptx::OperandKind::kSink) {
        const Operand direct = selector.write(*to[0], shape.element);
        const auto held = selector.names().type_of(to[0]->name);
        const bool fits = direct.words == shape.words() &&
                          (shape.element.bits >= 32 || shape.element.kind != TypeClass::kSigned || held->bits <= 32);
        const bool base_kept = direct.reg != address.base || routes_are_one(address);
        if (fits && base_kept) {
            return load_words(selector, selection, shape, address, direct);
        }
    }
    const Register loaded = selector.temporary(shape.words());
    const Operand words = define(loaded, shape.words());
    if (address.constant && shape.words() > 1) {
        selector.undefined(loaded);
    }
    load_words(selector, selection, shape, address, words);
    std::vector<Operand> values;
    for (unsigned i = 0; i < shape.count; ++i) {
        values.push_back(part_of(selector, words, i, shape.element.bits));
    }
    for (unsigned i = 0; i < shape.count; ++i) {
        if (to[i]->kind == ptx::OperandKind::kSink) {
            continue;
        }
        // A single narrow load has extended its value already.
        const bool extended = shape.count == 1 && shape.element.bits < 32;
        const bool sign = shape.element.kind == TypeClass::kSigned;
        selector.write_value(*to[i], values[i], extended ? *find_type(sign ? "s32" : "u32") : shape.element);
    }
}

void store_part(Selector &selector, const Selection &selection, const Shape &shape, const Address &address,
                std::span<const ptx::Operand *const> from) {
    if (shape.count == 1) {
        return store_words(selector, selection, shape.bytes(), address,
                           selector.read_register(*from[0], shape.element));
    }
    const Register whole = selector.temporary(shape.words());
    selector.undefined(whole);
    const unsigned bits = shape.element.bits;
    if (bits >= 32) {
        for (unsigned i = 0; i < shape.count; ++i) {
            selector.move(define(whole, bits / 32, i * bits / 32), selector.read(*from[i], shape.element));
        }
    } else {
        const unsigned each = std::min(shape.count, 32 / bits);
        for (unsigned w = 0; w < shape.words(); ++w) {
            selector.move(define(whole, 1, w),
                          joined(selector, from.subspan(std::size_t{w} * each, each), shape.element));
        }
    }
    store_words(selector, selection, shape.bytes(), address, use(whole, shape.words()));
}

/// An access of 32 bytes is two of 16. Where its address is only a multiple of 16, half of what is missing is added to
/// the base, in its low word: the first access then finds it misaligned.
void check_halves(Selector &selector, const Address &address) {
    constexpr std::int64_t kHalf = 16;
    Operand place = use(address.base, 1, 0);
    if (address.offset % (2 * kHalf) != 0) {
        const Register sum = selector.temporary();
        selector.emit("IADD3", {define(sum), place, number(address.offset), zero()});
        place = use(sum);
    }
    const Register odd = selector.temporary();
    selector.emit("LOP3", {define(odd), place, number(kHalf), zero(), number(0xc0)});
    const Register wrong = selector.temporary();
    selector.emit("SHR", {define(wrong), use(odd), number(1)});
    const Register low_word = selector.temporary();
    selector.emit("IADD3", {define(low_word), use(address.base, 1, 0), use(wrong), zero()});
    selector.emit("MOV", {define(address.base, 1, 0), use(low_word)});
}

template <typename Part> void in_parts(Selector &selector, const Selection &selection, Address address, Part part) {
    const Type element = selection.type();
    const unsigned count = vector_count(selection);
    if (count * element.bits > 128 && address.base != kNoRegister) { // the first half may overwrite the base
        const Register copy = selector.temporary(address.base_words);
        selector.undefined(copy);
        selector.move(define(copy, address.base_words), use(address.base, address.base_words));
        address.base = copy;
        check_halves(selector, address);
    } else if (count * element.bits > 128 && address.offset % 32 != 0) {
        selector.refuse(selection.instruction,
                        fmt::format("of 32 bytes at the address {}; expected a multiple of 32", address.offset));
    }
    const ptx::Operand &list = selection.operand(selection.instruction.opcode == "st" ? 1 : 0);
    const std::vector<const ptx::Operand *> all = elements_of(list);
    const unsigned each = std::min(count, 128 / element.bits);
    for (unsigned i = 0; i < count; i += each) {
        part(Shape{element, each}, moved(address, i * element.bits / 8), std::span(all).subspan(i, each));
    }
}

} // namespace

void load_bytes(Selector &selector, const Selection &selection, unsigned bytes, const Address &address,
                const Operand &to) {
    load_words(selector, selection, shape_of(bytes), address, to);
}

void store_bytes(Selector &selector, const Selection &selection, unsigned bytes, const Address &address,
                 const Operand &from) {
    store_words(selector, selection, bytes, address, from);
}

bool select_memory(Selector &selector, const Selection &selection) {
    const std::string &opcode = selection.instruction.opcode;
    if (opcode == "prefetch" || opcode == "prefetchu" || opcode == "applypriority" || opcode == "discard") {
        return true; // caches of the model hold no values that differ from memory, and ignore hints
    }
    if (opcode != "ld" && opcode != "ldu" && opcode != "st") {
        return false;
    }
    const ptx::Operand &place = selection.operand(opcode == "st" ? 0 : 1);
    if (Words *words = selector.names().words_of(place.name)) {
        access_words(selector, selection, *words, offset_of(selector, selection.instruction, place));
        return true;
    }
    const Address address = address_of(selector, selection.instruction, place);
    if (opcode == "st") {
        if (selection.has("release")) {
            selector.emit("MEMBAR.GPU", {});
        }
        const Address to = written_address(selector, address, false);
        in_parts(selector, selection, to, [&](const Shape &shape, const Address &at, auto from) {
            store_part(selector, selection, shape, at, from);
        });
        return true;
    }
    in_parts(selector, selection, address,
             [&](const Shape &shape, const Address &at, auto to) { load_part(selector, selection, shape, at, to); });
    if (selection.has("acquire")) {
        selector.emit("MEMBAR.GPU", {});
    }
    return true;
}

} // namespace smsim::ptx::select
