// The part of a matrix that a thread of a warp holds, and what is common to all shapes and types.
#pragma once

#include "smsim_cuda/language.h"

namespace nvcuda {
namespace wmma {

// What a fragment is of, and how A and B lie in memory.
struct matrix_a;
struct matrix_b;
struct accumulator;
struct row_major;
struct col_major;
/// How C and D lie in memory.
enum layout_t { mem_row_major, mem_col_major };

namespace precision {
/// Elements are floats of which the product uses 19 bits.
struct tf32;
} // namespace precision

namespace experimental {
namespace precision {
struct u4;
struct s4;
struct b1;
} // namespace precision
enum bmmaBitOp { bmmaBitOpXOR = 1, bmmaBitOpAND = 2 };
enum bmmaAccumulateOp { bmmaAccumulateOpPOPC = 1 };
} // namespace experimental

/// A fragment of matrix `Use` of a product of m x k by k x n elements of type T. Members: `num_elements`, and `x`, the
/// elements; which elements of the matrix these are is not specified, but the same for fragments of one type.
template <typename Use, int m, int n, int k, typename T, typename Layout = void> class fragment;

/// What all fragments have: `elements` elements of type T, in an array of `stored` elements of type Stored.
template <typename T, typename Stored, int elements, int stored = elements> struct fragment_base {
    typedef T element_type;
    typedef Stored storage_element_type;
    enum { num_elements = elements, num_storage_elements = stored };
    Stored x[stored];
};

/// Gives all elements a value. Of elements that share a word, narrow_integer.h does.
template <typename Use, int m, int n, int k, typename T, typename Layout, typename Value>
SMSIM_FUNCTION void fill_fragment(fragment<Use, m, n, k, T, Layout> &f, const Value &value) {
#pragma unroll
    for (int i = 0; i < f.num_storage_elements; ++i) {
        f.x[i] = value;
    }
}

} // namespace wmma
} // namespace nvcuda

// Defines a fragment: its elements are stored as `stored_type`, and their number follows, with that of words if several
// share one.
#define SMSIM_FRAGMENT(use, m, n, k, type, stored_type, ...)                                                           \
    template <typename Layout>                                                                                         \
    class fragment<use, m, n, k, type, Layout> : public fragment_base<type, stored_type, __VA_ARGS__> {};
