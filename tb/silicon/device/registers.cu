// The register file: FFMA of one warp or several over 1 to 12 accumulators, and with operands that are shared or not.
//
// The compiler allocates registers; the source only sets how many there are and which instructions share one. The
// step occurs 24 and 56 times in a loop, 4 and 12 times with eight accumulators.
#include "harness.h"

#define FRAME(NAME, DECLARE, SHORT, LONG, USE)                                                                         \
    extern "C" __global__ void registers_##NAME(unsigned *clocks, unsigned rounds, unsigned a, unsigned b,             \
                                                unsigned *result) {                                                    \
        Frame<2> frame;                                                                                                \
        unsigned x[12];                                                                                                \
        for (int i = 0; i < 12; ++i) {                                                                                 \
            x[i] = a + i + zero_of_thread(rounds);                                                                     \
        }                                                                                                              \
        DECLARE;                                                                                                       \
        PASSES (rounds, count) {                                                                                       \
            SECTION(frame, 0, count, SHORT);                                                                           \
            SECTION(frame, 1, count, LONG);                                                                            \
        }                                                                                                              \
        frame.store(clocks);                                                                                           \
        USE;                                                                                                           \
    }
#define SUM result[threadIdx.x] = x[0] ^ x[1] ^ x[2] ^ x[3] ^ x[4] ^ x[5] ^ x[6] ^ x[7] ^ x[8] ^ x[9] ^ x[10] ^ x[11]
#define ACCUMULATORS(X)                                                                                                \
    "+r"(X[0]), "+r"(X[1]), "+r"(X[2]), "+r"(X[3]), "+r"(X[4]), "+r"(X[5]), "+r"(X[6]), "+r"(X[7]), "+r"(X[8]),        \
        "+r"(X[9]), "+r"(X[10]), "+r"(X[11])
#define RUN(REPEAT, STEP) asm volatile(REPEAT(STEP) : ACCUMULATORS(x) : "r"(a), "r"(b))
#define CHAINS(NUMBER, STEP) FRAME(accumulators_##NUMBER, (void)0, RUN(REPEAT_24, STEP), RUN(REPEAT_56, STEP), SUM)

#define STEP_1 "fma.rn.f32 %0, %0, %12, %13;\n\t"
#define STEP_2 STEP_1 "fma.rn.f32 %1, %1, %12, %13;\n\t"
#define STEP_3 STEP_2 "fma.rn.f32 %2, %2, %12, %13;\n\t"
#define STEP_4 STEP_3 "fma.rn.f32 %3, %3, %12, %13;\n\t"
#define STEP_5 STEP_4 "fma.rn.f32 %4, %4, %12, %13;\n\t"
#define STEP_6 STEP_5 "fma.rn.f32 %5, %5, %12, %13;\n\t"
#define STEP_7 STEP_6 "fma.rn.f32 %6, %6, %12, %13;\n\t"
#define STEP_8 STEP_7 "fma.rn.f32 %7, %7, %12, %13;\n\t"
#define STEP_9 STEP_8 "fma.rn.f32 %8, %8, %12, %13;\n\t"
#define STEP_10 STEP_9 "fma.rn.f32 %9, %9, %12, %13;\n\t"
#define STEP_11 STEP_10 "fma.rn.f32 %10, %10, %12, %13;\n\t"
#define STEP_12 STEP_11 "fma.rn.f32 %11, %11, %12, %13;\n\t"

CHAINS(1, STEP_1)
CHAINS(2, STEP_2)
CHAINS(3, STEP_3)
CHAINS(4, STEP_4)
CHAINS(5, STEP_5)
CHAINS(6, STEP_6)
CHAINS(7, STEP_7)
CHAINS(8, STEP_8)
CHAINS(9, STEP_9)
CHAINS(10, STEP_10)
CHAINS(11, STEP_11)
CHAINS(12, STEP_12)

