#include "tb/ptx_differential/matrix_cases.h"

#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>

#include "ptx/matrix_form.h"
#include "tb/oracle/random.h"
#include "tb/ptx_differential/runs.h"

namespace smsim::ptx_differential {

namespace {

using isa::matrix::Element;
using ptx::FragmentForm;
using ptx::MatrixForm;
using ptx::MatrixName;

constexpr unsigned kWarp = 32;

/// How the words of an operand are chosen: as elements of a type, or as metadata of pairs of four, or of one of two.
constexpr unsigned kMetadata = 100;
constexpr unsigned kMetadataOfOne = 101;

std::vector<std::string> split(std::string_view words) {
    std::vector<std::string> all;
    while (!words.empty()) {
        const std::size_t at = words.find('.');
        all.emplace_back(words.substr(0, at));
        words = at == std::string_view::npos ? std::string_view() : words.substr(at + 1);
    }
    return all;
}

/// A name without the words in which cases of one form differ.
std::string form_name(const std::string &name) {
    std::string form;
    for (const std::string &word : split(name)) {
        if (word == "sp::ordered_metadata") {
            form += ".sp";
        } else if (word != "row" && word != "col" && word != "sync" && word != "aligned") {
            form += "." + word;
        }
    }
    return form.substr(1);
}

MatrixForm form_of(const std::string &opcode, const std::string &modifiers) {
    std::string reason;
    const std::optional<MatrixForm> form = ptx::matrix_form(opcode, split(modifiers), reason);
    if (!form) {
        throw std::logic_error("no form " + opcode + "." + modifiers + " " + reason);
    }
    return *form;
}

/// Writes a kernel whose loop runs once for each set: operands are words of a thread, one after the other.
class KernelText {
  public:
    explicit KernelText(MatrixCase &one) : one_(one) {}

    /// Loads a fragment from the words of the thread; returns it as operand.
    std::string load(const FragmentForm &fragment, unsigned kind) {
        const std::string name = declare(fragment);
        for (unsigned i = 0; i < fragment.registers; ++i) {
            body_ +=
                fmt::format("    ld.global.{} {}{}, [%in+{}];\n", fragment.type.name, name, i, 4 * one_.input_words);
            one_.input_words += fragment.type.bits / 32;
            one_.kinds.resize(one_.input_words, kind);
        }
        return list(name, fragment.registers);
    }
    std::string declare(const FragmentForm &fragment) {
        const std::string name = fmt::format("%f{}_", fragments_++);
        declarations_ += fmt::format("    .reg .{} {}<{}>;\n", fragment.type.name, name, fragment.registers);
        return name;
    }
    void line(const std::string &text) { body_ += "    " + text + "\n"; }
    /// Stores the registers of a fragment to the words of the thread.
    void store(const std::string &name, const FragmentForm &fragment) {
        for (unsigned i = 0; i < fragment.registers; ++i) {
            body_ +=
                fmt::format("    st.global.{} [%out+{}], {}{};\n", fragment.type.name, 4 * one_.output_words, name, i);
            one_.output_words += fragment.type.bits / 32;
        }
    }
    static std::string list(const std::string &name, unsigned count) {
        std::string text = "{";
        for (unsigned i = 0; i < count; ++i) {
            text += fmt::format("{}{}{}", i == 0 ? "" : ", ", name, i);
        }
        return text + "}";
    }

    /// The module. Words of a set lie thread by thread.
    void finish() {
        one_.text = fmt::format(R"(.version 8.8
.target sm_90
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out, .param .u64 sets, .param .u64 zero, .param .u64 scratch)
{{
    .reg .b64 %in, %out, %at, %scratch;
    .reg .b32 %lane, %left, %zero;
    .reg .pred %more;
    .shared .align 128 .b8 memory[16384];
{}    ld.param.u64 %in, [in];
    ld.param.u64 %out, [out];
    ld.param.u64 %scratch, [scratch];
    ld.param.u32 %left, [sets];
    ld.param.u32 %zero, [zero];
    mov.u32 %lane, %laneid;
    mul.wide.u32 %at, %lane, {};
    add.u64 %in, %in, %at;
    mul.wide.u32 %at, %lane, {};
    add.u64 %out, %out, %at;
again:
{}    add.u64 %in, %in, {};
    add.u64 %out, %out, {};
    sub.u32 %left, %left, 1;
    setp.ne.u32 %more, %left, 0;
    @%more bra again;
    ret;
}}
)",
                                declarations_, 4 * one_.input_words, 4 * one_.output_words, body_,
                                4 * kWarp * one_.input_words, 4 * kWarp * one_.output_words);
    }

