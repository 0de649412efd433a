// Matrix instructions of f64: a chain of fused multiply-adds for each element of D, k ascending, that begins with C.
#include <bit>
#include <cmath>

#include "sm/datapath/compute/matrix/fragments.h"
#include "sm/datapath/compute/matrix/kinds.h"
#include "sm/datapath/compute/operation.h"
#include "sm/datapath/compute/rounding.h"

namespace smsim::sm::compute::matrix {
namespace {

constexpr unsigned kMaxK = 16;

struct DoubleTile {
    alignas(64) double a[kMaxRows][kMaxK];
    alignas(64) double b[kMaxK][kColumns];
    alignas(64) double c[kMaxRows][kColumns]; ///< later D
};

double from_pair(const Row *const *registers, unsigned index, unsigned lane) {
    return std::bit_cast<double>(registers[2 * index]->lane[lane] | std::uint64_t{registers[2 * index + 1]->lane[lane]}
                                                                        << 32);
}

void gather_doubles(const MatrixOperation &op, const Row *const *a, const Row *const *b, const Row *const *c,
                    DoubleTile &tile) {
    for (unsigned i = 0; i < registers_of_a(op) / 2; ++i) {
        for (unsigned lane = 0; lane < kLanes; ++lane) {
            const Place place = place_of_a(op, i, lane);
            tile.a[place.row][place.column] = from_pair(a, i, lane);
        }
    }
    for (unsigned i = 0; i < registers_of_b(op) / 2; ++i) {
        for (unsigned lane = 0; lane < kLanes; ++lane) {
            const Place place = place_of_b(op, i, lane);
            tile.b[place.row][place.column] = from_pair(b, i, lane);
        }
    }
    for (unsigned i = 0; i < registers_of_c(op) / 2; ++i) {
        for (unsigned lane = 0; lane < kLanes; ++lane) {
            const Place place = place_of_c(op, i, lane);
            tile.c[place.row][place.column] = from_pair(c, i, lane);
        }
    }
}

// Stays a separate function: HostRounding needs that.
[[gnu::noinline]] SMSIM_MULTIVERSION void chain_of_products(unsigned rows, unsigned k, DoubleTile &tile) {
    for (unsigned row = 0; row < rows; ++row) {
        double sums[kColumns];
        for (unsigned j = 0; j < kColumns; ++j) {
            sums[j] = tile.c[row][j];
        }
        for (unsigned i = 0; i < k; ++i) {
            for (unsigned j = 0; j < kColumns; ++j) {
                sums[j] = std::fma(tile.a[row][i], tile.b[i][j], sums[j]);
            }
        }
        for (unsigned j = 0; j < kColumns; ++j) {
            tile.c[row][j] = sums[j];
        }
    }
}

} // namespace

void multiply_doubles(const MatrixOperation &op, const Row *const *a, const Row *const *b, const Row *const *c,
                      Row *const *d) {
    DoubleTile tile;
    gather_doubles(op, a, b, c, tile);
    {
        const HostRounding mode(op.rounding);
        chain_of_products(op.m, op.k, tile);
    }
    for (unsigned i = 0; i < registers_of_d(op) / 2; ++i) {
        for (unsigned lane = 0; lane < kLanes; ++lane) {
            const Place place = place_of_d(op, i, lane);
            const double value = tile.c[place.row][place.column];
            const std::uint64_t bits = value != value ? kCanonicalNan64 : std::bit_cast<std::uint64_t>(value);
            d[2 * i]->lane[lane] = static_cast<std::uint32_t>(bits);
            d[2 * i + 1]->lane[lane] = static_cast<std::uint32_t>(bits >> 32);
        }
    }
}

} // namespace smsim::sm::compute::matrix
