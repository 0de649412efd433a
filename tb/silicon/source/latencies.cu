// Chains of loads as GPU benchmarks write them: a word that holds its own address, followed over and over.
//
// The loads are inline PTX: a compiler that sees the stored values would not load at all.
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

/// The same with 32 bits of the address; the other bits stay.
extern "C" __global__ void chase_l1_32(unsigned *clocks, unsigned rounds, unsigned *word, unsigned *result) {
    if (threadIdx.x != 0) {
        return;
    }
    word[0] = static_cast<unsigned>(reinterpret_cast<unsigned long long>(word));
    __threadfence();
    Frame<1> frame;
    const unsigned upper = static_cast<unsigned>(reinterpret_cast<unsigned long long>(word) >> 32);
    unsigned lower = word[0];
    PASSES(rounds, count) {
        SECTION(
            frame, 0, count, UNROLL for (int step = 0; step < 32; ++step) {
                const unsigned long long at = static_cast<unsigned long long>(upper) << 32 | lower;
                asm volatile("ld.global.u32 %0, [%1];" : "=r"(lower) : "l"(at) : "memory");
            });
    }
    frame.store(clocks);
    result[0] = lower;
}

/// A word of constant memory that holds its own address, 0.
__constant__ unsigned long long first[1];
#define CONSTANT_CHASE(WIDTH, TYPE, LETTER)                                                                            \
    extern "C" __global__ void chase_constant_##WIDTH(unsigned *clocks, unsigned rounds, unsigned *result) {           \
        if (threadIdx.x != 0) {                                                                                        \
            return;                                                                                                    \
        }                                                                                                              \
        Frame<1> frame;                                                                                                \
        TYPE at;                                                                                                       \
        asm volatile("{\n\t.reg .b64 wide;\n\tcvta.to.const.u64 wide, %1;\n\tcvt.u" #WIDTH ".u64 %0, wide;\n\t}"       \
                     : "=" LETTER(at)                                                                                  \
                     : "l"(first));                                                                                    \
        PASSES(rounds, count) {                                                                                        \
            SECTION(                                                                                                   \
                frame, 0, count, UNROLL for (int step = 0; step < 32; ++step) {                                        \
                    asm volatile("ld.const.u" #WIDTH " %0, [%0];" : "+" LETTER(at)::"memory");                         \
                });                                                                                                    \
        }                                                                                                              \
        frame.store(clocks);                                                                                           \
        result[0] = static_cast<unsigned>(at);                                                                         \
    }
CONSTANT_CHASE(32, unsigned, "r")
CONSTANT_CHASE(64, unsigned long long, "l")

/// Each lane follows its own word: lanes `stride` words apart in section 0, neighbours in section 1.
extern "C" __global__ void chase_conflicts(unsigned *clocks, unsigned rounds, unsigned stride, unsigned *result) {
    __shared__ unsigned apart[1024];
    __shared__ unsigned words[32];
    unsigned far = window(apart) + 4 * stride * threadIdx.x;
    unsigned near = window(words) + 4 * threadIdx.x;
    apart[stride * threadIdx.x] = far;
    words[threadIdx.x] = near;
    Frame<2> frame;
    PASSES(rounds, count) {
        SECTION(
            frame, 0, count, UNROLL for (int step = 0; step < 32; ++step) {
                asm volatile("ld.shared.u32 %0, [%0];" : "+r"(far)::"memory");
            });
        SECTION(
            frame, 1, count, UNROLL for (int step = 0; step < 32; ++step) {
                asm volatile("ld.shared.u32 %0, [%0];" : "+r"(near)::"memory");
            });
    }
    frame.store(clocks);
    result[threadIdx.x] = far + near;
}

/// Dependent atomics of `lanes` lanes on a word of shared memory in section 0, of one lane in section 1.
extern "C" __global__ void chase_shared_atomics(unsigned *clocks, unsigned rounds, unsigned lanes, unsigned *result) {
    __shared__ unsigned word[1];
    word[0] = 0;
    __syncthreads();
    Frame<2> frame;
    unsigned value = 0;
    PASSES(rounds, count) {
        SECTION(
            frame, 0, count, if (threadIdx.x < lanes) {
                UNROLL for (int step = 0; step < 16; ++step) {
                    value = atomicAdd(word, value);
                }
            });
        SECTION(
            frame, 1, count, if (threadIdx.x < 1) {
                UNROLL for (int step = 0; step < 16; ++step) {
                    value = atomicAdd(word, value);
                }
            });
    }
    frame.store(clocks);
    result[threadIdx.x] = value;
}

/// Indices through global memory past the L1; the first pass uses another list.
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