  private:
    MatrixCase &one_;
    std::string declarations_;
    std::string body_;
    unsigned fragments_ = 0;
};

unsigned kind_of(Element element) {
    return static_cast<unsigned>(element);
}

MatrixCase mma_case(const std::string &modifiers, unsigned selector = 0) {
    const MatrixForm form = form_of("mma", modifiers);
    const auto &op = form.operation;
    MatrixCase one{.name = "mma." + modifiers,
                   .form = form_name("mma." + modifiers),
                   .text = {},
                   .blocks = is_block_float(op.a),
                   .kinds = {}};
    KernelText kernel(one);
    const std::string a = kernel.load(form.fragment(MatrixName::kA), kind_of(op.a));
    const std::string b = kernel.load(form.fragment(MatrixName::kB), kind_of(op.b));
    const std::string c = kernel.load(form.fragment(MatrixName::kC), kind_of(op.c));
    std::string more;
    if (op.sparse) {
        const std::string e =
            kernel.load({*ptx::find_type("b32"), 1}, op.a == Element::kTf32 ? kMetadataOfOne : kMetadata);
        more = fmt::format(", {}, {:#x}", e.substr(1, e.size() - 2), selector);
        one.name += fmt::format(" {}", selector);
    }
    const FragmentForm result = form.fragment(MatrixName::kD);
    const std::string d = kernel.declare(result);
    kernel.line(
        fmt::format("mma.{} {}, {}, {}, {}{};", modifiers, KernelText::list(d, result.registers), a, b, c, more));
    kernel.store(d, result);
    kernel.finish();
    return one;
}

std::vector<MatrixCase> dense_cases() {
    std::vector<MatrixCase> all;
    const auto add = [&](const std::string &modifiers) { all.push_back(mma_case("sync.aligned." + modifiers)); };
    for (const char *a : {"row", "col"}) {
        for (const char *b : {"row", "col"}) {
            for (const char *types : {"f16.f16.f16.f16", "f32.f16.f16.f16", "f32.f16.f16.f32"}) {
                add(fmt::format("m8n8k4.{}.{}.{}", a, b, types));
            }
        }
    }
    for (const char *shape : {"m16n8k8", "m16n8k16"}) {
        add(fmt::format("{}.row.col.f16.f16.f16.f16", shape));
        add(fmt::format("{}.row.col.f32.f16.f16.f32", shape));
        add(fmt::format("{}.row.col.f32.bf16.bf16.f32", shape));
    }
    for (const char *shape : {"m16n8k4", "m16n8k8"}) {
        add(fmt::format("{}.row.col.f32.tf32.tf32.f32", shape));
    }
    for (const char *shape : {"m8n8k4", "m16n8k4", "m16n8k8", "m16n8k16"}) {
        add(fmt::format("{}.row.col.f64.f64.f64.f64", shape));
    }
    for (const char *shape : {"m16n8k16", "m16n8k32"}) {
        for (const char *sources : {"e4m3.e4m3", "e4m3.e5m2", "e5m2.e4m3", "e5m2.e5m2"}) {
            add(fmt::format("{}.row.col.f16.{}.f16", shape, sources));
            add(fmt::format("{}.row.col.f32.{}.f32", shape, sources));
        }
    }
    for (const auto &[bits, shapes] : {std::pair{8, std::array{"m8n8k16", "m16n8k16", "m16n8k32"}},
                                       std::pair{4, std::array{"m8n8k32", "m16n8k32", "m16n8k64"}}}) {
        for (const char *shape : shapes) {
            for (const char *sat : {"", "satfinite."}) {
                for (const char *signs : {"ss", "su", "us", "uu"}) {
                    add(fmt::format("{}.row.col.{}s32.{}{}.{}{}.s32", shape, sat, signs[0], bits, signs[1], bits));
                }
            }
        }
    }
    for (const char *shape : {"m8n8k128", "m16n8k128", "m16n8k256"}) {
        add(fmt::format("{}.row.col.s32.b1.b1.s32.xor.popc", shape));
        add(fmt::format("{}.row.col.s32.b1.b1.s32.and.popc", shape));
    }
    return all;
}

