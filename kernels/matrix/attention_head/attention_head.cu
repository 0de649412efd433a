// One head of attention: out = softmax(Q K^T / 8) V. Q, K and V have a row of 64 halves for each position; the numbers of
// queries and of keys are multiples of 64. Each CTA has 64 queries, each of its four warps 16.
//
// Shows: two products by mma of m16n8k16 with a softmax between them. The keys come in blocks of 64; each query keeps the
// largest score so far and the sum of its exponentials, and when a block has a larger score, what was summed before is
// scaled down ("online"), so that no row of scores is ever complete. The fragment of the scores, rounded to halves, is
// the fragment of A of the second product: no data move between threads. K is read by ldmatrix, V by ldmatrix.trans, from
// tiles that are swizzled as in mma_swizzled.
#include <cuda_fp16.h>

const int kBlock = 64; // queries of a CTA, keys of a block
const int kWidth = 64; // numbers of a position
const unsigned kAll = 0xffffffffu;
const float kLog2E = 0x1.715476p+0f;

__device__ __forceinline__ int place(int row, int column) {
    return row * kWidth + (column / 8 ^ row % 8) * 8;
}

__device__ __forceinline__ void copy_tile(half *tile, const half *from) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        const int row = threadIdx.x / 8 + i * 16;
        const int column = threadIdx.x % 8 * 8;
        *(uint4 *)(tile + place(row, column)) = *(const uint4 *)(from + row * kWidth + column);
    }
}

// Four matrices of 8 x 8, whose rows the four groups of eight lanes name.
__device__ __forceinline__ void load(unsigned (&to)[4], const half *row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"((unsigned)__cvta_generic_to_shared(row))
                 : "memory");
}
__device__ __forceinline__ void load_transposed(unsigned (&to)[4], const half *row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"((unsigned)__cvta_generic_to_shared(row))
                 : "memory");
}

__device__ __forceinline__ void multiply_add(float (&sum)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                 "{%0, %1, %2, %3};"
                 : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// Two floats as a pair of halves in a register.
__device__ __forceinline__ unsigned pair(float low, float high) {
    const half2 both = __floats2half2_rn(low, high);
    return __half_as_ushort(both.x) | (unsigned)__half_as_ushort(both.y) << 16;
}

// The four lanes that share a row combine their values.
__device__ __forceinline__ float row_max(float x) {
    x = fmaxf(x, __shfl_xor_sync(kAll, x, 1));
    return fmaxf(x, __shfl_xor_sync(kAll, x, 2));
}
__device__ __forceinline__ float row_sum(float x) {
    x += __shfl_xor_sync(kAll, x, 1);
    return x + __shfl_xor_sync(kAll, x, 2);
}

extern "C" __global__ void __launch_bounds__(128)
    attention_head(int keys, const half *q, const half *k, const half *v, float *out) {
    __shared__ __align__(128) half tile_k[kBlock * kWidth];
    __shared__ __align__(128) half tile_v[kBlock * kWidth];
    const int lane = threadIdx.x % 32;
    const int row = threadIdx.x / 32 * 16;
    q += blockIdx.x * kBlock * kWidth;
    out += blockIdx.x * kBlock * kWidth;

    // The fragments of the queries stay in registers.
    unsigned query[kWidth / 16][4];
    copy_tile(tile_k, q);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < kWidth / 16; ++i) {
        load(query[i], tile_k + place(row + lane % 16, i * 16 + lane / 16 * 8));
    }
    __syncthreads();

    // The largest score, this thread's part of the sum and of the result, for rows lane / 4 and lane / 4 + 8.
    float largest[2] = {-__builtin_inff(), -__builtin_inff()};
    float sum[2] = {};
    float result[kWidth / 8][4] = {};
#pragma unroll 1
    for (int block = 0; block < keys; block += kBlock) {
        copy_tile(tile_k, k + block * kWidth);
        copy_tile(tile_v, v + block * kWidth);
        __syncthreads();
        float score[kBlock / 8][4] = {};
#pragma unroll
        for (int i = 0; i < kWidth / 16; ++i) {
#pragma unroll
            for (int x = 0; x < kBlock / 16; ++x) {
                // A row of K is a column of its transpose.
                unsigned part[4];
                load(part, tile_k + place(x * 16 + lane % 8 + lane / 16 * 8, i * 16 + lane / 8 % 2 * 8));
                multiply_add(score[x * 2], query[i], part[0], part[1]);
                multiply_add(score[x * 2 + 1], query[i], part[2], part[3]);
            }
        }
#pragma unroll
        for (int y = 0; y < 2; ++y) {
            float most = largest[y];
#pragma unroll
            for (int x = 0; x < kBlock / 8; ++x) {
                most = fmaxf(most, fmaxf(score[x][y * 2], score[x][y * 2 + 1]));
            }
            most = row_max(most);
            const float scale = exp2f((largest[y] - most) * (kLog2E / 8));
            largest[y] = most;
            sum[y] *= scale;
#pragma unroll
            for (int x = 0; x < kWidth / 8; ++x) {
                result[x][y * 2] *= scale;
                result[x][y * 2 + 1] *= scale;
            }
#pragma unroll
            for (int x = 0; x < kBlock / 8; ++x) {
#pragma unroll
                for (int i = y * 2; i < y * 2 + 2; ++i) {
                    score[x][i] = exp2f((score[x][i] - most) * (kLog2E / 8));
                    sum[y] += score[x][i];
                }
            }
        }
#pragma unroll
        for (int i = 0; i < kBlock / 16; ++i) {
            const unsigned weight[4] = {pair(score[i * 2][0], score[i * 2][1]), pair(score[i * 2][2], score[i * 2][3]),
                                        pair(score[i * 2 + 1][0], score[i * 2 + 1][1]),
                                        pair(score[i * 2 + 1][2], score[i * 2 + 1][3])};
#pragma unroll
            for (int x = 0; x < kWidth / 16; ++x) {
                unsigned part[4];
                load_transposed(part, tile_v + place(i * 16 + lane % 16, x * 16 + lane / 16 * 8));
                multiply_add(result[x * 2], weight, part[0], part[1]);
                multiply_add(result[x * 2 + 1], weight, part[2], part[3]);
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int y = 0; y < 2; ++y) {
        const float factor = 1 / row_sum(sum[y]);
        float *to = out + (row + lane / 4 + y * 8) * kWidth + lane % 4 * 2;
#pragma unroll
        for (int x = 0; x < kWidth / 8; ++x) {
            *(float2 *)(to + x * 8) = make_float2(result[x][y * 2] * factor, result[x][y * 2 + 1] * factor);
        }
    }
}
