// Each row of a matrix becomes exp(x - largest) / sum of these: a warp per row, with the row in its registers.
//
// Shows: maximum and sum over a warp by SHFL butterflies, an array in registers by unrolling, exponentials,
// guards at the end of a row.
#include "smsim_cuda.h"

const int kItems = 8;

/// Rows have at most 256 numbers.
extern "C" __global__ void __launch_bounds__(128)
    softmax(int rows, int columns, const float *__restrict__ in, float *__restrict__ out) {
    const int row = blockIdx.x * 4 + threadIdx.x / 32;
    const int lane = threadIdx.x % 32;
    if (row >= rows) {
        return;
    }
    in += row * columns;
    out += row * columns;
    float value[kItems];
    float largest = -0x1p126f;
#pragma unroll
    for (int i = 0; i < kItems; ++i) {
        const int column = i * 32 + lane;
        value[i] = column < columns ? in[column] : -0x1p126f;
        largest = fmaxf(largest, value[i]);
    }
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2) {
        largest = fmaxf(largest, __shfl_xor_sync(0xffffffffu, largest, distance));
    }
    float sum = 0;
#pragma unroll
    for (int i = 0; i < kItems; ++i) {
        value[i] = __expf(value[i] - largest);
        sum += value[i];
    }
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2) {
        sum += __shfl_xor_sync(0xffffffffu, sum, distance);
    }
    const float factor = __fdividef(1.0f, sum);
#pragma unroll
    for (int i = 0; i < kItems; ++i) {
        const int column = i * 32 + lane;
        if (column < columns) {
            out[column] = value[i] * factor;
        }
    }
}