/// With every selector that the shape has.
void add_sparse(std::vector<MatrixCase> &all, const std::string &modifiers) {
    isa::matrix::MatrixOperation op = form_of("mma", "sp.sync.aligned." + modifiers).operation;
    for (op.selector = 0; op.selector < 4 && isa::matrix::is_valid(op); ++op.selector) {
        all.push_back(mma_case("sp.sync.aligned." + modifiers, op.selector));
    }
    if (op.a != Element::kTf32) {
        all.push_back(mma_case("sp::ordered_metadata.sync.aligned." + modifiers));
    }
}

std::vector<MatrixCase> sparse_cases() {
    std::vector<MatrixCase> all;
    for (const char *shape : {"m16n8k16", "m16n8k32"}) {
        add_sparse(all, fmt::format("{}.row.col.f16.f16.f16.f16", shape));
        add_sparse(all, fmt::format("{}.row.col.f32.f16.f16.f32", shape));
        add_sparse(all, fmt::format("{}.row.col.f32.bf16.bf16.f32", shape));
    }
    for (const char *shape : {"m16n8k8", "m16n8k16"}) {
        add_sparse(all, fmt::format("{}.row.col.f32.tf32.tf32.f32", shape));
    }
    for (const char *sources : {"e4m3.e4m3", "e4m3.e5m2", "e5m2.e4m3", "e5m2.e5m2"}) {
        add_sparse(all, fmt::format("m16n8k64.row.col.f16.{}.f16", sources));
        add_sparse(all, fmt::format("m16n8k64.row.col.f32.{}.f32", sources));
    }
    for (const auto &[bits, shapes] :
         {std::pair{8, std::array{"m16n8k32", "m16n8k64"}}, std::pair{4, std::array{"m16n8k64", "m16n8k128"}}}) {
        for (const char *shape : shapes) {
            for (const char *sat : {"", "satfinite."}) {
                for (const char *signs : {"ss", "su", "us", "uu"}) {
                    add_sparse(
                        all, fmt::format("{}.row.col.{}s32.{}{}.{}{}.s32", shape, sat, signs[0], bits, signs[1], bits));
                }
            }
        }
    }
    return all;
}

/// Words of a matrix in memory that belong to one thread, if all threads together have it.
unsigned words_each(unsigned rows, unsigned columns, Element element) {
    return std::max(1U, rows * columns * width(element) / 32 / kWarp);
}

/// What a kernel of wmma is made of.
struct Wmma {
    std::string shape;
    std::string a; ///< type of A and B
    std::string c; ///< types of C and D
    std::string d;
    std::string bits; ///< "xor.popc."
    std::string suffix;
    std::string rounding{}; ///< of f64: ".rz"
    std::string a_layout = "row";
    std::string b_layout = "col";
    std::string c_layout = "row";
    bool shared = false; ///< through shared memory, with a stride that is a value; else global memory without a stride
    bool old = false;    ///< spelled as in PTX 6.0
};

/// The matrices of a set lie after one another, each thread by thread; loads, the product and a store work on them.
class WmmaKernel {
  public:
    WmmaKernel(const Wmma &wmma, MatrixCase &one) : wmma_(wmma), one_(one), kernel_(one) {}

    void write() {
        const std::string sync = wmma_.old ? "sync." : "sync.aligned.";
        const bool named = wmma_.a != "f16";
        const std::string types = named ? fmt::format("{}.{}.{}.{}", wmma_.d, wmma_.a, wmma_.a, wmma_.c)
                                        : fmt::format("{}.{}", wmma_.d, wmma_.c);
        const std::string product = fmt::format("mma.{}{}{}.{}.{}{}.{}{}", wmma_.bits, sync, wmma_.a_layout,
                                                wmma_.b_layout, wmma_.shape, wmma_.rounding, types, wmma_.suffix);
        const MatrixForm form = form_of("wmma", product);
        one_.blocks = is_block_float(form.operation.a);
        one_.form = form_name("wmma." + product);
        one_.name = fmt::format("wmma.{} {}{}{}", product, wmma_.c_layout, wmma_.shared ? " shared" : "",
                                wmma_.old ? " old" : "");
        const std::string a = load("a", wmma_.a_layout, wmma_.a, form.m, form.k);
        const std::string b = load("b", wmma_.b_layout, wmma_.a, form.k, form.n);
        const std::string c = load("c", wmma_.c_layout, wmma_.c, form.m, form.n);
        const FragmentForm result = form.fragment(MatrixName::kD);
        const std::string d = kernel_.declare(result);
        kernel_.line(fmt::format("wmma.{} {}, {}, {}, {};", product, KernelText::list(d, result.registers), a, b, c));
        kernel_.store(d, result);
        store(d, result, form);
        kernel_.finish();
    }

