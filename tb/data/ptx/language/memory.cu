// State spaces: globals with initialisers and addresses, constants, shared and local arrays, strings, vectors.
#include "prelude.h"

__constant__ float weights[4] = {1.0f, 0.5f, -2.0f, 0.125f};
__device__ int counter = 7;
__device__ int *where = &counter;
__device__ unsigned char bytes[5] = {1, 2, 3, 4, 5};
__device__ double zeros[16];
extern __shared__ float dynamic[];

__device__ const char *name(int k) {
    const char *names[3] = {"zero", "one", "two\n"};
    return names[k];
}

extern "C" __global__ void spaces(float *out, const float *in, int n) {
    __shared__ float tile[64];
    float local[8];
    const int t = THREAD_X;
    tile[t & 63] = in[t];
    dynamic[t] = in[t + n];
    BARRIER();
    for (int k = 0; k < 8; ++k) local[(k * n) & 7] = tile[(t + k) & 63] * weights[k & 3];
    float sum = dynamic[t ^ 1];
    for (int k = 0; k < 8; ++k) sum += local[(k + t) & 7];
    out[t] = sum + *where + bytes[t % 5] + name(t % 3)[0] + static_cast<float>(zeros[t & 15]);
}

extern "C" __global__ void vectors(float4 *out, const float4 *in, volatile int *flag) {
    float4 v = in[THREAD_X];
    v.x += v.w;
    out[THREAD_X] = v;
    *flag = 1;
}
