// LU decomposition in place, without pivoting, of 24 x 24 matrices, one per warp, and the inverse of the lower factor.
// The diagonal is made dominant by adding 24 to it, so that no pivot is small.
//
// Shows: triangular loops. In the decomposition, fewer lanes work with each step; in the inverse, each lane has its own
// bounds, so that lanes leave the loop one by one. Lanes of a warp synchronise by __syncwarp.
#include "smsim_cuda.h"

const int kSize = 24;

/// Lane i has row i: it subtracts the pivot row as often as the row's first element requires.
__device__ void decompose(float (*a)[kSize + 1], int lane) {
    for (int pivot = 0; pivot < kSize - 1; ++pivot) {
        if (lane > pivot && lane < kSize) {
            const float factor = a[lane][pivot] / a[pivot][pivot];
            a[lane][pivot] = factor;
            for (int column = pivot + 1; column < kSize; ++column) {
                a[lane][column] -= factor * a[pivot][column];
            }
        }
        __syncwarp();
    }
}

/// Lane j computes column j of the inverse of the lower factor, which has ones on its diagonal.
__device__ void invert_lower(const float (*a)[kSize + 1], float *inverse, int lane) {
    if (lane >= kSize) {
        return;
    }
    for (int row = 0; row <= lane; ++row) {
        inverse[row * kSize + lane] = row == lane ? 1.0f : 0.0f;
    }
    for (int row = lane + 1; row < kSize; ++row) {
        float sum = 0;
        for (int i = lane; i < row; ++i) {
            sum += a[row][i] * inverse[i * kSize + lane];
        }
        inverse[row * kSize + lane] = -sum;
    }
}

extern "C" __global__ void lu(const float *matrices, float *factors, float *inverses) {
    __shared__ float of_warp[2][kSize][kSize + 1];
    const int lane = threadIdx.x % 32;
    const int matrix = blockIdx.x * 2 + threadIdx.x / 32;
    float(*a)[kSize + 1] = of_warp[threadIdx.x / 32];
    const int base = matrix * kSize * kSize;
    for (int i = lane; i < kSize * kSize; i += 32) {
        const int row = i / kSize;
        const int column = i % kSize;
        a[row][column] = matrices[base + i] + (row == column ? (float)kSize : 0.0f);
    }
    __syncwarp();
    decompose(a, lane);
    for (int i = lane; i < kSize * kSize; i += 32) {
        factors[base + i] = a[i / kSize][i % kSize];
    }
    invert_lower(a, inverses + base, lane);
}