// Eight accumulators with eight pairs of other registers: `own` gives each its pair, `shared` all the first pair, `one`
// the same register in both places, `immediate` a number in the instruction.
#define OTHERS                                                                                                         \
    unsigned y[12];                                                                                                    \
    unsigned z[12];                                                                                                    \
    for (int i = 0; i < 12; ++i) {                                                                                     \
        y[i] = b + 3 * i + zero_of_thread(rounds);                                                                     \
        z[i] = b + 5 * i + zero_of_thread(rounds);                                                                     \
    }
#define RUN_OPERANDS(REPEAT, STEP) asm volatile(REPEAT(STEP) : ACCUMULATORS(x), ACCUMULATORS(y), ACCUMULATORS(z))
#define OPERANDS(NAME, STEP)                                                                                           \
    FRAME(operands_##NAME, OTHERS, RUN_OPERANDS(REPEAT_4, STEP), RUN_OPERANDS(REPEAT_12, STEP), SUM)

OPERANDS(own, "fma.rn.f32 %0, %0, %12, %24;\n\tfma.rn.f32 %1, %1, %13, %25;\n\tfma.rn.f32 %2, %2, %14, %26;\n\t"
              "fma.rn.f32 %3, %3, %15, %27;\n\tfma.rn.f32 %4, %4, %16, %28;\n\tfma.rn.f32 %5, %5, %17, %29;\n\t"
              "fma.rn.f32 %6, %6, %18, %30;\n\tfma.rn.f32 %7, %7, %19, %31;\n\t")
OPERANDS(shared, "fma.rn.f32 %0, %0, %12, %24;\n\tfma.rn.f32 %1, %1, %12, %24;\n\tfma.rn.f32 %2, %2, %12, %24;\n\t"
                 "fma.rn.f32 %3, %3, %12, %24;\n\tfma.rn.f32 %4, %4, %12, %24;\n\tfma.rn.f32 %5, %5, %12, %24;\n\t"
                 "fma.rn.f32 %6, %6, %12, %24;\n\tfma.rn.f32 %7, %7, %12, %24;\n\t")
OPERANDS(one, "fma.rn.f32 %0, %0, %12, %12;\n\tfma.rn.f32 %1, %1, %12, %12;\n\tfma.rn.f32 %2, %2, %12, %12;\n\t"
              "fma.rn.f32 %3, %3, %12, %12;\n\tfma.rn.f32 %4, %4, %12, %12;\n\tfma.rn.f32 %5, %5, %12, %12;\n\t"
              "fma.rn.f32 %6, %6, %12, %12;\n\tfma.rn.f32 %7, %7, %12, %12;\n\t")
OPERANDS(alternating, "fma.rn.f32 %0, %0, %12, %24;\n\tfma.rn.f32 %1, %1, %13, %25;\n\tfma.rn.f32 %2, %2, %12, %24;\n\t"
                      "fma.rn.f32 %3, %3, %13, %25;\n\tfma.rn.f32 %4, %4, %12, %24;\n\tfma.rn.f32 %5, %5, %13, %25;\n\t"
                      "fma.rn.f32 %6, %6, %12, %24;\n\tfma.rn.f32 %7, %7, %13, %25;\n\t")
OPERANDS(immediate, "fma.rn.f32 %0, %0, %12, 0f3f800001;\n\tfma.rn.f32 %1, %1, %13, 0f3f800001;\n\t"
                    "fma.rn.f32 %2, %2, %14, 0f3f800001;\n\tfma.rn.f32 %3, %3, %15, 0f3f800001;\n\t"
                    "fma.rn.f32 %4, %4, %16, 0f3f800001;\n\tfma.rn.f32 %5, %5, %17, 0f3f800001;\n\t"
                    "fma.rn.f32 %6, %6, %18, 0f3f800001;\n\tfma.rn.f32 %7, %7, %19, 0f3f800001;\n\t")
