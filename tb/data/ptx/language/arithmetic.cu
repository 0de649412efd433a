// Integer, float and double arithmetic, shifts, comparisons, conversions of all widths.
#include "prelude.h"

extern "C" __global__ void integers(int *out, const int *a, const unsigned *b, const long long *c, int n) {
    const int i = BLOCK_X * BLOCK_SIZE_X + THREAD_X;
    if (i >= n) return;
    const int x = a[i];
    const unsigned y = b[i];
    const long long z = c[i];
    int r = x * 3 + (x >> 2) - (x << 5) + x / 7 + x % 11;
    r ^= static_cast<int>((y >> 3) | (y << 29)) & ~x;
    r += POPC(y) + CLZ(x | 1);
    r += static_cast<int>((z * x) >> 13) + static_cast<int>(z / (x | 1));
    r += static_cast<int>((static_cast<unsigned long long>(y) * y) >> 32);
    out[i] = x > static_cast<int>(y) ? r : -r;
}

extern "C" __global__ void floats(float *out, const float *a, const double *b, const short *s, const char *t, int n) {
    const int i = BLOCK_X * BLOCK_SIZE_X + THREAD_X;
    if (i >= n) return;
    const float x = a[i];
    const double y = b[i];
    float r = FMA(x, 1.5f, -0.25f) + SQRT(x) / (x + 1.0f);
    r += static_cast<float>(y * 0.5 + 3.0) - static_cast<float>(s[i]) + static_cast<float>(t[i]);
    r = r != r ? 0.0f : r;
    r = x < static_cast<float>(y) ? r : -r;
    out[i] = r + static_cast<float>(static_cast<int>(x)) + static_cast<float>(static_cast<unsigned long long>(y));
    reinterpret_cast<short *>(out)[2 * n + i] = static_cast<short>(s[i] * 3 + static_cast<int>(x));
}
