// What the CUDA sources beside this file need from both compilers. clang is run without the headers of the toolkit, so
// it gets the attributes, thread indices and barriers from here; nvcc brings its own.
#pragma once

#if defined(__clang__) && !defined(__CUDACC_RTC__) && !defined(__NVCC__)
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __noinline__ __attribute__((noinline))
#define THREAD_X __nvvm_read_ptx_sreg_tid_x()
#define BLOCK_X __nvvm_read_ptx_sreg_ctaid_x()
#define BLOCK_SIZE_X __nvvm_read_ptx_sreg_ntid_x()
#define BARRIER() __nvvm_bar_sync(0)
#define ATOMIC_ADD(p, v) __nvvm_atom_add_gen_i((p), (v))
#define ATOMIC_CAS(p, a, b) __nvvm_atom_cas_gen_i((p), (a), (b))
#define SQRT(x) __nvvm_sqrt_rn_f((x))
#define FMA(a, b, c) __nvvm_fma_rn_f((a), (b), (c))
#define POPC(x) __builtin_popcount((x))
#define CLZ(x) __builtin_clz((x))
struct float4 {
    float x, y, z, w;
} __attribute__((aligned(16)));
#else
#define THREAD_X threadIdx.x
#define BLOCK_X blockIdx.x
#define BLOCK_SIZE_X blockDim.x
#define BARRIER() __syncthreads()
#define ATOMIC_ADD(p, v) atomicAdd((p), (v))
#define ATOMIC_CAS(p, a, b) atomicCAS((p), (a), (b))
#define SQRT(x) __fsqrt_rn((x))
#define FMA(a, b, c) __fmaf_rn((a), (b), (c))
#define POPC(x) __popc((x))
#define CLZ(x) __clz((x))
#endif
