// Each thread applies functions to a number; its own data chooses them from a table of function pointers.
//
// Shows: calls through registers. Lanes of a warp call different functions at once and return to the same place; one
// of the functions calls another.
#include "smsim_cuda.h"

typedef unsigned (*Function)(unsigned value, unsigned parameter);

__device__ __noinline__ unsigned add(unsigned value, unsigned parameter) { return value + parameter; }
__device__ __noinline__ unsigned rotate(unsigned value, unsigned parameter) {
    const unsigned by = parameter % 31 + 1;
    return (value << by) | (value >> (32 - by));
}
__device__ __noinline__ unsigned reverse(unsigned value, unsigned parameter) { return __brev(value) ^ parameter; }
__device__ __noinline__ unsigned divide(unsigned value, unsigned parameter) { return value / (parameter % 97 + 1); }
/// Steps of the Collatz sequence; the loop diverges.
__device__ __noinline__ unsigned collatz(unsigned value, unsigned parameter) {
    unsigned number = value % 64 + 1;
    unsigned steps = 0;
    while (number != 1) {
        number = number % 2 == 0 ? number / 2 : 3 * number + 1;
        ++steps;
    }
    return value + steps * parameter;
}
/// Calls another function of the table.
__device__ __noinline__ unsigned twice(unsigned value, unsigned parameter) {
    return rotate(rotate(value, parameter), parameter / 2);
}

__device__ const Function functions[6] = {add, rotate, reverse, divide, collatz, twice};

extern "C" __global__ void function_table(int rounds, const unsigned char *choices, const unsigned *parameters,
                                          unsigned *results) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int threads = gridDim.x * blockDim.x;
    unsigned value = i * 2654435761u;
    for (int round = 0; round < rounds; ++round) {
        value = functions[choices[round * threads + i]](value, parameters[round]);
    }
    results[i] = value;
}