  private:
    /// Brings the matrix to memory, where wmma.load gets it; returns the fragment.
    std::string load(const std::string &name, const std::string &layout, const std::string &type, unsigned rows,
                     unsigned columns) {
        const Element element =
            form_of("wmma", fmt::format("load.{}.sync.{}.{}.{}", name, layout, wmma_.shape, type)).element;
        const unsigned words = words_each(rows, columns, element);
        const std::string space = wmma_.shared ? ".shared" : "";
        const std::string modifiers = fmt::format("load.{}.sync{}.{}.{}{}.{}", name, wmma_.old ? "" : ".aligned",
                                                  layout, wmma_.shape, space, type);
        const MatrixForm form = form_of("wmma", modifiers);
        const std::string moved = kernel_.load({*ptx::find_type("b32"), words}, kind_of(element));
        const std::string base = place(words, moved);
        const FragmentForm fragment = form.fragment(form.matrix);
        const std::string registers = kernel_.declare(fragment);
        const unsigned stride = layout == "row" ? columns : rows;
        kernel_.line(fmt::format("wmma.{} {}, [{}]{};", modifiers, KernelText::list(registers, fragment.registers),
                                 base, strided(stride)));
        return KernelText::list(registers, fragment.registers);
    }

    /// Stores the words of each thread where the next matrix is to be; returns its address.
    std::string place(unsigned words, const std::string &moved) {
        const std::string at = fmt::format("%p{}", places_++);
        const std::string own = fmt::format("%q{}", places_);
        kernel_.line(fmt::format(".reg .b64 {}, {};", at, own));
        if (wmma_.shared) {
            kernel_.line(fmt::format("mov.u64 {}, memory;", at));
            kernel_.line(fmt::format("add.u64 {0}, {0}, {1};", at, bytes_));
        } else {
            kernel_.line(fmt::format("add.u64 {}, %scratch, {};", at, bytes_));
        }
        kernel_.line(fmt::format("mad.wide.u32 {}, %lane, {}, {};", own, 4 * words, at));
        const auto registers = names(moved);
        for (unsigned i = 0; i < words; ++i) {
            kernel_.line(
                fmt::format("st{}.b32 [{}+{}], {};", wmma_.shared ? ".shared" : ".global", own, 4 * i, registers[i]));
        }
        kernel_.line("bar.warp.sync 0xffffffff;");
        bytes_ += 4 * words * kWarp;
        return at;
    }

    std::string strided(unsigned stride) {
        if (!wmma_.shared) {
            return "";
        }
        const std::string name = fmt::format("%stride{}", places_);
        kernel_.line(fmt::format(".reg .b32 {};", name));
        kernel_.line(fmt::format("add.u32 {}, %zero, {};", name, stride));
        return ", " + name;
    }

    static std::vector<std::string> names(const std::string &list) {
        std::vector<std::string> all;
        for (std::size_t at = 1; at < list.size();) {
            const std::size_t end = std::min(list.find_first_of(",}", at), list.size());
            all.push_back(list.substr(at, end - at));
            at = end + 2;
        }
        return all;
    }

