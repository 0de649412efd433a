#include "tb/ptx_differential/kernel_writer.h"

#include <algorithm>

#include <fmt/format.h>

#include "tb/ptx_differential/writer_case.h"

namespace smsim::ptx_differential {

namespace {

constexpr unsigned kConstantWords = 2 * kThreads;

ptx::Type type_named(std::string_view name) {
    return *ptx::find_type(name);
}

/// The declared type of registers for a type: 8-bit and packed types have no registers of their own.
std::string register_type(ptx::Type type, unsigned wider) {
    const bool integer = type.kind == ptx::TypeClass::kUnsigned || type.kind == ptx::TypeClass::kSigned ||
                         type.kind == ptx::TypeClass::kBits;
    if (type.kind == ptx::TypeClass::kPacked) {
        return "b" + std::to_string(type.bits);
    }
    if (!integer) {
        return std::string(type.name);
    }
    unsigned bits = std::max(type.bits, 16U);
    for (; wider > 0 && bits < 64; --wider) {
        bits *= 2;
    }
    return type.name.substr(0, 1).data()[0] + std::to_string(bits);
}

/// A constant as PTX text.
std::string constant_text(std::uint64_t value, ptx::Type type) {
    if (type.name == "f32") {
        return fmt::format("0f{:08X}", value);
    }
    if (type.name == "f64") {
        return fmt::format("0d{:016X}", value);
    }
    if (ptx::interpreter::is_signed(type)) {
        return std::to_string(ptx::interpreter::sign_extended(value, type.bits));
    }
    return value > 1'000'000 ? fmt::format("{:#x}", value) : std::to_string(value);
}

} // namespace

void KernelWriter::line(const std::string &text) {
    body_ += text;
    body_ += '\n';
}

std::string KernelWriter::fresh(std::string_view type) {
    std::string name = fmt::format("%x{}", registers_++);
    line(fmt::format(".reg .{} {};", type, name));
    return name;
}

std::string KernelWriter::fresh_of(ptx::Type type, unsigned wider) {
    return fresh(register_type(type, wider));
}

std::string KernelWriter::predicate(const Input &input) {
    const std::string word = fresh("b32");
    std::string name = fresh("pred");
    line(fmt::format("ld.global.b32 {}, [%in+{}];", word, 8 * kThreads * (input.set * kOperands + input.operand)));
    line(fmt::format("setp.ne.b32 {}, {}, 0;", name, word));
    return name;
}

std::string KernelWriter::loaded(const Input &input, ptx::Type type, unsigned wider) {
    if (type.kind == ptx::TypeClass::kPredicate) {
        return predicate(input);
    }
    const std::string reg = register_type(type, wider);
    std::string name = fresh(reg);
    const unsigned bits = ptx::find_type(reg)->bits;
    line(
        fmt::format("ld.global.b{} {}, [%in+{}];", bits, name, 8 * kThreads * (input.set * kOperands + input.operand)));
    return name;
}

std::string KernelWriter::source(Case &c, char letter) {
    const ptx::Type type = c.type_of(letter);
    const unsigned position = static_cast<unsigned>(c.inputs.size());
    Input input;
    input.bits = type.bits;
    input.set = value_set(c.set_of(letter, position));
    input.operand = position % kOperands;
    const bool half = ptx::interpreter::format_of(type) && type.bits <= 32 && type.name != "f32";
    const bool mask = c.is_mask(letter, position);
    input.constant = mask ? c.number % 2 == 0 : letter == 'i' || (position == c.constant_at && !half && letter != 'Q');
    if (mask) {
        input.value = 0xffff'ffff;
    } else if (input.constant) {
        input.value = letter == 'i' ? (c.number * 37 + 0x96) & 0xff : edge_value(input.set, c.number * 5 + position);
    }
    input.negated = letter == 'p' && !input.constant && c.number % 3 == 1;
    c.inputs.push_back(input);
    if (input.constant) {
        return letter == 'i' ? std::to_string(input.value) : constant_text(input.value, type);
    }
    if (mask) { // uniform, in a register
        std::string name = fresh("b32");
        line(fmt::format("mov.b32 {}, 0xffffffff;", name));
        c.inputs.back().constant = true;
        return name;
    }
    const unsigned wider = letter == 'B' ? c.number % 3 : 0;
    return (input.negated ? "!" : "") + loaded(input, type, wider);
}

std::string KernelWriter::target(Case &c, char letter) {
    const ptx::Type type = c.type_of(letter);
    const unsigned wider = letter == 'D' ? c.number / 2 % 3 : 0;
    std::string name = fresh_of(type, wider);
    const unsigned bits =
        type.kind == ptx::TypeClass::kPredicate ? 1 : ptx::find_type(register_type(type, wider))->bits;
    c.targets.push_back({name, type, bits});
    return name;
}

void KernelWriter::keep(Case &c, const std::string &name, ptx::Type type, unsigned register_bits) {
    std::string stored = name;
    unsigned bits = register_bits;
    if (type.kind == ptx::TypeClass::kPredicate) {
        stored = fresh("b32");
        line(fmt::format("selp.b32 {}, 1, 0, {};", stored, name));
        bits = 32;
    }
    line(fmt::format("st.global.b{} [%out+{}], {};", bits, 8 * kThreads * slots_, stored));
    Check check;
    check.name = c.text;
    check.variant = &c.variant;
    check.slot = slots_++;
    check.type = type;
    check.any_nan = c.any_nan;
    check.flushed_or_not = c.flushed_or_not;
    check.computed = c.computed;
    check.operation = ptx::interpreter::make_operation(c.variant.form->opcode, c.variant.modifiers, c.variant.types);
    check.operation.inputs = static_cast<unsigned>(c.inputs.size());
    check.inputs = c.inputs;
    checks_.push_back(std::move(check));
}

void KernelWriter::carry_before(Case &c) {
    const std::string_view opcode = c.variant.form->opcode;
    if (opcode == "addc" || opcode == "madc" || opcode == "subc") {
        const std::string a = loaded({.set = value_set("u32"), .operand = 3}, type_named("u32"));
        const std::string b = fresh("b32");
        line(fmt::format("{}.cc.u32 {}, {}, 0x80000000;", opcode == "subc" ? "sub" : "add", b, a));
    }
}

void KernelWriter::carry_after(Case &c) {
    const std::string carry = fresh("b32");
    const bool borrows = c.variant.form->opcode.starts_with("sub");
    line(fmt::format("{}.u32 {}, 0, 0;", borrows ? "subc" : "addc", carry));
    c.targets.push_back({carry, type_named("u32"), 32});
}

void KernelWriter::compute(Case &c) {
    carry_before(c);
    std::string operands;
    for (const std::string_view word : operand_words(*c.variant.form)) {
        std::string text;
        const char letter = word.front();
        if (c.is_target(letter)) {
            text = target(c, letter);
            if (word.size() >= 3 && c.number % 2 == 1) {
                text += "|" + target(c, word[2]);
            }
        } else {
            text = source(c, letter);
        }
        if (std::string_view("qzQZ").find(letter) != std::string_view::npos && text.starts_with('%')) {
            text += c.selector(letter, static_cast<unsigned>(c.inputs.size()));
        }
        operands += operands.empty() ? text : ", " + text;
    }
    std::string guard;
    if (c.number % 11 == 7) {
        guard = predicate({.set = value_set("pred"), .operand = 3});
        for (const auto &[name, type, bits] : c.targets) {
            line(type.kind == ptx::TypeClass::kPredicate ? fmt::format("setp.eq.u32 {}, 0, 0;", name)
                                                         : fmt::format("mov.b{} {}, 1;", bits, name));
        }
        guard = "@" + guard + " ";
    }
    c.text = guard + c.variant.name() + " " + operands + ";";
    line(c.text);
    if (c.variant.has("cc")) {
        carry_after(c);
    }
    for (const auto &[name, type, bits] : c.targets) {
        keep(c, name, type, bits);
    }
}

void KernelWriter::add(const Variant &variant, unsigned number) {
    Case c(variant, number);
    added_.emplace_back(&variant, number);
    line("{");
    switch (c.manner()) {
    case Manner::kMemory:
        memory(c);
        break;
    case Manner::kAtomic:
        atomic(c);
        break;
    case Manner::kAddress:
        addresses(c);
        break;
    case Manner::kHint:
        hint(c);
        break;
    case Manner::kSynchronise:
        synchronise(c);
        break;
    default:
        compute(c);
        break;
    }
    line("}");
}

std::string KernelWriter::text() const {
    std::string text = ".version 8.6\n.target sm_100\n.address_size 64\n";
    text += fmt::format(".const .align 16 .u64 constants[{}] = {{", kConstantWords);
    for (unsigned i = 0; i < kConstantWords; ++i) {
        text += fmt::format("{}{:#x}",
                            i == 0       ? ""
                            : i % 8 == 0 ? ",\n"
                                         : ", ",
                            value_of(batch_, value_set("b64"), i % 2, i / 2));
    }
    text += "};\n";
    text += fmt::format(".shared .align 16 .b8 tile[{}];\n", kScratchBytes * kThreads);
    text += R"(.func (.param .align 16 .b8 result[16]) copy(.param .align 16 .b8 value[16]) {
.reg .b64 %a, %b;
ld.param.v2.b64 {%a, %b}, [value];
st.param.v2.b64 [result], {%a, %b};
ret;
}
.visible .entry k(.param .align 16 .b8 block[64], .param .u64 in, .param .u64 out, .param .u64 scratch) {
.reg .b64 %in, %out, %scratch, %row, %wide, %base;
.reg .b32 %thread, %tile;
.local .align 16 .b8 stack[16];
mov.u32 %thread, %tid.x;
ld.param.u64 %base, [in];
mad.wide.u32 %in, %thread, 8, %base;
mad.wide.u32 %row, %thread, 16, %base;
ld.param.u64 %base, [out];
mad.wide.u32 %out, %thread, 8, %base;
ld.param.u64 %base, [scratch];
mad.wide.u32 %scratch, %thread, 16, %base;
mul.wide.u32 %wide, %thread, 16;
mov.u32 %tile, tile;
mad.lo.u32 %tile, %thread, 16, %tile;
)";
    return text + body_ + "ret;\n}\n";
}

} // namespace smsim::ptx_differential
