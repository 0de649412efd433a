// Every function that cuda_fp16.h and cuda_bf16.h have in common, for fp16.cu and bf16.cu: they define the type T, the
// pair T2, their types of bits, and NAME and NAMES, which complete names of functions. Results are one row for each
// function, in the order of narrow_float.py.

__device__ __forceinline__ unsigned short bits(T x) {
    return ((T_RAW)x).x;
}
__device__ __forceinline__ T number(unsigned short bits) {
    T_RAW raw;
    raw.x = bits;
    return raw;
}

// A row for a number, and two for a pair.
struct Rows {
    unsigned short *next;
    __device__ __forceinline__ void put(T x) {
        *next = bits(x);
        next += blockDim.x;
    }
    __device__ __forceinline__ void put(T2 x) {
        put(x.x);
        put(x.y);
    }
};

__device__ __forceinline__ void arithmetic(const unsigned short *a_bits, const unsigned short *b_bits,
                                           const unsigned short *c_bits, unsigned short *out) {
    const int i = threadIdx.x;
    Rows rows = {out + i};
    const T a = number(a_bits[i]);
    const T b = number(b_bits[i]);
    const T c = number(c_bits[i]);
    rows.put(__hadd(a, b));
    rows.put(__hadd_rn(a, b));
    rows.put(a + b);
    rows.put(__hsub(a, b));
    rows.put(__hsub_rn(a, b));
    rows.put(a - b);
    rows.put(__hmul(a, b));
    rows.put(__hmul_rn(a, b));
    rows.put(a * b);
    rows.put(__hdiv(a, b));
    rows.put(a / b);
    rows.put(__hfma(a, b, c));
    rows.put(__hfma_relu(a, b, c));
    rows.put(__hneg(a));
    rows.put(-a);
    rows.put(+a);
    rows.put(__habs(a));
    rows.put(__hmin(a, b));
    rows.put(__hmax(a, b));
    rows.put(__hmin_nan(a, b));
    rows.put(__hmax_nan(a, b));
    rows.put(__hadd_sat(a, b));
    rows.put(__hsub_sat(a, b));
    rows.put(__hmul_sat(a, b));
    rows.put(__hfma_sat(a, b, c));
    T x = a;
    rows.put(x += b);
    rows.put(x -= b);
    rows.put(x *= b);
    rows.put(x /= b);
    x = a;
    rows.put(++x);
    rows.put(x++);
    rows.put(--x);
    rows.put(x--);
    rows.put(hfloor(a));
    rows.put(hceil(a));
    rows.put(htrunc(a));
    rows.put(hrint(a));
}

__device__ __forceinline__ void pairs(const unsigned short *a_bits, const unsigned short *b_bits,
                                      const unsigned short *c_bits, unsigned short *out) {
    const int i = threadIdx.x;
    Rows rows = {out + i};
    const T2 a = NAME(make_, 2)(number(a_bits[i]), number(b_bits[i]));
    const T2 b = NAME(__halves2, 2)(number(b_bits[i]), number(c_bits[i]));
    const T2 c = T2(number(c_bits[i]), number(a_bits[i]));
    rows.put(__hadd2(a, b));
    rows.put(__hadd2_rn(a, b));
    rows.put(a + b);
    rows.put(__hsub2(a, b));
    rows.put(__hsub2_rn(a, b));
    rows.put(a - b);
    rows.put(__hmul2(a, b));
    rows.put(__hmul2_rn(a, b));
    rows.put(a * b);
    rows.put(__h2div(a, b));
    rows.put(a / b);
    rows.put(__hfma2(a, b, c));
    rows.put(__hfma2_relu(a, b, c));
    rows.put(__hneg2(a));
    rows.put(-a);
    rows.put(+a);
    rows.put(__habs2(a));
    rows.put(__hmin2(a, b));
    rows.put(__hmax2(a, b));
    rows.put(__hmin2_nan(a, b));
    rows.put(__hmax2_nan(a, b));
    rows.put(__hadd2_sat(a, b));
    rows.put(__hsub2_sat(a, b));
    rows.put(__hmul2_sat(a, b));
    rows.put(__hfma2_sat(a, b, c));
    rows.put(__hcmadd(a, b, c));
    T2 x = a;
    rows.put(x += b);
    rows.put(x -= b);
    rows.put(x *= b);
    rows.put(x /= b);
    x = a;
    rows.put(++x);
    rows.put(x++);
    rows.put(--x);
    rows.put(x--);
    rows.put(h2floor(a));
    rows.put(h2ceil(a));
    rows.put(h2trunc(a));
    rows.put(h2rint(a));
    rows.put(NAMES(__, 2, 2)(a.y));
    rows.put(NAME(__low2, )(a));
    rows.put(NAME(__high2, )(a));
    rows.put(NAME(__low2, 2)(a));
    rows.put(NAME(__high2, 2)(a));
    rows.put(NAME(__lows2, 2)(a, c));
    rows.put(NAME(__highs2, 2)(a, c));
    rows.put(__lowhigh2highlow(a));
}

