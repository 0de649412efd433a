// Support for the tests of matrix instructions: all forms that exist, matrices of raw elements, the maps of fragments
// as PTX words them, and a warp that executes an operation on matrices.
#pragma once

#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sm/datapath/compute/matrix/multiply.h"

namespace smsim::sm::compute::matrix::test {

/// A matrix of raw elements.
class Matrix {
  public:
    Matrix() = default;
    Matrix(unsigned rows, unsigned columns) : columns_(columns), of_(std::size_t{rows} * columns) {}
    std::uint64_t &at(unsigned row, unsigned column) { return of_.at(std::size_t{row} * columns_ + column); }
    std::uint64_t at(unsigned row, unsigned column) const { return of_.at(std::size_t{row} * columns_ + column); }

  private:
    unsigned columns_ = 0;
    std::vector<std::uint64_t> of_;
};

/// The operands of an operation; m8n8k4 of f16 has four of each matrix.
struct Operands {
    std::array<Matrix, 4> a; ///< of a sparse operation: m x k / 2
    std::array<Matrix, 4> b;
    std::array<Matrix, 4> c;
    std::vector<std::vector<unsigned>> nibbles; ///< sparse: metadata of each row
};

struct Cell {
    unsigned row;
    unsigned column;
    unsigned product = 0;
};

inline MatrixOperation operation(unsigned m, unsigned k, Element a, Element b, Element c, Element d,
                                 bool sparse = false) {
    MatrixOperation op;
    op.m = m;
    op.k = k;
    op.a = a;
    op.b = b;
    op.c = c;
    op.d = d;
    op.sparse = sparse;
    return op;
}

inline std::string name_of(const MatrixOperation &op) {
    static const char *const kNames[] = {"f16", "bf16", "tf32", "e4m3", "e5m2", "s8", "u8",
                                         "s4",  "u4",   "b1",   "f64",  "f32",  "s32"};
    const auto name = [](Element type) { return std::string(kNames[static_cast<unsigned>(type)]); };
    return (op.sparse ? "sp m" : "m") + std::to_string(op.m) + "n8k" + std::to_string(op.k) + " " + name(op.d) + " " +
           name(op.a) + " " + name(op.b) + " " + name(op.c) + " selector " + std::to_string(op.selector) +
           (op.saturate ? " satfinite" : "") + (op.layout_a == Layout::kColumn ? " col" : " row") +
           (op.layout_b == Layout::kColumn ? " col" : " row");
}

/// A form with each value of its selector.
inline void add_sparse(std::vector<MatrixOperation> &forms, MatrixOperation op, unsigned selectors) {
    op.sparse = true;
    for (op.selector = 0; op.selector < selectors; ++op.selector) {
        forms.push_back(op);
    }
}

/// All forms of f16, bf16, tf32 and fp8.
inline std::vector<MatrixOperation> float_forms() {
    using E = Element;
    std::vector<MatrixOperation> forms;
    for (const E c : {E::kF16, E::kF32}) {
        for (const E d : {E::kF16, E::kF32}) {
            forms.push_back(operation(16, 8, E::kF16, E::kF16, c, d));
            forms.push_back(operation(16, 16, E::kF16, E::kF16, c, d));
            if (c == E::kF32 && d == E::kF16) {
                continue;
            }
            for (unsigned layouts = 0; layouts < 4; ++layouts) {
                forms.push_back(operation(8, 4, E::kF16, E::kF16, c, d));
                forms.back().layout_a = (layouts & 1U) != 0 ? Layout::kColumn : Layout::kRow;
                forms.back().layout_b = (layouts & 2U) != 0 ? Layout::kColumn : Layout::kRow;
            }
        }
        add_sparse(forms, operation(16, 16, E::kF16, E::kF16, c, c), 4);
        add_sparse(forms, operation(16, 32, E::kF16, E::kF16, c, c), 2);
        for (const E a : {E::kE4m3, E::kE5m2}) {
            for (const E b : {E::kE4m3, E::kE5m2}) {
                forms.push_back(operation(16, 16, a, b, c, c));
                forms.push_back(operation(16, 32, a, b, c, c));
                add_sparse(forms, operation(16, 64, a, b, c, c), 1);
            }
        }
    }
    for (const E a : {E::kBf16, E::kTf32}) {
        const unsigned k = a == E::kBf16 ? 16 : 8;
        forms.push_back(operation(16, k / 2, a, a, E::kF32, E::kF32));
        forms.push_back(operation(16, k, a, a, E::kF32, E::kF32));
        add_sparse(forms, operation(16, k, a, a, E::kF32, E::kF32), 4);
        add_sparse(forms, operation(16, 2 * k, a, a, E::kF32, E::kF32), 2);
    }
    return forms;
}

/// All forms of integers, with and without .satfinite.
inline std::vector<MatrixOperation> integer_forms() {
    using E = Element;
    std::vector<MatrixOperation> forms;
    for (const bool bytes : {true, false}) {
        const std::array<E, 2> types = bytes ? std::array<E, 2>{E::kS8, E::kU8} : std::array<E, 2>{E::kS4, E::kU4};
        const unsigned k = bytes ? 16 : 32;
        for (const E a : types) {
            for (const E b : types) {
                forms.push_back(operation(8, k, a, b, E::kS32, E::kS32));
                forms.push_back(operation(16, k, a, b, E::kS32, E::kS32));
                forms.push_back(operation(16, 2 * k, a, b, E::kS32, E::kS32));
                add_sparse(forms, operation(16, 2 * k, a, b, E::kS32, E::kS32), 2);
                add_sparse(forms, operation(16, 4 * k, a, b, E::kS32, E::kS32), 1);
            }
        }
    }
    const std::vector<MatrixOperation> wrapping = forms;
    for (MatrixOperation op : wrapping) {
        op.saturate = true;
        forms.push_back(op);
    }
    return forms;
}

/// All forms of single bits.
inline std::vector<MatrixOperation> bit_forms() {
    std::vector<MatrixOperation> forms;
    for (const bool is_and : {false, true}) {
        for (const auto &[m, k] : {std::pair{8U, 128U}, {16U, 128U}, {16U, 256U}}) {
            forms.push_back(operation(m, k, Element::kB1, Element::kB1, Element::kS32, Element::kS32));
            forms.back().and_not_xor = is_and;
        }
    }
    return forms;
}

/// All forms of f64, in all rounding modes.
inline std::vector<MatrixOperation> double_forms() {
    std::vector<MatrixOperation> forms;
    for (const auto rounding : {isa::Rounding::kRn, isa::Rounding::kRm, isa::Rounding::kRp, isa::Rounding::kRz}) {
        for (const auto &[m, k] : {std::pair{8U, 4U}, {16U, 4U}, {16U, 8U}, {16U, 16U}}) {
            forms.push_back(operation(m, k, Element::kF64, Element::kF64, Element::kF64, Element::kF64));
            forms.back().rounding = rounding;
        }
    }
    return forms;
}

inline unsigned bits_of(Element type) {
    constexpr unsigned kBits[] = {16, 16, 32, 8, 8, 8, 8, 4, 4, 1, 64, 32, 32};
    return kBits[static_cast<unsigned>(type)];
}
inline unsigned stored_columns(const MatrixOperation &op) {
    return op.sparse ? op.k / 2 : op.k;
}
inline bool four_products(const MatrixOperation &op) {
    return op.m == 8 && op.k == 4 && op.a == Element::kF16;
}

/// Element i of lane's A fragment, as PTX words the maps: "row = groupID for a_i where ...".
inline Cell ptx_cell_of_a(const MatrixOperation &op, unsigned i, unsigned lane) {
    const unsigned group = lane >> 2;
    const unsigned in_group = lane % 4;
    if (four_products(op)) {
        const unsigned product = (lane % 16) / 4;
        if (op.layout_a == Layout::kRow) {
            return {lane < 16 ? lane % 4 : lane % 4 + 4, i, product};
        }
        return {lane < 16 ? i % 4 : i % 4 + 4, lane % 4, product};
    }
    if (op.a == Element::kF64) { // the documents count pairs of rows
        if (op.m == 8) {
            return {group, in_group};
        }
        return {i % 2 == 0 ? group : group + 8, i % 2 == 0 ? i * 2 + in_group : i * 2 - 2 + in_group};
    }
    const unsigned each = 32 / bits_of(op.a); // elements of a register
    const unsigned column = in_group * each + i % each;
    if (op.m == 8) {
        return {group, column};
    }
    const bool upper_rows = !(i < each || (2 * each <= i && i < 3 * each));
    return {upper_rows ? group + 8 : group, i < 2 * each ? column : column + 4 * each};
}
inline Cell ptx_cell_of_b(const MatrixOperation &op, unsigned i, unsigned lane) {
    const unsigned group = lane >> 2;
    const unsigned in_group = lane % 4;
    if (four_products(op)) {
        const unsigned product = (lane % 16) / 4;
        if (op.layout_b == Layout::kRow) {
            return {lane % 4, lane < 16 ? i : i + 4, product};
        }
        return {i, lane < 16 ? lane % 4 : lane % 4 + 4, product};
    }
    if (op.b == Element::kF64) {
        return {in_group + 4 * i, group};
    }
    const unsigned each = 32 / bits_of(op.b);
    unsigned row = in_group * each + i % each;
    for (unsigned j = each; j <= i; j += each) { // further registers hold further rows
        row += 4 * each;
    }
    return {row, group};
}
inline Cell ptx_cell_of_c(const MatrixOperation &op, Element type, unsigned i, unsigned lane) {
    if (four_products(op)) {
        const unsigned product = (lane % 16) / 4;
        const unsigned upper = lane < 16 ? 0 : 4;
        if (type == Element::kF16) {
            return {lane % 4 + upper, i, product};
        }
        return {(lane & 0b1U) + (i & 0b10U) + upper, (i & 0b100U) + (lane & 0b10U) + (i & 0b1U), product};
    }
    return {i < 2 ? lane >> 2 : (lane >> 2) + 8, lane % 4 * 2 + (i & 1U)};
}

/// Lane and lowest bit of a nibble of sparse metadata, as drawn in the documents: lane T2i for instance is lane 2 i of
/// a group, for selector i.
inline std::pair<unsigned, unsigned> ptx_place_of_nibble(const MatrixOperation &op, unsigned row, unsigned nibble) {
    const unsigned group = 4 * (row % 8);
    const bool lower = row < 8;
    if (bits_of(op.a) >= 16) {
        const unsigned half = lower ? 0 : 16;
        const bool short_rows = op.k * bits_of(op.a) == 256;
        return short_rows ? std::pair{group + op.selector, half + 4 * nibble}
                          : std::pair{group + 2 * op.selector + nibble / 4, half + 4 * (nibble % 4)};
    }
    const bool short_rows = op.k * bits_of(op.a) == 256;
    const unsigned first = short_rows ? 2 * op.selector : nibble / 8 * 2;
    return {group + first + (lower ? 0 : 1), 4 * (nibble % 8)};
}

/// Registers of a fragment.
using Registers = std::vector<Row>;

inline void put_element(Registers &registers, unsigned bits, unsigned i, unsigned lane, std::uint64_t value) {
    if (bits == 64) {
        registers.at(2 * i).lane[lane] = static_cast<std::uint32_t>(value);
        registers.at(2 * i + 1).lane[lane] = static_cast<std::uint32_t>(value >> 32);
    } else {
        registers.at(i * bits / 32).lane[lane] |= static_cast<std::uint32_t>(value) << (i * bits % 32);
    }
}
inline std::uint64_t element(const Registers &registers, unsigned bits, unsigned i, unsigned lane) {
    if (bits == 64) {
        return registers.at(2 * i).lane[lane] | std::uint64_t{registers.at(2 * i + 1).lane[lane]} << 32;
    }
    const std::uint32_t word = registers.at(i * bits / 32).lane[lane] >> (i * bits % 32);
    return bits == 32 ? word : word & ((1U << bits) - 1);
}

/// A warp's registers for an operation on matrices.
struct Warp {
    Registers a;
    Registers b;
    Registers c;
    Row metadata{};

