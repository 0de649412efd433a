// A convolution as a product of matrices: 16 channels in, 16 channels out, a filter of 3 x 3, in half precision with sums
// in single precision. The image has a border of one pixel; the channels of a pixel are neighbours in memory, as in the
// result. Each warp computes the 16 pixels of a row, so the result is 16 pixels wide; the grid has a warp for each row.
//
// Shows: an implicit product. A row of A would be the 144 numbers that one pixel of the result needs, and A is never made:
// for one place of the filter its 16 columns are 16 neighbouring pixels of the image, which load_matrix_sync reads where
// they lie. Filters are by place, input channel, output channel, so that each place has its rows of B.
#include <mma.h>

using namespace nvcuda;

const int kChannels = 16;
const int kWidth = 16;

extern "C" __global__ void convolution_product(const half *image, const half *filter, float *out) {
    const int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> pixels;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> weights;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::fill_fragment(sum, 0.0f);
#pragma unroll
    for (int y = 0; y < 3; ++y) {
#pragma unroll
        for (int x = 0; x < 3; ++x) {
            wmma::load_matrix_sync(pixels, image + ((row + y) * (kWidth + 2) + x) * kChannels, kChannels);
            wmma::load_matrix_sync(weights, filter + (y * 3 + x) * kChannels * kChannels, kChannels);
            wmma::mma_sync(sum, pixels, weights, sum);
        }
    }
    wmma::store_matrix_sync(out + row * kWidth * kChannels, sum, kChannels, wmma::mem_row_major);
}
