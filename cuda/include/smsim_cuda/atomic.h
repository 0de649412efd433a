// Atomics on addresses of global and shared memory, relaxed, for the device. Each returns the old value.
#pragma once

#include "smsim_cuda/language.h"

#if defined(__clang__) && !defined(__NVCC__)

SMSIM_FUNCTION int atomicAdd(int *p, int v) {
    return __nvvm_atom_add_gen_i(p, v);
}
SMSIM_FUNCTION unsigned atomicAdd(unsigned *p, unsigned v) {
    return (unsigned)__nvvm_atom_add_gen_i((int *)p, (int)v);
}
SMSIM_FUNCTION unsigned long long atomicAdd(unsigned long long *p, unsigned long long v) {
    return (unsigned long long)__nvvm_atom_add_gen_ll((long long *)p, (long long)v);
}
/// Rounds to nearest; a sum by several threads depends on their order.
SMSIM_FUNCTION float atomicAdd(float *p, float v) {
    return __nvvm_atom_add_gen_f(p, v);
}
SMSIM_FUNCTION double atomicAdd(double *p, double v) {
    return __nvvm_atom_add_gen_d(p, v);
}

SMSIM_FUNCTION int atomicSub(int *p, int v) {
    return __nvvm_atom_sub_gen_i(p, v);
}
SMSIM_FUNCTION unsigned atomicSub(unsigned *p, unsigned v) {
    return (unsigned)__nvvm_atom_sub_gen_i((int *)p, (int)v);
}

SMSIM_FUNCTION int atomicExch(int *p, int v) {
    return __nvvm_atom_xchg_gen_i(p, v);
}
SMSIM_FUNCTION unsigned atomicExch(unsigned *p, unsigned v) {
    return (unsigned)__nvvm_atom_xchg_gen_i((int *)p, (int)v);
}
SMSIM_FUNCTION unsigned long long atomicExch(unsigned long long *p, unsigned long long v) {
    return (unsigned long long)__nvvm_atom_xchg_gen_ll((long long *)p, (long long)v);
}
SMSIM_FUNCTION float atomicExch(float *p, float v) {
    return __builtin_bit_cast(float, __nvvm_atom_xchg_gen_i((int *)p, __builtin_bit_cast(int, v)));
}

/// Writes `v` if the old value is `expected`.
SMSIM_FUNCTION int atomicCAS(int *p, int expected, int v) {
    return __nvvm_atom_cas_gen_i(p, expected, v);
}
SMSIM_FUNCTION unsigned atomicCAS(unsigned *p, unsigned expected, unsigned v) {
    return (unsigned)__nvvm_atom_cas_gen_i((int *)p, (int)expected, (int)v);
}
SMSIM_FUNCTION unsigned long long atomicCAS(unsigned long long *p, unsigned long long expected, unsigned long long v) {
    return (unsigned long long)__nvvm_atom_cas_gen_ll((long long *)p, (long long)expected, (long long)v);
}

SMSIM_FUNCTION int atomicMin(int *p, int v) {
    return __nvvm_atom_min_gen_i(p, v);
}
SMSIM_FUNCTION unsigned atomicMin(unsigned *p, unsigned v) {
    return __nvvm_atom_min_gen_ui(p, v);
}
SMSIM_FUNCTION long long atomicMin(long long *p, long long v) {
    return __nvvm_atom_min_gen_ll(p, v);
}
SMSIM_FUNCTION unsigned long long atomicMin(unsigned long long *p, unsigned long long v) {
    return __nvvm_atom_min_gen_ull(p, v);
}
SMSIM_FUNCTION int atomicMax(int *p, int v) {
    return __nvvm_atom_max_gen_i(p, v);
}
SMSIM_FUNCTION unsigned atomicMax(unsigned *p, unsigned v) {
    return __nvvm_atom_max_gen_ui(p, v);
}
SMSIM_FUNCTION long long atomicMax(long long *p, long long v) {
    return __nvvm_atom_max_gen_ll(p, v);
}
SMSIM_FUNCTION unsigned long long atomicMax(unsigned long long *p, unsigned long long v) {
    return __nvvm_atom_max_gen_ull(p, v);
}

SMSIM_FUNCTION int atomicAnd(int *p, int v) {
    return __nvvm_atom_and_gen_i(p, v);
}
SMSIM_FUNCTION unsigned atomicAnd(unsigned *p, unsigned v) {
    return (unsigned)__nvvm_atom_and_gen_i((int *)p, (int)v);
}
SMSIM_FUNCTION unsigned long long atomicAnd(unsigned long long *p, unsigned long long v) {
    return (unsigned long long)__nvvm_atom_and_gen_ll((long long *)p, (long long)v);
}
SMSIM_FUNCTION int atomicOr(int *p, int v) {
    return __nvvm_atom_or_gen_i(p, v);
}
SMSIM_FUNCTION unsigned atomicOr(unsigned *p, unsigned v) {
    return (unsigned)__nvvm_atom_or_gen_i((int *)p, (int)v);
}
SMSIM_FUNCTION unsigned long long atomicOr(unsigned long long *p, unsigned long long v) {
    return (unsigned long long)__nvvm_atom_or_gen_ll((long long *)p, (long long)v);
}
SMSIM_FUNCTION int atomicXor(int *p, int v) {
    return __nvvm_atom_xor_gen_i(p, v);
}
SMSIM_FUNCTION unsigned atomicXor(unsigned *p, unsigned v) {
    return (unsigned)__nvvm_atom_xor_gen_i((int *)p, (int)v);
}
SMSIM_FUNCTION unsigned long long atomicXor(unsigned long long *p, unsigned long long v) {
    return (unsigned long long)__nvvm_atom_xor_gen_ll((long long *)p, (long long)v);
}

/// Counts up, wrapping from `limit` to 0.
SMSIM_FUNCTION unsigned atomicInc(unsigned *p, unsigned limit) {
    return __nvvm_atom_inc_gen_ui(p, limit);
}
/// Counts down, wrapping from 0 and from above `limit` to `limit`.
SMSIM_FUNCTION unsigned atomicDec(unsigned *p, unsigned limit) {
    return __nvvm_atom_dec_gen_ui(p, limit);
}

#endif