// Comparisons, a bit for each; a row of words for each kind.
__device__ __forceinline__ void comparisons(const unsigned short *a_bits, const unsigned short *b_bits,
                                            const unsigned short *c_bits, unsigned *out) {
    const int i = threadIdx.x;
    const int n = blockDim.x;
    out += i;
    const T a = number(a_bits[i]);
    const T b = number(b_bits[i]);
    out[0 * n] = __heq(a, b) << 0 | __hne(a, b) << 1 | __hlt(a, b) << 2 | __hle(a, b) << 3 | __hgt(a, b) << 4 |
                 __hge(a, b) << 5 | __hequ(a, b) << 6 | __hneu(a, b) << 7 | __hltu(a, b) << 8 | __hleu(a, b) << 9 |
                 __hgtu(a, b) << 10 | __hgeu(a, b) << 11;
    out[1 * n] = (a == b) << 0 | (a != b) << 1 | (a < b) << 2 | (a <= b) << 3 | (a > b) << 4 | (a >= b) << 5;
    out[2 * n] = __hisnan(a) << 0 | (__hisinf(a) & 3) << 1 | (bool)a << 3;
    const T2 x = T2(a, b);
    const T2 y = T2(b, number(c_bits[i]));
    out[3 * n] = __hbeq2(x, y) << 0 | __hbne2(x, y) << 1 | __hblt2(x, y) << 2 | __hble2(x, y) << 3 |
                 __hbgt2(x, y) << 4 | __hbge2(x, y) << 5 | __hbequ2(x, y) << 6 | __hbneu2(x, y) << 7 |
                 __hbltu2(x, y) << 8 | __hbleu2(x, y) << 9 | __hbgtu2(x, y) << 10 | __hbgeu2(x, y) << 11;
    out[4 * n] = (x == y) << 0 | (x != y) << 1 | (x < y) << 2 | (x <= y) << 3 | (x > y) << 4 | (x >= y) << 5;
    unsigned masks[12] = {__heq2_mask(x, y),  __hne2_mask(x, y),  __hlt2_mask(x, y),  __hle2_mask(x, y),
                          __hgt2_mask(x, y),  __hge2_mask(x, y),  __hequ2_mask(x, y), __hneu2_mask(x, y),
                          __hltu2_mask(x, y), __hleu2_mask(x, y), __hgtu2_mask(x, y), __hgeu2_mask(x, y)};
    T2 values[12] = {__heq2(x, y),  __hne2(x, y),  __hlt2(x, y),  __hle2(x, y),  __hgt2(x, y),  __hge2(x, y),
                     __hequ2(x, y), __hneu2(x, y), __hltu2(x, y), __hleu2(x, y), __hgtu2(x, y), __hgeu2(x, y)};
    unsigned lower = 0;
    unsigned upper = 0;
    unsigned agreeing = 0;
#pragma unroll
    for (int k = 0; k < 12; ++k) {
        lower |= (masks[k] & 1) << k;
        upper |= (masks[k] >> 31) << k;
        const bool low = __low2float(values[k]) == 1.0f;
        const bool high = __high2float(values[k]) == 1.0f;
        agreeing += masks[k] == (low ? 0xffffu : 0u) + (high ? 0xffff0000u : 0u);
    }
    out[5 * n] = lower;
    out[6 * n] = upper;
    out[7 * n] = agreeing;
    out[8 * n] = ((T2_RAW)__hisnan2(x)).x | (unsigned)((T2_RAW)__hisnan2(x)).y << 16;
}

