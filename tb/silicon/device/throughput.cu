// Throughput of arithmetic by warps and mixes: eight independent chains per thread, one instruction of each per step.
//
// The step occurs 4 and 12 times in a loop; the difference is 64 instructions of each warp.
#include "harness.h"

#define MIX(NAME, TYPE, LETTER, I0, I1, I2, I3, I4, I5, I6, I7)                                                        \
    extern "C" __global__ void throughput_##NAME(unsigned *clocks, unsigned rounds, TYPE a, TYPE b, TYPE *result) {    \
        Frame<2> frame;                                                                                                \
        TYPE x[8];                                                                                                     \
        for (int i = 0; i < 8; ++i) {                                                                                  \
            x[i] = a + i + zero_of_thread(rounds);                                                                     \
        }                                                                                                              \
        PASSES (rounds, count) {                                                                                       \
            SECTION(frame, 0, count, STEPS(REPEAT_4, LETTER, I0, I1, I2, I3, I4, I5, I6, I7));                         \
            SECTION(frame, 1, count, STEPS(REPEAT_12, LETTER, I0, I1, I2, I3, I4, I5, I6, I7));                        \
        }                                                                                                              \
        frame.store(clocks);                                                                                           \
        result[threadIdx.x] = x[0] ^ x[1] ^ x[2] ^ x[3] ^ x[4] ^ x[5] ^ x[6] ^ x[7];                                   \
    }
#define STEPS(REPEAT, LETTER, I0, I1, I2, I3, I4, I5, I6, I7)                                                          \
    asm volatile(REPEAT(I0("%0") I1("%1") I2("%2") I3("%3") I4("%4") I5("%5") I6("%6") I7("%7"))                       \
                 : "+" LETTER(x[0]), "+" LETTER(x[1]), "+" LETTER(x[2]), "+" LETTER(x[3]), "+" LETTER(x[4]),           \
                   "+" LETTER(x[5]), "+" LETTER(x[6]), "+" LETTER(x[7])                                                \
                 : LETTER(a), LETTER(b))
// Steps with two instructions per chain: half as many of them.
#define TWICE(NAME, I0, I1, I2, I3, I4, I5, I6, I7)                                                                    \
    extern "C" __global__ void throughput_##NAME(unsigned *clocks, unsigned rounds, unsigned a, unsigned b,            \
                                                 unsigned *result) {                                                   \
        Frame<2> frame;                                                                                                \
        unsigned x[8];                                                                                                 \
        for (int i = 0; i < 8; ++i) {                                                                                  \
            x[i] = a + i + zero_of_thread(rounds);                                                                     \
        }                                                                                                              \
        PASSES (rounds, count) {                                                                                       \
            SECTION(frame, 0, count, STEPS(REPEAT_2, "r", I0, I1, I2, I3, I4, I5, I6, I7));                            \
            SECTION(frame, 1, count, STEPS(REPEAT_6, "r", I0, I1, I2, I3, I4, I5, I6, I7));                            \
        }                                                                                                              \
        frame.store(clocks);                                                                                           \
        result[threadIdx.x] = x[0] ^ x[1] ^ x[2] ^ x[3] ^ x[4] ^ x[5] ^ x[6] ^ x[7];                                   \
    }
#define MIX_32(NAME, ...) MIX(NAME, unsigned, "r", __VA_ARGS__)
#define MIX_64(NAME, ...) MIX(NAME, unsigned long long, "l", __VA_ARGS__)
#define ALL(I) I, I, I, I, I, I, I, I
#define HALF(I, J) I, J, I, J, I, J, I, J
#define EIGHTH(I, J) I, I, I, I, I, I, I, J
#define EXPAND(MACRO, ...) MACRO(__VA_ARGS__)

#define DO_FFMA(x) "fma.rn.f32 " x ", " x ", %8, %9;\n\t"
#define DO_FADD(x) "add.rn.f32 " x ", " x ", %8;\n\t"
#define DO_LOP3(x) "lop3.b32 " x ", " x ", %8, %9, 0xe8;\n\t"
#define DO_SHF(x) "shf.l.wrap.b32 " x ", " x ", %8, %9;\n\t"
#define DO_IMAD(x) "mad.lo.u32 " x ", " x ", %8, %9;\n\t"
#define DO_EX2(x) "ex2.approx.ftz.f32 " x ", " x ";\n\t"
#define DO_POPC(x) "popc.b32 " x ", " x ";\n\t"
#define DO_I2F(x) "cvt.rn.f32.u32 " x ", " x ";\n\t"
#define DO_F2I(x) "cvt.rzi.u32.f32 " x ", " x ";\n\t"
#define DO_HFMA2(x) "fma.rn.f16x2 " x ", " x ", %8, %9;\n\t"
#define DO_DFMA(x) "fma.rn.f64 " x ", " x ", %8, %9;\n\t"
#define DO_SHFL(x) "shfl.sync.bfly.b32 " x ", " x ", 1, 31, -1;\n\t"

EXPAND(MIX_32, FFMA, ALL(DO_FFMA))
EXPAND(MIX_32, FADD, ALL(DO_FADD))
// The compiler would merge two with the same operands.
#define DO_TWO_LOP3(x)                                                                                                 \
    "lop3.b32 " x ", " x ", %8, 0x5bd1e995, 0xe8;\n\tlop3.b32 " x ", " x ", %9, 0x27d4eb2f, 0x6a;\n\t"
EXPAND(TWICE, LOP3, ALL(DO_TWO_LOP3))
EXPAND(MIX_32, SHF, ALL(DO_SHF))
EXPAND(MIX_32, IMAD, ALL(DO_IMAD))
EXPAND(MIX_32, EX2, ALL(DO_EX2))
EXPAND(MIX_32, POPC, ALL(DO_POPC))
EXPAND(MIX_32, I2F_F2I, HALF(DO_I2F, DO_F2I))
EXPAND(MIX_32, HFMA2, ALL(DO_HFMA2))
EXPAND(MIX_64, DFMA, ALL(DO_DFMA))
EXPAND(MIX_32, SHFL, ALL(DO_SHFL))
EXPAND(MIX_32, FFMA_LOP3, HALF(DO_FFMA, DO_LOP3))
EXPAND(MIX_32, FFMA_IMAD, HALF(DO_FFMA, DO_IMAD))
EXPAND(MIX_32, IMAD_LOP3, HALF(DO_IMAD, DO_LOP3))
EXPAND(MIX_32, FFMA_EX2, EIGHTH(DO_FFMA, DO_EX2))
EXPAND(MIX_32, LOP3_EX2, EIGHTH(DO_LOP3, DO_EX2))
EXPAND(MIX_32, FFMA_SHFL, EIGHTH(DO_FFMA, DO_SHFL))
