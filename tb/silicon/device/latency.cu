// Latency of arithmetic: chains of one instruction through one register, and of two alternating ones.
//
// The step of a chain occurs 24 and 72 times in a loop; the difference is the time of 48 steps. Operations
// whose repetition a compiler could fold have operands that are not known before the launch.
#include "harness.h"

#define CHAIN(NAME, TYPE, LETTER, STEP) CHAIN_OF(latency_##NAME, TYPE, LETTER, REPEAT_24(STEP), REPEAT_72(STEP))
#define CHAIN_32(NAME, STEP) CHAIN(NAME, unsigned, "r", STEP)
#define CHAIN_64(NAME, STEP) CHAIN(NAME, unsigned long long, "l", STEP)

#define DO_FADD "add.rn.f32 %0, %0, %1;\n\t"
#define DO_FMUL "mul.rn.f32 %0, %0, %1;\n\t"
#define DO_FFMA "fma.rn.f32 %0, %0, %1, %2;\n\t"
#define DO_FMNMX "min.f32 %0, %0, %1;\n\tmax.f32 %0, %0, %2;\n\t"
#define DO_IADD "add.u32 %0, %0, %1;\n\t"
#define DO_LOP3 "lop3.b32 %0, %0, %1, %2, 0xe8;\n\t"
#define DO_SHF "shf.l.wrap.b32 %0, %0, %1, %2;\n\t"
#define DO_PRMT "prmt.b32 %0, %0, %1, %2;\n\t"
#define DO_COMPARE "{\n\t.reg .pred p;\n\tsetp.lt.u32 p, %0, %1;\n\tselp.b32 %0, %1, %2, p;\n\t}\n\t"
#define DO_IMAD "mad.lo.u32 %0, %0, %1, %2;\n\t"
#define DO_IMAD_HI "mad.hi.u32 %0, %0, %1, %2;\n\t"
#define DO_POPC "popc.b32 %0, %0;\n\t"
#define DO_FLO "bfind.u32 %0, %0;\n\t"
#define DO_BREV "brev.b32 %0, %0;\n\t"
#define DO_EX2 "ex2.approx.ftz.f32 %0, %0;\n\t"
#define DO_CONVERT "cvt.rn.f32.s32 %0, %0;\n\tcvt.rzi.s32.f32 %0, %0;\n\t"
#define DO_DADD "add.rn.f64 %0, %0, %1;\n\t"

CHAIN_32(FADD, DO_FADD)
CHAIN_32(FMUL, DO_FMUL)
CHAIN_32(FFMA, DO_FFMA)
CHAIN_32(FMNMX, DO_FMNMX)
CHAIN_32(IADD, DO_IADD DO_LOP3) // some compilers make one IADD3 of two additions
// The compiler would merge two with the same operands.
CHAIN_32(LOP3, "lop3.b32 %0, %0, %1, 0x5bd1e995, 0xe8;\n\tlop3.b32 %0, %0, %2, 0x27d4eb2f, 0x6a;\n\t")
CHAIN_32(SHF, DO_SHF)
CHAIN_32(PRMT, DO_PRMT)
CHAIN_32(compare, DO_COMPARE)
CHAIN_32(IMAD, DO_IMAD)
CHAIN_32(IMAD_HI, DO_IMAD_HI)
CHAIN_64(IMAD_WIDE, "{\n\t.reg .b32 low, other;\n\tcvt.u32.u64 low, %0;\n\tcvt.u32.u64 other, %1;\n\t"
                    "mad.wide.u32 %0, low, other, %2;\n\t}\n\t")
CHAIN_32(POPC, DO_POPC)
CHAIN_32(FLO, DO_FLO)
CHAIN_32(BREV, DO_BREV)
CHAIN_32(EX2, DO_EX2)
CHAIN_32(LG2, "lg2.approx.ftz.f32 %0, %0;\n\t")
CHAIN_32(RCP, DO_FADD "rcp.approx.ftz.f32 %0, %0;\n\t") // the reciprocal of a reciprocal is folded
CHAIN_32(RSQ, "rsqrt.approx.ftz.f32 %0, %0;\n\t")
CHAIN_32(SQRT, "sqrt.approx.ftz.f32 %0, %0;\n\t")
CHAIN_32(SIN, "sin.approx.ftz.f32 %0, %0;\n\t")
CHAIN_32(COS, "cos.approx.ftz.f32 %0, %0;\n\t")
CHAIN_32(int_float, DO_CONVERT)
CHAIN_32(float_double, "{\n\t.reg .b64 wide;\n\tcvt.f64.f32 wide, %0;\n\tcvt.rn.f32.f64 %0, wide;\n\t}\n\t")
CHAIN_32(float_half, "{\n\t.reg .b16 half;\n\tcvt.rn.f16.f32 half, %0;\n\tcvt.f32.f16 %0, half;\n\t}\n\t")
CHAIN_64(DADD, DO_DADD)
CHAIN_64(DMUL, "mul.rn.f64 %0, %0, %1;\n\t")
CHAIN_64(DFMA, "fma.rn.f64 %0, %0, %1, %2;\n\t")
CHAIN_32(HADD2, "add.rn.f16x2 %0, %0, %1;\n\t")
CHAIN_32(HMUL2, "mul.rn.f16x2 %0, %0, %1;\n\t")
CHAIN_32(HFMA2, "fma.rn.f16x2 %0, %0, %1, %2;\n\t")
CHAIN_32(SHFL, "shfl.sync.bfly.b32 %0, %0, 1, 31, -1;\n\t")
CHAIN_32(VOTE, "{\n\t.reg .pred p;\n\tsetp.lt.u32 p, %0, %1;\n\tvote.sync.ballot.b32 %0, p, -1;\n\t}\n\t")
CHAIN_32(MATCH, "match.any.sync.b32 %0, %0, -1;\n\t")
#if !defined(__NVCC__) || __CUDA_ARCH__ >= 800
CHAIN_32(REDUX, "redux.sync.add.u32 %0, %0, -1;\n\t")
#endif

CHAIN_32(FFMA_LOP3, DO_FFMA DO_LOP3)
CHAIN_32(FFMA_IMAD, DO_FFMA DO_IMAD)
CHAIN_32(IMAD_LOP3, DO_IMAD DO_LOP3)
CHAIN_32(FFMA_PRMT, DO_FFMA DO_PRMT)
CHAIN_32(FADD_FMNMX, DO_FADD "min.f32 %0, %0, %2;\n\t")
CHAIN_32(FFMA_EX2, DO_FFMA DO_EX2)
CHAIN_32(LOP3_EX2, DO_LOP3 DO_EX2)
CHAIN_32(LOP3_POPC, DO_LOP3 DO_POPC)
CHAIN_32(IMAD_POPC, DO_IMAD DO_POPC)
CHAIN_32(EX2_POPC, DO_EX2 DO_POPC)
CHAIN_32(FFMA_SHFL, DO_FFMA "shfl.sync.bfly.b32 %0, %0, 1, 31, -1;\n\t")
CHAIN_64(DADD_LOP3, DO_DADD "xor.b64 %0, %0, %2;\n\t")
