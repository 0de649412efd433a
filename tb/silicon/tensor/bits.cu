// One matrix instruction per warp, with operands from memory: the results of the GPU, bit for bit.
//
// A CTA of one warp computes one tile. Registers are in instruction order: register i of lane l of tile t at
// [(t * 32 + l) * registers + i].

#define TILE (blockIdx.x * 32 + threadIdx.x)

#define MMA(NAME, NA, NB, NC, TEXT)                                                                                    \
    extern "C" __global__ void NAME(const unsigned *a, const unsigned *b, const unsigned *c, unsigned *d) {            \
        unsigned x[4] = {}, y[4] = {}, z[4] = {}, w[4] = {};                                                           \
        for (int i = 0; i < NA; ++i) {                                                                                 \
            x[i] = a[TILE * NA + i];                                                                                   \
        }                                                                                                              \
        for (int i = 0; i < NB; ++i) {                                                                                 \
            y[i] = b[TILE * NB + i];                                                                                   \
        }                                                                                                              \
        for (int i = 0; i < NC; ++i) {                                                                                 \
            z[i] = c[TILE * NC + i];                                                                                   \
        }                                                                                                              \
        asm volatile(TEXT                                                                                              \
                     : "+r"(w[0]), "+r"(w[1]), "+r"(w[2]), "+r"(w[3])                                                  \
                     : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]), "r"(y[2]), "r"(y[3]),         \
                       "r"(z[0]), "r"(z[1]), "r"(z[2]), "r"(z[3]));                                                    \
        for (int i = 0; i < NC; ++i) {                                                                                 \
            d[TILE * NC + i] = w[i];                                                                                   \
        }                                                                                                              \
    }

#define D4 "{%0, %1, %2, %3}, "
#define D2 "{%0, %1}, "
#define A4 "{%4, %5, %6, %7}, "
#define A2 "{%4, %5}, "
#define B2 "{%8, %9}, "
#define B1 "{%8}, "
#define C4 "{%12, %13, %14, %15};"
#define C2 "{%12, %13};"
#define DENSE(SHAPE, TYPES, D, A, B, C) "mma.sync.aligned." SHAPE ".row.col." TYPES " " D A B C

MMA(f16_k8_f32, 2, 1, 4, DENSE("m16n8k8", "f32.f16.f16.f32", D4, A2, B1, C4))
MMA(f16_k8_f16, 2, 1, 2, DENSE("m16n8k8", "f16.f16.f16.f16", D2, A2, B1, C2))
MMA(f16_k16_f32, 4, 2, 4, DENSE("m16n8k16", "f32.f16.f16.f32", D4, A4, B2, C4))
MMA(f16_k16_f16, 4, 2, 2, DENSE("m16n8k16", "f16.f16.f16.f16", D2, A4, B2, C2))
MMA(bf16_k8_f32, 2, 1, 4, DENSE("m16n8k8", "f32.bf16.bf16.f32", D4, A2, B1, C4))
MMA(bf16_k16_f32, 4, 2, 4, DENSE("m16n8k16", "f32.bf16.bf16.f32", D4, A4, B2, C4))
MMA(tf32_k4_f32, 2, 1, 4, DENSE("m16n8k4", "f32.tf32.tf32.f32", D4, A2, B1, C4))
MMA(tf32_k8_f32, 4, 2, 4, DENSE("m16n8k8", "f32.tf32.tf32.f32", D4, A4, B2, C4))
MMA(e4m3_k32_f32, 4, 2, 4, DENSE("m16n8k32", "f32.e4m3.e4m3.f32", D4, A4, B2, C4))
MMA(e5m2_k32_f32, 4, 2, 4, DENSE("m16n8k32", "f32.e5m2.e5m2.f32", D4, A4, B2, C4))
MMA(e4m3_e5m2_k32_f32, 4, 2, 4, DENSE("m16n8k32", "f32.e4m3.e5m2.f32", D4, A4, B2, C4))
MMA(e4m3_k32_f16, 4, 2, 2, DENSE("m16n8k32", "f16.e4m3.e4m3.f16", D2, A4, B2, C2))
MMA(e5m2_k32_f16, 4, 2, 2, DENSE("m16n8k32", "f16.e5m2.e5m2.f16", D2, A4, B2, C2))
MMA(e4m3_k16_f32, 2, 1, 4, DENSE("m16n8k16", "f32.e4m3.e4m3.f32", D4, A2, B1, C4))
MMA(e4m3_k16_f16, 2, 1, 2, DENSE("m16n8k16", "f16.e4m3.e4m3.f16", D2, A2, B1, C2))
