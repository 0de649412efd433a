// Every function of smsim_cuda/math.h: exact ones and approximate ones apart.
#include "smsim_cuda.h"

extern "C" __global__ void math(const float *a, const float *b, float *exact, float *close, double *twice) {
    const int i = threadIdx.x;
    const int n = blockDim.x;
    const float x = a[i];
    const float y = b[i];
    exact += i;
    exact[0 * n] = fminf(x, y);
    exact[1 * n] = fmaxf(x, y);
    exact[2 * n] = min(x, y);
    exact[3 * n] = max(x, y);
    exact[4 * n] = fabsf(x);
    exact[5 * n] = floorf(x);
    exact[6 * n] = ceilf(x);
    exact[7 * n] = truncf(x);
    exact[8 * n] = rintf(2 * x);
    exact[9 * n] = __fmul_rn(x, y);
    exact[10 * n] = __fadd_rn(x, y);
    exact[11 * n] = __fsub_rn(x, y);
    exact[12 * n] = __fdiv_rn(x, y);
    exact[13 * n] = __fsqrt_rn(y);
    exact[14 * n] = sqrtf(y);
    exact[15 * n] = __int_as_float(__float_as_int(x) ^ 1);
    exact[16 * n] = __uint_as_float(__float_as_uint(x) ^ 0x80000000u);
    close += i;
    close[0 * n] = __fmaf_rn(x, y, x);
    close[1 * n] = fmaf(x, x, y);
    close[2 * n] = rsqrtf(y);
    close[3 * n] = __fdividef(x, y);
    close[4 * n] = exp2f(x);
    close[5 * n] = log2f(y);
    close[6 * n] = expf(x);
    close[7 * n] = logf(y);
    close[8 * n] = sinf(y);
    close[9 * n] = cosf(y);
    close[10 * n] = __expf(y);
    close[11 * n] = __logf(y);
    close[12 * n] = __sinf(y);
    close[13 * n] = __cosf(y);
    close[14 * n] = expf(10 * x);
    twice += i;
    const double u = x;
    const double v = y;
    twice[0 * n] = fmin(u, v);
    twice[1 * n] = fmax(u, v);
    twice[2 * n] = fabs(u);
    twice[3 * n] = sqrt(v);
    twice[4 * n] = fma(u, v, 1.0);
    twice[5 * n] = __longlong_as_double(__double_as_longlong(u) ^ (1ll << 63));
}
