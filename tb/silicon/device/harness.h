// Shared by all benchmarks: the frame of a kernel, reads of the clock, repeated text.
//
// A kernel runs its sections twice: first two rounds each, which brings their code, including the back edges of their
// loops, into the instruction caches, then `rounds`. Two reads of the clock enclose each section; each warp stores
// those of the second pass, so that `clocks` holds [CTA][section][warp] pairs (begin, end). The timed code is inline
// PTX, which neither clang nor nvcc changes, so that the model and a GPU get the same text. A slope (two sections that
// differ in length, or two launches that differ in rounds) excludes the cost of the loop, the clock and the barrier.
// The back edge of a loop costs more if the loop spans more than three lines of the instruction cache, and the
// compiler chooses where it is placed: so a chain is longer than that, 24 steps, in both sections.
#pragma once

#include "smsim_cuda.h"

#define REPEAT_2(text) text text
#define REPEAT_3(text) text text text
#define REPEAT_4(text) REPEAT_2(REPEAT_2(text))
#define REPEAT_6(text) REPEAT_2(REPEAT_3(text))
#define REPEAT_8(text) REPEAT_2(REPEAT_4(text))
#define REPEAT_12(text) REPEAT_3(REPEAT_4(text))
#define REPEAT_16(text) REPEAT_4(REPEAT_4(text))
#define REPEAT_24(text) REPEAT_2(REPEAT_12(text))
#define REPEAT_48(text) REPEAT_4(REPEAT_12(text))
#define REPEAT_56(text) REPEAT_48(text) REPEAT_8(text)
#define REPEAT_64(text) REPEAT_4(REPEAT_16(text))
#define REPEAT_72(text) REPEAT_3(REPEAT_24(text))
#define REPEAT_1024(text) REPEAT_16(REPEAT_64(text))

/// The clock of the SM, in cycles, modulo 2^32.
static __device__ __forceinline__ unsigned read_clock() {
    unsigned value;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(value)::"memory");
    return value;
}

/// Begin and end of each of N sections in the last pass.
template <int N> struct Frame {
    unsigned begin[N];
    unsigned end[N];

    /// Stores them. All lanes of a warp write the same: a store of one lane would make the warp diverge.
    __device__ __forceinline__ void store(unsigned *clocks) const {
        const unsigned warps = (blockDim.x + 31) / 32;
        for (unsigned section = 0; section < N; ++section) {
            unsigned *const pair = clocks + 2 * ((blockIdx.x * N + section) * warps + threadIdx.x / 32);
            pair[0] = begin[section];
            pair[1] = end[section];
        }
    }
};

/// Address of an array in shared memory in the form that instructions need.
static __device__ __forceinline__ unsigned window(const unsigned *words) {
    unsigned address;
    asm volatile("{\n\t.reg .b64 wide;\n\tcvta.to.shared.u64 wide, %1;\n\tcvt.u32.u64 %0, wide;\n\t}"
                 : "=r"(address)
                 : "l"(words));
    return address;
}

/// Runs the following block twice, with `count` 2 and then `rounds`. The compiler must not make two copies of it.
#define PASSES(rounds, count)                                                                                          \
    unsigned count = 2;                                                                                                \
    _Pragma("unroll 1") for (unsigned pass = 0; pass < 2; ++pass, count = rounds, hide(count))

/// Hides a value from the compiler.
static __device__ __forceinline__ void hide(unsigned &value) {
    asm volatile("" : "+r"(value));
}

/// 0, which the compiler takes for a value that differs between threads: a value combined with it stays out of the
/// uniform datapath and is not folded where all lanes are equal.
static __device__ __forceinline__ unsigned zero_of_thread(unsigned rounds) {
    return threadIdx.x == 0x10000 + rounds;
}

/// Section `number`: `count` rounds of the following block, which all warps of the CTA begin together.
#define SECTION(frame, number, count, ...)                                                                             \
    {                                                                                                                  \
        __syncthreads();                                                                                               \
        (frame).begin[number] = read_clock();                                                                          \
        unsigned round = 0;                                                                                            \
        _Pragma("unroll 1") do {                                                                                       \
            __VA_ARGS__;                                                                                               \
        }                                                                                                              \
        while (++round < (count))                                                                                      \
            ;                                                                                                          \
        (frame).end[number] = read_clock();                                                                            \
    }

/// A chain of one step through a register, repeated as SHORT and LONG specify in the two sections. `a` and `b` are its
/// operands %1 and %2.
#define CHAIN_OF(KERNEL, TYPE, LETTER, SHORT, LONG)                                                                    \
    extern "C" __global__ void KERNEL(unsigned *clocks, unsigned rounds, TYPE a, TYPE b, TYPE *result) {               \
        Frame<2> frame;                                                                                                \
        TYPE x = a + zero_of_thread(rounds);                                                                           \
        PASSES (rounds, count) {                                                                                       \
            SECTION(frame, 0, count, asm volatile(SHORT : "+" LETTER(x) : LETTER(a), LETTER(b)));                      \
            SECTION(frame, 1, count, asm volatile(LONG : "+" LETTER(x) : LETTER(a), LETTER(b)));                       \
        }                                                                                                              \
        frame.store(clocks);                                                                                           \
        result[threadIdx.x] = x;                                                                                       \
    }
