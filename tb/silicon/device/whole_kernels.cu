// The kernels of kernels/compiled, each unchanged, between two reads of the clock of each warp.
//
// Their entry points become functions here, which are inlined into kernels that have the clocks as a further argument.
#include "harness.h"

#undef __global__
#define __global__ __device__ __forceinline__
#undef __launch_bounds__
#define __launch_bounds__(...)
namespace backoff_lock_ {
#include "../../../kernels/compiled/cuda_backoff_lock/backoff_lock.cu"
}
namespace bfs_ {
#include "../../../kernels/compiled/cuda_bfs/bfs.cu"
}
namespace bitonic_sort_ {
#include "../../../kernels/compiled/cuda_bitonic_sort/bitonic_sort.cu"
}
namespace black_scholes_ {
#include "../../../kernels/compiled/cuda_black_scholes/black_scholes.cu"
}
namespace function_table_ {
#include "../../../kernels/compiled/cuda_function_table/function_table.cu"
}
namespace gemm_ {
#include "../../../kernels/compiled/cuda_gemm/gemm.cu"
}
namespace hash_table_ {
#include "../../../kernels/compiled/cuda_hash_table/hash_table.cu"
}
namespace histogram_ {
#include "../../../kernels/compiled/cuda_histogram/histogram.cu"
}
namespace interpreter_ {
#include "../../../kernels/compiled/cuda_interpreter/interpreter.cu"
}
namespace lu_ {
#include "../../../kernels/compiled/cuda_lu/lu.cu"
}
namespace mandelbrot_ {
#include "../../../kernels/compiled/cuda_mandelbrot/mandelbrot.cu"
}
namespace matmul_ {
#include "../../../kernels/compiled/cuda_matmul/matmul.cu"
}
namespace nbody_ {
#include "../../../kernels/compiled/cuda_nbody/nbody.cu"
}
namespace needleman_wunsch_ {
#include "../../../kernels/compiled/cuda_needleman_wunsch/needleman_wunsch.cu"
}
namespace producer_consumer_ {
#include "../../../kernels/compiled/cuda_producer_consumer/producer_consumer.cu"
}
namespace reduction_ {
#include "../../../kernels/compiled/cuda_reduction/reduction.cu"
}
namespace scan_ {
#include "../../../kernels/compiled/cuda_scan/scan.cu"
}
namespace spmv_ {
#include "../../../kernels/compiled/cuda_spmv/spmv.cu"
}
namespace stencil_ {
#include "../../../kernels/compiled/cuda_stencil/stencil.cu"
}
namespace transpose_ {
#include "../../../kernels/compiled/cuda_transpose/transpose.cu"
}
#undef __global__
#define __global__ __attribute__((global))
#undef __launch_bounds__
#define __launch_bounds__(threads) __attribute__((launch_bounds(threads)))

#define TIMED(NAME, PARAMETERS, ...) TIMED_WITH(, NAME, PARAMETERS, __VA_ARGS__)
#define TIMED_WITH(BOUNDS, NAME, PARAMETERS, ...)                                                                      \
    extern "C" __global__ void BOUNDS whole_##NAME PARAMETERS {                                                        \
        const unsigned thread = threadIdx.x + blockDim.x * threadIdx.y;                                                \
        const unsigned begin = read_clock();                                                                           \
        NAME(__VA_ARGS__);                                                                                             \
        __syncwarp();                                                                                                  \
        const unsigned end = read_clock();                                                                             \
        clocks[2 * (thread / 32)] = begin;                                                                             \
        clocks[2 * (thread / 32) + 1] = end;                                                                           \
    }
#define P(...) (unsigned *clocks, __VA_ARGS__)

using namespace backoff_lock_;
using namespace bfs_;
using namespace bitonic_sort_;
using namespace black_scholes_;
using namespace function_table_;
using namespace gemm_;
using namespace hash_table_;
using namespace histogram_;
using namespace interpreter_;
using namespace lu_;
using namespace mandelbrot_;
using namespace matmul_;
using namespace nbody_;
using namespace needleman_wunsch_;
using namespace producer_consumer_;
using namespace reduction_;
using namespace scan_;
using namespace spmv_;
using namespace stencil_;
using namespace transpose_;

TIMED(backoff_lock, P(const unsigned *values, Record *result), values, result)
TIMED(bfs,
      P(unsigned nodes, const unsigned *offsets, const unsigned *targets, unsigned *distance, unsigned *queues,
        unsigned *of_level),
      nodes, offsets, targets, distance, queues, of_level)
TIMED_WITH(__launch_bounds__(1024), bitonic_sort, P(int *data), data)
TIMED(black_scholes, P(int n, const float *price, const float *strike, const float *years, float *call, float *put), n,
      price, strike, years, call, put)
TIMED(function_table, P(int rounds, const unsigned char *choices, const unsigned *parameters, unsigned *results),
      rounds, choices, parameters, results)
TIMED(gemm, P(int m, int n, int k, const float *a, const float *b, float *c), m, n, k, a, b, c)
TIMED(hash_table, P(unsigned n, const unsigned *keys, unsigned *next, unsigned *counts, unsigned *sums), n, keys, next,
      counts, sums)
TIMED(histogram, P(unsigned words, const unsigned *data, unsigned *bins), words, data, bins)
TIMED(interpreter, P(int length, const unsigned *programs, unsigned *results), length, programs, results)
TIMED(lu, P(const float *matrices, float *factors, float *inverses), matrices, factors, inverses)
TIMED(mandelbrot, P(int width, int height, float left, float top, float step, int *iterations), width, height, left,
      top, step, iterations)
TIMED_WITH(__launch_bounds__(256), matmul, P(int n, const float *a, const float *b, float *c), n, a, b, c)
TIMED(nbody, P(int n, const float4 *bodies, float4 *accelerations), n, bodies, accelerations)
TIMED(needleman_wunsch, P(const unsigned char *first, const unsigned char *second, int *scores), first, second, scores)
TIMED(producer_consumer, P(int steps, const unsigned *data, unsigned *results), steps, data, results)
TIMED(reduction, P(unsigned n, const int *data, int *total), n, data, total)
TIMED_WITH(__launch_bounds__(1024), scan, P(int n, const int *data, int *sums), n, data, sums)
TIMED(spmv_thread, P(int rows, const int *offsets, const int *columns, const float *values, const float *x, float *y),
      rows, offsets, columns, values, x, y)
TIMED(stencil, P(int width, int height, const float *from, float *to), width, height, from, to)
TIMED(transpose_padded, P(int width, int height, const unsigned *from, unsigned *to), width, height, from, to)
