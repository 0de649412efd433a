// The modifiers of HMMA, IMMA, BMMA and DMMA, in the order of isa_table.cpp.
#include "model/isa/matrix/matrix_instruction.h"

#include <array>
#include <iterator>

namespace smsim::isa::matrix {
namespace {

struct ShapeOfName {
    unsigned m;
    unsigned k;
};

// Names of shapes are m, n = 8, k.
constexpr ShapeOfName kHmmaShapes[] = {{8, 4}, {16, 4}, {16, 8}, {16, 16}, {16, 32}, {16, 64}};
constexpr ShapeOfName kImmaShapes[] = {{8, 16}, {8, 32}, {16, 16}, {16, 32}, {16, 64}, {16, 128}};
constexpr ShapeOfName kBmmaShapes[] = {{8, 128}, {16, 128}, {16, 256}};
constexpr ShapeOfName kDmmaShapes[] = {{8, 4}, {16, 4}, {16, 8}, {16, 16}};

struct Sources {
    Element a;
    Element b;
    bool saturate = false;
};
constexpr Sources kHmmaSources[] = {{Element::kF16, Element::kF16},   {Element::kBf16, Element::kBf16},
                                    {Element::kTf32, Element::kTf32}, {Element::kE4m3, Element::kE4m3},
                                    {Element::kE5m2, Element::kE5m2}, {Element::kE4m3, Element::kE5m2},
                                    {Element::kE5m2, Element::kE4m3}, {Element::kF16, Element::kF16, true}};
constexpr Element kHmmaResults[] = {Element::kF32, Element::kF16};
constexpr Element kImmaSources[] = {Element::kS8, Element::kU8, Element::kS4, Element::kU4};

/// The value of a modifier as an index into its table; values beyond are taken as the first.
template <typename T> const T &choose(std::span<const T> table, std::uint8_t value) {
    return table[value < table.size() ? value : 0];
}

void set_shape(MatrixOperation &op, const ShapeOfName &shape) {
    op.m = shape.m;
    op.n = 8;
    op.k = shape.k;
}

/// `value` of the modifier "", SP0 to SP3.
void set_sparse(MatrixOperation &op, std::uint8_t value) {
    op.sparse = value != 0;
    op.selector = value == 0 ? 0 : value - 1U;
}

MatrixOperation hmma(const Instruction &insn) {
    MatrixOperation op;
    set_shape(op, choose<ShapeOfName>(kHmmaShapes, insn.mod[0]));
    op.d = choose<Element>(kHmmaResults, insn.mod[1]);
    op.c = choose<Element>(kHmmaResults, insn.mod[2]);
    const Sources &sources = choose<Sources>(kHmmaSources, insn.mod[3]);
    op.a = sources.a;
    op.b = sources.b;
    op.saturate = sources.saturate;
    op.layout_a = insn.mod[4] >= 2 ? Layout::kColumn : Layout::kRow;
    op.layout_b = insn.mod[4] == 1 || insn.mod[4] == 3 ? Layout::kRow : Layout::kColumn;
    set_sparse(op, insn.mod[5]);
    return op;
}

MatrixOperation imma(const Instruction &insn) {
    MatrixOperation op;
    set_shape(op, choose<ShapeOfName>(kImmaShapes, insn.mod[0]));
    op.a = choose<Element>(kImmaSources, insn.mod[1]);
    op.b = choose<Element>(kImmaSources, insn.mod[2]);
    op.c = op.d = Element::kS32;
    op.saturate = insn.mod[3] != 0;
    set_sparse(op, insn.mod[4]);
    return op;
}

MatrixOperation bmma(const Instruction &insn) {
    MatrixOperation op;
    set_shape(op, choose<ShapeOfName>(kBmmaShapes, insn.mod[0]));
    op.a = op.b = Element::kB1;
    op.c = op.d = Element::kS32;
    op.and_not_xor = insn.mod[1] != 0;
    return op;
}

MatrixOperation dmma(const Instruction &insn) {
    MatrixOperation op;
    set_shape(op, choose<ShapeOfName>(kDmmaShapes, insn.mod[0]));
    op.a = op.b = op.c = op.d = Element::kF64;
    op.rounding = static_cast<Rounding>(insn.mod[1]);
    return op;
}

} // namespace

MatrixOperation operation_of(const Instruction &insn) {
    switch (insn.op) {
    case Op::kImma:
        return imma(insn);
    case Op::kBmma:
        return bmma(insn);
    case Op::kDmma:
        return dmma(insn);
    default:
        return hmma(insn);
    }
}

std::string refusal(const Instruction &insn) {
    const MatrixOperation op = operation_of(insn);
    if (!is_valid(op)) {
        return "no such product: shape, types, layouts and selector do not go together";
    }
    if (!op.sparse && insn.re != kRz) {
        return "a product that is not sparse has no metadata";
    }
    return {};
}

unsigned registers_of(const Instruction &insn, Place place) {
    const MatrixOperation op = operation_of(insn);
    if (!is_valid(op)) {
        return 1;
    }
    switch (place) {
    case Place::kRd:
        return registers_of_d(op);
    case Place::kRa:
        return registers_of_a(op);
    case Place::kRb:
        return registers_of_b(op);
    case Place::kRc:
        return registers_of_c(op);
    default:
        return 1;
    }
}

Rate rate_of(const MatrixOperation &op) {
    switch (op.a) {
    case Element::kBf16:
        return Rate::kBf16;
    case Element::kTf32:
        return Rate::kTf32;
    case Element::kE4m3:
    case Element::kE5m2:
        return op.d == Element::kF32 ? Rate::kFp8ToF32 : Rate::kFp8;
    case Element::kS8:
    case Element::kU8:
        return Rate::kS8;
    case Element::kS4:
    case Element::kU4:
        return Rate::kS4;
    case Element::kB1:
        return Rate::kB1;
    case Element::kF64:
        return Rate::kF64;
    default:
        return op.d == Element::kF32 ? Rate::kF16ToF32 : Rate::kF16;
    }
}

} // namespace smsim::isa::matrix
