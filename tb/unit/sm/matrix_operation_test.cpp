// Which matrix operations exist, how many registers they take, and where their elements lie (tensor.md 1).
#include <set>
#include <tuple>

#include "sm/datapath/compute/matrix/fragments.h"
#include "tb/unit/sm/matrix_support.h"

namespace smsim::sm::compute::matrix::test {
namespace {

std::vector<MatrixOperation> all_forms() {
    std::vector<MatrixOperation> all = float_forms();
    for (const auto &forms : {integer_forms(), bit_forms(), double_forms()}) {
        all.insert(all.end(), forms.begin(), forms.end());
    }
    return all;
}

TEST(MatrixOperation, AllFormsOfPtxAreValid) {
    for (const MatrixOperation &op : all_forms()) {
        EXPECT_TRUE(is_valid(op)) << name_of(op);
    }
}

TEST(MatrixOperation, NoOtherShapeOrCombinationOfTypesIsValid) {
    using Key = std::tuple<unsigned, unsigned, Element, Element, Element, Element, bool>;
    std::set<Key> valid;
    for (const MatrixOperation &op : all_forms()) {
        valid.emplace(op.m, op.k, op.a, op.b, op.c, op.d, op.sparse);
    }
    const auto element_at = [](unsigned i) { return static_cast<Element>(i); };
    constexpr unsigned kTypes = 13;
    for (const unsigned m : {8U, 16U, 32U}) {
        for (const unsigned k : {4U, 8U, 16U, 32U, 64U, 128U, 256U}) {
            for (unsigned types = 0; types < kTypes * kTypes * kTypes * kTypes; ++types) {
                for (const bool sparse : {false, true}) {
                    const Element a = element_at(types % kTypes);
                    const Element b = element_at(types / kTypes % kTypes);
                    const Element c = element_at(types / kTypes / kTypes % kTypes);
                    const Element d = element_at(types / kTypes / kTypes / kTypes);
                    const MatrixOperation op = operation(m, k, a, b, c, d, sparse);
                    ASSERT_EQ(is_valid(op), valid.count(Key{m, k, a, b, c, d, sparse}) != 0) << name_of(op);
                }
            }
        }
    }
}

TEST(MatrixOperation, ModifiersBelongToTheirTypes) {
    const auto is_valid_with = [](MatrixOperation op, auto change) {
        change(op);
        return is_valid(op);
    };
    const MatrixOperation f16 = operation(16, 16, Element::kF16, Element::kF16, Element::kF32, Element::kF32);
    const MatrixOperation s8 = operation(16, 32, Element::kS8, Element::kS8, Element::kS32, Element::kS32);
    const MatrixOperation b1 = operation(16, 256, Element::kB1, Element::kB1, Element::kS32, Element::kS32);
    const MatrixOperation sparse = operation(16, 32, Element::kF16, Element::kF16, Element::kF32, Element::kF32, true);
    const auto rounds = [](MatrixOperation &op) { op.rounding = isa::Rounding::kRz; };
    const auto ands = [](MatrixOperation &op) { op.and_not_xor = true; };
    const auto saturates = [](MatrixOperation &op) { op.saturate = true; };
    EXPECT_FALSE(is_valid_with(f16, rounds));
    EXPECT_FALSE(is_valid_with(s8, ands));
    EXPECT_TRUE(is_valid_with(b1, ands));
    EXPECT_FALSE(is_valid_with(b1, saturates));
    EXPECT_TRUE(is_valid_with(s8, saturates));
    EXPECT_TRUE(is_valid_with(f16, saturates));
    EXPECT_FALSE(is_valid_with(sparse, saturates));
    EXPECT_FALSE(is_valid_with(f16, [](MatrixOperation &op) { op.layout_a = Layout::kColumn; }));
    EXPECT_FALSE(is_valid_with(f16, [](MatrixOperation &op) { op.layout_b = Layout::kRow; }));
    EXPECT_FALSE(is_valid_with(f16, [](MatrixOperation &op) { op.n = 16; }));
    EXPECT_TRUE(is_valid_with(sparse, [](MatrixOperation &op) { op.selector = 1; }));
    EXPECT_FALSE(is_valid_with(sparse, [](MatrixOperation &op) { op.selector = 2; }));
    EXPECT_FALSE(is_valid_with(f16, [](MatrixOperation &op) { op.selector = 1; }));
}

TEST(MatrixOperation, RegistersOfTheOperands) {
    using E = Element;
    const auto registers = [](const MatrixOperation &op) {
        return std::tuple{registers_of_a(op), registers_of_b(op), registers_of_c(op), registers_of_d(op)};
    };
    EXPECT_EQ(registers(operation(8, 4, E::kF16, E::kF16, E::kF16, E::kF32)), std::tuple(2U, 2U, 4U, 8U));
    EXPECT_EQ(registers(operation(16, 8, E::kF16, E::kF16, E::kF16, E::kF16)), std::tuple(2U, 1U, 2U, 2U));
    EXPECT_EQ(registers(operation(16, 16, E::kF16, E::kF16, E::kF32, E::kF32)), std::tuple(4U, 2U, 4U, 4U));
    EXPECT_EQ(registers(operation(16, 4, E::kTf32, E::kTf32, E::kF32, E::kF32)), std::tuple(2U, 1U, 4U, 4U));
    EXPECT_EQ(registers(operation(8, 4, E::kF64, E::kF64, E::kF64, E::kF64)), std::tuple(2U, 2U, 4U, 4U));
    EXPECT_EQ(registers(operation(16, 16, E::kF64, E::kF64, E::kF64, E::kF64)), std::tuple(16U, 8U, 8U, 8U));
    EXPECT_EQ(registers(operation(8, 16, E::kS8, E::kU8, E::kS32, E::kS32)), std::tuple(1U, 1U, 2U, 2U));
    EXPECT_EQ(registers(operation(16, 256, E::kB1, E::kB1, E::kS32, E::kS32)), std::tuple(4U, 2U, 4U, 4U));
    EXPECT_EQ(registers(operation(16, 32, E::kF16, E::kF16, E::kF32, E::kF32, true)), std::tuple(4U, 4U, 4U, 4U));
    EXPECT_EQ(registers(operation(16, 128, E::kS4, E::kS4, E::kS32, E::kS32, true)), std::tuple(4U, 4U, 4U, 4U));
    EXPECT_EQ(registers(operation(16, 16, E::kTf32, E::kTf32, E::kF32, E::kF32, true)), std::tuple(4U, 4U, 4U, 4U));
}

/// Elements of a lane.
unsigned elements(unsigned registers, Element type) {
    return registers * 32 / bits_of(type);
}

TEST(MatrixFragments, ElementsLieWherePtxPutsThem) {
    for (const MatrixOperation &op : all_forms()) {
        for (unsigned lane = 0; lane < kLanes; ++lane) {
            for (unsigned i = 0; i < elements(registers_of_a(op), op.a); ++i) {
                const Cell cell = ptx_cell_of_a(op, i, lane);
                ASSERT_EQ(place_of_a(op, i, lane), (Place{cell.row, cell.column, cell.product})) << name_of(op);
            }
            for (unsigned i = 0; i < elements(registers_of_b(op), op.b); ++i) {
                const Cell cell = ptx_cell_of_b(op, i, lane);
                ASSERT_EQ(place_of_b(op, i, lane), (Place{cell.row, cell.column, cell.product})) << name_of(op);
            }
            for (unsigned i = 0; i < elements(registers_of_c(op), op.c); ++i) {
                const Cell cell = ptx_cell_of_c(op, op.c, i, lane);
                ASSERT_EQ(place_of_c(op, i, lane), (Place{cell.row, cell.column, cell.product})) << name_of(op);
            }
            for (unsigned i = 0; i < elements(registers_of_d(op), op.d); ++i) {
                const Cell cell = ptx_cell_of_c(op, op.d, i, lane);
                ASSERT_EQ(place_of_d(op, i, lane), (Place{cell.row, cell.column, cell.product})) << name_of(op);
            }
        }
    }
}

TEST(MatrixFragments, EveryElementLiesInOnePlace) {
    for (const MatrixOperation &op : all_forms()) {
        std::set<std::tuple<unsigned, unsigned, unsigned>> a;
        std::set<std::tuple<unsigned, unsigned, unsigned>> b;
        std::set<std::tuple<unsigned, unsigned, unsigned>> c;
        for (unsigned lane = 0; lane < kLanes; ++lane) {
            for (unsigned i = 0; i < elements(registers_of_a(op), op.a); ++i) {
                const Place place = place_of_a(op, i, lane);
                a.emplace(place.row, place.column, place.product);
            }
            for (unsigned i = 0; i < elements(registers_of_b(op), op.b); ++i) {
                const Place place = place_of_b(op, i, lane);
                b.emplace(place.row, place.column, place.product);
            }
            for (unsigned i = 0; i < elements(registers_of_c(op), op.c); ++i) {
                const Place place = place_of_c(op, i, lane);
                c.emplace(place.row, place.column, place.product);
            }
        }
        EXPECT_EQ(a.size(), products(op) * op.m * stored_k(op)) << name_of(op);
        EXPECT_EQ(b.size(), products(op) * op.k * op.n) << name_of(op);
        EXPECT_EQ(c.size(), products(op) * op.m * op.n) << name_of(op);
    }
}

TEST(MatrixFragments, PlacesThatTheDocumentsDraw) {
    using E = Element;
    const MatrixOperation f16 = operation(16, 16, E::kF16, E::kF16, E::kF32, E::kF32);
    EXPECT_EQ(place_of_a(f16, 3, 5), (Place{9, 3}));
    EXPECT_EQ(place_of_a(f16, 6, 31), (Place{15, 14}));
    EXPECT_EQ(place_of_b(f16, 2, 6), (Place{12, 1}));
    EXPECT_EQ(place_of_c(f16, 3, 30), (Place{15, 5}));
    const MatrixOperation volta = operation(8, 4, E::kF16, E::kF16, E::kF16, E::kF32);
    EXPECT_EQ(place_of_a(volta, 2, 21), (Place{5, 2, 1}));
    EXPECT_EQ(place_of_c(volta, 6, 9), (Place{1, 6, 2}));
    EXPECT_EQ(place_of_d(volta, 6, 27), (Place{7, 6, 2}));
    const MatrixOperation f64 = operation(16, 16, E::kF64, E::kF64, E::kF64, E::kF64);
    EXPECT_EQ(place_of_a(f64, 7, 2), (Place{8, 14}));
    EXPECT_EQ(place_of_b(f64, 3, 2), (Place{14, 0}));
}

} // namespace
} // namespace smsim::sm::compute::matrix::test
