// Each thread runs a small program of its own on an accumulator, a second register and four words of local memory: an
// interpreter with 16 instructions in one switch.
//
// Shows: a branch with up to 16 targets per warp (brx.idx over a table of targets), a skip that makes threads drift apart,
// an array in local memory. kernels/control_flow/jump_table is the hand-written one.
#include "smsim_cuda.h"

extern "C" __global__ void interpreter(int length, const unsigned *programs, unsigned *results) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned *const program = programs + i * length;
    unsigned a = i + 1;
    unsigned b = 7 * i + 3;
    unsigned memory[4] = {1, 2, 3, 5};
    for (int at = 0; at < length; ++at) {
        const unsigned word = program[at];
        const unsigned operand = (word >> 4) & 0xffu;
        switch (word & 15u) {
        case 0: a += operand; break;
        case 1: a -= b; break;
        case 2: a *= 2 * operand + 1; break;
        case 3: a ^= b; break;
        case 4: b = a; break;
        case 5: b += a >> (operand % 8); break;
        case 6: memory[operand % 4] = a; break;
        case 7: a += memory[operand % 4]; break;
        case 8: a = a < b ? b - a : a - b; break;
        case 9: a = a / (operand + 1); break;
        case 10: b = __popc(a) + operand; break;
        case 11: at += a % 3; break;
        case 12: a = __brev(a); break;
        case 13: memory[b % 4] ^= operand; break;
        case 14: for (unsigned k = 0; k < operand % 5; ++k) { a = a * 3 + k; } break;
        case 15: if (a % 16 == 5) { results[i] = a ^ b; return; } b -= operand; break;
        }
    }
    results[i] = a + b + memory[0] + 3 * memory[1] + 5 * memory[2] + 7 * memory[3];
}