    Warp(const MatrixOperation &op, const Operands &operands)
        : a(registers_of_a(op)), b(registers_of_b(op)), c(registers_of_c(op)) {
        const auto fill = [](Registers &to, unsigned bits, const std::array<Matrix, 4> &from, auto cell_of) {
            for (unsigned lane = 0; lane < kLanes; ++lane) {
                for (unsigned i = 0; i < to.size() * 32 / bits; ++i) {
                    const Cell cell = cell_of(i, lane);
                    put_element(to, bits, i, lane, from[cell.product].at(cell.row, cell.column));
                }
            }
        };
        fill(a, bits_of(op.a), operands.a, [&](unsigned i, unsigned lane) { return ptx_cell_of_a(op, i, lane); });
        fill(b, bits_of(op.b), operands.b, [&](unsigned i, unsigned lane) { return ptx_cell_of_b(op, i, lane); });
        fill(c, bits_of(op.c), operands.c, [&](unsigned i, unsigned lane) { return ptx_cell_of_c(op, op.c, i, lane); });
        for (unsigned row = 0; row < operands.nibbles.size(); ++row) {
            for (unsigned nibble = 0; nibble < operands.nibbles[row].size(); ++nibble) {
                const auto [lane, bit] = ptx_place_of_nibble(op, row, nibble);
                metadata.lane[lane] |= operands.nibbles[row][nibble] << bit;
            }
        }
    }
};

inline std::vector<const Row *> pointers(const Registers &registers) {
    std::vector<const Row *> all;
    for (const Row &row : registers) {
        all.push_back(&row);
    }
    return all;
}

/// D of an operation on matrices.
inline std::array<Matrix, 4> execute(const MatrixOperation &op, Arithmetic arithmetic, bool zero_terms,
                                     const Operands &operands) {
    const Warp warp(op, operands);
    Registers d(registers_of_d(op));
    std::vector<Row *> to;
    for (Row &row : d) {
        to.push_back(&row);
    }
    multiply(op, arithmetic, zero_terms, pointers(warp.a).data(), pointers(warp.b).data(), pointers(warp.c).data(),
             op.sparse ? &warp.metadata : nullptr, to.data());
    std::array<Matrix, 4> result;
    result.fill(Matrix(op.m, op.n));
    for (unsigned lane = 0; lane < kLanes; ++lane) {
        for (unsigned i = 0; i < d.size() * 32 / bits_of(op.d); ++i) {
            const Cell cell = ptx_cell_of_c(op, op.d, i, lane);
            result[cell.product].at(cell.row, cell.column) = element(d, bits_of(op.d), i, lane);
        }
    }
    return result;
}

/// Valid metadata for all rows: two different indices, ascending; tf32: which of two.
inline std::vector<std::vector<unsigned>> random_nibbles(const MatrixOperation &op, std::mt19937 &random) {
    static constexpr unsigned kPairs[] = {0b0100, 0b1000, 0b1100, 0b1001, 0b1101, 0b1110};
    const unsigned count = op.k * bits_of(op.a) /
                           (op.a == Element::kTf32 ? 64
                            : bits_of(op.a) == 4   ? 32
                                                   : 4 * bits_of(op.a));
    std::vector<std::vector<unsigned>> all(op.m, std::vector<unsigned>(count));
    for (auto &row : all) {
        for (unsigned &nibble : row) {
            nibble = op.a == Element::kTf32 ? (random() % 2 == 0 ? 0b0100 : 0b1110) : kPairs[random() % 6];
        }
    }
    return all;
}

/// Row of B that stored element `stored` of a row of A is multiplied with.
inline unsigned row_of_b(const MatrixOperation &op, const Operands &operands, unsigned row, unsigned stored) {
    if (!op.sparse) {
        return stored;
    }
    const auto &nibbles = operands.nibbles.at(row);
    const auto index = [&nibbles](unsigned i) { return nibbles.at(i / 2) >> (i % 2 * 2) & 3U; };
    if (op.a == Element::kTf32) {
        return 2 * stored + (nibbles.at(stored) == 0b1110 ? 1 : 0);
    }
    if (bits_of(op.a) == 4) { // pairs of elements
        return stored / 4 * 8 + 2 * index(stored / 2) + stored % 2;
    }
    return stored / 2 * 4 + index(stored);
}

/// Matrices of an operation, elements from three sources: functions of nothing.
template <typename A, typename B, typename C>
Operands random_operands(const MatrixOperation &op, std::mt19937 &random, A of_a, B of_b, C of_c) {
    Operands operands;
    for (unsigned product = 0; product < 4; ++product) {
        operands.a[product] = Matrix(op.m, stored_columns(op));
        operands.b[product] = Matrix(op.k, op.n);
        operands.c[product] = Matrix(op.m, op.n);
        for (unsigned row = 0; row < op.m; ++row) {
            for (unsigned i = 0; i < stored_columns(op); ++i) {
                operands.a[product].at(row, i) = of_a();
            }
            for (unsigned i = 0; i < op.n; ++i) {
                operands.c[product].at(row, i) = of_c();
            }
        }
        for (unsigned row = 0; row < op.k; ++row) {
            for (unsigned i = 0; i < op.n; ++i) {
                operands.b[product].at(row, i) = of_b();
            }
        }
    }
    if (op.sparse) {
        operands.nibbles = random_nibbles(op, random);
    }
    return operands;
}

/// Calls f(product, row, column, elements of A, elements of B) for each element of D.
template <typename F> void each_result(const MatrixOperation &op, const Operands &operands, F f) {
    for (unsigned product = 0; product < (four_products(op) ? 4 : 1); ++product) {
        for (unsigned row = 0; row < op.m; ++row) {
            for (unsigned column = 0; column < op.n; ++column) {
                std::vector<std::uint64_t> a;
                std::vector<std::uint64_t> b;
                for (unsigned i = 0; i < stored_columns(op); ++i) {
                    a.push_back(operands.a[product].at(row, i));
                    b.push_back(operands.b[product].at(row_of_b(op, operands, row, i), column));
                }
                f(product, row, column, a, b);
            }
        }
    }
}

} // namespace smsim::sm::compute::matrix::test
