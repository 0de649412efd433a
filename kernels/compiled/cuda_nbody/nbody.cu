// Acceleration of each of n bodies by all others, softened, by direct summation. The bodies (position and mass) are read
// tile by tile into shared memory, from where all threads read the same one at a time.
//
// Shows: vector loads, broadcast from shared memory, fused multiply-adds, one reciprocal square root per pair.
#include "smsim_cuda.h"

const float kSoftening = 0.01f;

extern "C" __global__ void nbody(int n, const float4 *bodies, float4 *accelerations) {
    __shared__ float4 tile[64];
    const int i = blockIdx.x * 64 + threadIdx.x;
    const float4 own = i < n ? bodies[i] : make_float4(0, 0, 0, 0);
    float x = 0;
    float y = 0;
    float z = 0;
    for (int first = 0; first < n; first += 64) {
        const int other = first + threadIdx.x;
        // Bodies past the end have no mass.
        tile[threadIdx.x] = other < n ? bodies[other] : make_float4(0, 0, 0, 0);
        __syncthreads();
        for (int k = 0; k < 64; ++k) {
            const float dx = tile[k].x - own.x;
            const float dy = tile[k].y - own.y;
            const float dz = tile[k].z - own.z;
            const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + kSoftening);
            const float factor = tile[k].w * inverse * inverse * inverse;
            x += dx * factor;
            y += dy * factor;
            z += dz * factor;
        }
        __syncthreads();
    }
    if (i < n) {
        accelerations[i] = make_float4(x, y, z, 0);
    }
}
