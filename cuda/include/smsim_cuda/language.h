// Attributes, thread indices and vector types: the part of CUDA C that is language rather than library.
#pragma once

/// Declares a function of this header: for the device, without a symbol, inlined at -O0 too.
#define SMSIM_FUNCTION static __attribute__((device)) __attribute__((always_inline)) inline

#if defined(__clang__) && !defined(__NVCC__)

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __forceinline__ __attribute__((always_inline)) inline
#define __noinline__ __attribute__((noinline))
#define __align__(bytes) __attribute__((aligned(bytes)))
/// Maximum threads per CTA, and minimum CTAs per SM.
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))

typedef __SIZE_TYPE__ size_t;

struct uint3 {
    unsigned x, y, z;
};

/// Like uint3; omitted components are 1.
struct dim3 {
    unsigned x, y, z;
    __attribute__((device)) dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};

// Aligned as vector memory instructions require. clang copies parts one by one; these assignments make an object one
// load or store, as with nvcc. A copy constructor beside them would take the initialisation with braces away.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-copy"
#define SMSIM_ASSIGNED_AT_ONCE(type, component)                                                                        \
    __attribute__((device)) __attribute__((always_inline)) type &operator=(const type &from) {                         \
        typedef component whole __attribute__((vector_size(sizeof(type)), may_alias));                                 \
        *(whole *)this = *(const whole *)&from;                                                                        \
        return *this;                                                                                                  \
    }
struct __align__(8) int2 {
    int x, y;
    SMSIM_ASSIGNED_AT_ONCE(int2, int)
};
struct __align__(16) int4 {
    int x, y, z, w;
    SMSIM_ASSIGNED_AT_ONCE(int4, int)
};
struct __align__(8) uint2 {
    unsigned x, y;
    SMSIM_ASSIGNED_AT_ONCE(uint2, unsigned)
};
struct __align__(16) uint4 {
    unsigned x, y, z, w;
    SMSIM_ASSIGNED_AT_ONCE(uint4, unsigned)
};
struct __align__(8) float2 {
    float x, y;
    SMSIM_ASSIGNED_AT_ONCE(float2, float)
};
struct float3 {
    float x, y, z;
};
struct __align__(16) float4 {
    float x, y, z, w;
    SMSIM_ASSIGNED_AT_ONCE(float4, float)
};
struct __align__(16) double2 {
    double x, y;
    SMSIM_ASSIGNED_AT_ONCE(double2, double)
};
#undef SMSIM_ASSIGNED_AT_ONCE
#pragma clang diagnostic pop

SMSIM_FUNCTION int2 make_int2(int x, int y) {
    return {x, y};
}
SMSIM_FUNCTION int4 make_int4(int x, int y, int z, int w) {
    return {x, y, z, w};
}
SMSIM_FUNCTION uint2 make_uint2(unsigned x, unsigned y) {
    return {x, y};
}
SMSIM_FUNCTION uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) {
    return {x, y, z, w};
}
SMSIM_FUNCTION float2 make_float2(float x, float y) {
    return {x, y};
}
SMSIM_FUNCTION float3 make_float3(float x, float y, float z) {
    return {x, y, z};
}
SMSIM_FUNCTION float4 make_float4(float x, float y, float z, float w) {
    return {x, y, z, w};
}
SMSIM_FUNCTION double2 make_double2(double x, double y) {
    return {x, y};
}

namespace smsim_cuda {
SMSIM_FUNCTION uint3 thread_index() {
    return {(unsigned)__nvvm_read_ptx_sreg_tid_x(), (unsigned)__nvvm_read_ptx_sreg_tid_y(),
            (unsigned)__nvvm_read_ptx_sreg_tid_z()};
}
SMSIM_FUNCTION uint3 block_index() {
    return {(unsigned)__nvvm_read_ptx_sreg_ctaid_x(), (unsigned)__nvvm_read_ptx_sreg_ctaid_y(),
            (unsigned)__nvvm_read_ptx_sreg_ctaid_z()};
}
SMSIM_FUNCTION uint3 block_size() {
    return {(unsigned)__nvvm_read_ptx_sreg_ntid_x(), (unsigned)__nvvm_read_ptx_sreg_ntid_y(),
            (unsigned)__nvvm_read_ptx_sreg_ntid_z()};
}
SMSIM_FUNCTION uint3 grid_size() {
    return {(unsigned)__nvvm_read_ptx_sreg_nctaid_x(), (unsigned)__nvvm_read_ptx_sreg_nctaid_y(),
            (unsigned)__nvvm_read_ptx_sreg_nctaid_z()};
}
} // namespace smsim_cuda

// Values, not objects: they have no address, and each use reads the special registers again.
#define threadIdx (::smsim_cuda::thread_index())
#define blockIdx (::smsim_cuda::block_index())
#define blockDim (::smsim_cuda::block_size())
#define gridDim (::smsim_cuda::grid_size())
#define warpSize 32

#endif

/// Position of the thread in its warp, 0 to 31. A block is divided into warps by x, then y, then z.
SMSIM_FUNCTION unsigned smsim_lane() {
    unsigned lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
}
