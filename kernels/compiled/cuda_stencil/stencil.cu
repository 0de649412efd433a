// One step of a five-point stencil on a grid of width x height: half the centre and an eighth of each neighbour; the border
// is unchanged. Each CTA reads its tile of 32 x 8 with a halo of one into shared memory.
//
// Shows: a halo loaded by only some threads (divergence at each edge), reuse of shared memory.
#include "smsim_cuda.h"

extern "C" __global__ void stencil(int width, int height, const float *from, float *to) {
    __shared__ float tile[10][34];
    const int x = blockIdx.x * 32 + threadIdx.x;
    const int y = blockIdx.y * 8 + threadIdx.y;
    const int column = threadIdx.x + 1;
    const int row = threadIdx.y + 1;
    const bool inside = x < width && y < height;
    if (inside) {
        const float *centre = from + y * width + x;
        tile[row][column] = *centre;
        if (threadIdx.x == 0 && x > 0) {
            tile[row][0] = centre[-1];
        }
        if (threadIdx.x == 31 && x + 1 < width) {
            tile[row][33] = centre[1];
        }
        if (threadIdx.y == 0 && y > 0) {
            tile[0][column] = centre[-width];
        }
        if (threadIdx.y == 7 && y + 1 < height) {
            tile[9][column] = centre[width];
        }
    }
    __syncthreads();
    if (!inside) {
        return;
    }
    float result = tile[row][column];
    if (x > 0 && x + 1 < width && y > 0 && y + 1 < height) {
        const float around = tile[row - 1][column] + tile[row + 1][column] + tile[row][column - 1] + tile[row][column + 1];
        result = 0.5f * result + 0.125f * around;
    }
    to[y * width + x] = result;
}
