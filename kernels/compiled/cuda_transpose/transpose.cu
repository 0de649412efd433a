// Transposes a matrix through tiles of 32 x 32 in shared memory, so that global memory is read and written row by row. Two
// kernels: rows of 32 words, where a column of the tile is in one bank, and rows of 33, where it is spread over all 32.
//
// Shows: bank conflicts. The loads of transpose_plain from shared memory are replayed 32 times, those of transpose_padded
// not at all; compare the cycles and the replays of shared memory in the two reports.
#include "smsim_cuda.h"

template <int Row> __device__ void transpose(int width, int height, const unsigned *from, unsigned *to) {
    __shared__ unsigned tile[32][Row];
    const int x = blockIdx.x * 32 + threadIdx.x;
    const int y = blockIdx.y * 32 + threadIdx.y;
    for (int row = 0; row < 32; row += 8) {
        if (x < width && y + row < height) {
            tile[threadIdx.y + row][threadIdx.x] = from[(y + row) * width + x];
        }
    }
    __syncthreads();
    const int to_x = blockIdx.y * 32 + threadIdx.x;
    const int to_y = blockIdx.x * 32 + threadIdx.y;
    for (int row = 0; row < 32; row += 8) {
        if (to_x < height && to_y + row < width) {
            to[(to_y + row) * height + to_x] = tile[threadIdx.x][threadIdx.y + row];
        }
    }
}

extern "C" __global__ void transpose_plain(int width, int height, const unsigned *from, unsigned *to) {
    transpose<32>(width, height, from, to);
}

extern "C" __global__ void transpose_padded(int width, int height, const unsigned *from, unsigned *to) {
    transpose<33>(width, height, from, to);
}