    void store(const std::string &d, const FragmentForm &result, const MatrixForm &form) {
        const Element element = form.operation.d;
        const unsigned words = words_each(form.m, form.n, element);
        const std::string zeros = kernel_.declare({*ptx::find_type("b32"), words});
        for (unsigned i = 0; i < words; ++i) {
            kernel_.line(fmt::format("mov.b32 {}{}, 0;", zeros, i));
        }
        const std::string base = place(words, KernelText::list(zeros, words));
        kernel_.line(fmt::format("wmma.store.d.sync{}.{}.{}{}.{} [{}], {}{};", wmma_.old ? "" : ".aligned",
                                 wmma_.c_layout, wmma_.shape, wmma_.shared ? ".shared" : "", wmma_.d, base,
                                 KernelText::list(d, result.registers),
                                 strided(wmma_.c_layout == "row" ? form.n : form.m)));
        kernel_.line("bar.warp.sync 0xffffffff;");
        for (unsigned i = 0; i < words; ++i) {
            kernel_.line(fmt::format("ld{}.b32 {}{}, [%q{}+{}];", wmma_.shared ? ".shared" : ".global", zeros, i,
                                     places_, 4 * i));
        }
        kernel_.line("bar.warp.sync 0xffffffff;");
        kernel_.store(zeros, {*ptx::find_type("b32"), words});
    }

    const Wmma &wmma_;
    MatrixCase &one_;
    KernelText kernel_;
    unsigned places_ = 0;
    unsigned bytes_ = 0;
};

void add_wmma(std::vector<MatrixCase> &all, const Wmma &wmma) {
    MatrixCase one;
    WmmaKernel(wmma, one).write();
    all.push_back(std::move(one));
}

/// In every layout of A, B, C and D, through both spaces, in both spellings; `layouts`: of A and B, too.
void add_layouts(std::vector<MatrixCase> &all, Wmma wmma, bool layouts) {
    for (unsigned i = 0; i < (layouts ? 16U : 4U); ++i) {
        wmma.c_layout = (i & 1) != 0 ? "col" : "row";
        wmma.shared = (i & 2) != 0;
        wmma.old = wmma.shared;
        wmma.a_layout = (i & 4) != 0 ? "col" : "row";
        wmma.b_layout = (i & 8) != 0 ? "row" : "col";
        add_wmma(all, wmma);
    }
}

std::vector<MatrixCase> wmma_cases() {
    std::vector<MatrixCase> all;
    for (const char *shape : {"m16n16k16", "m32n8k16", "m8n32k16"}) {
        for (const char *c : {"f16", "f32"}) {
            for (const char *d : {"f16", "f32"}) {
                add_layouts(all, {.shape = shape, .a = "f16", .c = c, .d = d, .bits = {}, .suffix = {}}, true);
            }
        }
        add_layouts(all, {.shape = shape, .a = "f16", .c = "f16", .d = "f16", .bits = {}, .suffix = ".satfinite"},
                    false);
        add_layouts(all, {.shape = shape, .a = "f16", .c = "f32", .d = "f32", .bits = {}, .suffix = ".satfinite"},
                    false);
        add_layouts(all, {.shape = shape, .a = "bf16", .c = "f32", .d = "f32", .bits = {}, .suffix = {}}, true);
        for (const char *type : {"s8", "u8"}) {
            add_layouts(all, {.shape = shape, .a = type, .c = "s32", .d = "s32", .bits = {}, .suffix = {}}, true);
            add_layouts(all, {.shape = shape, .a = type, .c = "s32", .d = "s32", .bits = {}, .suffix = ".satfinite"},
                        false);
        }
    }
    add_layouts(all, {.shape = "m16n16k8", .a = "tf32", .c = "f32", .d = "f32", .bits = {}, .suffix = {}}, true);
    add_layouts(all, {.shape = "m8n8k4", .a = "f64", .c = "f64", .d = "f64", .bits = {}, .suffix = {}}, true);
    for (const char *rounding : {".rn", ".rz", ".rm", ".rp"}) {
        add_layouts(
            all,
            {.shape = "m8n8k4", .a = "f64", .c = "f64", .d = "f64", .bits = {}, .suffix = {}, .rounding = rounding},
            false);
    }
    for (const char *type : {"s4", "u4"}) {
        add_layouts(all, {.shape = "m8n8k32", .a = type, .c = "s32", .d = "s32", .bits = {}, .suffix = {}}, false);
        add_layouts(all, {.shape = "m8n8k32", .a = type, .c = "s32", .d = "s32", .bits = {}, .suffix = ".satfinite"},
                    false);
    }
    for (const char *bits : {"xor.popc.", "and.popc."}) {
        add_layouts(all, {.shape = "m8n8k128", .a = "b1", .c = "s32", .d = "s32", .bits = bits, .suffix = {}}, false);
    }
    return all;
}

