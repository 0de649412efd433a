// Every function of smsim_cuda/integer.h, a row of results each.
#include "smsim_cuda.h"

extern "C" __global__ void integer(const unsigned *a, const unsigned *b, unsigned *out) {
    const int i = threadIdx.x;
    const int n = blockDim.x;
    const unsigned x = a[i];
    const unsigned y = b[i];
    const int sx = (int)x;
    const int sy = (int)y;
    const unsigned long long wide = ((unsigned long long)x << 32) | y;
    out += i;
    out[0 * n] = __popc(x);
    out[1 * n] = __popcll(wide);
    out[2 * n] = __clz(sx);
    out[3 * n] = __clzll((long long)wide >> i);
    out[4 * n] = __ffs(sx);
    out[5 * n] = __ffsll((long long)(wide << i));
    out[6 * n] = __brev(x);
    out[7 * n] = (unsigned)__brevll(wide);
    out[8 * n] = __byte_perm(x, y, y >> 7);
    out[9 * n] = __mulhi(sx, sy);
    out[10 * n] = __umulhi(x, y);
    out[11 * n] = __funnelshift_l(x, y, i);
    out[12 * n] = __funnelshift_r(x, y, i);
    out[13 * n] = min(sx, sy);
    out[14 * n] = max(sx, sy);
    out[15 * n] = min(x, y);
    out[16 * n] = max(x, y);
    out[17 * n] = (unsigned)min((long long)wide, (long long)i << 40);
    out[18 * n] = (unsigned)max(wide, (unsigned long long)i << 58);
    out[19 * n] = abs(sx);
    out[20 * n] = __ldg(a + n - 1 - i);
    out[21 * n] = (unsigned)__ldg((const long long *)a + i / 2);
    out[22 * n] = __ldg((const unsigned char *)b + i);
    out[23 * n] = smsim_lane();
    out[24 * n] = warpSize + gridDim.y * 100 + blockDim.z * 1000 + blockIdx.z;
}