__device__ __forceinline__ void narrowed(const float *singles, const double *doubles, const long long *whole,
                                         unsigned short *out) {
    const int i = threadIdx.x;
    Rows rows = {out + i};
    const float f = singles[i];
    rows.put(NAME(__float2, )(f));
    rows.put(NAME(__float2, _rn)(f));
    rows.put(T(f));
    rows.put(NAME(__float2, _rz)(f));
    rows.put(NAME(__float2, _rd)(f));
    rows.put(NAME(__float2, _ru)(f));
    rows.put(NAME(__float2, 2_rn)(f));
    rows.put(NAME(__floats2, 2_rn)(f, singles[0]));
    rows.put(NAME(__float22, 2_rn)(make_float2(singles[0], f)));
    rows.put(NAME(__double2, )(doubles[i]));
    rows.put(T(doubles[i]));
    const long long w = whole[i];
#define FROM(name, type)                                                                                               \
    rows.put(NAME(__##name##2, _rn)((type)w));                                                                         \
    rows.put(NAME(__##name##2, _rz)((type)w));                                                                         \
    rows.put(NAME(__##name##2, _rd)((type)w));                                                                         \
    rows.put(NAME(__##name##2, _ru)((type)w));                                                                         \
    rows.put(T((type)w));
    FROM(int, int)
    FROM(uint, unsigned)
    FROM(short, short)
    FROM(ushort, unsigned short)
    FROM(ll, long long)
    FROM(ull, unsigned long long)
#undef FROM
    rows.put(NAME(__short_as_, )((short)w));
    rows.put(NAME(__ushort_as_, )((unsigned short)w));
}

__device__ __forceinline__ void widened(const unsigned short *a_bits, float *singles, long long *whole) {
    const int i = threadIdx.x;
    const int n = blockDim.x;
    const T a = number(a_bits[i]);
    const T2 pair = T2(a, number(a_bits[0]));
    singles += i;
    singles[0 * n] = NAME(__, 2float)(a);
    singles[1 * n] = a;
    singles[2 * n] = NAME(__, 22float2)(pair).x;
    singles[3 * n] = NAME(__, 22float2)(pair).y;
    singles[4 * n] = __low2float(pair);
    singles[5 * n] = __high2float(pair);
    whole += i;
#define TO(name)                                                                                                       \
    *whole = (long long)NAME(__, 2##name##_rn)(a), whole += n;                                                         \
    *whole = (long long)NAME(__, 2##name##_rz)(a), whole += n;                                                         \
    *whole = (long long)NAME(__, 2##name##_rd)(a), whole += n;                                                         \
    *whole = (long long)NAME(__, 2##name##_ru)(a), whole += n;
    TO(int)
    TO(uint)
    TO(short)
    TO(ushort)
    TO(ll)
    TO(ull)
#undef TO
    *whole = NAME(__, 2char_rz)(a), whole += n;
    *whole = NAME(__, 2uchar_rz)(a), whole += n;
    *whole = NAME(__, _as_short)(a), whole += n;
    *whole = NAME(__, _as_ushort)(a), whole += n;
}

// Functions with a tolerance, of an argument between 1/8 and 3.
__device__ __forceinline__ void functions(const float *arguments, float *out) {
    const int i = threadIdx.x;
    const int n = blockDim.x;
    const T x = arguments[i];
    out += i;
    const T single[12] = {hsqrt(x), hrsqrt(x), hrcp(x),   hexp(x), hexp2(x), hexp10(x),
                          hlog(x),  hlog2(x),  hlog10(x), hsin(x), hcos(x),  htanh(x)};
    const T2 pair = T2(T(0.0f), x);
    const T2 twice[12] = {h2sqrt(pair), h2rsqrt(pair), h2rcp(pair),   h2exp(pair), h2exp2(pair), h2exp10(pair),
                          h2log(pair),  h2log2(pair),  h2log10(pair), h2sin(pair), h2cos(pair),  h2tanh(pair)};
#pragma unroll
    for (int k = 0; k < 12; ++k) {
        out[k * n] = single[k];
        out[(12 + k) * n] = __high2float(twice[k]);
    }
    out[24 * n] = htanh_approx(x);
    out[25 * n] = __high2float(h2tanh_approx(pair));
}

// Loads, shuffles and atomic sums; `sums` begins with zeros.
__device__ __forceinline__ void memory(const T *a, T *sums, unsigned short *out) {
    const int i = threadIdx.x;
    Rows rows = {out + i};
    const unsigned all = 0xffffffffu;
    const T x = __ldg(a + i);
    const T2 pair = __ldg((const T2 *)a + i / 2);
    rows.put(x);
    rows.put(pair);
    rows.put(__shfl_sync(all, x, 5));
    rows.put(__shfl_up_sync(all, x, 1u));
    rows.put(__shfl_down_sync(all, x, 2u));
    rows.put(__shfl_xor_sync(all, x, 3));
    rows.put(__shfl_sync(all, pair, 5));
    rows.put(__shfl_up_sync(all, pair, 1u));
    rows.put(__shfl_down_sync(all, pair, 2u));
    rows.put(__shfl_xor_sync(all, pair, 3));
    const T old = atomicAdd(sums + i, x);
    const T2 old_pair = atomicAdd((T2 *)(sums + blockDim.x) + i, pair);
    rows.put(old);
    rows.put(old_pair);
}

extern "C" __global__ void narrow_float(const unsigned short *a, const unsigned short *b, const unsigned short *c,
                                        const float *singles, const double *doubles, const long long *whole,
                                        const float *arguments, unsigned short *sums, unsigned short *numbers,
                                        unsigned short *of_pairs, unsigned *compared, unsigned short *rounded,
                                        float *exact, long long *converted, float *close, unsigned short *moved) {
    arithmetic(a, b, c, numbers);
    pairs(a, b, c, of_pairs);
    comparisons(a, b, c, compared);
    narrowed(singles, doubles, whole, rounded);
    widened(a, exact, converted);
    functions(arguments, close);
    memory((const T *)a, (T *)sums, moved);
}
