// Chains of loads as benchmarks of GPUs write them: a word that holds its own address, followed over and over.
//
// The loads are inline PTX: a compiler that sees what was stored would not load at all.
#include "../device/harness.h"

#define UNROLL _Pragma("unroll")

#define CHASE(NAME, LOAD)                                                                                              \
    extern "C" __global__ void NAME(unsigned *clocks, unsigned rounds, unsigned long long *word, unsigned *result) {   \
        if (threadIdx.x != 0) {                                                                                        \
            return;                                                                                                    \
        }                                                                                                              \
        word[0] = reinterpret_cast<unsigned long long>(word);                                                          \
        __threadfence();                                                                                               \
        Frame<1> frame;                                                                                                \
        unsigned long long at = reinterpret_cast<unsigned long long>(word);                                            \
        PASSES(rounds, count) {                                                                                        \
            SECTION(                                                                                                   \
                frame, 0, count, UNROLL for (int step = 0; step < 32; ++step) {                                        \
                    asm volatile(LOAD " %0, [%0];" : "+l"(at)::"memory");                                              \
                });                                                                                                    \
        }                                                                                                              \
        frame.store(clocks);                                                                                           \
        result[0] = static_cast<unsigned>(at);                                                                         \
    }
CHASE(chase_l1, "ld.global.u64")
CHASE(chase_l2, "ld.global.cg.u64")

extern "C" __global__ void chase_shared(unsigned *clocks, unsigned rounds, unsigned *result) {
    __shared__ unsigned words[32];
    if (threadIdx.x != 0) {
        return;
    }
    unsigned at = window(words);
    words[0] = at;
    Frame<1> frame;
    PASSES(rounds, count) {
        SECTION(
            frame, 0, count, UNROLL for (int step = 0; step < 32; ++step) {
                asm volatile("ld.shared.u32 %0, [%0];" : "+r"(at)::"memory");
            });
    }
    frame.store(clocks);
    result[0] = at;
}

/// Indices through global memory past the L1; the first pass goes through another list.
extern "C" __global__ void chase_behind_l1(unsigned *clocks, unsigned rounds, const unsigned *warm,
                                           const unsigned *ring, unsigned start, const unsigned *, unsigned *result) {
    if (threadIdx.x != 0) {
        return;
    }
    Frame<1> frame;
    unsigned index = 0;
    PASSES(rounds, count) {
        const unsigned *const list = pass == 0 ? warm : ring;
        index = pass == 0 ? 0 : start;
        SECTION(
            frame, 0, count, UNROLL for (int step = 0; step < 16; ++step) {
                asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(index) : "l"(list + index) : "memory");
            });
    }
    frame.store(clocks);
    result[0] = index;
}

/// Dependent atomics on one word.
extern "C" __global__ void chase_atomics(unsigned *clocks, unsigned rounds, unsigned *word, unsigned *result) {
    if (threadIdx.x != 0) {
        return;
    }
    Frame<1> frame;
    unsigned value = 0;
    PASSES(rounds, count) {
        SECTION(
            frame, 0, count, UNROLL for (int step = 0; step < 16; ++step) { value = atomicAdd(word, value); });
    }
    frame.store(clocks);
    result[0] = value;
}
