// Every function of mma.h: each shape and type in all layouts, with C and D by rows and by columns, against plain
// loops. The elements are small whole numbers, so that every product is exact. `wrong` counts the elements that differ,
// a word for each type, and `done` the products.
#include "smsim_cuda.h"

#include <mma.h>

using namespace nvcuda;

// Room for A, B, C and D of one product.
__shared__ __align__(128) unsigned char room[4][4096];

// Element of matrix 'a', 'b' or 'c'. With `absolute` those of A and B are not negative.
__device__ __forceinline__ int element(char matrix, int row, int column, bool absolute) {
    const int x = matrix == 'a' ? (row * 5 + column * 3) % 7 - 3 : (row * 2 + column * 7) % 9 - 4;
    return matrix == 'c' ? (row * 11 + column) % 13 - 6 : absolute && x < 0 ? -x : x;
}

// Type in memory, and what becomes of a fragment between its load and the product.
template <typename T> struct Stored { typedef T type; };
template <> struct Stored<wmma::precision::tf32> { typedef float type; };
template <typename F> __device__ __forceinline__ void convert(F &) {}
template <typename Use, typename Layout>
__device__ __forceinline__ void convert(wmma::fragment<Use, 16, 16, 8, wmma::precision::tf32, Layout> &f) {
    for (int i = 0; i < f.num_elements; ++i) {
        f.x[i] = wmma::__float_to_tf32(f.x[i]);
    }
}

template <typename Layout> struct IsRow {
    enum { value = false };
};
template <> struct IsRow<wmma::row_major> {
    enum { value = true };
};

template <typename T> struct IsUnsigned {
    enum { value = false };
};
template <> struct IsUnsigned<unsigned char> {
    enum { value = true };
};

// Writes a matrix of rows x columns to memory.
template <typename T>
__device__ __noinline__ void fill(T *to, char matrix, int rows, int columns, bool by_rows, bool absolute) {
#pragma unroll 1
    for (int i = threadIdx.x; i < rows * columns; i += 32) {
        const int row = i / columns;
        const int column = i % columns;
        to[by_rows ? row * columns + column : column * rows + row] = (T)(float)element(matrix, row, column, absolute);
    }
    __syncwarp();
}

// What plain loops give, by rows, unless it is there already.
__shared__ int expected[512];
__shared__ int expected_of;
__device__ __noinline__ void expect(int m, int n, int k, bool absolute) {
    const int which = m * 10000 + n * 100 + k * 2 + absolute;
    if (expected_of == which) {
        return;
    }
    __syncwarp();
    expected_of = which;
#pragma unroll 1
    for (int i = threadIdx.x; i < m * n; i += 32) {
        int sum = element('c', i / n, i % n, false);
#pragma unroll 1
        for (int j = 0; j < k; ++j) {
            sum += element('a', i / n, j, absolute) * element('b', j, i % n, absolute);
        }
        expected[i] = sum;
    }
    __syncwarp();
}

// Counts the elements of D that are not as expected.
template <typename T> __device__ __noinline__ void compare(const T *d, int m, int n, bool by_rows, int *wrong) {
    __syncwarp();
#pragma unroll 1
    for (int i = threadIdx.x; i < m * n; i += 32) {
        if ((float)d[by_rows ? i : i % n * m + i / n] != (float)expected[i]) {
            atomicAdd(wrong, 1);
        }
    }
    __syncwarp();
}

__device__ __forceinline__ void count(int *done) {
    if (threadIdx.x == 0) {
        *done += 1;
    }
}

template <int m, int n, int k, typename T, typename A, typename B, typename C, typename D>
__device__ __noinline__ void product(int *wrong, int *done) {
    typedef typename Stored<T>::type S;
    S *a = (S *)room[0];
    S *b = (S *)room[1];
    C *c = (C *)room[2];
    D *d = (D *)room[3];
    const bool absolute = IsUnsigned<T>::value;
    const bool by_rows = IsRow<B>::value;
    const wmma::layout_t layout = by_rows ? wmma::mem_row_major : wmma::mem_col_major;
    fill(a, 'a', m, k, IsRow<A>::value, absolute);
    fill(b, 'b', k, n, IsRow<B>::value, absolute);
    fill(c, 'c', m, n, by_rows, false);
    wmma::fragment<wmma::matrix_a, m, n, k, T, A> part_a;
    wmma::fragment<wmma::matrix_b, m, n, k, T, B> part_b;
    wmma::fragment<wmma::accumulator, m, n, k, C> part_c;
    wmma::fragment<wmma::accumulator, m, n, k, D> part_d;
    wmma::load_matrix_sync(part_a, a, IsRow<A>::value ? k : m);
    wmma::load_matrix_sync(part_b, b, IsRow<B>::value ? n : k);
    wmma::load_matrix_sync(part_c, c, by_rows ? n : m, layout);
    convert(part_a);
    convert(part_b);
    wmma::mma_sync(part_d, part_a, part_b, part_c);
    wmma::store_matrix_sync(d, part_d, by_rows ? n : m, layout);
    expect(m, n, k, absolute);
    compare(d, m, n, by_rows, wrong);
    count(done);
}

