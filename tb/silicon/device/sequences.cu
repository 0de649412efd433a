// Operations that a compiler translates to several instructions, at least in some cases: chains as in latency.cu.
//
// Divisors and radicands stay near 1, where no special case is taken.
#include "harness.h"

#define CHAIN(NAME, TYPE, LETTER, STEP) CHAIN_OF(sequence_##NAME, TYPE, LETTER, REPEAT_8(STEP), REPEAT_24(STEP))
#define CHAIN_32(NAME, STEP) CHAIN(NAME, unsigned, "r", STEP)
#define CHAIN_64(NAME, STEP) CHAIN(NAME, unsigned long long, "l", STEP)

// Floats: a is a little more than 1.
CHAIN_32(f32_div_rn, "div.rn.f32 %0, %1, %0;\n\t")
CHAIN_32(f32_div_full, "div.full.f32 %0, %1, %0;\n\t")
CHAIN_32(f32_div_approx, "div.approx.f32 %0, %1, %0;\n\t")
CHAIN_32(f32_rcp_rn, "add.rn.f32 %0, %0, %1;\n\trcp.rn.f32 %0, %0;\n\t") // the reciprocal of a reciprocal is folded
CHAIN_32(f32_rcp_approx, "add.rn.f32 %0, %0, %1;\n\trcp.approx.f32 %0, %0;\n\t")
CHAIN_32(f32_sqrt_rn, "sqrt.rn.f32 %0, %0;\n\t")
CHAIN_32(f32_sqrt_approx, "sqrt.approx.f32 %0, %0;\n\t")
CHAIN_32(f32_rsqrt_approx, "rsqrt.approx.f32 %0, %0;\n\t")
CHAIN_32(f32_lg2_approx, "add.rn.f32 %0, %0, %1;\n\tlg2.approx.f32 %0, %0;\n\tabs.f32 %0, %0;\n\t")
CHAIN_32(f32_ex2_approx, "ex2.approx.f32 %0, %0;\n\tsub.rn.f32 %0, %0, %1;\n\t")
CHAIN_32(f32_sin_approx, "sin.approx.f32 %0, %0;\n\t")
CHAIN_32(f32_cos_approx, "cos.approx.f32 %0, %0;\n\t")

// Integers: a is large, b is smaller.
CHAIN_32(s32_div, "div.s32 %0, %1, %0;\n\t")
CHAIN_32(u32_div, "div.u32 %0, %1, %0;\n\t")
CHAIN_32(s32_rem, "rem.s32 %0, %1, %0;\n\tadd.u32 %0, %0, %2;\n\t")
CHAIN_32(u32_rem, "rem.u32 %0, %1, %0;\n\tadd.u32 %0, %0, %2;\n\t")
CHAIN_32(u32_mul_hi, "mul.hi.u32 %0, %0, %1;\n\t")
CHAIN_32(s32_mul_hi, "mul.hi.s32 %0, %0, %1;\n\t")
CHAIN_32(u32_bfe, "bfe.u32 %0, %0, 1, 30;\n\tor.b32 %0, %0, %1;\n\t")
CHAIN_32(s32_bfe, "bfe.s32 %0, %0, 1, 30;\n\tor.b32 %0, %0, %1;\n\t")
CHAIN_32(bfe_variable, "bfe.u32 %0, %1, %0, 5;\n\t")
CHAIN_32(bfi, "bfi.b32 %0, %0, %1, 3, 7;\n\t")
CHAIN_32(sad, "sad.u32 %0, %0, %1, %2;\n\t")
CHAIN_32(abs, "abs.s32 %0, %0;\n\tadd.u32 %0, %0, %1;\n\t")
CHAIN_32(dp4a, "dp4a.u32.u32 %0, %0, %1, %2;\n\t")
CHAIN_32(shl, "shl.b32 %0, %1, %0;\n\t")
CHAIN_64(u64_add, "add.u64 %0, %0, %1;\n\txor.b64 %0, %0, %2;\n\t")
CHAIN_64(u64_mul, "mul.lo.u64 %0, %0, %1;\n\t")
CHAIN_64(s64_div, "div.s64 %0, %1, %0;\n\t")
CHAIN_64(u64_rem, "rem.u64 %0, %1, %0;\n\tadd.u64 %0, %0, %2;\n\t")

CHAIN_64(f64_div_rn, "div.rn.f64 %0, %1, %0;\n\t")
CHAIN_64(f64_rcp_rn, "add.rn.f64 %0, %0, %1;\n\trcp.rn.f64 %0, %0;\n\t")
CHAIN_64(f64_sqrt_rn, "sqrt.rn.f64 %0, %0;\n\t")

// Conversions, there and back.
CHAIN_32(s32_f64, "{\n\t.reg .f64 wide;\n\tcvt.rn.f64.s32 wide, %0;\n\tcvt.rzi.s32.f64 %0, wide;\n\t}\n\t")
CHAIN_64(s64_f64, "cvt.rn.f64.s64 %0, %0;\n\tcvt.rzi.s64.f64 %0, %0;\n\t")
CHAIN_32(s64_f32, "{\n\t.reg .s64 wide;\n\tcvt.rzi.s64.f32 wide, %0;\n\tcvt.rn.f32.s64 %0, wide;\n\t}\n\t")
CHAIN_32(f32_floor, "cvt.rmi.f32.f32 %0, %0;\n\tadd.rn.f32 %0, %0, %1;\n\t")

// Operations of the warp.
CHAIN_32(shfl_idx, "shfl.sync.idx.b32 %0, %0, %0, 31, -1;\n\t")
CHAIN_32(shfl_up, "shfl.sync.up.b32 %0, %0, 1, 0, -1;\n\t")
CHAIN_32(vote_any, "{\n\t.reg .pred p, q;\n\tsetp.lt.u32 p, %0, %1;\n\tvote.sync.any.pred q, p, -1;\n\t"
                   "selp.b32 %0, %1, %2, q;\n\t}\n\t")
CHAIN_32(activemask, "{\n\t.reg .b32 t;\n\tactivemask.b32 t;\n\tadd.u32 %0, %0, t;\n\t}\n\t")
CHAIN_32(warp_sync, "bar.warp.sync -1;\n\tadd.u32 %0, %0, %1;\n\t")
CHAIN_32(match_all, "{\n\t.reg .pred p;\n\tmatch.all.sync.b32 %0|p, %0, -1;\n\t}\n\t")
#if !defined(__NVCC__) || __CUDA_ARCH__ >= 800
CHAIN_32(redux_min, "redux.sync.min.s32 %0, %0, -1;\n\t")
CHAIN_32(redux_or, "redux.sync.or.b32 %0, %0, -1;\n\t")
CHAIN_32(f16x2_min, "min.f16x2 %0, %0, %1;\n\tmax.f16x2 %0, %0, %2;\n\t")
CHAIN_32(bf16x2_fma, "fma.rn.bf16x2 %0, %0, %1, %2;\n\t")
#endif

CHAIN_32(f16_tanh, "tanh.approx.f16x2 %0, %0;\n\t")
CHAIN_32(f32_tanh, "tanh.approx.f32 %0, %0;\n\t")