/// ldmatrix, movmatrix and stmatrix: a matrix of memory comes back to it.
MatrixCase exchange_case(unsigned count, bool trans, bool shared) {
    MatrixCase one{.name = fmt::format("ldmatrix.x{}{}{}", count, trans ? ".trans" : "", shared ? ".shared" : ""),
                   .form = {},
                   .text = {},
                   .kinds = {}};
    one.form = one.name;
    KernelText kernel(one);
    const FragmentForm form{*ptx::find_type("b32"), count};
    const std::string words = kernel.load(form, kind_of(Element::kB1));
    const std::string from = kernel.declare(form);
    const std::string moved = kernel.declare({*ptx::find_type("b32"), 1});
    const std::string space = shared ? ".shared" : "";
    kernel.line(".reg .b64 %mine, %row, %to;");
    kernel.line("mov.u64 %mine, memory;");
    if (!shared) {
        kernel.line("cvta.shared.u64 %mine, %mine;");
    }
    kernel.line("mad.wide.u32 %row, %lane, 16, %mine;");
    // Row r of memory is read by lane (r * 5) mod 32: rows of a matrix need not follow one another.
    kernel.line(".reg .b32 %other;");
    kernel.line("mul.lo.u32 %other, %lane, 5;");
    kernel.line("and.b32 %other, %other, " + std::to_string(8 * count - 1) + ";");
    kernel.line("mad.wide.u32 %to, %other, 16, %mine;");
    for (unsigned i = 0; i < count; ++i) {
        kernel.line(fmt::format("mad.wide.u32 %at, %lane, {}, %mine;", 4 * count));
        kernel.line(fmt::format("st{}.b32 [%at+{}], {}_{};", space, 4 * i, words.substr(1, words.find('_') - 1), i));
    }
    kernel.line("bar.warp.sync 0xffffffff;");
    const std::string full = fmt::format("sync.aligned.m8n8.x{}{}{}.b16", count, trans ? ".trans" : "", space);
    kernel.line(fmt::format("ldmatrix.{} {}, [%to];", full, KernelText::list(from, count)));
    kernel.store(from, form);
    kernel.line(fmt::format("movmatrix.sync.aligned.m8n8.trans.b16 {}0, {}0;", moved, from));
    kernel.store(moved, {*ptx::find_type("b32"), 1});
    kernel.line("bar.warp.sync 0xffffffff;");
    kernel.line(fmt::format("stmatrix.{} [%row], {};", full, KernelText::list(from, count)));
    kernel.line("bar.warp.sync 0xffffffff;");
    kernel.line(fmt::format("mad.wide.u32 %at, %lane, {}, %mine;", 4 * count));
    for (unsigned i = 0; i < count; ++i) {
        kernel.line(fmt::format("ld{}.b32 {}{}, [%at+{}];", space, from, i, 4 * i));
    }
    kernel.store(from, form);
    kernel.line("bar.warp.sync 0xffffffff;");
    kernel.finish();
    return one;
}

/// A floating-point element of `bits` bits: random, small, or special.
std::uint64_t float_element(oracle::Random &random, unsigned exponent, unsigned fraction) {
    const std::uint64_t sign = random.below(2) << (exponent + fraction);
    const std::uint64_t ones = ((std::uint64_t{1} << exponent) - 1) << fraction;
    const std::uint64_t mantissa = random.next() & ((std::uint64_t{1} << fraction) - 1);
    const std::uint64_t one = ((std::uint64_t{1} << (exponent - 1)) - 1) << fraction;
    switch (random.below(48)) {
    case 0:
        return sign;
    case 1:
        return sign | mantissa; // subnormal
    case 2:
        return sign | (ones - (std::uint64_t{1} << fraction)) | mantissa; // the largest exponent
    case 3:
        return sign | one;
    case 4:
        return random.below(16) == 0 ? sign | ones : sign; // infinity
    case 5:
        return random.below(16) == 0 ? sign | ones | mantissa : sign; // NaN
    case 6:
    case 7:
        return sign | (random.next() & (ones | mantissa)); // any
    default:                                               // around one, so that sums cancel and round
        return sign | (one + ((random.below(16) << fraction) - (std::uint64_t{8} << fraction))) | mantissa;
    }
}