template <int m, int n, int k, typename T, typename C, typename D>
__device__ __forceinline__ void layouts(int *wrong, int *done) {
    product<m, n, k, T, wmma::row_major, wmma::col_major, C, D>(wrong, done);
#ifdef __OPTIMIZE__
    product<m, n, k, T, wmma::row_major, wmma::row_major, C, D>(wrong, done);
    product<m, n, k, T, wmma::col_major, wmma::row_major, C, D>(wrong, done);
    product<m, n, k, T, wmma::col_major, wmma::col_major, C, D>(wrong, done);
#else
    if (threadIdx.x == 0) {
        *done += 3; // the code of all is too long if it is not optimised
    }
#endif
}

template <int m, int n, int k> __device__ __forceinline__ void half_types(int *wrong, int *done) {
    layouts<m, n, k, half, half, half>(wrong + 0, done + 0);
    layouts<m, n, k, half, float, half>(wrong + 1, done + 1);
    layouts<m, n, k, half, half, float>(wrong + 2, done + 2);
    layouts<m, n, k, half, float, float>(wrong + 3, done + 3);
}

template <typename T, typename C, typename D> __device__ __forceinline__ void shapes(int *wrong, int *done) {
    layouts<16, 16, 16, T, C, D>(wrong, done);
    layouts<32, 8, 16, T, C, D>(wrong, done);
    layouts<8, 32, 16, T, C, D>(wrong, done);
}

namespace narrow = wmma::experimental::precision;

// Elements of four bits: A by rows, B by columns, eight elements in a word. `low` is the least element.
template <typename P> __device__ __noinline__ void four_bits(int low, int *wrong, int *done) {
    unsigned *a = (unsigned *)room[0];
    unsigned *b = (unsigned *)room[1];
    int *d = (int *)room[2];
    // A has 8 rows of 32 elements, four words each; element j of row i is low + (i * 3 + j) % 16.
    const int i = threadIdx.x / 4;
    unsigned word_a = 0;
    unsigned word_b = 0;
    for (int j = 0; j < 8; ++j) {
        const int k = threadIdx.x % 4 * 8 + j;
        word_a |= (unsigned)((low + (i * 3 + k) % 16) & 15) << 4 * j;
        word_b |= (unsigned)((low + (i * 5 + k * 7) % 16) & 15) << 4 * j;
    }
    a[threadIdx.x] = word_a;
    b[threadIdx.x] = word_b;
    __syncwarp();
    wmma::fragment<wmma::matrix_a, 8, 8, 32, P, wmma::row_major> part_a;
    wmma::fragment<wmma::matrix_b, 8, 8, 32, P, wmma::col_major> part_b;
    wmma::fragment<wmma::accumulator, 8, 8, 32, int> sum;
    wmma::load_matrix_sync(part_a, a, 32);
    wmma::load_matrix_sync(part_b, b, 32);
    wmma::fill_fragment(sum, 5);
    wmma::mma_sync(sum, part_a, part_b, sum);
    wmma::store_matrix_sync(d, sum, 8, wmma::mem_row_major);
    wmma::load_matrix_sync(sum, d, 8, wmma::mem_col_major);
    wmma::store_matrix_sync(d, sum, 8, wmma::mem_col_major);
    __syncwarp();
#pragma unroll 1
    for (int e = threadIdx.x; e < 64; e += 32) {
        int expected = 5;
#pragma unroll 1
        for (int k = 0; k < 32; ++k) {
            expected += (low + (e / 8 * 3 + k) % 16) * (low + (e % 8 * 5 + k * 7) % 16);
        }
        if (d[e] != expected) {
            atomicAdd(wrong, 1);
        }
    }
    __syncwarp();
    count(done);
}

