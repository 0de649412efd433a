// Atomics: chains on one word of shared memory by as many lanes as the CTA has threads, and of one thread on global
// memory.
#include "harness.h"

namespace {
__shared__ unsigned word;
}

#define SHARED(NAME, STEP)                                                                                             \
    extern "C" __global__ void atomics_shared_##NAME(unsigned *clocks, unsigned rounds, unsigned *result) {            \
        Frame<2> frame;                                                                                                \
        unsigned x = zero_of_thread(rounds);                                                                           \
        unsigned *const address = &word + x; /* equal addresses would be combined by shuffles */                       \
        word = 0;                                                                                                      \
        PASSES (rounds, count) {                                                                                       \
            SECTION(frame, 0, count, asm volatile(REPEAT_4(STEP) : "+r"(x) : "l"(address) : "memory"));                \
            SECTION(frame, 1, count, asm volatile(REPEAT_12(STEP) : "+r"(x) : "l"(address) : "memory"));               \
        }                                                                                                              \
        frame.store(clocks);                                                                                           \
        result[threadIdx.x] = x;                                                                                       \
    }
#define IN_WINDOW(TEXT) "{\n\t.reg .b64 a;\n\tcvta.to.shared.u64 a, %1;\n\t" TEXT "}\n\t"
SHARED(add, IN_WINDOW("atom.shared.add.u32 %0, [a], %0;\n\t"))
SHARED(exchange, IN_WINDOW("atom.shared.exch.b32 %0, [a], %0;\n\t"))
SHARED(compare, IN_WINDOW("atom.shared.cas.b32 %0, [a], %0, %0;\n\t"))

extern "C" __global__ void atomics_global_add(unsigned *clocks, unsigned rounds, unsigned *data, unsigned *result) {
    Frame<2> frame;
    unsigned x = zero_of_thread(rounds);
    unsigned *const address = data + x;
#define STEP "atom.global.add.u32 %0, [%1], %0;\n\t"
    PASSES (rounds, count) {
        SECTION(frame, 0, count, asm volatile(REPEAT_4(STEP) : "+r"(x) : "l"(address) : "memory"));
        SECTION(frame, 1, count, asm volatile(REPEAT_12(STEP) : "+r"(x) : "l"(address) : "memory"));
    }
    frame.store(clocks);
    result[threadIdx.x] = x;
}
