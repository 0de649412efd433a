#include "ptx/select/parts.h"

#include <algorithm>

namespace smsim::ptx::select {

using namespace machine;

namespace {

class WordAccess {
  public:
    WordAccess(Selector &selector, const Selection &selection, const Words &words)
        : selector_(selector), selection_(selection), words_(words), bytes_(selection.type().bits / 8) {}

    void store(const ptx::Operand &from, std::uint64_t at) {
        check(at);
        const Register word = words_.registers[at / 4];
        if (bytes_ < 4) {
            return insert(selector_, use(word), at % 4, bytes_, selector_.read_register(from, selection_.type()));
        }
        const Operand value = selector_.read(from, selection_.type());
        for (unsigned i = 0; i < bytes_ / 4; ++i) {
            selector_.emit("MOV", {define(words_.registers[at / 4 + i]), machine::word(value, i)});
        }
    }

    void load(const ptx::Operand &to, std::uint64_t at) {
        check(at);
        if (to.kind == ptx::OperandKind::kSink) {
            return;
        }
        if (bytes_ < 4) {
            Operand value = use(words_.registers[at / 4]);
            if (at % 4 != 0) {
                const Register shifted = selector_.temporary();
                selector_.emit("SHR", {define(shifted), value, number(static_cast<std::int64_t>(8 * (at % 4)))});
                value = use(shifted);
            }
            const bool sign = selection_.type().kind == TypeClass::kSigned;
            const Operand extended = selector_.extend(value, selection_.type());
            return selector_.write_value(to, extended, *find_type(sign ? "s32" : "u32"));
        }
        if (bytes_ == 4) {
            return selector_.write_value(to, use(words_.registers[at / 4]), selection_.type());
        }
        const Operand whole = selector_.write(to, selection_.type());
        for (unsigned i = 0; i < bytes_ / 4; ++i) {
            selector_.emit("MOV", {machine::word(whole, i), use(words_.registers[at / 4 + i])});
        }
    }

  private:
    void check(std::uint64_t at) const {
        if (bytes_ > words_.bytes || at > words_.bytes - bytes_ || at % std::min(bytes_, 4U) != 0) {
            selector_.refuse(selection_.instruction, "reaches outside its parameter of " +
                                                         std::to_string(words_.bytes) + " bytes or is not aligned");
        }
    }

    Selector &selector_;
    const Selection &selection_;
    const Words &words_;
    unsigned bytes_;
};

} // namespace

Operand part_of(Selector &selector, const Operand &value, unsigned index, unsigned bits) {
    if (bits >= 32) {
        if (value.kind == OperandKind::kInteger) {
            return bits == 64 ? value : word(value, index);
        }
        Operand part = value;
        part.defined = false;
        part.first = static_cast<std::uint8_t>(value.first + index * bits / 32);
        part.words = static_cast<std::uint8_t>(bits / 32);
        return part;
    }
    Operand from = word(value, index * bits / 32);
    from.defined = false;
    const unsigned shift = index * bits % 32;
    if (shift == 0) {
        return from;
    }
    const Register reg = selector.temporary();
    selector.emit("SHR", {define(reg), selector.in_register(from), number(shift)});
    return use(reg);
}

Operand joined(Selector &selector, std::span<const ptx::Operand *const> parts, Type type) {
    const Operand first = selector.read_register(*parts[0], type);
    const Register word = selector.temporary();
    selector.undefined(word);
    selector.emit("MOV", {define(word), first});
    for (unsigned i = 1; i < parts.size(); ++i) {
        insert(selector, use(word), i * type.bits / 8, type.bits / 8, selector.read_register(*parts[i], type));
    }
    return use(word);
}

void insert(Selector &selector, const Operand &word, unsigned at, unsigned bytes, const Operand &value) {
    std::int64_t chooser = 0;
    for (unsigned i = 4; i-- > 0;) {
        chooser = chooser * 16 + (i >= at && i < at + bytes ? 4 + (i - at) : i);
    }
    Operand old = word;
    old.defined = false;
    Operand changed = word;
    changed.defined = true;
    selector.emit("PRMT", {changed, old, number(chooser), value});
}

void access_words(Selector &selector, const Selection &selection, const Words &words, std::int64_t offset) {
    const bool store = selection.instruction.opcode == "st";
    WordAccess access(selector, selection, words);
    auto at = static_cast<std::uint64_t>(offset);
    for (const ptx::Operand *element : elements_of(selection.operand(store ? 1 : 0))) {
        store ? access.store(*element, at) : access.load(*element, at);
        at += selection.type().bits / 8;
    }
}

std::vector<const ptx::Operand *> elements_of(const ptx::Operand &operand) {
    if (operand.kind != ptx::OperandKind::kVector) {
        return {&operand};
    }
    std::vector<const ptx::Operand *> all;
    for (const ptx::Operand &element : operand.elements) {
        all.push_back(&element);
    }
    return all;
}

} // namespace smsim::ptx::select
