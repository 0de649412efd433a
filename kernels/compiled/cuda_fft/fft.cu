// Fourier transforms of 1024 complex numbers, one per CTA of 256 threads, in five passes of radix 4 in shared memory
// that leave the result in order. The powers of the root of unity come from a table.
//
// Shows: strides that grow from pass to pass (bank conflicts in the first), complex arithmetic in registers, a loop
// over the passes that unrolls, so that all index arithmetic is shifts and masks, and loads of pairs that are scattered
// over a table.
#include "smsim_cuda.h"

const int kPoints = 1024;
const int kQuarter = kPoints / 4;

SMSIM_FUNCTION float2 sum(float2 a, float2 b) {
    return make_float2(a.x + b.x, a.y + b.y);
}
SMSIM_FUNCTION float2 difference(float2 a, float2 b) {
    return make_float2(a.x - b.x, a.y - b.y);
}
SMSIM_FUNCTION float2 product(float2 a, float2 b) {
    return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}
/// By -i.
SMSIM_FUNCTION float2 turned(float2 a) {
    return make_float2(a.y, -a.x);
}

/// roots[i] is exp(-2 pi i / 1024).
extern "C" __global__ void __launch_bounds__(kQuarter)
    fft(const float2 *__restrict__ roots, const float2 *__restrict__ in, float2 *__restrict__ out) {
    __shared__ float2 points[kPoints];
    const int thread = threadIdx.x;
    in += blockIdx.x * kPoints;
    out += blockIdx.x * kPoints;
    float2 value[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        value[i] = in[thread + i * kQuarter];
    }
#pragma unroll
    for (int stride = 1; stride < kPoints; stride *= 4) {
        const int place = thread % stride;
        if (stride > 1) {
            const int step = place * (kQuarter / stride);
#pragma unroll
            for (int i = 1; i < 4; ++i) {
                value[i] = product(value[i], roots[i * step]);
            }
        }
        const float2 even_sum = sum(value[0], value[2]);
        const float2 even_difference = difference(value[0], value[2]);
        const float2 odd_sum = sum(value[1], value[3]);
        const float2 odd_difference = turned(difference(value[1], value[3]));
        value[0] = sum(even_sum, odd_sum);
        value[1] = sum(even_difference, odd_difference);
        value[2] = difference(even_sum, odd_sum);
        value[3] = difference(even_difference, odd_difference);
        if (stride < kQuarter) {
            const int first = (thread - place) * 4 + place;
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                points[first + i * stride] = value[i];
            }
            __syncthreads();
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                value[i] = points[thread + i * kQuarter];
            }
            __syncthreads();
        }
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        out[thread + i * kQuarter] = value[i];
    }
}
