#include "ptx/library.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "model/error.h"
#include "model/program/device_output.h"
#include "ptx/parser.h"

namespace smsim::ptx {

namespace {

namespace output = device_output;

/// The mark by which the area is found, and the area.
constexpr const char *kVariables = R"(
.global .align 16 .u64 $smsim_output[6] = {{ {mark0:#x}, {mark1:#x}, $smsim_output_area, {capacity} }};
.global .align 16 .b8 $smsim_output_area[{capacity}];
)";

/// Reads the format twice. The first time counts: %f bytes of the format, %a of the arguments, %z of strings, %n
/// arguments. Then space is requested and the arguments are copied; the second time (%w) copies format and strings. %l
/// is -1 outside of a conversion, otherwise 1 after an l. Formats and strings are cut at {most} characters, and the
/// second time (%flim, %zlim) where they ended the first time, whatever other threads have written since.
constexpr const char *kPrint = R"({{
.reg .pred %p, %q, %w;
.reg .b32 %c, %t, %n, %l, %f, %a, %z, %e, %m, %flim, %zlim;
.reg .b64 %fmt, %arg, %k, %rec, %of, %os, %ptr, %ad, %need, %old;
ld.param.u64 %fmt, [{format}]; ld.param.u64 %arg, [{arguments}];
mov.u32 %n, -1; setp.eq.u64 %p, %fmt, 0; @%p bra DONE;
mov.u64 %of, 0; mov.u64 %os, 0; mov.u64 %rec, 0; mov.u32 %flim, {most}; mov.u32 %zlim, -1; setp.ne.u32 %w, %n, %n;
PASS:
mov.u32 %n, 0; mov.u32 %l, -1; mov.u32 %f, 0; mov.u32 %a, 0; mov.u32 %z, 0;
NEXT:
cvt.u64.u32 %k, %f; add.u64 %ad, %fmt, %k; ld.u8 %c, [%ad]; add.u32 %f, %f, 1;
setp.ge.u32 %p, %f, %flim; @%p mov.u32 %c, 0;
add.u64 %ad, %of, %k; @%w st.global.u8 [%ad], %c;
setp.eq.u32 %p, %c, 0; @%p bra END;
setp.ge.s32 %p, %l, 0; @%p bra INSIDE;
setp.eq.u32 %p, %c, 37; @%p mov.u32 %l, 0; bra NEXT;
INSIDE:
and.b32 %t, %c, 31; setp.ge.u32 %p, %c, 64; @%p bra LETTER;
mov.u32 %m, {flags:#x}; shr.u32 %m, %m, %t; and.b32 %m, %m, 1; setp.ne.u32 %p, %m, 0; @%p bra NEXT;
mov.u32 %e, 4; setp.eq.u32 %p, %c, 42; @%p bra TAKE;
mov.u32 %l, -1; bra NEXT;
LETTER:
setp.eq.u32 %p, %c, 104; @%p bra NEXT;
setp.ge.u32 %q, %c, 96;
selp.u32 %m, {longs:#x}, 0, %q; shr.u32 %m, %m, %t; and.b32 %m, %m, 1; setp.ne.u32 %p, %m, 0;
@%p mov.u32 %l, 1; @%p bra NEXT;
setp.eq.s32 %p, %l, 1; selp.u32 %e, 8, 4, %p; mov.u32 %l, -1;
selp.u32 %m, {integers:#x}, {upper_integers:#x}, %q; shr.u32 %m, %m, %t; and.b32 %m, %m, 1; setp.ne.u32 %p, %m, 0;
@%p bra TAKE;
mov.u32 %e, 8;
selp.u32 %m, {eights:#x}, {upper_eights:#x}, %q; shr.u32 %m, %m, %t; and.b32 %m, %m, 1; setp.eq.u32 %p, %m, 0;
@%p bra NEXT;
TAKE:
add.u32 %a, %a, %e; sub.u32 %a, %a, 1; neg.s32 %m, %e; and.b32 %a, %a, %m;
setp.ne.u32 %p, %c, 115; @%p bra TAKEN;
cvt.u64.u32 %k, %a; add.u64 %ad, %arg, %k; ld.u64 %ptr, [%ad]; setp.eq.u64 %p, %ptr, 0; @%p bra TAKEN;
mov.u32 %t, 0;
CHARACTER:
ld.u8 %m, [%ptr]; add.u64 %ptr, %ptr, 1; cvt.u64.u32 %k, %z; add.u64 %ad, %os, %k;
add.u32 %t, %t, 1; setp.ge.u32 %p, %t, {most}; @%p mov.u32 %m, 0;
add.u32 %z, %z, 1; setp.ge.u32 %p, %z, %zlim; @%p mov.u32 %m, 0;
setp.le.and.u32 %p, %z, %zlim, %w; @%p st.global.u8 [%ad], %m;
setp.ne.u32 %p, %m, 0; @%p bra CHARACTER;
TAKEN:
add.u32 %a, %a, %e; add.u32 %n, %n, 1; bra NEXT;
END:
@%w bra WRITTEN;
mov.u32 %flim, %f; mov.u32 %zlim, %z;
add.u32 %c, %f, 7; and.b32 %c, %c, -8; add.u32 %t, %a, 7; and.b32 %t, %t, -8; add.u32 %m, %z, 7; and.b32 %m, %m, -8;
add.u32 %m, %m, %t; add.u32 %m, %m, %c; add.u32 %m, %m, {header}; cvt.u64.u32 %need, %m;
atom.global.add.u64 %old, [$smsim_output+{used}], %need;
add.u64 %k, %old, %need; setp.gt.u64 %p, %k, {capacity}; @%p bra LOST;
mov.u64 %rec, $smsim_output_area; add.u64 %rec, %rec, %old;
st.global.v2.u32 [%rec+8], {{%f, %a}}; st.global.u32 [%rec], %m;
add.u64 %of, %rec, {header}; cvt.u64.u32 %k, %c; add.u64 %os, %of, %k; mov.u32 %e, 0;
COPY:
setp.ge.u32 %p, %e, %a; @%p bra COPIED;
cvt.u64.u32 %k, %e; add.u64 %ad, %arg, %k; ld.u32 %m, [%ad]; add.u64 %ad, %os, %k; st.global.u32 [%ad], %m;
add.u32 %e, %e, 4; bra COPY;
COPIED:
cvt.u64.u32 %k, %t; add.u64 %os, %os, %k; setp.eq.u32 %w, %e, %e; bra PASS;
WRITTEN:
membar.gl; st.global.u32 [%rec+4], {kind}; bra DONE;
LOST:
red.global.add.u64 [$smsim_output+{lost}], 1; mov.u32 %n, -1;
DONE:
st.param.b32 [{result}], %n; ret;
}})";

/// The record has room for strings of {string} characters each; longer ones are cut.
constexpr const char *kAssertion = R"({{
.reg .pred %p;
.reg .b32 %c, %t, %i, %line, %x, %y;
.reg .b64 %rec, %old, %s0, %s1, %s2, %to, %at, %k;
ld.param.u64 %s0, [{message}]; ld.param.u64 %s1, [{file}]; ld.param.u64 %s2, [{function}]; ld.param.u32 %line, [{line}];
atom.global.add.u64 %old, [$smsim_output+{used}], {bytes};
setp.gt.u64 %p, %old, {last}; @%p bra LOST;
mov.u64 %rec, $smsim_output_area; add.u64 %rec, %rec, %old; st.global.u32 [%rec], {bytes};
mov.u32 %x, %tid.x; st.global.v2.u32 [%rec+8], {{%line, %x}};
mov.u32 %x, %tid.y; mov.u32 %y, %tid.z; st.global.v2.u32 [%rec+16], {{%x, %y}};
mov.u32 %x, %ctaid.x; mov.u32 %y, %ctaid.y; st.global.v2.u32 [%rec+24], {{%x, %y}};
mov.u32 %x, %ctaid.z; st.global.u32 [%rec+32], %x;
add.u64 %to, %rec, {strings}; mov.u32 %i, 0;
STRING:
setp.eq.u64 %p, %s0, 0; @%p bra COPIED; mov.u32 %t, 0;
CHARACTER:
cvt.u64.u32 %k, %t; add.u64 %at, %s0, %k; ld.u8 %c, [%at]; add.u64 %at, %to, %k; add.u32 %t, %t, 1;
setp.ge.u32 %p, %t, {string}; @%p mov.u32 %c, 0;
st.global.u8 [%at], %c; setp.ne.u32 %p, %c, 0; @%p bra CHARACTER;
COPIED:
add.u64 %to, %to, {string}; mov.u64 %s0, %s1; mov.u64 %s1, %s2; add.u32 %i, %i, 1;
setp.lt.u32 %p, %i, 3; @%p bra STRING;
membar.gl; st.global.u32 [%rec+4], {kind}; bra DONE;
LOST:
red.global.add.u64 [$smsim_output+{lost}], 1;
DONE:
membar.gl; trap; ret;
}})";

/// Bits of characters by their lower five bits.
constexpr std::uint32_t bits_of(std::string_view characters) {
    std::uint32_t bits = 0;
    for (const char one : characters) {
        bits |= 1U << (static_cast<unsigned>(one) & 31);
    }
    return bits;
}

void move_to(const Position &place, Operand &operand) {
    operand.place = place;
    for (Operand &element : operand.elements) {
        move_to(place, element);
    }
}

/// Gives all nodes of a body the same place: messages and line tables only know the user's module.
void move_to(const Position &place, Block &block) {
    block.place = place;
    for (Statement &statement : block.statements) {
        std::visit(
            [&](auto &node) {
                node.place = place;
                if constexpr (requires { node.operands; }) {
                    for (Operand &operand : node.operands) {
                        move_to(place, operand);
                    }
                }
            },
            statement.what);
    }
}

/// True for parameters in .param with these sizes in bytes.
bool has_sizes(const std::vector<Variable> &variables, const std::vector<std::uint64_t> &sizes) {
    return std::ranges::equal(variables, sizes, [](const Variable &variable, std::uint64_t size) {
        return variable.space == Space::kParam && variable.dimensions.empty() && size_in_bytes(variable) == size;
    });
}

std::string print_body(const Signature &signature) {
    return fmt::format(fmt::runtime(kPrint), fmt::arg("result", signature.returns[0].name),
                       fmt::arg("format", signature.parameters[0].name),
                       fmt::arg("arguments", signature.parameters[1].name), fmt::arg("most", output::kMostCharacters),
                       fmt::arg("flags", bits_of(" #+-.0123456789")), fmt::arg("longs", bits_of("ljztq")),
                       fmt::arg("integers", bits_of("diuxoc")), fmt::arg("upper_integers", bits_of("X")),
                       fmt::arg("eights", bits_of("fegaps")), fmt::arg("upper_eights", bits_of("FEGA")),
                       fmt::arg("header", output::kTextHeaderBytes), fmt::arg("used", output::kUsedOffset),
                       fmt::arg("lost", output::kLostOffset), fmt::arg("capacity", output::kCapacity),
                       fmt::arg("kind", output::kTextKind));
}

std::string assertion_body(const Signature &signature) {
    const auto &given = signature.parameters;
    return fmt::format(
        fmt::runtime(kAssertion), fmt::arg("message", given[0].name), fmt::arg("file", given[1].name),
        fmt::arg("line", given[2].name), fmt::arg("function", given[3].name), fmt::arg("used", output::kUsedOffset),
        fmt::arg("lost", output::kLostOffset), fmt::arg("bytes", output::kAssertionBytes),
        fmt::arg("last", output::kCapacity - output::kAssertionBytes), fmt::arg("strings", output::kStringsOffset),
        fmt::arg("string", output::kStringBytes), fmt::arg("kind", output::kAssertionKind));
}

/// Parameter names of a declaration are irrelevant; these hide nothing that a body names.
void name_parameters(Signature &signature) {
    for (auto *list : {&signature.returns, &signature.parameters}) {
        for (std::size_t i = 0; i < list->size(); ++i) {
            (*list)[i].name = fmt::format("$smsim_{}{}", list == &signature.returns ? "result" : "argument", i);
        }
    }
}

struct LibraryFunction {
    std::string_view name;
    std::vector<std::uint64_t> returns; ///< sizes in bytes
    std::vector<std::uint64_t> parameters;
    std::string (*body)(const Signature &);
};

const std::array<LibraryFunction, 2> &library() {
    static const std::array<LibraryFunction, 2> all = {{
        {"vprintf", {4}, {8, 8}, print_body},
        {"__assertfail", {}, {8, 8, 4, 8, 8}, assertion_body},
    }};
    return all;
}

/// Parses declarations from PTX text.
Module parsed(const std::string &text) {
    return parse_module(".version 8.0\n.target sm_80\n.address_size 64\n" + text, "library");
}

bool is_defined(const Module &module, std::string_view name) {
    return std::ranges::any_of(module.items, [&](const auto &item) {
        const auto *function = std::get_if<Function>(&item);
        return function != nullptr && function->name == name && function->body;
    });
}

} // namespace

void add_library(Module &module, const std::string &file) {
    bool variables = false;
    for (const LibraryFunction &known : library()) {
        for (auto &item : module.items) {
            auto *function = std::get_if<Function>(&item);
            if (function == nullptr || function->name != known.name || is_defined(module, known.name)) {
                continue;
            }
            const Signature &signature = function->signature;
            if (function->entry || !has_sizes(signature.returns, known.returns) ||
                !has_sizes(signature.parameters, known.parameters)) {
                throw InputError(fmt::format("{}:{}:{}: '{}' is declared with other parameters than the device's "
                                             "function has; expected those that CUDA declares it with",
                                             file, function->place.line, function->place.column, known.name));
            }
            name_parameters(function->signature);
            Module body = parsed(".func body()\n" + known.body(signature));
            function->body = std::get<Function>(body.items.front()).body;
            move_to(function->place, *function->body);
            function->linkage = Linkage::kNone;
            variables = true;
        }
    }
    if (variables) {
        Module shared =
            parsed(fmt::format(fmt::runtime(kVariables), fmt::arg("mark0", output::kMark[0]),
                               fmt::arg("mark1", output::kMark[1]), fmt::arg("capacity", output::kCapacity)));
        std::ranges::reverse(shared.items); // the area is declared before its address is used
        module.items.insert(module.items.begin(), std::make_move_iterator(shared.items.begin()),
                            std::make_move_iterator(shared.items.end()));
    }
}

} // namespace smsim::ptx
