// Every function of cuda_fp8.h, and the addresses of smsim_cuda/address.h.
#include "smsim_cuda.h"

#include <cuda_fp8.h>

// Bits of a vector, whatever its size.
template <typename V> __device__ __forceinline__ unsigned bits(V x) {
    return x.__x;
}

// Results of one format: a row for each function, in the order of fp8.py.
template <typename E, typename E2, typename E4>
__device__ __forceinline__ void format(__nv_fp8_interpretation_t which, const float *singles, const double *doubles,
                                       const int *whole, unsigned *narrow, float *wide) {
    const int i = threadIdx.x;
    const int n = blockDim.x;
    const float f = singles[i];
    const float g = singles[i ^ 1];
    const double d = doubles[i];
    const int w = whole[i];
    const __half h = f;
    const __half2 h2 = __floats2half2_rn(f, g);
    const __nv_bfloat16 b = f;
    const __nv_bfloat162 b2 = __floats2bfloat162_rn(f, g);
    narrow += i;
#define PUT(x) *narrow = (x), narrow += n
    PUT(__nv_cvt_float_to_fp8(f, __NV_SATFINITE, which));
    PUT(__nv_cvt_float_to_fp8(f, __NV_NOSAT, which));
    PUT(bits(E(f)));
    PUT(__nv_cvt_double_to_fp8(d, __NV_SATFINITE, which));
    PUT(bits(E(d)));
    PUT(__nv_cvt_halfraw_to_fp8(h, __NV_NOSAT, which));
    PUT(bits(E(h)));
    PUT(__nv_cvt_bfloat16raw_to_fp8(b, __NV_NOSAT, which));
    PUT(bits(E(b)));
    PUT(bits(E((short)w)));
    PUT(bits(E((unsigned short)w)));
    PUT(bits(E(w)));
    PUT(bits(E((unsigned)w)));
    PUT(bits(E((long long)w)));
    PUT(bits(E((unsigned long long)(unsigned)w)));
    PUT(__nv_cvt_float2_to_fp8x2(make_float2(f, g), __NV_SATFINITE, which));
    PUT(bits(E2(make_float2(f, g))));
    PUT(__nv_cvt_double2_to_fp8x2(make_double2(d, f), __NV_SATFINITE, which));
    PUT(bits(E2(make_double2(d, f))));
    PUT(__nv_cvt_halfraw2_to_fp8x2(h2, __NV_SATFINITE, which));
    PUT(bits(E2(h2)));
    PUT(__nv_cvt_bfloat16raw2_to_fp8x2(b2, __NV_SATFINITE, which));
    PUT(bits(E2(b2)));
    PUT(bits(E4(make_float4(f, g, f, f))));
    PUT(bits(E4(h2, h2)));
    PUT(bits(E4(b2, b2)));
#undef PUT
    wide += i;
#define PUT(x) *wide = (x), wide += n
    E e;
    e.__x = (__nv_fp8_storage_t)i;
    PUT(__half2float(__nv_cvt_fp8_to_halfraw(e.__x, which)));
    PUT((float)e);
    PUT((float)(double)e);
    PUT(__half2float((__half)e));
    PUT(__bfloat162float((__nv_bfloat16)e));
    PUT((float)(bool)e);
    E2 e2;
    e2.__x = (__nv_fp8x2_storage_t)(i * 257 + 256);
    PUT(__low2float(__nv_cvt_fp8x2_to_halfraw2(e2.__x, which)));
    PUT(__high2float((__half2)e2));
    PUT(((float2)e2).y);
    E4 e4;
    e4.__x = (unsigned)i * 0x1010101u + 0x3020100u;
    const float4 all = (float4)e4;
    PUT(all.x);
    PUT(all.y);
    PUT(all.z);
    PUT(all.w);
    // Whole numbers of a NaN and of too large a number too.
    PUT((float)(int)e);
    PUT((float)(unsigned short)e);
    PUT((float)(signed char)e);
    PUT((float)(unsigned long long)e);
    const E small = E(w % 16 * 0.75f);
    PUT((float)(int)small);
    PUT((float)(short)small);
    PUT((float)(signed char)small);
    PUT((float)(long long)small);
    const E positive = E((w & 15) * 0.75f);
    PUT((float)(unsigned)positive);
    PUT((float)(unsigned short)positive);
    PUT((float)(unsigned char)positive);
    PUT((float)(unsigned long long)positive);
#undef PUT
}

// 256 threads.
extern "C" __global__ void fp8(const float *singles, const double *doubles, const int *whole, unsigned *narrow,
                               float *wide, unsigned *places) {
    format<__nv_fp8_e4m3, __nv_fp8x2_e4m3, __nv_fp8x4_e4m3>(__NV_E4M3, singles, doubles, whole, narrow, wide);
    format<__nv_fp8_e5m2, __nv_fp8x2_e5m2, __nv_fp8x4_e5m2>(__NV_E5M2, singles, doubles, whole, narrow + 26 * 256,
                                                           wide + 25 * 256);
    __shared__ unsigned words[256];
    words[threadIdx.x] = threadIdx.x * 3;
    __syncthreads();
    const unsigned address = (unsigned)__cvta_generic_to_shared(words + (threadIdx.x ^ 1));
    unsigned word;
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(word) : "r"(address) : "memory");
    places[threadIdx.x] = word + *(const unsigned *)__cvta_shared_to_generic(address);
    unsigned *global = (unsigned *)__cvta_global_to_generic(__cvta_generic_to_global(places + threadIdx.x));
    *global += 1;
}
