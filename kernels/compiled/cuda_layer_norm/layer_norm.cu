// Each row of a matrix is shifted and scaled to mean 0 and variance 1, then scaled by gamma and shifted by beta, which
// have a number for each column: a CTA of 128 threads per row of 512 numbers, four per thread.
//
// Shows: sums over a CTA (SHFL within warps, shared memory between them), loads of four numbers at once, reciprocal
// root.
#include "smsim_cuda.h"

const int kWarps = 4;
const int kColumns = kWarps * 32 * 4;
const float kEpsilon = 1e-5f;

/// The sum over the CTA, for all threads. Only one call may use `scratch`.
SMSIM_FUNCTION float total(float value, float *scratch) {
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2) {
        value += __shfl_xor_sync(0xffffffffu, value, distance);
    }
    if (threadIdx.x % 32 == 0) {
        scratch[threadIdx.x / 32] = value;
    }
    __syncthreads();
    float sum = 0;
#pragma unroll
    for (int warp = 0; warp < kWarps; ++warp) {
        sum += scratch[warp];
    }
    return sum;
}

extern "C" __global__ void __launch_bounds__(kWarps * 32)
    layer_norm(const float4 *__restrict__ in, const float4 *__restrict__ gamma, const float4 *__restrict__ beta,
               float4 *__restrict__ out) {
    __shared__ float sums[kWarps];
    __shared__ float squares[kWarps];
    const int place = blockIdx.x * (kColumns / 4) + threadIdx.x;
    const float4 x = in[place];
    const float mean = total(x.x + x.y + x.z + x.w, sums) * (1.0f / kColumns);
    const float4 d = make_float4(x.x - mean, x.y - mean, x.z - mean, x.w - mean);
    const float variance = total(d.x * d.x + d.y * d.y + d.z * d.z + d.w * d.w, squares) * (1.0f / kColumns);
    const float scale = rsqrtf(variance + kEpsilon);
    const float4 g = gamma[threadIdx.x];
    const float4 b = beta[threadIdx.x];
    out[place] =
        make_float4(d.x * scale * g.x + b.x, d.y * scale * g.y + b.y, d.z * scale * g.z + b.z, d.w * scale * g.w + b.w);
}
