// The reductions of smsim_cuda/warp.h, which need sm_80: a row of results each.
#include "smsim_cuda.h"

extern "C" __global__ void reduce(const unsigned *a, unsigned *out) {
    const int i = threadIdx.x;
    const int n = blockDim.x;
    const unsigned x = a[i];
    const unsigned all = 0xffffffffu;
    out += i;
    out[0 * n] = __reduce_add_sync(all, x);
    out[1 * n] = __reduce_min_sync(all, x);
    out[2 * n] = __reduce_max_sync(all, x);
    out[3 * n] = __reduce_min_sync(all, (int)x);
    out[4 * n] = __reduce_max_sync(all, (int)x);
    out[5 * n] = __reduce_and_sync(all, x | 0xffff0u);
    out[6 * n] = __reduce_or_sync(all, x & 0xf00fu);
    out[7 * n] = __reduce_xor_sync(all, x);
    // Odd and even lanes apart.
    if (i % 2 == 0) {
        out[8 * n] = __reduce_add_sync(0x55555555u, x);
    } else {
        out[8 * n] = (unsigned)__reduce_add_sync(0xaaaaaaaau, (int)x);
    }
}
