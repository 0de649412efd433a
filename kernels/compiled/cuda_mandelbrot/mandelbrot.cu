// Iterations until a point of the plane escapes from z -> z^2 + c, at most 96. The operations are rounded one by one
// (no contraction to fused multiply-adds), so that the counts are the same on every machine.
//
// Shows: a divergent loop. Neighbours escape at different times, and the warp continues until its last lane has.
#include "smsim_cuda.h"

const int kLimit = 96;

extern "C" __global__ void mandelbrot(int width, int height, float left, float top, float step, int *iterations) {
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column >= width || row >= height) {
        return;
    }
    const float re = __fadd_rn(left, __fmul_rn((float)column, step));
    const float im = __fsub_rn(top, __fmul_rn((float)row, step));
    float x = 0;
    float y = 0;
    int count = 0;
    while (count < kLimit) {
        const float xx = __fmul_rn(x, x);
        const float yy = __fmul_rn(y, y);
        if (__fadd_rn(xx, yy) > 4.0f) {
            break;
        }
        const float xy = __fmul_rn(x, y);
        y = __fadd_rn(__fadd_rn(xy, xy), im);
        x = __fadd_rn(__fsub_rn(xx, yy), re);
        ++count;
    }
    iterations[row * width + column] = count;
}
