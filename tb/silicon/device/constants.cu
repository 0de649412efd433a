// Constants: loads by register from working sets that do or do not fit the constant caches, by lanes with equal and
// with different addresses; operands of arithmetic.
#include "harness.h"

extern "C" {
__constant__ unsigned constant_words[16384];
}

static __device__ __forceinline__ unsigned bank() {
    unsigned address;
    asm volatile("{\n\t.reg .b64 wide;\n\tcvta.to.const.u64 wide, %1;\n\tcvt.u32.u64 %0, wide;\n\t}"
                 : "=r"(address)
                 : "l"(constant_words));
    return address;
}

/// A chain of loads 64 bytes apart through the first `bytes` bytes; lane i begins at i % `addresses` times 256 bytes.
extern "C" __global__ void constants_chase(unsigned *clocks, unsigned rounds, unsigned bytes, unsigned addresses,
                                           unsigned *result) {
    Frame<2> frame;
    const unsigned first = bank();
    const unsigned mask = bytes - 1;
    unsigned offset = (threadIdx.x % addresses) * 256 + zero_of_thread(rounds);
#define STEP                                                                                                           \
    "{\n\t.reg .b32 t;\n\tadd.u32 t, %0, %1;\n\tld.const.u32 t, [t];\n\tadd.u32 %0, %0, 64;\n\t"                       \
    "lop3.b32 %0, %0, %2, t, 0x6a;\n\t}\n\t" // (a & b) ^ c
    PASSES (rounds, count) {
        SECTION(frame, 0, count, asm volatile(REPEAT_16(STEP) : "+r"(offset) : "r"(first), "r"(mask)));
        SECTION(frame, 1, count, asm volatile(REPEAT_48(STEP) : "+r"(offset) : "r"(first), "r"(mask)));
    }
    frame.store(clocks);
    result[threadIdx.x] = offset;
}

/// A chain of FFMA, each with its own operand in the constant bank, `SPACE` bytes apart: 16 and 64 operands.
#define OPERANDS(SPACE)                                                                                                \
    extern "C" __global__ void constants_operand_##SPACE(unsigned *clocks, unsigned rounds, unsigned a,                \
                                                         unsigned *result) {                                           \
        Frame<2> frame;                                                                                                \
        unsigned x = a + zero_of_thread(rounds);                                                                       \
        PASSES (rounds, count) {                                                                                       \
            SECTION(frame, 0, count, FOUR(SPACE, 0) FOUR(SPACE, 4) FOUR(SPACE, 8) FOUR(SPACE, 12));                    \
            SECTION(frame, 1, count,                                                                                   \
                    FOUR(SPACE, 16) FOUR(SPACE, 20) FOUR(SPACE, 24) FOUR(SPACE, 28) FOUR(SPACE, 32) FOUR(SPACE, 36)    \
                        FOUR(SPACE, 40) FOUR(SPACE, 44) FOUR(SPACE, 48) FOUR(SPACE, 52) FOUR(SPACE, 56)                \
                            FOUR(SPACE, 60) FOUR(SPACE, 64) FOUR(SPACE, 68) FOUR(SPACE, 72) FOUR(SPACE, 76));          \
        }                                                                                                              \
        frame.store(clocks);                                                                                           \
        result[threadIdx.x] = x ^ bank();                                                                              \
    }
#define ONE(SPACE, NUMBER)                                                                                             \
    asm volatile("{\n\t.reg .b32 t;\n\tld.const.u32 t, [constant_words+%1];\n\tfma.rn.f32 %0, %0, t, %2;\n\t}"         \
                 : "+r"(x)                                                                                             \
                 : "n"(SPACE * (NUMBER)), "r"(a));
#define FOUR(SPACE, NUMBER) ONE(SPACE, NUMBER) ONE(SPACE, NUMBER + 1) ONE(SPACE, NUMBER + 2) ONE(SPACE, NUMBER + 3)
OPERANDS(4)
OPERANDS(64)
OPERANDS(512)