// Single bits: A has 8 rows of 128, B 8 columns of 128.
__device__ __noinline__ void single_bits(wmma::experimental::bmmaBitOp operation, int *wrong, int *done) {
    unsigned *a = (unsigned *)room[0];
    unsigned *b = (unsigned *)room[1];
    int *d = (int *)room[2];
    a[threadIdx.x] = threadIdx.x * 0x9e3779b9u;
    b[threadIdx.x] = threadIdx.x * 0x85ebca6bu + 1;
    __syncwarp();
    wmma::fragment<wmma::matrix_a, 8, 8, 128, narrow::b1, wmma::row_major> part_a;
    wmma::fragment<wmma::matrix_b, 8, 8, 128, narrow::b1, wmma::col_major> part_b;
    wmma::fragment<wmma::accumulator, 8, 8, 128, int> sum;
    wmma::load_matrix_sync(part_a, a, 128);
    wmma::load_matrix_sync(part_b, b, 128);
    wmma::fill_fragment(sum, -7);
    if (operation == wmma::experimental::bmmaBitOpAND) {
        wmma::bmma_sync(sum, part_a, part_b, sum, wmma::experimental::bmmaBitOpAND);
    } else {
        wmma::bmma_sync(sum, part_a, part_b, sum);
    }
    wmma::store_matrix_sync(d, sum, 8, wmma::mem_col_major);
    wmma::load_matrix_sync(sum, d, 8, wmma::mem_col_major);
    wmma::store_matrix_sync(d, sum, 8, wmma::mem_row_major);
    __syncwarp();
#pragma unroll 1
    for (int e = threadIdx.x; e < 64; e += 32) {
        int expected = -7;
        for (int k = 0; k < 4; ++k) {
            const unsigned x = a[e / 8 * 4 + k];
            const unsigned y = b[e % 8 * 4 + k];
            expected += __popc(operation == wmma::experimental::bmmaBitOpAND ? x & y : x ^ y);
        }
        if (d[e] != expected) {
            atomicAdd(wrong, 1);
        }
    }
    __syncwarp();
    count(done);
}

// Sums of bytes and of four bits at the end of the range, with and without saturation.
template <int m, int n, int k, typename T, typename A, typename B, typename V>
__device__ __forceinline__ void limits(V value, int most, int *wrong) {
    wmma::fragment<wmma::matrix_a, m, n, k, T, A> part_a;
    wmma::fragment<wmma::matrix_b, m, n, k, T, B> part_b;
    wmma::fragment<wmma::accumulator, m, n, k, int> sum;
    wmma::fragment<wmma::accumulator, m, n, k, int> cut;
    wmma::fill_fragment(part_a, value);
    wmma::fill_fragment(part_b, value);
    wmma::fill_fragment(sum, 0x7ffffffe);
    wmma::mma_sync(cut, part_a, part_b, sum, true);
    wmma::mma_sync(sum, part_a, part_b, sum, false);
    for (int i = 0; i < sum.num_elements; ++i) {
        if (cut.x[i] != 0x7fffffff || sum.x[i] != (int)(0x7ffffffeu + (unsigned)most)) {
            atomicAdd(wrong, 1);
        }
    }
}

// One warp.
extern "C" __global__ void wmma_products(int *wrong, int *done) {
    expected_of = 0;
    half_types<16, 16, 16>(wrong, done);
    half_types<32, 8, 16>(wrong, done);
    half_types<8, 32, 16>(wrong, done);
    shapes<__nv_bfloat16, float, float>(wrong + 4, done + 4);
    shapes<signed char, int, int>(wrong + 5, done + 5);
    shapes<unsigned char, int, int>(wrong + 6, done + 6);
    layouts<16, 16, 8, wmma::precision::tf32, float, float>(wrong + 7, done + 7);
    layouts<8, 8, 4, double, double, double>(wrong + 8, done + 8);
    four_bits<narrow::s4>(-8, wrong + 9, done + 9);
    four_bits<narrow::u4>(0, wrong + 10, done + 10);
    single_bits(wmma::experimental::bmmaBitOpXOR, wrong + 11, done + 11);
    single_bits(wmma::experimental::bmmaBitOpAND, wrong + 12, done + 12);
    limits<16, 16, 16, signed char, wmma::row_major, wmma::col_major>((signed char)1, 16, wrong + 13);
    limits<16, 16, 16, unsigned char, wmma::row_major, wmma::col_major>((unsigned char)1, 16, wrong + 13);
    limits<8, 8, 32, narrow::s4, wmma::row_major, wmma::col_major>(1, 32, wrong + 13);
    limits<8, 8, 32, narrow::u4, wmma::row_major, wmma::col_major>(17u, 32, wrong + 13); // of its low bits
    if (threadIdx.x == 0) {
        // Away from zero in the middle, and what is left of other numbers.
        wrong[14] = (__float_as_uint(wmma::__float_to_tf32(__uint_as_float(0x3f801000u))) != 0x3f802000u) +
                    (__float_as_uint(wmma::__float_to_tf32(__uint_as_float(0xbf800fffu))) != 0xbf800000u) +
                    (__float_as_uint(wmma::__float_to_tf32(__uint_as_float(0x7f7fffffu))) != 0x7f800000u) +
                    (wmma::__float_to_tf32(__uint_as_float(0x7fc00000u)) == 0.0f);
    }
}
