// Rates of a full SM as a programmer writes them: arithmetic on independent chains, loads that hit, loads with bank
// conflicts. Each kernel runs with two numbers of rounds; the difference in cycles is the cost of the further rounds.
//
// Repeated code that a compiler would remove is inline PTX, or has a step of 0 that is known only at run time.
#include "../device/harness.h"
#include "operations.h"

#define UNROLL _Pragma("unroll")

template <typename T, typename Operation, int CHAINS, int STEPS>
static __device__ void rate(unsigned rounds, T a, T b, T *result) {
    T values[CHAINS];
    UNROLL for (int chain = 0; chain < CHAINS; ++chain) {
        values[chain] = static_cast<T>(threadIdx.x + chain);
    }
    _Pragma("unroll 1") for (unsigned round = 0; round < rounds; ++round) {
        UNROLL for (int step = 0; step < STEPS; ++step) {
            UNROLL for (int chain = 0; chain < CHAINS; ++chain) {
                values[chain] = Operation::step(values[chain], a, b, step);
            }
        }
    }
    T sum = values[0];
    UNROLL for (int chain = 1; chain < CHAINS; ++chain) {
        sum += values[chain];
    }
    result[threadIdx.x] = sum;
}
#define RATE(NAME, TYPE, OPERATION, CHAINS, STEPS)                                                                     \
    extern "C" __global__ __launch_bounds__(1024, 2) void rate_##NAME##_##CHAINS##_##STEPS(                            \
        unsigned *, unsigned rounds, TYPE a, TYPE b, TYPE *result) {                                                   \
        rate<TYPE, OPERATION<TYPE>, CHAINS, STEPS>(rounds, a, b, result);                                              \
    }
RATE(FADD, float, Fadd, 1, 64)
RATE(FADD, float, Fadd, 2, 32)
RATE(FADD, float, Fadd, 3, 32)
RATE(FFMA, float, Ffma, 3, 32)
RATE(FFMA, float, Ffma, 8, 8)
RATE(FFMA, float, Ffma, 8, 64)
RATE(DFMA, double, Dfma, 8, 4)
RATE(DFMA, double, Dfma, 8, 8)
RATE(IMAD, unsigned, Imad, 8, 8)
RATE(IMAD, unsigned, Imad, 8, 16)
RATE(LOP3, unsigned, Lop3, 8, 16)
RATE(SHFL, unsigned, Shfl, 8, 8)
RATE(CVT, float, Cvt, 3, 16)
RATE(MUFU, float, Mufu, 8, 8)
RATE(HFMA2, unsigned, Hfma2, 8, 8)
RATE(HFMA2, unsigned, Hfma2, 8, 64)

#define LOAD_32(SPACE, LETTER, x, at) asm volatile("ld." SPACE ".f32 %0, [%1];" : "=f"(x[0]) : LETTER(at) : "memory")
#define LOAD_64(SPACE, LETTER, x, at)                                                                                  \
    asm volatile("ld." SPACE ".v2.f32 {%0, %1}, [%2];" : "=f"(x[0]), "=f"(x[1]) : LETTER(at) : "memory")
#define LOAD_128(SPACE, LETTER, x, at)                                                                                 \
    asm volatile("ld." SPACE ".v4.f32 {%0, %1, %2, %3}, [%4];"                                                         \
                 : "=f"(x[0]), "=f"(x[1]), "=f"(x[2]), "=f"(x[3])                                                      \
                 : LETTER(at)                                                                                          \
                 : "memory")
#define SUM(SPACE, LETTER, WIDTH, at)                                                                                  \
    float sum = 0.0f;                                                                                                  \
    _Pragma("unroll 1") for (unsigned round = 0; round < rounds; ++round) {                                            \
        UNROLL for (unsigned number = 0; number < 96; ++number) {                                                      \
            float x[4];                                                                                                \
            LOAD_##WIDTH(SPACE, LETTER, x, at);                                                                        \
            sum += x[0];                                                                                               \
        }                                                                                                              \
    }                                                                                                                  \
    result[threadIdx.x] = sum
/// Loads of neighbouring lanes, which a compiler must not merge into one, and the sum of their first words.
#define LOADS(WIDTH)                                                                                                   \
    extern "C" __global__ __launch_bounds__(1024, 2) void shared_loads_##WIDTH(unsigned *, unsigned rounds,            \
                                                                               const float *, float *result) {         \
        __shared__ unsigned words[256];                                                                                \
        const unsigned at = window(words) + threadIdx.x % 32 * (WIDTH / 8);                                            \
        SUM("shared", "r", WIDTH, at);                                                                                 \
    }                                                                                                                  \
    extern "C" __global__ __launch_bounds__(1024, 2) void global_loads_##WIDTH(unsigned *, unsigned rounds,            \
                                                                               const float *data, float *result) {     \
        const float *const at = data + threadIdx.x % 32 * (WIDTH / 32);                                                \
        SUM("global", "l", WIDTH, at);                                                                                 \
    }
LOADS(32)
LOADS(64)
LOADS(128)

/// Conflicting lanes are 32 words apart in groups of `ways`; `same` lanes read one word.
extern "C" __global__ void conflicts(unsigned *, unsigned rounds, unsigned step, unsigned same, unsigned ways,
                                     float *result) {
    __shared__ float words[1056];
    const unsigned group = threadIdx.x % 32 / same;
    const unsigned place = group % ways * 32 + group / ways;
    float sum = 0.0f;
    _Pragma("unroll 1") for (unsigned round = 0; round < rounds; ++round) {
        UNROLL for (unsigned number = 0; number < 64; ++number) {
            sum += words[place + number % 2 + number * step];
        }
        words[place] = sum;
    }
    result[threadIdx.x] = sum;
}
