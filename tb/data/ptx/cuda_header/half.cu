// Every function of smsim_cuda/half.h. Numbers are taken as bits, so that subnormals and infinities come along.
#include "smsim_cuda.h"

extern "C" __global__ void half(const float *a, const unsigned short *bits, unsigned short *rounded, float *widened) {
    const int i = threadIdx.x;
    const int n = blockDim.x;
    rounded += i;
    rounded[0 * n] = smsim_float_to_half(a[i]);
    rounded[1 * n] = smsim_float_to_bfloat16(a[i]);
    rounded[2 * n] = smsim_half_fma(smsim_float_to_half(0.5f), smsim_float_to_half(a[i]), smsim_float_to_half(3.0f));
    widened[i] = smsim_half_to_float(bits[i]);
    widened[n + i] = smsim_bfloat16_to_float(bits[i]);
}
