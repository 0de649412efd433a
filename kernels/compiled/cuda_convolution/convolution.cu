// Each pixel of an image becomes the weighted sum of the 5 x 5 around it; pixels outside the image are 0. A CTA
// computes 32 x 8 pixels from a tile in shared memory that is 2 pixels larger on each side.
//
// Shows: weights in constant memory, at addresses that all threads share; a tile with a halo that is loaded in more
// than one round, the last of them by some threads; guards at the edges; two loops that unroll.
#include "smsim_cuda.h"

const int kWidth = 32;
const int kHeight = 8;
const int kRadius = 2;
const int kSide = 2 * kRadius + 1;
const int kTileWidth = kWidth + 2 * kRadius;
const int kTileHeight = kHeight + 2 * kRadius;

__constant__ float weights[kSide * kSide] = {
    1, -2, 3,  -2, 1,  //
    4, 0,  -5, 2,  -3, //
    2, 6,  9,  -6, 2,  //
    0, -1, 7,  3,  -4, //
    1, 5,  -3, 8,  2,
};

extern "C" __global__ void __launch_bounds__(256)
    convolution(int width, int height, const float *__restrict__ image, float *__restrict__ result) {
    __shared__ float tile[kTileHeight][kTileWidth];
    const int left = blockIdx.x * kWidth - kRadius;
    const int top = blockIdx.y * kHeight - kRadius;
    for (int i = threadIdx.y * kWidth + threadIdx.x; i < kTileHeight * kTileWidth; i += kWidth * kHeight) {
        const int x = left + i % kTileWidth;
        const int y = top + i / kTileWidth;
        const bool inside = x >= 0 && x < width && y >= 0 && y < height;
        tile[i / kTileWidth][i % kTileWidth] = inside ? image[y * width + x] : 0.0f;
    }
    __syncthreads();
    const int x = blockIdx.x * kWidth + threadIdx.x;
    const int y = blockIdx.y * kHeight + threadIdx.y;
    if (x >= width || y >= height) {
        return;
    }
    float sum = 0;
#pragma unroll
    for (int dy = 0; dy < kSide; ++dy) {
#pragma unroll
        for (int dx = 0; dx < kSide; ++dx) {
            sum += weights[dy * kSide + dx] * tile[threadIdx.y + dy][threadIdx.x + dx];
        }
    }
    result[y * width + x] = sum;
}
