// Straight-line code that runs for the first time: 256 KB of it, with a clock read after 1, 2, 4 .. 256 KB. The first
// of two identical kernels evicts the code of the second from the instruction caches.
#include "harness.h"

#define FFMA(X) "fma.rn.f32 " X ", " X ", %8, %9;\n\t"
#define KB                                                                                                             \
    REPEAT_8(FFMA("%0") FFMA("%1") FFMA("%2") FFMA("%3") FFMA("%4") FFMA("%5") FFMA("%6") FFMA("%7")) // 64 of 16 bytes
#define ADD(TEXT)                                                                                                      \
    asm volatile(TEXT                                                                                                  \
                 : "+r"(x[0]), "+r"(x[1]), "+r"(x[2]), "+r"(x[3]), "+r"(x[4]), "+r"(x[5]), "+r"(x[6]), "+r"(x[7])      \
                 : "r"(a), "r"(b));                                                                                    \
    end[section++] = read_clock();
#define CODE(NAME)                                                                                                     \
    extern "C" __global__ void code_##NAME(unsigned *clocks, unsigned a, unsigned b, unsigned *result) {               \
        unsigned x[8];                                                                                                 \
        for (int i = 0; i < 8; ++i) {                                                                                  \
            x[i] = a + i + zero_of_thread(a);                                                                          \
        }                                                                                                              \
        unsigned end[9];                                                                                               \
        int section = 0;                                                                                               \
        const unsigned begin = read_clock();                                                                           \
        ADD(KB)                                                                                                        \
        ADD(KB)                                                                                                        \
        ADD(REPEAT_2(KB))                                                                                              \
        ADD(REPEAT_4(KB))                                                                                              \
        ADD(REPEAT_8(KB))                                                                                              \
        ADD(REPEAT_16(KB))                                                                                             \
        ADD(REPEAT_2(REPEAT_16(KB)))                                                                                   \
        ADD(REPEAT_64(KB))                                                                                             \
        ADD(REPEAT_2(REPEAT_64(KB)))                                                                                   \
        for (int i = 0; i < 9; ++i) {                                                                                  \
            clocks[2 * i] = begin;                                                                                     \
            clocks[2 * i + 1] = end[i];                                                                                \
        }                                                                                                              \
        result[threadIdx.x] = x[0] ^ x[1] ^ x[2] ^ x[3] ^ x[4] ^ x[5] ^ x[6] ^ x[7];                                   \
    }
CODE(cold)
CODE(other)
