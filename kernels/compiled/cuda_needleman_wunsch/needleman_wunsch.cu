// Global alignment of two sequences by Needleman and Wunsch: a table of scores, each from its left, upper and upper left
// neighbour. One CTA per pair of sequences of 96 letters; the threads process the table along its anti-diagonals.
//
// Shows: a wavefront. Thread i has row i and idles until the front reaches it and after it has left; a barrier per step.
#include "smsim_cuda.h"

const int kLength = 96;
const int kMatch = 3;
const int kMismatch = -2;
const int kGap = -4;

extern "C" __global__ void needleman_wunsch(const unsigned char *first, const unsigned char *second, int *scores) {
    __shared__ int table[kLength + 1][kLength + 1];
    const int row = threadIdx.x + 1;
    const unsigned char letter = first[blockIdx.x * kLength + threadIdx.x];
    const unsigned char *others = second + blockIdx.x * kLength;
    table[row][0] = row * kGap;
    table[0][row] = row * kGap;
    if (row == 1) {
        table[0][0] = 0;
    }
    __syncthreads();
    for (int diagonal = 2; diagonal <= 2 * kLength; ++diagonal) {
        const int column = diagonal - row;
        if (column >= 1 && column <= kLength) {
            const int aligned = table[row - 1][column - 1] + (letter == others[column - 1] ? kMatch : kMismatch);
            const int gap = max(table[row - 1][column], table[row][column - 1]) + kGap;
            table[row][column] = max(aligned, gap);
        }
        __syncthreads();
    }
    int *out = scores + blockIdx.x * kLength * kLength;
    for (int i = 0; i < kLength; ++i) {
        out[i * kLength + threadIdx.x] = table[i + 1][threadIdx.x + 1];
    }
}
