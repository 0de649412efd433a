// printf and assert of CUDA C: the output of a kernel is printed after its launch; a failed assertion ends the launch.
#pragma once

#include "smsim_cuda/language.h"

#if defined(__clang__) && !defined(__NVCC__)

extern "C" __device__ int printf(const char *format, ...);
extern "C" __device__ __attribute__((noreturn)) void __assertfail(const char *message, const char *file, unsigned line,
                                                                  const char *function, size_t character_bytes);

#ifndef assert
#ifdef NDEBUG
#define assert(condition) static_cast<void>(0)
#else
#define assert(condition)                                                                                              \
    ((condition) ? static_cast<void>(0) : __assertfail(#condition, __FILE__, __LINE__, __func__, 1))
#endif
#endif

#else

#include <assert.h>
#include <stdio.h>

#endif
