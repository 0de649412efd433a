// Small products in four types of element, one for each warp: bfloat16 (16 x 16 x 16), tf32 (16 x 16 x 8), bytes
// (16 x 16 x 16) and double precision (8 x 8 x 4). A and B are whole numbers, a[row * 16 + i] and b[i * 16 + column], of
// which a product uses what its shape has. Each warp also computes its product by plain loops, and counts the elements
// that differ.
//
// Shows: fragments of nvcuda::wmma in shared memory, layouts by rows and by columns, the conversion of a fragment to
// tf32 in registers, four warps that do different work.
#include <mma.h>

using namespace nvcuda;

const int kSide = 16;

// Copies a matrix of whole numbers to shared memory, as elements of another type.
template <typename T> __device__ __forceinline__ void copy(T *to, const int *from) {
    for (int i = threadIdx.x % 32; i < kSide * kSide; i += 32) {
        to[i] = (T)from[i];
    }
}

// Writes `product`, by rows of 16, to `out`, and counts in `wrong` what the plain loops do not give.
template <typename T>
__device__ __forceinline__ void compare(const T *product, const int *a, const int *b, int m, int n, int k, int *out,
                                        int *wrong) {
    for (int i = threadIdx.x % 32; i < m * n; i += 32) {
        const int row = i / n;
        const int column = i % n;
        int sum = 0;
        for (int j = 0; j < k; ++j) {
            sum += a[row * kSide + j] * b[j * kSide + column];
        }
        const int found = (int)product[row * kSide + column];
        out[row * kSide + column] = found;
        if (found != sum) {
            atomicAdd(wrong, 1);
        }
    }
}

__device__ __forceinline__ void bfloat16_product(const int *a, const int *b, int *out, int *wrong) {
    __shared__ __align__(32) __nv_bfloat16 tile_a[kSide * kSide];
    __shared__ __align__(32) __nv_bfloat16 tile_b[kSide * kSide];
    __shared__ __align__(32) float product[kSide * kSide];
    copy(tile_a, a);
    copy(tile_b, b);
    __syncwarp();
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __nv_bfloat16, wmma::row_major> part_a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __nv_bfloat16, wmma::row_major> part_b;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::load_matrix_sync(part_a, tile_a, kSide);
    wmma::load_matrix_sync(part_b, tile_b, kSide);
    wmma::fill_fragment(sum, 0.0f);
    wmma::mma_sync(sum, part_a, part_b, sum);
    wmma::store_matrix_sync(product, sum, kSide, wmma::mem_row_major);
    __syncwarp();
    compare(product, a, b, 16, 16, 16, out, wrong);
}

__device__ __forceinline__ void tf32_product(const int *a, const int *b, int *out, int *wrong) {
    __shared__ __align__(32) float tile_a[kSide * kSide];
    __shared__ __align__(32) float tile_b[kSide * kSide];
    __shared__ __align__(32) float product[kSide * kSide];
    copy(tile_a, a);
    copy(tile_b, b);
    __syncwarp();
    wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> part_a;
    wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::row_major> part_b;
    wmma::fragment<wmma::accumulator, 16, 16, 8, float> sum;
    wmma::load_matrix_sync(part_a, tile_a, kSide);
    wmma::load_matrix_sync(part_b, tile_b, kSide);
#pragma unroll
    for (int i = 0; i < part_a.num_elements; ++i) {
        part_a.x[i] = wmma::__float_to_tf32(part_a.x[i]);
        part_b.x[i] = wmma::__float_to_tf32(part_b.x[i]);
    }
    wmma::fill_fragment(sum, 0.0f);
    wmma::mma_sync(sum, part_a, part_b, sum);
    wmma::store_matrix_sync(product, sum, kSide, wmma::mem_row_major);
    __syncwarp();
    compare(product, a, b, 16, 16, 8, out, wrong);
}

__device__ __forceinline__ void byte_product(const int *a, const int *b, int *out, int *wrong) {
    __shared__ __align__(32) signed char tile_a[kSide * kSide];
    __shared__ __align__(32) signed char tile_b[kSide * kSide];
    __shared__ __align__(32) int product[kSide * kSide];
    copy(tile_a, a);
    copy(tile_b, b);
    __syncwarp();
    wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> part_a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::row_major> part_b;
    wmma::fragment<wmma::accumulator, 16, 16, 16, int> sum;
    wmma::load_matrix_sync(part_a, tile_a, kSide);
    wmma::load_matrix_sync(part_b, tile_b, kSide);
    wmma::fill_fragment(sum, 0);
    wmma::mma_sync(sum, part_a, part_b, sum);
    wmma::store_matrix_sync(product, sum, kSide, wmma::mem_row_major);
    __syncwarp();
    compare(product, a, b, 16, 16, 16, out, wrong);
}

// The product is stored by columns and read back as its transpose.
__device__ __forceinline__ void double_product(const int *a, const int *b, int *out, int *wrong) {
    __shared__ __align__(32) double tile_a[kSide * kSide];
    __shared__ __align__(32) double tile_b[kSide * kSide];
    __shared__ __align__(32) double transposed[kSide * kSide];
    __shared__ __align__(32) double product[kSide * kSide];
    copy(tile_a, a);
    copy(tile_b, b);
    __syncwarp();
    wmma::fragment<wmma::matrix_a, 8, 8, 4, double, wmma::row_major> part_a;
    wmma::fragment<wmma::matrix_b, 8, 8, 4, double, wmma::row_major> part_b;
    wmma::fragment<wmma::accumulator, 8, 8, 4, double> sum;
    wmma::load_matrix_sync(part_a, tile_a, kSide);
    wmma::load_matrix_sync(part_b, tile_b, kSide);
    wmma::fill_fragment(sum, 0.0);
    wmma::mma_sync(sum, part_a, part_b, sum);
    wmma::store_matrix_sync(transposed, sum, kSide, wmma::mem_col_major);
    __syncwarp();
    for (int i = threadIdx.x % 32; i < 64; i += 32) {
        product[i / 8 * kSide + i % 8] = transposed[i % 8 * kSide + i / 8];
    }
    __syncwarp();
    compare(product, a, b, 8, 8, 4, out, wrong);
}

extern "C" __global__ void __launch_bounds__(128) wmma_types(const int *a, const int *b, int *out, int *wrong) {
    const int type = threadIdx.x / 32;
    out += type * kSide * kSide;
    wrong += type;
    switch (type) {
    case 0:
        return bfloat16_product(a, b, out, wrong);
    case 1:
        return tf32_product(a, b, out, wrong);
    case 2:
        return byte_product(a, b, out, wrong);
    default:
        return double_product(a, b, out, wrong);
    }
}
