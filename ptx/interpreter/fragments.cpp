#include "ptx/interpreter/fragments.h"

#include "ptx/interpreter/operation.h"

namespace smsim::ptx::interpreter {

namespace {

using isa::matrix::Element;
using isa::matrix::MatrixOperation;

bool is_transposed(const WmmaMatrix &matrix) {
    return matrix.m == 8 && matrix.n == 32;
}

Role role_of(MatrixName name) {
    return name == MatrixName::kA ? Role::kFirst : name == MatrixName::kB ? Role::kSecond : Role::kResult;
}

/// The role in the products that a wmma consists of: those of m8n32 have the transpose of B as their first source.
Role role_of(const WmmaMatrix &matrix) {
    const Role role = role_of(matrix.name);
    if (!is_transposed(matrix) || role == Role::kResult) {
        return role;
    }
    return role == Role::kFirst ? Role::kSecond : Role::kFirst;
}

/// Columns of the A of metadata that one group of stored elements comes from, and what an index counts.
struct Group {
    unsigned columns = 4; ///< of A, with its zeros
    unsigned stored = 2;  ///< elements of a group
    unsigned unit = 1;    ///< elements that one index selects
};

Group group_of(Element type) {
    if (type == Element::kTf32) {
        return {2, 1, 1};
    }
    return isa::matrix::is_int4(type) ? Group{8, 4, 2} : Group{};
}

/// The four bits of metadata of a group of a row. A register has 8 groups: of the types of 16 and 32 bits, 4 of row g
/// and then 4 of row g + 8; of the types of 8 and 4 bits 8 of one row, and the next lane has those of row g + 8.
unsigned metadata_of(const MatrixOperation &operation, unsigned selector, std::span<const std::uint32_t, 32> metadata,
                     unsigned row, unsigned group) {
    const bool halves = isa::matrix::width(operation.a) >= 16;
    const unsigned groups = operation.k / group_of(operation.a).columns; // of a row
    const unsigned lanes = groups / 4;                                   // of four that have metadata: 1, 2 or 4
    const unsigned lower = row / 8;
    const unsigned lane = halves ? group / 4 : 2 * (group / 8) + lower;
    const unsigned at = halves ? 4 * lower + group % 4 : group % 8;
    return metadata[4 * (row % 8) + (selector * lanes + lane) % 4] >> (4 * at) & 15;
}

} // namespace

ElementPlace tile_place(Role role, unsigned m, unsigned width, unsigned lane, unsigned index) {
    const unsigned group = lane / 4;
    const unsigned in_group = lane % 4;
    if (role == Role::kResult) { // two neighbours of row g, then two of row g + 8
        return {0, group + 8 * (index / 2), 2 * in_group + index % 2};
    }
    const unsigned run = width < 32 ? 32 / width : 1; // neighbours that a lane has
    const unsigned part = index / run;
    const unsigned along = run * in_group + index % run;
    if (role == Role::kSecond) {
        return {0, along + 4 * run * part, group};
    }
    const unsigned halves = m / 8; // rows g and g + 8, then the next columns
    return {0, group + 8 * (part % halves), along + 4 * run * (part / halves)};
}

ElementPlace quad_pair_place(Role role, bool by_columns, unsigned width, unsigned lane, unsigned index) {
    const unsigned product = lane % 16 / 4;
    const unsigned upper = lane < 16 ? 0 : 4;
    const unsigned in_quad = lane % 4;
    switch (role) {
    case Role::kFirst:
        return by_columns ? ElementPlace{product, index + upper, in_quad}
                          : ElementPlace{product, in_quad + upper, index};
    case Role::kSecond:
        return by_columns ? ElementPlace{product, index, in_quad + upper}
                          : ElementPlace{product, in_quad, index + upper};
    default:
        break;
    }
    if (width == 16) {
        return {product, in_quad + upper, index};
    }
    return {product, (in_quad & 1) + (index & 2) + upper, (index & 4) + (in_quad & 2) + (index & 1)};
}

ElementPlace mma_place(const MatrixOperation &operation, MatrixName name, unsigned lane, unsigned index) {
    const Element type = name == MatrixName::kA   ? operation.a
                         : name == MatrixName::kB ? operation.b
                         : name == MatrixName::kC ? operation.c
                                                  : operation.d;
    const unsigned width = isa::matrix::width(type);
    if (isa::matrix::is_quad_pair(operation)) {
        const auto layout = name == MatrixName::kA ? operation.layout_a : operation.layout_b;
        return quad_pair_place(role_of(name), layout == isa::matrix::Layout::kColumn, width, lane, index);
    }
    return tile_place(role_of(name), operation.m, width, lane, index);
}

ElementPlace WmmaMatrix::place(unsigned lane, unsigned index) const {
    const bool transposed = is_transposed(*this);
    const Role role = role_of(*this);
    const unsigned tile_rows = m == 8 && n == 8 ? 8 : 16;
    const unsigned down = (transposed ? n : m) / tile_rows; // tiles one above the other
    const unsigned across = (transposed ? m : n) / 8;       // tiles side by side
    const unsigned tiles = role == Role::kFirst ? down : role == Role::kSecond ? across : down * across;
    index %= elements();
    const unsigned in_tile = elements() / tiles;
    const unsigned tile = index / in_tile;
    ElementPlace place = tile_place(role, tile_rows, width, lane, index % in_tile);
    if (role == Role::kFirst || (role == Role::kResult && down > 1)) {
        place.row += tile_rows * tile;
    } else {
        place.column += 8 * tile;
    }
    return transposed ? ElementPlace{0, place.column, place.row} : place;
}

unsigned sparse_column(const MatrixOperation &operation, unsigned selector, std::span<const std::uint32_t, 32> metadata,
                       unsigned row, unsigned stored) {
    const Group group = group_of(operation.a);
    const unsigned number = stored / group.stored;
    const unsigned within = stored % group.stored;
    const unsigned bits = metadata_of(operation, selector, metadata, row, number);
    if (operation.a == Element::kTf32) { // its halves have the indices: 0 and 1, or 2 and 3
        return group.columns * number + (bits >> 1 & 1);
    }
    const unsigned selected = bits >> (2 * (within / group.unit)) & 3;
    return group.columns * number + group.unit * selected + within % group.unit;
}

std::uint64_t element_of(std::span<const std::uint64_t> registers, unsigned register_bits, unsigned width,
                         unsigned index) {
    const unsigned in_one = register_bits / width;
    return low_bits(registers[index / in_one] >> (width * (index % in_one)), width);
}

void put_element(std::span<std::uint64_t> registers, unsigned register_bits, unsigned width, unsigned index,
                 std::uint64_t value) {
    const unsigned in_one = register_bits / width;
    registers[index / in_one] |= low_bits(value, width) << (width * (index % in_one));
}

} // namespace smsim::ptx::interpreter
