// Barriers of a CTA, with nothing in flight, and with loads still in flight when the warps arrive; barriers
// of a warp; memory barriers with nothing in flight and after a store.
#include "harness.h"

#define LOOP(NAME, STEP)                                                                                               \
    extern "C" __global__ void NAME(unsigned *clocks, unsigned rounds, unsigned long long step, unsigned *data,        \
                                    unsigned *result) {                                                                \
        Frame<2> frame;                                                                                                \
        char *address = (char *)(data + threadIdx.x);                                                                  \
        unsigned x = 0;                                                                                                \
        PASSES (rounds, count) {                                                                                       \
            SECTION(frame, 0, count, asm volatile(REPEAT_4(STEP) : "+r"(x), "+l"(address) : "l"(step) : "memory"));    \
            SECTION(frame, 1, count, asm volatile(REPEAT_12(STEP) : "+r"(x), "+l"(address) : "l"(step) : "memory"));   \
        }                                                                                                              \
        frame.store(clocks);                                                                                           \
        result[threadIdx.x] = x ^ (unsigned)(size_t)address;                                                           \
    }

#define LOAD "add.u64 %1, %1, %2;\n\tld.global.cg.u32 t, [%1];\n\t"
LOOP(barriers_cta, "bar.sync 0;\n\t")
LOOP(barriers_cta_loads, "{\n\t.reg .b32 t;\n\t" LOAD "bar.sync 0;\n\txor.b32 %0, %0, t;\n\t}\n\t")
LOOP(barriers_warp, "bar.warp.sync -1;\n\t")
LOOP(fences_cta, "membar.cta;\n\t")
LOOP(fences_gl, "membar.gl;\n\t")
LOOP(fences_sys, "membar.sys;\n\t")
#define STORE "st.global.u32 [%1], %0;\n\t"
LOOP(fences_store_cta, STORE "membar.cta;\n\t")
LOOP(fences_store_gl, STORE "membar.gl;\n\t")
LOOP(fences_store_sys, STORE "membar.sys;\n\t")
