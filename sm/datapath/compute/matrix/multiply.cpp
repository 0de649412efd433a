// Chooses the arithmetic of a matrix instruction.
#include "sm/datapath/compute/matrix/multiply.h"

#include "sm/datapath/compute/matrix/kinds.h"
#include "sm/datapath/compute/matrix/sums.h"

namespace smsim::sm::compute::matrix {

void multiply(const MatrixOperation &op, Arithmetic arithmetic, bool zero_terms, const Row *const *a,
              const Row *const *b, const Row *const *c, const Row *metadata, Row *const *d) {
    if (op.a == Element::kF64) {
        multiply_doubles(op, a, b, c, d);
        return;
    }
    if (has_column_tile(op) && arithmetic != Arithmetic::kExact && can_add_by_columns()) {
        ColumnTile tile;
        gather(op, a, b, c, tile);
        if (multiply_floats(op, arithmetic, zero_terms, tile)) {
            scatter(op, tile, d);
            return;
        }
    }
    Tile tile;
    for (unsigned product = 0; product < products(op); ++product) {
        gather(op, product, a, b, c, tile);
        if (is_block_float(op.a)) {
            multiply_floats(op, arithmetic, zero_terms, metadata, tile);
        } else if (op.a == Element::kB1) {
            multiply_bits(op, tile);
        } else {
            multiply_integers(op, metadata, tile);
        }
        scatter(op, product, tile, d);
    }
}

} // namespace smsim::sm::compute::matrix
