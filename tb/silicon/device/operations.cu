// One PTX operation at a time, as a compiler makes it: chains of 32 in a loop, whose cost is part of the figure.
//
// The second operand is the same in every step, so that what depends on it alone can be computed before the loop.
#include "harness.h"

#define OPERATION_OF(KERNEL, TYPE, LETTER, BODY)                                                                       \
    extern "C" __global__ void KERNEL(unsigned *clocks, unsigned rounds, TYPE a, TYPE b, TYPE *result) {               \
        Frame<1> frame;                                                                                                \
        TYPE x = a + zero_of_thread(rounds);                                                                           \
        PASSES (rounds, count) {                                                                                       \
            SECTION(frame, 0, count, asm volatile(BODY : "+" LETTER(x) : LETTER(a), LETTER(b)));                       \
        }                                                                                                              \
        frame.store(clocks);                                                                                           \
        result[threadIdx.x] = x;                                                                                       \
    }
#define OPERATION_32(NAME, STEP) OPERATION_OF(operation_##NAME, unsigned, "r", REPEAT_8(STEP) REPEAT_24(STEP))
#define OPERATION_64(NAME, STEP)                                                                                       \
    OPERATION_OF(operation_##NAME, unsigned long long, "l", REPEAT_8(STEP) REPEAT_24(STEP))

// Floats; a is a little more than 1.
OPERATION_32(f32_add, "add.rn.f32 %0, %0, %1;\n\t")
OPERATION_32(f32_mul, "mul.rn.f32 %0, %0, %1;\n\t")
OPERATION_32(f32_fma, "fma.rn.f32 %0, %0, %1, %0;\n\t")
OPERATION_32(f32_min, "min.f32 %0, %0, %1;\n\t")
OPERATION_32(f32_div_approx, "div.approx.f32 %0, %0, %1;\n\t")
OPERATION_32(f32_div_rn, "div.rn.f32 %0, %0, %1;\n\t")
OPERATION_32(f32_rcp_approx, "rcp.approx.f32 %0, %0;\n\t")
OPERATION_32(f32_rcp_rn, "rcp.rn.f32 %0, %0;\n\t")
OPERATION_32(f32_sqrt_approx, "sqrt.approx.f32 %0, %0;\n\t")
OPERATION_32(f32_sqrt_rn, "sqrt.rn.f32 %0, %0;\n\t")
OPERATION_32(f32_rsqrt, "rsqrt.approx.f32 %0, %0;\n\t")
OPERATION_32(f32_sin, "sin.approx.f32 %0, %0;\n\t")
OPERATION_32(f32_cos, "cos.approx.f32 %0, %0;\n\t")
OPERATION_32(f32_lg2, "lg2.approx.f32 %0, %0;\n\t")
OPERATION_32(f32_ex2, "ex2.approx.f32 %0, %0;\n\t")
OPERATION_32(f16x2_add, "add.f16x2 %0, %0, %1;\n\t")
OPERATION_32(f16x2_mul, "mul.f16x2 %0, %0, %1;\n\t")

// Integers.
OPERATION_32(s32_add, "add.s32 %0, %0, %1;\n\t")
OPERATION_32(s32_mul_lo, "mul.lo.s32 %0, %0, %1;\n\t")
OPERATION_32(s32_mul_hi, "mul.hi.s32 %0, %0, %1;\n\t")
OPERATION_32(s32_mad_hi, "mad.hi.s32 %0, %0, %1, %0;\n\t")
OPERATION_32(s32_min, "min.s32 %0, %0, %1;\n\t")
OPERATION_32(s32_abs, "abs.s32 %0, %0;\n\t")
OPERATION_32(s32_div, "div.s32 %0, %0, %1;\n\t")
OPERATION_32(s32_rem, "rem.s32 %0, %0, %1;\n\t")
OPERATION_32(u32_div, "div.u32 %0, %0, %1;\n\t")
OPERATION_32(u32_rem, "rem.u32 %0, %0, %1;\n\t")
OPERATION_32(s32_addcc_addc, "add.cc.s32 %0, %0, %1;\n\taddc.s32 %0, %0, %1;\n\t")
OPERATION_32(b32_and, "and.b32 %0, %0, %1;\n\t")
OPERATION_32(b32_shl, "shl.b32 %0, %0, %1;\n\t")
OPERATION_32(b32_popc, "popc.b32 %0, %0;\n\t")
OPERATION_32(b32_clz, "clz.b32 %0, %0;\n\t")
OPERATION_32(b32_brev, "brev.b32 %0, %0;\n\t")
OPERATION_32(s32_bfind, "bfind.s32 %0, %0;\n\t")
OPERATION_32(s32_bfe, "bfe.s32 %0, %0, 4, 8;\n\t")
OPERATION_32(u32_bfe, "bfe.u32 %0, %0, 4, 8;\n\t")
OPERATION_OF(operation_b32_bfi, unsigned, "r", // of two fields, or the compiler would drop all but the last
             REPEAT_16("bfi.b32 %0, %1, %0, 4, 8;\n\tbfi.b32 %0, %2, %0, 12, 8;\n\t"))
OPERATION_32(b32_prmt, "prmt.b32 %0, %0, %1, 0x3210;\n\t")
OPERATION_64(f64_add, "add.rn.f64 %0, %0, %1;\n\t")
OPERATION_64(f64_div_rn, "div.rn.f64 %0, %0, %1;\n\t")
OPERATION_64(f64_sqrt_rn, "sqrt.rn.f64 %0, %0;\n\t")

// Of the warp and of the CTA.
OPERATION_32(shfl_bfly, "shfl.sync.bfly.b32 %0, %0, 1, 31, -1;\n\t")
OPERATION_32(vote_ballot, "{\n\t.reg .pred p;\n\tsetp.ne.u32 p, %0, 0;\n\tvote.sync.ballot.b32 %0, p, -1;\n\t}\n\t")
OPERATION_32(vote_any, "{\n\t.reg .pred p, q;\n\tsetp.ne.u32 p, %0, 0;\n\tvote.sync.any.pred q, p, -1;\n\t"
                       "selp.b32 %0, 1, 0, q;\n\t}\n\t")
OPERATION_32(vote_all, "{\n\t.reg .pred p, q;\n\tsetp.ne.u32 p, %0, 0;\n\tvote.sync.all.pred q, p, -1;\n\t"
                       "selp.b32 %0, 1, 0, q;\n\t}\n\t")
OPERATION_32(bar_sync, "bar.sync 0;\n\t")
OPERATION_OF(operation_bar_arrive, unsigned, "r",
             REPEAT_4(REPEAT_8("bar.arrive 0, 128;\n\t") "bar.sync 0;\n\t")) // a barrier takes no more arrivals
OPERATION_32(warp_sync, "bar.warp.sync -1;\n\t")

/// Every lane has a value of its own.
extern "C" __global__ void operation_match_any(unsigned *clocks, unsigned rounds, unsigned, unsigned, unsigned *result) {
    Frame<1> frame;
    unsigned x = threadIdx.x;
    PASSES (rounds, count) {
        SECTION(frame, 0, count,
                asm volatile(REPEAT_8("match.any.sync.b32 %0, %0, -1;\n\t") REPEAT_24(
                    "match.any.sync.b32 %0, %0, -1;\n\t")
                             : "+r"(x)));
    }
    frame.store(clocks);
    result[threadIdx.x] = x;
}

// Throughput of eight independent chains.
#define EACH_OF_8(STEP)                                                                                                \
    STEP("%0") STEP("%1") STEP("%2") STEP("%3") STEP("%4") STEP("%5") STEP("%6") STEP("%7")
#define RATE(NAME, BODY)                                                                                               \
    extern "C" __global__ void operation_rate_##NAME(unsigned *clocks, unsigned rounds, unsigned a, unsigned,          \
                                                     unsigned *result) {                                               \
        Frame<1> frame;                                                                                                \
        unsigned x[8];                                                                                                 \
        for (unsigned i = 0; i < 8; ++i) {                                                                             \
            x[i] = a * i + threadIdx.x;                                                                                \
        }                                                                                                              \
        PASSES (rounds, count) {                                                                                       \
            SECTION(frame, 0, count,                                                                                   \
                    asm volatile(REPEAT_4(BODY)                                                                        \
                                 : "+r"(x[0]), "+r"(x[1]), "+r"(x[2]), "+r"(x[3]), "+r"(x[4]), "+r"(x[5]), "+r"(x[6]), \
                                   "+r"(x[7])));                                                                       \
        }                                                                                                              \
        frame.store(clocks);                                                                                           \
        result[threadIdx.x] = x[0] ^ x[1] ^ x[2] ^ x[3] ^ x[4] ^ x[5] ^ x[6] ^ x[7];                                   \
    }
#define SHUFFLE(X) "shfl.sync.bfly.b32 " X ", " X ", 1, 31, -1;\n\t"
#define BALLOT(X) "{\n\t.reg .pred p;\n\tsetp.ne.u32 p, " X ", 0;\n\tvote.sync.ballot.b32 " X ", p, -1;\n\t}\n\t"
RATE(shfl_bfly, EACH_OF_8(SHUFFLE))
RATE(vote_ballot, EACH_OF_8(BALLOT))

#if !defined(__NVCC__) || __CUDA_ARCH__ >= 800
OPERATION_32(redux_add, "redux.sync.add.s32 %0, %0, -1;\n\t")
OPERATION_32(redux_min, "redux.sync.min.u32 %0, %0, -1;\n\t")
OPERATION_32(redux_or, "redux.sync.or.b32 %0, %0, -1;\n\t")
#endif
