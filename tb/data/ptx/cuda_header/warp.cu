// Every function of smsim_cuda/warp.h that PTX has for all targets, a row of results each: whole warps, segments of a warp,
// and lanes that have parted from the others.
#include "smsim_cuda.h"

const unsigned kAll = 0xffffffffu;

extern "C" __global__ void warp(const unsigned *a, unsigned *out) {
    const int i = threadIdx.x;
    const int n = blockDim.x;
    const int lane = i % 32;
    const unsigned x = a[i];
    out += i;
    out[0 * n] = __shfl_sync(kAll, x, lane * 7 + 3);
    out[1 * n] = (unsigned)__shfl_sync(kAll, (int)x, 5, 8);
    out[2 * n] = __shfl_up_sync(kAll, x, 3);
    out[3 * n] = __shfl_up_sync(kAll, x, 3, 16);
    out[4 * n] = __shfl_down_sync(kAll, x, 5);
    out[5 * n] = __shfl_down_sync(kAll, x, 2, 4);
    out[6 * n] = __shfl_xor_sync(kAll, x, 19);
    out[7 * n] = __shfl_xor_sync(kAll, x, 3, 8);
    out[8 * n] = (unsigned)__shfl_down_sync(kAll, (float)(x % 1000), 1);
    const long long wide = __shfl_xor_sync(kAll, ((long long)x << 32) | (unsigned)i, 1);
    out[9 * n] = (unsigned)(wide >> 32) + (unsigned)wide;
    out[10 * n] = (unsigned)__shfl_up_sync(kAll, (double)x, 1);
    out[11 * n] = __ballot_sync(kAll, x & 1);
    out[12 * n] = __any_sync(kAll, x % 64 == 0);
    out[13 * n] = __all_sync(kAll, x % 64 != 0);
    out[14 * n] = __match_any_sync(kAll, x % 5);
    out[15 * n] = __match_any_sync(kAll, (unsigned long long)(x % 3) << 40);
    int agree;
    out[16 * n] = __match_all_sync(kAll, x, &agree) + agree;
    out[17 * n] = __match_all_sync(kAll, i / 32, &agree) + agree;
    if (lane < 12) {
        out[18 * n] = __ballot_sync(0xfffu, x & 2);
        out[19 * n] = __shfl_sync(0xfffu, x, 11);
    } else if (lane % 2 == 0) {
        out[18 * n] = __ballot_sync(0x55555000u, x & 4);
        out[19 * n] = __match_any_sync(0x55555000u, x % 2);
    } else {
        out[18 * n] = __any_sync(0xaaaaa000u, x % 16 == 0);
        __syncwarp(0xaaaaa000u);
        out[19 * n] = __popc(__activemask() & ~0xaaaaa000u);
    }
}
