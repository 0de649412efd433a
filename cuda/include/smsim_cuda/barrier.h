// Barriers of the CTA, fences, clocks and sleep. The plain names are CUDA's; smsim_bar_* are the named barriers of PTX,
// for which CUDA C has no function.
#pragma once

#include "smsim_cuda/language.h"

/// Waits at barrier `id` (0 to 15) until `threads` threads of the CTA, a multiple of 32, have arrived; orders memory
/// within the CTA.
SMSIM_FUNCTION void smsim_bar_sync(int id, int threads) {
    asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

/// Arrives at barrier `id` without waiting; earlier writes are visible to threads that wait there.
SMSIM_FUNCTION void smsim_bar_arrive(int id, int threads) {
    asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

#if defined(__clang__) && !defined(__NVCC__)

/// Waits for all threads of the CTA; orders memory within it. clang has a builtin of this name, but moves
/// reads of shared variables whose address is not taken across it.
SMSIM_FUNCTION void smsim_syncthreads() {
    asm volatile("bar.sync 0;" ::: "memory");
}
#define __syncthreads smsim_syncthreads

/// Like __syncthreads; returns the number of threads whose predicate is not 0.
SMSIM_FUNCTION int __syncthreads_count(int predicate) {
    int count;
    asm volatile("{ .reg .pred p; setp.ne.s32 p, %1, 0; bar.red.popc.u32 %0, 0, p; }"
                 : "=r"(count)
                 : "r"(predicate)
                 : "memory");
    return count;
}

/// Like __syncthreads; returns nonzero when the predicate of all threads is not 0.
SMSIM_FUNCTION int __syncthreads_and(int predicate) {
    int all;
    asm volatile("{ .reg .pred p, q; setp.ne.s32 p, %1, 0; bar.red.and.pred q, 0, p; selp.s32 %0, 1, 0, q; }"
                 : "=r"(all)
                 : "r"(predicate)
                 : "memory");
    return all;
}

/// Like __syncthreads; returns nonzero when the predicate of some thread is not 0.
SMSIM_FUNCTION int __syncthreads_or(int predicate) {
    int any;
    asm volatile("{ .reg .pred p, q; setp.ne.s32 p, %1, 0; bar.red.or.pred q, 0, p; selp.s32 %0, 1, 0, q; }"
                 : "=r"(any)
                 : "r"(predicate)
                 : "memory");
    return any;
}

/// Waits for the lanes of the mask, each of which passes the same mask; orders memory between them.
SMSIM_FUNCTION void __syncwarp(unsigned mask = 0xffffffffu) {
    asm volatile("bar.warp.sync %0;" ::"r"(mask) : "memory");
}

/// The CTA sees this thread's earlier writes before its later ones; likewise its reads.
SMSIM_FUNCTION void __threadfence_block() {
    asm volatile("membar.cta;" ::: "memory");
}
/// Like __threadfence_block, for the device.
SMSIM_FUNCTION void __threadfence() {
    asm volatile("membar.gl;" ::: "memory");
}
/// Like __threadfence_block, for the device and the host.
SMSIM_FUNCTION void __threadfence_system() {
    asm volatile("membar.sys;" ::: "memory");
}

/// Sleeps for about `nanoseconds`, at most 1 ms.
SMSIM_FUNCTION void __nanosleep(unsigned nanoseconds) {
    asm volatile("nanosleep.u32 %0;" ::"r"(nanoseconds) : "memory");
}

/// Cycles of the SM; the upper half of a long kernel's count is lost.
SMSIM_FUNCTION unsigned clock() {
    unsigned cycles;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(cycles)::"memory");
    return cycles;
}

/// Cycles of the SM.
SMSIM_FUNCTION long long clock64() {
    long long cycles;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(cycles)::"memory");
    return cycles;
}

#endif
