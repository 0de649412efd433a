// The memory pipeline of a sub-partition: independent loads of shared memory issued back to back between two reads of
// the clock, which wait for none of them; and addresses that are overwritten after an access that still reads them.
#include "harness.h"

namespace {
__shared__ unsigned words[2048];
} // namespace

/// Section 0 has one load, section 1 `NUMBER`. The clocks are read in the text, and the loaded values used after it.
#define ISSUE(NUMBER, LOADS)                                                                                           \
    extern "C" __global__ void queue_issue_##NUMBER(unsigned *clocks, unsigned rounds, unsigned *result) {             \
        Frame<2> frame;                                                                                                \
        for (unsigned i = threadIdx.x; i < 2048; i += blockDim.x) {                                                    \
            words[i] = 0;                                                                                              \
        }                                                                                                              \
        const unsigned address = window(words) + 4 * (threadIdx.x % 32);                                               \
        unsigned t[16];                                                                                                \
        for (int i = 0; i < 16; ++i) {                                                                                 \
            t[i] = 0;                                                                                                  \
        }                                                                                                              \
        unsigned sum = 0;                                                                                              \
        PASSES (rounds, count) {                                                                                       \
            __syncthreads();                                                                                           \
            asm volatile("mov.u32 %0, %%clock;\n\t" ONE_LOAD "mov.u32 %1, %%clock;"                                    \
                         : "=r"(frame.begin[0]), "=r"(frame.end[0]), "=r"(t[0])                                        \
                         : "r"(address)                                                                                \
                         : "memory");                                                                                  \
            sum ^= t[0];                                                                                               \
            __syncthreads();                                                                                           \
            asm volatile("mov.u32 %0, %%clock;\n\t" LOADS "mov.u32 %1, %%clock;"                                       \
                         : "=r"(frame.begin[1]), "=r"(frame.end[1]), "+r"(t[0]), "+r"(t[1]), "+r"(t[2]), "+r"(t[3]),   \
                           "+r"(t[4]), "+r"(t[5]), "+r"(t[6]), "+r"(t[7]), "+r"(t[8]), "+r"(t[9]), "+r"(t[10]),        \
                           "+r"(t[11]), "+r"(t[12]), "+r"(t[13]), "+r"(t[14]), "+r"(t[15])                             \
                         : "r"(address)                                                                                \
                         : "memory");                                                                                  \
            for (int i = 0; i < 16; ++i) {                                                                             \
                sum ^= t[i];                                                                                           \
            }                                                                                                          \
        }                                                                                                              \
        frame.store(clocks);                                                                                           \
        result[threadIdx.x] = sum;                                                                                     \
    }
#define ONE_LOAD "ld.shared.u32 %2, [%3];\n\t"
#define OF(T, OFFSET) "ld.shared.u32 %" #T ", [%18+" #OFFSET "];\n\t"
#define LOADS_1 OF(2, 0)
#define LOADS_2 LOADS_1 OF(3, 128)
#define LOADS_3 LOADS_2 OF(4, 256)
#define LOADS_4 LOADS_3 OF(5, 384)
#define LOADS_5 LOADS_4 OF(6, 512)
#define LOADS_6 LOADS_5 OF(7, 640)
#define LOADS_7 LOADS_6 OF(8, 768)
#define LOADS_8 LOADS_7 OF(9, 896)
#define LOADS_10 LOADS_8 OF(10, 1024) OF(11, 1152)
#define LOADS_12 LOADS_10 OF(12, 1280) OF(13, 1408)
#define LOADS_16 LOADS_12 OF(14, 1536) OF(15, 1664) OF(16, 1792) OF(17, 1920)
ISSUE(2, LOADS_2)
ISSUE(3, LOADS_3)
ISSUE(4, LOADS_4)
ISSUE(5, LOADS_5)
ISSUE(6, LOADS_6)
ISSUE(7, LOADS_7)
ISSUE(8, LOADS_8)
ISSUE(10, LOADS_10)
ISSUE(12, LOADS_12)
ISSUE(16, LOADS_16)

/// A loop whose end depends on the address, which is stepped right after the access: the extra time of a round over an
/// access whose address stays (section 0) is how long the access keeps its address register. In straight-line code the
/// compiler would use another register for each address.
#define OVERWRITE(NAME, ACCESS)                                                                                        \
    extern "C" __global__ void queue_war_##NAME(unsigned *clocks, unsigned rounds, unsigned step, unsigned *result) {  \
        Frame<2> frame;                                                                                                \
        for (unsigned i = threadIdx.x; i < 2048; i += blockDim.x) {                                                    \
            words[i] = 0;                                                                                              \
        }                                                                                                              \
        const unsigned first = window(words) + 4 * (threadIdx.x % 32);                                                 \
        unsigned word = 0;                                                                                             \
        PASSES (rounds, count) {                                                                                       \
            LOOP(0, ACCESS("%3"));                                                                                     \
            LOOP(1, ACCESS("%1"));                                                                                     \
        }                                                                                                              \
        frame.store(clocks);                                                                                           \
        result[threadIdx.x] = word;                                                                                    \
    }
#define LOOP(SECTION, ACCESS)                                                                                          \
    {                                                                                                                  \
        unsigned address = first;                                                                                      \
        const unsigned last = first + count * step;                                                                    \
        __syncthreads();                                                                                               \
        frame.begin[SECTION] = read_clock();                                                                           \
        _Pragma("unroll 1") do {                                                                                       \
            asm volatile(ACCESS "add.u32 %1, %1, %2;" : "+r"(word), "+r"(address) : "r"(step), "r"(first) : "memory"); \
        }                                                                                                              \
        while (address != last)                                                                                        \
            ;                                                                                                          \
        frame.end[SECTION] = read_clock();                                                                             \
    }
#define DO_LOAD(ADDRESS) "ld.volatile.shared.u32 %0, [" ADDRESS "];\n\t"
#define DO_STORE(ADDRESS) "st.volatile.shared.u32 [" ADDRESS "], %0;\n\t"
OVERWRITE(load, DO_LOAD)
OVERWRITE(store, DO_STORE)
