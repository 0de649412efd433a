// mma, wmma.mma, ldmatrix, stmatrix and movmatrix: fragments become groups of registers, and a product of wmma those of
// mma that it is made of (tensor.md 1). wmma.load and wmma.store are in fragment_access.cpp.
#include <array>

#include <fmt/format.h>

#include "model/isa/matrix/matrix_instruction.h"
#include "ptx/matrix_form.h"
#include "ptx/select/address.h"
#include "ptx/select/fragment_access.h"
#include "ptx/select/parts.h"
#include "ptx/select/synchronise.h"

namespace smsim::ptx::select {

using namespace machine;
using isa::matrix::Element;
using isa::matrix::MatrixOperation;

namespace {

using Elements = std::span<const ptx::Operand *const>;

/// The lanes that must be there: all.
void meet_warp(Selector &selector) {
    ptx::Operand all;
    all.kind = ptx::OperandKind::kInteger;
    all.value = 0xffffffff;
    meet(selector, all, Meeting::kLanes);
}

/// The elements of a fragment in registers that follow one another.
Operand group_of(Selector &selector, Elements elements, Type type) {
    if (elements.size() == 1) {
        return selector.read_register(*elements[0], type);
    }
    const unsigned each = type.bits / 32;
    const auto words = static_cast<unsigned>(elements.size()) * each;
    const Register group = selector.temporary(words);
    for (unsigned i = 0; i < elements.size(); ++i) {
        selector.move(define(group, each, i * each), selector.read(*elements[i], type));
    }
    return use(group, words);
}

/// A group for a result; `take_apart` brings it to its elements.
Operand new_group(Selector &selector, std::size_t elements, Type type) {
    const auto words = static_cast<unsigned>(elements) * type.bits / 32;
    return define(selector.temporary(words), words);
}

void take_apart(Selector &selector, const Operand &group, Elements elements, Type type) {
    for (unsigned i = 0; i < elements.size(); ++i) {
        if (elements[i]->kind != ptx::OperandKind::kSink) {
            selector.write_value(*elements[i], part_of(selector, group, i, type.bits), type);
        }
    }
}

std::string_view hmma_sources(const MatrixOperation &op) {
    switch (op.a) {
    case Element::kBf16:
        return ".BF16";
    case Element::kTf32:
        return ".TF32";
    case Element::kE4m3:
        return op.b == Element::kE4m3 ? ".E4M3" : ".E4M3_E5M2";
    case Element::kE5m2:
        return op.b == Element::kE5m2 ? ".E5M2" : ".E5M2_E4M3";
    default:
        return op.saturate ? ".SAT" : "";
    }
}

std::string_view layouts(const MatrixOperation &op) {
    using isa::matrix::Layout;
    if (op.layout_a == Layout::kRow) {
        return op.layout_b == Layout::kColumn ? "" : ".ROW_ROW";
    }
    return op.layout_b == Layout::kColumn ? ".COL_COL" : ".COL_ROW";
}

std::string_view integer_name(Element element) {
    constexpr std::array<std::string_view, 4> kNames = {"S8", "U8", "S4", "U4"};
    return kNames.at(static_cast<std::size_t>(element) - static_cast<std::size_t>(Element::kS8));
}

/// The instruction of the model for an operation.
std::string mnemonic_of(const MatrixOperation &op) {
    const std::string shape = fmt::format("{}{}{}", op.m, op.n, op.k);
    const std::string sparse = op.sparse ? fmt::format(".SP{}", op.selector) : "";
    const auto result = [](Element element) { return element == Element::kF16 ? "F16" : "F32"; };
    switch (op.a) {
    case Element::kS8:
    case Element::kU8:
    case Element::kS4:
    case Element::kU4:
        return fmt::format("IMMA.{}.{}.{}{}{}", shape, integer_name(op.a), integer_name(op.b),
                           op.saturate ? ".SAT" : "", sparse);
    case Element::kB1:
        return fmt::format("BMMA.{}.{}", shape, op.and_not_xor ? "AND" : "XOR");
    case Element::kF64: {
        constexpr std::array<std::string_view, 4> kRoundings = {"", ".RM", ".RP", ".RZ"};
        return fmt::format("DMMA.{}{}", shape, kRoundings.at(static_cast<std::size_t>(op.rounding)));
    }
    default:
        return fmt::format("HMMA.{}.{}.{}{}{}{}", shape, result(op.d), result(op.c), hmma_sources(op), layouts(op),
                           sparse);
    }
}

void select_mma(Selector &selector, const Selection &selection, const MatrixForm &form) {
    meet_warp(selector);
    MatrixOperation op = form.operation;
    std::vector<Operand> operands;
    const auto add = [&](std::size_t index, MatrixName name) {
        operands.push_back(group_of(selector, elements_of(selection.operand(index)), form.fragment(name).type));
    };
    add(1, MatrixName::kA);
    add(2, MatrixName::kB);
    add(3, MatrixName::kC);
    if (op.sparse) {
        op.selector = static_cast<unsigned>(selection.operand(5).value);
        operands.push_back(selector.read_register(selection.operand(4), *find_type("b32")));
    }
    const FragmentForm result = form.fragment(MatrixName::kD);
    const auto to = elements_of(selection.operand(0));
    const Operand group = new_group(selector, to.size(), result.type);
    operands.insert(operands.begin(), group);
    over_lanes(selector, mnemonic_of(op), std::move(operands));
    take_apart(selector, group, to, result.type);
}

/// The registers of tile `tile` of a fragment of wmma.
Elements tile_of(Elements all, const MatrixForm &form, MatrixName name, unsigned tile, std::size_t registers) {
    return all.subspan(wmma_tiles(form, name) == 1 ? 0 : tile * registers, registers);
}

/// The operands of one product of wmma, and where its result goes.
struct Product {
    Elements d;
    Elements a;
    Elements b;
    Elements c;
    std::array<Type, 4> types; ///< of these
};

/// Emits a product as one instruction, or as one for each part of k that the machine can take at once. Returns the
/// result.
Operand emit_product(Selector &selector, const MatrixOperation &op, const Product &product) {
    const unsigned steps = isa::matrix::steps_of(op);
    const unsigned parts =
        is_block_float(op.a) && steps > selector.matrix_steps() ? steps / selector.matrix_steps() : 1;
    MatrixOperation part = op;
    part.k = op.k / parts;
    const std::size_t size_a = product.a.size() / parts;
    const std::size_t size_b = product.b.size() / parts;
    Operand sum = group_of(selector, product.c, product.types[3]);
    for (unsigned i = 0; i < parts; ++i) {
        part.saturate = op.saturate && i + 1 == parts;
        const Operand a = group_of(selector, product.a.subspan(i * size_a, size_a), product.types[1]);
        const Operand b = group_of(selector, product.b.subspan(i * size_b, size_b), product.types[2]);
        const Operand result = new_group(selector, product.d.size(), product.types[0]);
        over_lanes(selector, mnemonic_of(part), {result, a, b, sum});
        sum = use(result.reg, result.words);
        part.c = op.d;
    }
    return sum;
}

void select_wmma_mma(Selector &selector, const Selection &selection, const MatrixForm &form) {
    meet_warp(selector);
    const MatrixOperation &op = form.operation;
    constexpr std::array<MatrixName, 4> kNames = {MatrixName::kD, MatrixName::kA, MatrixName::kB, MatrixName::kC};
    const unsigned first = form.transposed ? 2 : 1; // of the operands, the one that is the first source
    std::array<std::vector<const ptx::Operand *>, 4> elements;
    for (unsigned i = 0; i < elements.size(); ++i) {
        elements[i] = elements_of(selection.operand(i));
    }
    const auto tile = [&](unsigned operand, unsigned at, unsigned words) {
        const Type type = form.fragment(kNames[operand]).type;
        return std::pair(tile_of(elements[operand], form, kNames[operand], at, words * 32 / type.bits), type);
    };
    // Every source is read before a result is written: D may have registers of A or B.
    std::vector<std::pair<Operand, std::pair<Elements, Type>>> results;
    for (unsigned at = 0; at < wmma_tiles(form, MatrixName::kD); ++at) {
        const auto [a, a_type] = tile(first, at, registers_of_a(op));
        const auto [b, b_type] = tile(3 - first, at, registers_of_b(op));
        const auto [c, c_type] = tile(3, at, registers_of_c(op));
        const auto d = tile(0, at, registers_of_d(op));
        results.emplace_back(emit_product(selector, op, {d.first, a, b, c, {d.second, a_type, b_type, c_type}}), d);
    }
    for (const auto &[group, to] : results) {
        take_apart(selector, group, to.first, to.second);
    }
}

/// The modifiers of LDSM and STSM.
std::string exchange_mnemonic(std::string_view name, const MatrixForm &form) {
    const std::string count = form.matrices == 1 ? "" : fmt::format(".{}", form.matrices);
    return fmt::format("{}.16.{}{}", name, form.trans ? "MT88" : "M88", count);
}

void select_ldmatrix(Selector &selector, const Selection &selection, const MatrixForm &form) {
    meet_warp(selector);
    const Type b32 = *find_type("b32");
    const Address address = address_of(selector, selection.instruction, selection.operand(1));
    const auto to = elements_of(selection.operand(0));
    const Operand group = new_group(selector, to.size(), b32);
    over_lanes(selector, exchange_mnemonic("LDSM", form), {group, address_operand(selector, address, kSharedSet)});
    take_apart(selector, group, to, b32);
}

void select_stmatrix(Selector &selector, const Selection &selection, const MatrixForm &form) {
    meet_warp(selector);
    const Address address = address_of(selector, selection.instruction, selection.operand(0));
    const Operand group = group_of(selector, elements_of(selection.operand(1)), *find_type("b32"));
    over_lanes(selector, exchange_mnemonic("STSM", form), {address_operand(selector, address, kSharedSet), group});
}

void select_movmatrix(Selector &selector, const Selection &selection) {
    meet_warp(selector);
    const Type b32 = *find_type("b32");
    const Operand from = group_of(selector, elements_of(selection.operand(1)), b32);
    over_lanes(selector, "MOVM.16.MT88", {selector.write(*elements_of(selection.operand(0))[0], b32), from});
}

} // namespace

bool select_matrix(Selector &selector, const Selection &selection) {
    if (!is_matrix_opcode(selection.instruction.opcode)) {
        return false;
    }
    std::string reason;
    const std::optional<MatrixForm> form =
        matrix_form(selection.instruction.opcode, selection.instruction.modifiers, reason);
    switch (form->verb) {
    case MatrixVerb::kMma:
        select_mma(selector, selection, *form);
        break;
    case MatrixVerb::kWmmaMma:
        select_wmma_mma(selector, selection, *form);
        break;
    case MatrixVerb::kWmmaLoad:
        load_fragment(selector, selection, *form);
        break;
    case MatrixVerb::kWmmaStore:
        store_fragment(selector, selection, *form);
        break;
    case MatrixVerb::kLoad:
        select_ldmatrix(selector, selection, *form);
        break;
    case MatrixVerb::kStore:
        select_stmatrix(selector, selection, *form);
        break;
    case MatrixVerb::kMove:
        select_movmatrix(selector, selection);
        break;
    }
    return true;
}

} // namespace smsim::ptx::select
