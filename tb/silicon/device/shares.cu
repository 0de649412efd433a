// Kernels as published programs launch them on a whole GPU, of which the model runs the CTAs of one SM
// (tb/silicon/probes/shares.py).
//
// They have no frame, and leave the clocks, their first argument, alone: what was measured is how long the SM was busy.
// Pointers may alias where those of the programs do, because that keeps loads behind stores. `others` is not accessed:
// it only takes the L2.
#include "harness.h"

// The multipliers of a step of Gaussian elimination: column `step` below the diagonal, divided by its diagonal element.
extern "C" __global__ void elimination_factors(unsigned *, float *factors, const float *matrix, int size, int step,
                                               const unsigned *others) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= size - 1 - step) {
        return;
    }
    factors[size * (row + step + 1) + step] = matrix[size * (row + step + 1) + step] / matrix[size * step + step];
}

// The step itself: rows below the diagonal, and with column 0 the right side. `from`: column of the first CTA.
extern "C" __global__ void elimination_rows(unsigned *, float *factors, float *matrix, float *right, int size, int step,
                                            int from, const unsigned *others) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    const int column = blockIdx.y * blockDim.y + threadIdx.y + from;
    if (row >= size - 1 - step || column >= size - step) {
        return;
    }
    matrix[size * (row + 1 + step) + (column + step)] -=
        factors[size * (row + 1 + step) + step] * matrix[size * step + (column + step)];
    if (column == 0) {
        right[row + 1 + step] -= factors[size * (row + 1 + step) + (column + step)] * right[step];
    }
}

// Step width of each element of a flow: density, three momenta and energy lie `elements` apart.
extern "C" __global__ void euler_widths(unsigned *, int elements, const float *state, const float *areas, float *widths,
                                        const unsigned *others) {
    const int i = blockDim.x * blockIdx.x + threadIdx.x;
    const float density = state[i];
    const float momentum_x = state[i + elements];
    const float momentum_y = state[i + 2 * elements];
    const float momentum_z = state[i + 3 * elements];
    const float energy = state[i + 4 * elements];
    const float x = momentum_x / density;
    const float y = momentum_y / density;
    const float z = momentum_z / density;
    const float square = x * x + y * y + z * z;
    const float pressure = (1.4F - 1.0F) * (energy - 0.5F * density * square);
    const float sound = sqrtf(1.4F * pressure / density);
    widths[i] = 0.5F / (sqrtf(areas[i]) * (sqrtf(square) + sound));
}

// One step of it: each of five variables of an element moves by its flux times the step width. A store may change what
// the loads after it read.
extern "C" __global__ void euler_step(unsigned *, int stage, int elements, float *before, float *state, float *widths,
                                      float *fluxes, const unsigned *others) {
    const int i = blockDim.x * blockIdx.x + threadIdx.x;
    const float factor = widths[i] / static_cast<float>(4 - stage);
    state[i] = before[i] + factor * fluxes[i];
    state[i + 4 * elements] = before[i + 4 * elements] + factor * fluxes[i + 4 * elements];
    state[i + elements] = before[i + elements] + factor * fluxes[i + elements];
    state[i + 2 * elements] = before[i + 2 * elements] + factor * fluxes[i + 2 * elements];
    state[i + 3 * elements] = before[i + 3 * elements] + factor * fluxes[i + 3 * elements];
}

// A stream of 16-byte loads by all CTAs, each thread with one under way.
extern "C" __global__ void stream_read(unsigned *, const float4 *data, unsigned long long vectors, float *result) {
    const unsigned long long spread = static_cast<unsigned long long>(gridDim.x) * blockDim.x;
    float sum = 0;
#pragma unroll 1
    for (unsigned long long i = static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < vectors;
         i += spread) {
        const float4 part = data[i];
        sum += part.x + part.y + part.z + part.w;
    }
    if (sum == -1.0F) { // never
        result[0] = sum;
    }
}
