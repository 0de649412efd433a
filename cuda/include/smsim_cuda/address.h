// Addresses of a state space: instructions in assembly such as ldmatrix take addresses in shared memory.
#pragma once

#include "smsim_cuda/language.h"

#if defined(__clang__) && !defined(__NVCC__)

/// The address in shared memory that a generic pointer into it has, and the pointer that the address has.
SMSIM_FUNCTION size_t __cvta_generic_to_shared(const void *p) {
    return (size_t)(const __attribute__((address_space(3))) void *)p;
}
SMSIM_FUNCTION void *__cvta_shared_to_generic(size_t address) {
    return (void *)(__attribute__((address_space(3))) void *)address;
}
/// The same for global memory.
SMSIM_FUNCTION size_t __cvta_generic_to_global(const void *p) {
    return (size_t)(const __attribute__((address_space(1))) void *)p;
}
SMSIM_FUNCTION void *__cvta_global_to_generic(size_t address) {
    return (void *)(__attribute__((address_space(1))) void *)address;
}

#endif