std::uint64_t float_value(oracle::Random &random, Element element) {
    switch (element) {
    case Element::kF16:
        return float_element(random, 5, 10);
    case Element::kBf16:
        return float_element(random, 8, 7);
    case Element::kE4m3:
        return float_element(random, 4, 3);
    case Element::kE5m2:
        return float_element(random, 5, 2);
    case Element::kF64:
        return float_element(random, 11, 52);
    default: // f32, tf32
        return float_element(random, 8, 23);
    }
}

/// Integers: random, or such that sums come to the ends of their type.
std::uint64_t integer_value(oracle::Random &random, unsigned bits) {
    const std::uint64_t ends = random.below(2) != 0 ? 0x7fffffff : 0x80000000;
    const std::uint64_t near = ends + random.below(4096) - 2048;
    return bits == 32 && random.below(2) != 0 ? near : random.next();
}

std::uint32_t metadata(oracle::Random &random, bool of_one) {
    constexpr std::array<std::uint32_t, 6> kPairs = {0x4, 0x8, 0xc, 0x9, 0xd, 0xe};
    std::uint32_t word = 0;
    for (unsigned i = 0; i < 8; ++i) {
        const std::uint32_t nibble = of_one ? (random.below(2) != 0 ? 0x4 : 0xe) : kPairs[random.below(kPairs.size())];
        word |= nibble << (4 * i);
    }
    return word;
}

/// Two words for f64, else one.
std::array<std::uint32_t, 2> words_of_kind(oracle::Random &random, unsigned kind) {
    if (kind >= kMetadata) {
        return {metadata(random, kind == kMetadataOfOne), 0};
    }
    const auto element = static_cast<Element>(kind);
    const unsigned bits = width(element);
    const bool floats = is_block_float(element) || element == Element::kF64 || element == Element::kF32;
    std::uint64_t word = 0;
    for (unsigned at = 0; at < std::max(32U, bits); at += bits) {
        const std::uint64_t value = floats ? float_value(random, element) : integer_value(random, bits);
        word |= bits == 64 ? value : (value & ((std::uint64_t{1} << bits) - 1)) << at;
    }
    return {static_cast<std::uint32_t>(word), static_cast<std::uint32_t>(word >> 32)};
}

} // namespace

std::vector<MatrixCase> matrix_cases() {
    std::vector<MatrixCase> all = dense_cases();
    for (std::vector<MatrixCase> more : {sparse_cases(), wmma_cases()}) {
        std::ranges::move(more, std::back_inserter(all));
    }
    for (const unsigned count : {1U, 2U, 4U}) {
        for (const bool trans : {false, true}) {
            all.push_back(exchange_case(count, trans, true));
            all.push_back(exchange_case(count, trans, false));
        }
    }
    return all;
}

launch::Launch matrix_launch(const MatrixCase &one, unsigned sets, std::uint64_t seed) {
    constexpr unsigned kScratchWords = 4096;
    oracle::Random random(seed);
    std::vector<std::uint32_t> in;
    for (unsigned thread = 0; thread < sets * kWarp; ++thread) {
        for (unsigned i = 0; i < one.input_words;) {
            const auto words = words_of_kind(random, one.kinds[i]);
            const unsigned count = one.kinds[i] == kind_of(Element::kF64) ? 2 : 1;
            in.insert(in.end(), words.begin(), words.begin() + count);
            i += count;
        }
    }
    launch::Launch launch;
    launch.kernel = "k";
    launch.block = {kWarp, 1, 1};
    launch.arguments.push_back(buffer_argument("in", in));
    launch.arguments.push_back(
        buffer_argument("out", std::vector<std::uint32_t>(std::size_t{sets} * kWarp * one.output_words)));
    launch.arguments.push_back(scalar_argument("sets", sets));
    launch.arguments.push_back(scalar_argument("zero", 0));
    launch.arguments.push_back(buffer_argument("scratch", std::vector<std::uint32_t>(kScratchWords)));
    return launch;
}

Config matrix_config(TensorArithmetic arithmetic) {
    Config config;
    config.tensor.arithmetic = arithmetic;
    config.tensor.fp8 = 1024;
    config.tensor.fp8_to_f32 = 1024;
    return config;
}

} // namespace smsim::ptx_differential
