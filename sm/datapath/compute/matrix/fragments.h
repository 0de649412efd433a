// Where the elements of A, B, C and D lie in the registers of a warp (tensor.md 1; the maps that PTX documents for
// mma.sync).
//
// Lane 4 g + t belongs to group g. In all shapes but one, a lane has rows g and g + 8 of A, C and D, and column g of B:
// A and B as runs of the elements that fill a register, run t of each four, and C and D as columns 2 t and 2 t + 1.
// The exception is m8n8k4 of f16: its four products belong to the quad pairs, lanes 4 q..4 q + 3 and 16 + 4 q..19 + 4
// q.
#pragma once

#include "sm/datapath/compute/matrix/operation.h"

namespace smsim::sm::compute::matrix {

/// An element of a matrix. `product` is that of m8n8k4 of f16, and else 0.
struct Place {
    unsigned row;
    unsigned column;
    unsigned product = 0;

    constexpr bool operator==(const Place &) const = default;
};

/// Elements of a type in one register; 1 for f64, which takes two.
constexpr unsigned per_register(Element type) {
    return width(type) < 32 ? 32 / width(type) : 1;
}

namespace detail {

/// The quad pair of a lane.
constexpr unsigned quad_pair(unsigned lane) {
    return lane / 4 % 4;
}
/// 4 for the upper quad of a pair.
constexpr unsigned upper_quad(unsigned lane) {
    return lane / 16 * 4;
}

/// C or D of m8n8k4 of f16. `index` counts the elements of a lane.
constexpr Place quad_pair_result(Element type, unsigned index, unsigned lane) {
    if (type == Element::kF16) {
        return {lane % 4 + upper_quad(lane), index, quad_pair(lane)};
    }
    return {(lane & 1U) + (index & 2U) + upper_quad(lane), (index & 4U) + (lane & 2U) + (index & 1U), quad_pair(lane)};
}

constexpr Place result_place(const MatrixOperation &op, Element type, unsigned index, unsigned lane) {
    if (is_quad_pair(op)) {
        return quad_pair_result(type, index, lane);
    }
    return {lane / 4 + 8 * (index / 2), 2 * (lane % 4) + index % 2};
}

} // namespace detail

/// The element of A that is number `index` of a lane, counted from the lowest bits of its first register; f64: one for
/// each pair of registers. In a sparse operation the column is one of the stored_k(op) columns that registers hold.
constexpr Place place_of_a(const MatrixOperation &op, unsigned index, unsigned lane) {
    if (is_quad_pair(op)) {
        const unsigned across = lane % 4 + detail::upper_quad(lane);
        return op.layout_a == Layout::kRow ? Place{across, index, detail::quad_pair(lane)}
                                           : Place{index + detail::upper_quad(lane), lane % 4, detail::quad_pair(lane)};
    }
    const unsigned per = per_register(op.a);
    const unsigned run = index / per;
    const unsigned halves = op.m / 8;
    return {lane / 4 + 8 * (run % halves), per * (lane % 4 + 4 * (run / halves)) + index % per};
}

/// The same for B.
constexpr Place place_of_b(const MatrixOperation &op, unsigned index, unsigned lane) {
    if (is_quad_pair(op)) {
        const unsigned across = lane % 4 + detail::upper_quad(lane);
        return op.layout_b == Layout::kColumn
                   ? Place{index, across, detail::quad_pair(lane)}
                   : Place{lane % 4, index + detail::upper_quad(lane), detail::quad_pair(lane)};
    }
    const unsigned per = per_register(op.b);
    return {per * (lane % 4 + 4 * (index / per)) + index % per, lane / 4};
}

/// The same for C and D.
constexpr Place place_of_c(const MatrixOperation &op, unsigned index, unsigned lane) {
    return detail::result_place(op, op.c, index, lane);
}
constexpr Place place_of_d(const MatrixOperation &op, unsigned index, unsigned lane) {
    return detail::result_place(op, op.d, index, lane);
}

} // namespace smsim::sm::compute::matrix
