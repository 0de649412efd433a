// Loads that hit the L1: latency and throughput by width and by the sectors that the lanes of a warp touch.
//
// The chase of 64-bit words follows addresses: the word that a lane loads holds its own address. The chase of 32-bit
// words adds an index, 0, to its address. The independent loads of a round read further words, and `step` is 0, which
// the compiler does not know, so that each round loads again.
#include "harness.h"

#define LOADS(NAME, PREPARE, SHORT, LONG)                                                                              \
    extern "C" __global__ void global_##NAME(unsigned *clocks, unsigned rounds, unsigned stride,                       \
                                             unsigned long long step, unsigned *data, unsigned *result) {              \
        Frame<2> frame;                                                                                                \
        char *address = (char *)data + stride * (threadIdx.x % 32);                                                    \
        PREPARE;                                                                                                       \
        unsigned sum = 0;                                                                                              \
        PASSES (rounds, count) {                                                                                       \
            SECTION(frame, 0, count, asm volatile(SHORT : "+r"(sum), "+l"(address) : "l"(step) : "memory"));           \
            SECTION(frame, 1, count, asm volatile(LONG : "+r"(sum), "+l"(address) : "l"(step) : "memory"));            \
        }                                                                                                              \
        frame.store(clocks);                                                                                           \
        result[threadIdx.x] = sum ^ (unsigned)(size_t)address;                                                         \
    }
#define CHASE(NAME, PREPARE, STEP) LOADS(latency_##NAME, PREPARE, REPEAT_24(STEP), REPEAT_56(STEP))
#define OWN_ADDRESS asm volatile("st.global.u64 [%0], %0;" ::"l"(address) : "memory")

CHASE(64, OWN_ADDRESS, "ld.global.ca.u64 %1, [%1];\n\t")
CHASE(128, OWN_ADDRESS, "{\n\t.reg .b64 t;\n\tld.global.ca.v2.u64 {%1, t}, [%1];\n\t}\n\t")
CHASE(32, (void)0, "{\n\t.reg .b32 t;\n\tld.global.ca.u32 t, [%1];\n\tmad.wide.u32 %1, t, 4, %1;\n\t}\n\t")

#define XOR_2(T, U) "lop3.b32 %0, %0, " T ", " U ", 0x96;\n\t"
#define LOAD_32(OFFSET, T) "ld.global.ca.u32 " T ", [%1+" OFFSET "];\n\t"
#define TEXT(NUMBER) #NUMBER
// Eight loads, each after all lanes of the previous one.
#define EIGHT_32(A, B, C, D, E, F, G)                                                                                  \
    "{\n\t.reg .b32 t0, t1, t2, t3, t4, t5, t6, t7;\n\t" LOAD_32("0", "t0") LOAD_32(TEXT(A), "t1")                     \
        LOAD_32(TEXT(B), "t2") LOAD_32(TEXT(C), "t3") LOAD_32(TEXT(D), "t4") LOAD_32(TEXT(E), "t5")                    \
            LOAD_32(TEXT(F), "t6") LOAD_32(TEXT(G), "t7") XOR_2("t0", "t1") XOR_2("t2", "t3") XOR_2("t4", "t5")        \
                XOR_2("t6", "t7") "add.u64 %1, %1, %2;\n\t}\n\t"
#define STRIDE(NUMBER, ...)                                                                                            \
    LOADS(stride_##NUMBER, (void)0, REPEAT_2(EIGHT_32(__VA_ARGS__)), REPEAT_2(REPEAT_3(EIGHT_32(__VA_ARGS__))))
STRIDE(4, 128, 256, 384, 512, 640, 768, 896)
STRIDE(8, 256, 512, 768, 1024, 1280, 1536, 1792)
STRIDE(16, 512, 1024, 1536, 2048, 2560, 3072, 3584)
STRIDE(32, 1024, 2048, 3072, 4096, 5120, 6144, 7168)
STRIDE(64, 2048, 4096, 6144, 8192, 10240, 12288, 14336)
STRIDE(128, 4096, 8192, 12288, 16384, 20480, 24576, 28672)
#define LOAD_64(OFFSET, T) "ld.global.ca.v2.u32 {" T "0, " T "1}, [%1+" #OFFSET "];\n\t"
#define EIGHT_64                                                                                                       \
    "{\n\t.reg .b32 a0, a1, b0, b1, c0, c1, d0, d1, e0, e1, f0, f1, g0, g1, h0, h1;\n\t" LOAD_64(0, "a")               \
        LOAD_64(256, "b") LOAD_64(512, "c") LOAD_64(768, "d") LOAD_64(1024, "e") LOAD_64(1280, "f") LOAD_64(1536, "g") \
            LOAD_64(1792, "h") XOR_2("a0", "a1") XOR_2("b0", "b1") XOR_2("c0", "c1") XOR_2("d0", "d1")                 \
                XOR_2("e0", "e1") XOR_2("f0", "f1") XOR_2("g0", "g1") XOR_2("h0", "h1") "add.u64 %1, %1, %2;\n\t}\n\t"
LOADS(loads_64, (void)0, REPEAT_2(EIGHT_64), REPEAT_2(REPEAT_3(EIGHT_64)))
#define LOAD_128(OFFSET, T) "ld.global.ca.v4.u32 {" T "0, " T "1, " T "2, " T "3}, [%1+" #OFFSET "];\n\t"
#define USE_128(T) XOR_2(T "0", T "1") XOR_2(T "2", T "3")
#define EIGHT_128                                                                                                      \
    "{\n\t.reg .b32 a0, a1, a2, a3, b0, b1, b2, b3, c0, c1, c2, c3, d0, d1, d2, d3;\n\t" LOAD_128(0, "a")              \
        LOAD_128(512, "b") LOAD_128(1024, "c") LOAD_128(1536, "d") USE_128("a") USE_128("b") USE_128("c") USE_128("d") \
            LOAD_128(2048, "a") LOAD_128(2560, "b") LOAD_128(3072, "c") LOAD_128(3584, "d") USE_128("a") USE_128("b")  \
                USE_128("c") USE_128("d") "add.u64 %1, %1, %2;\n\t}\n\t"
LOADS(loads_128, (void)0, REPEAT_2(EIGHT_128), REPEAT_2(REPEAT_3(EIGHT_128)))
