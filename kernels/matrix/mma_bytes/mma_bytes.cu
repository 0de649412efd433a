// C = A * B with elements of eight bits, signed integers or floats e4m3: A by rows and B by columns in memory, C by rows.
// Each CTA computes 64 x 64 of C with mma of m16n8k32, each of its four warps 32 x 32. m and n are multiples of 64, k of 128.
//
// Shows: what changes when elements are bytes. ldmatrix moves rows of 16 bytes, whatever is in them, so A is loaded as
// halves are; but it transposes elements of 16 bits only, so B has to lie by columns. Tiles have 128 bytes a row, with the
// swizzle of mma_swizzled. Products of e4m3 need a GPU of 8.9 or later.
#include "smsim_cuda.h"

const int kTile = 64;
const int kDepth = 128; // k of a step
const int kGroup = 16;  // bytes

// Index in a tile of the group of 16 bytes that holds byte `column` of a row.
__device__ __forceinline__ int place(int row, int column) {
    return row * kDepth + (column / kGroup ^ row % 8) * kGroup;
}

// Four matrices of eight rows of 16 bytes, whose rows the four groups of eight lanes name.
__device__ __forceinline__ void load(unsigned (&to)[4], const char *row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"((unsigned)__cvta_generic_to_shared(row))
                 : "memory");
}

__device__ __forceinline__ void multiply_add(int (&sum)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                 "{%0, %1, %2, %3};"
                 : "+r"(sum[0]), "+r"(sum[1]), "+r"(sum[2]), "+r"(sum[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
__device__ __forceinline__ void multiply_add(float (&sum)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
    asm volatile("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                 "{%0, %1, %2, %3};"
                 : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// Copies 64 rows of 128 bytes, 16 bytes per thread and access.
__device__ __forceinline__ void copy_tile(char *tile, const char *from, int stride) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        const int row = threadIdx.x / 8 + i * 16;
        const int column = threadIdx.x % 8 * kGroup;
        *(uint4 *)(tile + place(row, column)) = *(const uint4 *)(from + row * stride + column);
    }
}

// Sum is the type of C: int for integers, float for e4m3.
template <typename Sum> __device__ __forceinline__ void product(int n, int k, const char *a, const char *b, Sum *c) {
    __shared__ __align__(128) char tile_a[kTile * kDepth];
    __shared__ __align__(128) char tile_b[kTile * kDepth];
    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;
    const int row = warp / 2 * 32;
    const int column = warp % 2 * 32;
    a += blockIdx.y * kTile * k;
    b += blockIdx.x * kTile * k;
    c += blockIdx.y * kTile * n + blockIdx.x * kTile;
    Sum sum[2][4][4] = {};
#pragma unroll 1
    for (int step = 0; step < k; step += kDepth) {
        copy_tile(tile_a, a + step, k);
        copy_tile(tile_b, b + step, k);
        __syncthreads();
#pragma unroll
        for (int i = 0; i < kDepth; i += 32) {
            unsigned part_a[2][4];
            unsigned part_b[2][4];
#pragma unroll
            for (int y = 0; y < 2; ++y) {
                // Rows 0 to 15 of the first 16 bytes, then those of the next 16.
                load(part_a[y], tile_a + place(row + y * 16 + lane % 16, i + lane / 16 * kGroup));
            }
#pragma unroll
            for (int x = 0; x < 2; ++x) {
                // Two neighbouring tiles of 8 columns: of each the first 16 bytes, then the next.
                load(part_b[x], tile_b + place(column + x * 16 + lane / 16 * 8 + lane % 8, i + lane / 8 % 2 * kGroup));
            }
#pragma unroll
            for (int y = 0; y < 2; ++y) {
#pragma unroll
                for (int x = 0; x < 4; ++x) {
                    multiply_add(sum[y][x], part_a[y], part_b[x / 2][x % 2 * 2], part_b[x / 2][x % 2 * 2 + 1]);
                }
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int y = 0; y < 2; ++y) {
#pragma unroll
        for (int x = 0; x < 4; ++x) {
            Sum *out = c + (row + y * 16 + lane / 4) * n + column + x * 8 + lane % 4 * 2;
            out[0] = sum[y][x][0];
            out[1] = sum[y][x][1];
            out[8 * n] = sum[y][x][2];
            out[8 * n + 1] = sum[y][x][3];
        }
    }
}

extern "C" __global__ void __launch_bounds__(128) mma_s8(int n, int k, const char *a, const char *b, int *c) {
    product(n, k, a, b, c);
}

extern "C" __global__ void __launch_bounds__(128) mma_e4m3(int n, int k, const char *a, const char *b, float *c) {
    product(n, k, a, b, c);
}
