// Loops, switches, calls with scalars and structures, calls through pointers, early returns.
#include "prelude.h"

struct Pair {
    double first;
    int second[3];
};

__device__ __noinline__ int mix(int a, int b) { return (a ^ (b << 3)) * 31 + b; }
__device__ __noinline__ int blend(int a, int b) { return (a & b) - (a | b) * 5; }
__device__ __noinline__ Pair shift(Pair p, float by, char flag) {
    p.first += by;
    p.second[flag & 1] += flag;
    return p;
}
typedef int (*Operation)(int, int);
__device__ Operation operations[2] = {mix, blend};

extern "C" __global__ void branches(int *out, const int *in, int n) {
    const int i = BLOCK_X * BLOCK_SIZE_X + THREAD_X;
    if (i >= n) return;
    int sum = 0;
    for (int k = 0; k < in[i]; ++k) {
        if (in[k] < 0) continue;
        if (in[k] == 1000) break;
        switch (in[k] & 7) {
        case 0: sum += out[k]; break;
        case 1: sum -= k * k; break;
        case 2: sum ^= in[i]; [[fallthrough]];
        case 3: sum = sum * 5 + 1; break;
        case 4: out[k] = sum; break;
        case 5: sum |= k; break;
        default: sum += 2;
        }
    }
    out[i] = sum;
}

extern "C" __global__ void calls(int *out, const int *in, int which) {
    const int i = THREAD_X;
    Pair p = {in[i] * 0.5, {i, 2, 3}};
    p = shift(p, 0.25f, static_cast<char>(in[i]));
    out[i] = mix(in[i], static_cast<int>(p.first)) + operations[which & 1](in[i], p.second[1]);
}
