// Chases through global memory: each element of a ring holds the index of the next.
#include "harness.h"

#define CHASE(NAME, LOAD)                                                                                              \
    extern "C" __global__ void chase_##NAME(unsigned *clocks, unsigned warm, unsigned rounds, const unsigned *ring,    \
                                            unsigned *result) {                                                        \
        Frame<1> frame;                                                                                                \
        unsigned x = 0;                                                                                                \
        unsigned count = warm;                                                                                         \
        _Pragma("unroll 1") for (unsigned pass = 0; pass < 2; ++pass, count = rounds, hide(count)){                    \
            SECTION(frame, 0, count,                                                                                   \
                    asm volatile(REPEAT_16(LOAD)                                                                       \
                                 : "+r"(x)                                                                             \
                                 : "l"(ring)                                                                           \
                                 : "memory"))} frame.store(clocks);                                                    \
        result[threadIdx.x] = x;                                                                                       \
    }
#define STEP(CACHE) "{\n\t.reg .b64 p;\n\tmad.wide.u32 p, %0, 4, %1;\n\tld.global." CACHE ".u32 %0, [p];\n\t}\n\t"
CHASE(ca, STEP("ca"))
CHASE(cg, STEP("cg"))
