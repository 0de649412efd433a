// Instructions for memory, addresses and whole warps, as parts of a kernel.
#include <algorithm>

#include <fmt/format.h>

#include "tb/ptx_differential/writer_case.h"

namespace smsim::ptx_differential {

namespace {

ptx::Type type_named(std::string_view name) {
    return *ptx::find_type(name);
}

/// The state space that a variant names; generic variants rotate through the spaces that a generic address can refer
/// to.
std::string space_of(const Variant &variant, unsigned number) {
    for (const std::string &modifier : variant.modifiers) {
        const std::string head = modifier.substr(0, modifier.find("::"));
        if (head == "const" || head == "global" || head == "local" || head == "shared" || head == "param") {
            return modifier == "param::func" ||
                           (modifier == "param" && (variant.form->opcode == "st" || number % 2 == 1))
                       ? "call"
                       : head;
        }
    }
    if (variant.form->opcode == "ldu") {
        return "generic global";
    }
    const bool atomic = variant.form->opcode == "atom" || variant.form->opcode == "red"; // none in local memory
    return number % 3 == 0 ? "generic shared" : number % 3 == 1 && !atomic ? "generic local" : "generic global";
}

bool is_read_only(const Variant &variant) {
    return variant.has("nc") || variant.form->opcode == "ldu";
}

} // namespace

/// An address of 16 bytes of this thread in the space of the variant. `prepared`: they hold values. `read_back`: the
/// lines in `c.after` load them into two registers afterwards.
std::string KernelWriter::place(Case &c, bool prepared, bool read_back) {
    const std::string space = space_of(c.variant, c.number);
    const std::string a = loaded({.set = value_set("b64"), .operand = 2}, type_named("b64"));
    const std::string b = loaded({.set = value_set("b64"), .operand = 3}, type_named("b64"));
    std::string address = "stack";
    std::string direct = "local";
    if (space == "const") {
        std::string base = fresh("b64");
        line(fmt::format("mov.u64 {}, constants;\nadd.u64 {}, {}, %wide;", base, base, base));
        return base;
    }
    if (space == "param") {
        return fmt::format("block+{}", c.number % 4 * 16);
    }
    if (space.ends_with("global") && !read_back && (is_read_only(c.variant) || c.number % 2 == 0)) {
        // The table of values itself.
        return fmt::format("%row+{}", 8 * kThreads * kOperands * (c.number % value_sets()));
    }
    if (space == "call") {
        line(".param .align 16 .b8 argument[16];\n.param .align 16 .b8 returned[16];");
        line(fmt::format("st.param.v2.b64 [argument], {{{}, {}}};", a, b));
        if (!read_back) {
            line("call (returned), copy, (argument);");
            return "returned";
        }
        address = "argument";
        direct = "param";
    } else if (space.ends_with("shared")) {
        address = "%tile";
        direct = "shared";
    } else if (space.ends_with("global")) {
        address = "%scratch";
        direct = "global";
    }
    if (prepared && direct != "param") {
        line(fmt::format("st.{}.v2.b64 [{}], {{{}, {}}};", direct, address, a, b));
    }
    if (read_back) {
        const std::string x = fresh("b64");
        const std::string y = fresh("b64");
        c.after = direct == "param" ? "call (returned), copy, (argument);\n" : "";
        c.after +=
            fmt::format("ld.{}.v2.b64 {{{}, {}}}, [{}];", direct, x, y, direct == "param" ? "returned" : address);
        c.targets.push_back({x, type_named("b64"), 64});
        c.targets.push_back({y, type_named("b64"), 64});
    }
    if (!space.starts_with("generic") || direct == "global") {
        return address;
    }
    std::string generic = fresh("b64");
    if (direct == "local") {
        line(fmt::format("mov.u64 {}, stack;", generic));
    } else {
        line(fmt::format("cvt.u64.u32 {}, %tile;", generic));
    }
    line(fmt::format("cvta.{}.u64 {}, {};", direct, generic, generic));
    return generic;
}

void KernelWriter::memory(Case &c) {
    const bool loads = c.variant.form->opcode != "st";
    const ptx::Type type = c.variant.types.front();
    const unsigned count = c.variant.has("v2") ? 2 : c.variant.has("v4") ? 4 : 1;
    const std::string address = place(c, true, !loads);
    std::string values;
    const bool integer = !ptx::interpreter::format_of(type);
    for (unsigned i = 0; i < count; ++i) {
        std::string one;
        if (loads) {
            const unsigned wider = integer ? c.number % 3 : 0;
            one = fresh_of(type, wider);
            c.targets.push_back({one, type, std::min(std::max(type.bits, 16U) << wider, 64U)});
        } else if (count == 1 && c.number % 4 == 3 && type.bits >= 16) {
            const std::uint64_t value = edge_value(value_set(type.name), c.number * 3);
            one = type.name == "f32"   ? fmt::format("0f{:08X}", value)
                  : type.name == "f64" ? fmt::format("0d{:016X}", value)
                                       : fmt::format("{:#x}", value);
        } else {
            one = loaded({.set = value_set(type.bits == 8 ? "b32" : type.name), .operand = i % kOperands}, type,
                         integer ? c.number % 3 : 0);
        }
        values += values.empty() ? one : ", " + one;
    }
    values = count > 1 ? "{" + values + "}" : values;
    c.text = loads ? fmt::format("{} {}, [{}];", c.variant.name(), values, address)
                   : fmt::format("{} [{}], {};", c.variant.name(), address, values);
    line(c.text);
    finish_place(c);
}

void KernelWriter::finish_place(Case &c) {
    if (!c.after.empty()) {
        line(c.after);
    }
    for (const auto &[name, type, bits] : c.targets) {
        keep(c, name, type, bits);
    }
}

void KernelWriter::atomic(Case &c) {
    const ptx::Type type = c.variant.types.front();
    std::string address = place(c, true, true);
    address += type.bits == 16 ? fmt::format("+{}", c.number / 2 % 4 * 2) : ""; // any part of a word
    const bool cas = c.variant.has("cas");
    c.flushed_or_not = type.name == "f32";
    std::string operands;
    if (c.variant.form->opcode == "atom") {
        const std::string old = fresh_of(type);
        operands = c.number % 9 == 5 ? "_" : old;
        if (operands == old) {
            c.targets.push_back({old, type, type.bits});
        }
        operands += ", ";
    }
    operands += "[" + address + "], " + source(c, 'a');
    if (cas) { // the comparison succeeds in half of the threads
        const std::string compared = fresh_of(type);
        const std::string found = fresh_of(type);
        const std::string other = operands.substr(operands.rfind(' ') + 1);
        operands = operands.substr(0, operands.rfind(' ') + 1);
        const std::string half = predicate({.set = value_set("pred"), .operand = 1});
        line(fmt::format("ld.b{} {}, [{}];\nmov.b{} {}, {};", type.bits, found, address, type.bits, compared, other));
        line(fmt::format("selp.b{} {}, {}, {}, {};", type.bits, compared, found, compared, half));
        operands += compared + ", " + loaded({.set = value_set(type.name), .operand = 1}, type);
        for (const std::string &modifier : c.variant.modifiers) { // the plain load is in the same space
            const std::string head = modifier.substr(0, modifier.find("::"));
            if (head == "global" || head == "shared") {
                const std::size_t at = body_.rfind("ld.b" + std::to_string(type.bits));
                body_.replace(at, 3, "ld." + head + ".");
                break;
            }
        }
    }
    c.text = c.variant.name() + " " + operands + ";";
    line(c.text);
    finish_place(c);
}

/// The bytes that the hint concerns are unchanged.
void KernelWriter::hint(Case &c) {
    const std::string address = place(c, true, true);
    const bool line_of_bytes = operand_words(*c.variant.form).size() > 1;
    c.text = fmt::format("{} [{}]{};", c.variant.name(), address, line_of_bytes ? ", 128" : "");
    line(c.text);
    finish_place(c);
}

void KernelWriter::addresses(Case &c) {
    const std::string space = space_of(c.variant, 0);
    const bool shared = space == "shared";
    const std::string variable = space == "const"                      ? "constants"
                                 : shared                              ? "tile"
                                 : space == "local"                    ? "stack"
                                 : space == "param" || space == "call" ? "block"
                                                                       : "";
    const std::string plain_space = space == "call" ? "param" : space;
    const std::string plain = fresh("b64");
    const std::string generic = fresh("b64");
    line(variable.empty() ? fmt::format("mov.u64 {}, %scratch;", plain)
                          : fmt::format("mov.u64 {}, {};", plain, variable));
    const std::string back = fresh("b64");
    const std::string holds = fresh("pred");
    if (c.variant.form->opcode == "isspacep") {
        // Every second time the address is in another space.
        const std::string given = c.number % 2 == 0 ? plain_space : plain_space == "shared" ? "local" : "shared";
        const std::string other = given == "local" ? "stack" : "tile";
        if (c.number % 2 != 0) {
            line(fmt::format("mov.u64 {}, {};", plain, other));
        }
        line(fmt::format("cvta.{}.u64 {}, {};", given, generic, plain));
        c.text = fmt::format("{} {}, {};", c.variant.name(), holds, generic);
        line(c.text);
        return keep(c, holds, type_named("pred"), 1);
    }
    const bool to = c.variant.has("to");
    c.text = to ? fmt::format("{} {}, {};", c.variant.name(), back, generic)
                : fmt::format("{} {}, {};", c.variant.name(), generic, plain);
    const std::string there = fmt::format("cvta.{}.u64 {}, {};", plain_space, generic, plain);
    const std::string again = fmt::format("cvta.to.{}.u64 {}, {};", plain_space, back, generic);
    line(to ? there + "\n" + c.text : c.text + "\n" + again);
    line(fmt::format("setp.eq.u64 {}, {}, {};", holds, back, plain));
    keep(c, holds, type_named("pred"), 1);
}

void KernelWriter::synchronise(Case &c) {
    const std::string_view opcode = c.variant.form->opcode;
    const bool block_barrier = (opcode == "bar" || opcode == "barrier") && !c.variant.has("warp");
    std::string operands;
    unsigned numbers = 0;
    for (std::string_view word : operand_words(*c.variant.form)) {
        const bool optional = word.ends_with('?');
        if (optional && c.number % 2 == 0) {
            continue;
        }
        std::string text;
        if (c.is_target(word.front())) {
            text = target(c, word.front());
            if (word.size() >= 3 && c.number % 2 == 1) {
                text += "|" + target(c, word[2]);
            }
        } else if (block_barrier && word.front() == 'u') {
            const unsigned value = numbers++ == 0 ? 1 + c.number % 15 : kThreads * (c.variant.has("arrive") ? 2 : 1);
            text = std::to_string(value);
            if (c.number % 3 == 1) { // in a register
                text = fresh("b32");
                line(fmt::format("mov.b32 {}, {};", text, value));
            }
        } else if (opcode == "nanosleep") {
            text = std::to_string(c.number % 100);
        } else {
            text = source(c, word.front());
        }
        operands += operands.empty() ? text : ", " + text;
    }
    c.text = c.variant.name() + (operands.empty() ? "" : " ") + operands + ";";
    line(c.text);
    if (c.variant.has("arrive")) {
        line(fmt::format("barrier.sync {}, {};", 1 + c.number % 15, 2 * kThreads));
    }
    for (const auto &[name, type, bits] : c.targets) {
        if (opcode != "activemask") { // the machine chooses which threads run together
            keep(c, name, type, bits);
        }
    }
}

} // namespace smsim::ptx_differential
