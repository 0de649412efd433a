// The table of shapes: which there are for which types, as in tensor.md 1.
#include "model/isa/matrix/operation.h"

#include <algorithm>
#include <iterator>

namespace smsim::isa::matrix {
namespace {

/// Types with the same shapes.
enum class Group : std::uint8_t { kF16, kBf16, kTf32, kFp8, kInt8, kInt4, kB1, kF64 };

struct Shape {
    Group group;
    unsigned m;
    unsigned k;
    bool sparse;
    unsigned selectors; ///< sparse: number of values of the selector
};

constexpr Shape kShapes[] = {
    {Group::kF16, 8, 4, false, 1},    {Group::kF16, 16, 8, false, 1},   {Group::kF16, 16, 16, false, 1},
    {Group::kF16, 16, 16, true, 4},   {Group::kF16, 16, 32, true, 2},   {Group::kBf16, 16, 8, false, 1},
    {Group::kBf16, 16, 16, false, 1}, {Group::kBf16, 16, 16, true, 4},  {Group::kBf16, 16, 32, true, 2},
    {Group::kTf32, 16, 4, false, 1},  {Group::kTf32, 16, 8, false, 1},  {Group::kTf32, 16, 8, true, 4},
    {Group::kTf32, 16, 16, true, 2},  {Group::kFp8, 16, 16, false, 1},  {Group::kFp8, 16, 32, false, 1},
    {Group::kFp8, 16, 64, true, 1},   {Group::kInt8, 8, 16, false, 1},  {Group::kInt8, 16, 16, false, 1},
    {Group::kInt8, 16, 32, false, 1}, {Group::kInt8, 16, 32, true, 2},  {Group::kInt8, 16, 64, true, 1},
    {Group::kInt4, 8, 32, false, 1},  {Group::kInt4, 16, 32, false, 1}, {Group::kInt4, 16, 64, false, 1},
    {Group::kInt4, 16, 64, true, 2},  {Group::kInt4, 16, 128, true, 1}, {Group::kB1, 8, 128, false, 1},
    {Group::kB1, 16, 128, false, 1},  {Group::kB1, 16, 256, false, 1},  {Group::kF64, 8, 4, false, 1},
    {Group::kF64, 16, 4, false, 1},   {Group::kF64, 16, 8, false, 1},   {Group::kF64, 16, 16, false, 1},
};

/// The group of A or B, or a group that has no shape of them.
bool group_of(Element type, Group &group) {
    switch (type) {
    case Element::kF16:
        group = Group::kF16;
        return true;
    case Element::kBf16:
        group = Group::kBf16;
        return true;
    case Element::kTf32:
        group = Group::kTf32;
        return true;
    case Element::kE4m3:
    case Element::kE5m2:
        group = Group::kFp8;
        return true;
    case Element::kS8:
    case Element::kU8:
        group = Group::kInt8;
        return true;
    case Element::kS4:
    case Element::kU4:
        group = Group::kInt4;
        return true;
    case Element::kB1:
        group = Group::kB1;
        return true;
    case Element::kF64:
        group = Group::kF64;
        return true;
    case Element::kF32:
    case Element::kS32:
        break;
    }
    return false;
}

bool is_f16_or_f32(Element type) {
    return type == Element::kF16 || type == Element::kF32;
}

/// Whether the group has results of these types.
bool results_are_valid(const MatrixOperation &op, Group group) {
    switch (group) {
    case Group::kF16: {
        if (!is_f16_or_f32(op.c) || !is_f16_or_f32(op.d)) {
            return false;
        }
        const bool any = is_quad_pair(op) ? !(op.c == Element::kF32 && op.d == Element::kF16) : !op.sparse;
        return any || op.c == op.d;
    }
    case Group::kFp8:
        return is_f16_or_f32(op.c) && op.c == op.d;
    case Group::kBf16:
    case Group::kTf32:
        return op.c == Element::kF32 && op.d == Element::kF32;
    case Group::kInt8:
    case Group::kInt4:
    case Group::kB1:
        return op.c == Element::kS32 && op.d == Element::kS32;
    case Group::kF64:
        break;
    }
    return op.c == Element::kF64 && op.d == Element::kF64;
}

} // namespace

bool is_valid(const MatrixOperation &op) {
    Group group{};
    Group group_b{};
    if (op.n != 8 || !group_of(op.a, group) || !group_of(op.b, group_b) || group != group_b ||
        !results_are_valid(op, group)) {
        return false;
    }
    const auto *shape = std::find_if(std::begin(kShapes), std::end(kShapes), [&](const Shape &s) {
        return s.group == group && s.m == op.m && s.k == op.k && s.sparse == op.sparse;
    });
    if (shape == std::end(kShapes) || op.selector >= shape->selectors) {
        return false;
    }
    const bool can_saturate = is_int8(op.a) || is_int4(op.a) || (group == Group::kF16 && !op.sparse);
    const bool usual = op.layout_a == Layout::kRow && op.layout_b == Layout::kColumn;
    return (usual || is_quad_pair(op)) && (can_saturate || !op.saturate) && (op.a == Element::kB1 || !op.and_not_xor) &&
           (op.a == Element::kF64 || op.rounding == isa::Rounding::kRn);
}

} // namespace smsim::isa::matrix
