// Product of a sparse matrix in CSR form with a vector. Two kernels: a thread per row, and a warp per row.
//
// Shows: with a thread per row, a divergent loop (rows of different length) whose loads scatter; with a warp per row, all
// lanes in lockstep and coalesced loads, but idle lanes where rows are short, and a reduction by shuffles per row.
#include "smsim_cuda.h"

extern "C" __global__ void spmv_thread(int rows, const int *offsets, const int *columns, const float *values, const float *x,
                                       float *y) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) {
        return;
    }
    float sum = 0;
    for (int i = offsets[row]; i < offsets[row + 1]; ++i) {
        sum += values[i] * x[columns[i]];
    }
    y[row] = sum;
}

extern "C" __global__ void spmv_warp(int rows, const int *offsets, const int *columns, const float *values, const float *x,
                                     float *y) {
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (row >= rows) {
        return;
    }
    const int lane = threadIdx.x % 32;
    float sum = 0;
    for (int i = offsets[row] + lane; i < offsets[row + 1]; i += 32) {
        sum += values[i] * x[columns[i]];
    }
    for (int distance = 16; distance > 0; distance /= 2) {
        sum += __shfl_xor_sync(0xffffffffu, sum, distance);
    }
    if (lane == 0) {
        y[row] = sum;
    }
}
