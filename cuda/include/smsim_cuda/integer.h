// Integer functions and loads through the read-only path.
#pragma once

#include "smsim_cuda/language.h"

#if defined(__clang__) && !defined(__NVCC__)

/// Number of ones.
SMSIM_FUNCTION int __popc(unsigned x) {
    return __builtin_popcount(x);
}
SMSIM_FUNCTION int __popcll(unsigned long long x) {
    return __builtin_popcountll(x);
}
/// Number of zeros above the highest one; 32 (64) for 0.
SMSIM_FUNCTION int __clz(int x) {
    return x == 0 ? 32 : __builtin_clz((unsigned)x);
}
SMSIM_FUNCTION int __clzll(long long x) {
    return x == 0 ? 64 : __builtin_clzll((unsigned long long)x);
}
/// Position of the lowest one, counted from 1; 0 for 0.
SMSIM_FUNCTION int __ffs(int x) {
    return __builtin_ffs(x);
}
SMSIM_FUNCTION int __ffsll(long long x) {
    return __builtin_ffsll(x);
}
/// The bits in reverse order.
SMSIM_FUNCTION unsigned __brev(unsigned x) {
    return __builtin_bitreverse32(x);
}
SMSIM_FUNCTION unsigned long long __brevll(unsigned long long x) {
    return __builtin_bitreverse64(x);
}
/// Byte i of the result is the byte of y:x that nibble i of the selector names.
SMSIM_FUNCTION unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
    unsigned result;
    asm("prmt.b32 %0, %1, %2, %3;" : "=r"(result) : "r"(x), "r"(y), "r"(selector & 0x7777u));
    return result;
}
/// Upper half of the product.
SMSIM_FUNCTION int __mulhi(int x, int y) {
    return (int)(((long long)x * y) >> 32);
}
SMSIM_FUNCTION unsigned __umulhi(unsigned x, unsigned y) {
    return (unsigned)(((unsigned long long)x * y) >> 32);
}
/// Upper (lower) word of high:low shifted left (right) by shift modulo 32.
SMSIM_FUNCTION unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
    unsigned result;
    asm("shf.l.wrap.b32 %0, %1, %2, %3;" : "=r"(result) : "r"(low), "r"(high), "r"(shift));
    return result;
}
SMSIM_FUNCTION unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
    unsigned result;
    asm("shf.r.wrap.b32 %0, %1, %2, %3;" : "=r"(result) : "r"(low), "r"(high), "r"(shift));
    return result;
}

SMSIM_FUNCTION int min(int a, int b) {
    return a < b ? a : b;
}
SMSIM_FUNCTION unsigned min(unsigned a, unsigned b) {
    return a < b ? a : b;
}
SMSIM_FUNCTION long long min(long long a, long long b) {
    return a < b ? a : b;
}
SMSIM_FUNCTION unsigned long long min(unsigned long long a, unsigned long long b) {
    return a < b ? a : b;
}
SMSIM_FUNCTION int max(int a, int b) {
    return a > b ? a : b;
}
SMSIM_FUNCTION unsigned max(unsigned a, unsigned b) {
    return a > b ? a : b;
}
SMSIM_FUNCTION long long max(long long a, long long b) {
    return a > b ? a : b;
}
SMSIM_FUNCTION unsigned long long max(unsigned long long a, unsigned long long b) {
    return a > b ? a : b;
}
SMSIM_FUNCTION int abs(int x) {
    return x < 0 ? -x : x;
}

/// Loads data that nothing writes while the kernel runs.
SMSIM_FUNCTION int __ldg(const int *p) {
    return __nvvm_ldg_i(p);
}
SMSIM_FUNCTION unsigned __ldg(const unsigned *p) {
    return __nvvm_ldg_ui(p);
}
SMSIM_FUNCTION unsigned char __ldg(const unsigned char *p) {
    return __nvvm_ldg_uc(p);
}
SMSIM_FUNCTION long long __ldg(const long long *p) {
    return __nvvm_ldg_ll(p);
}
SMSIM_FUNCTION float __ldg(const float *p) {
    return __nvvm_ldg_f(p);
}
SMSIM_FUNCTION double __ldg(const double *p) {
    return __nvvm_ldg_d(p);
}

#endif
