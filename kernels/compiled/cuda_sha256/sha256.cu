// SHA-256 of many messages, a thread per message. Messages differ in length, from nothing to two blocks of 64 bytes.
//
// Shows: a long straight-line sequence of integer instructions (64 unrolled rounds; rotations, three-input logic, sums), 16
// words of the schedule in registers, round constants in constant memory, a loop over blocks that diverges, loads of
// single bytes.
#include "smsim_cuda.h"

__constant__ unsigned constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

SMSIM_FUNCTION unsigned rotated(unsigned x, int bits) {
    return __funnelshift_r(x, x, bits);
}

/// Byte `place` of a message of `length` bytes with its padding, except for the length at the end.
SMSIM_FUNCTION unsigned padded_byte(const unsigned char *message, int length, int place) {
    return place < length ? message[place] : place == length ? 0x80 : 0;
}

/// Message i is from offsets[i] to offsets[i + 1].
extern "C" __global__ void __launch_bounds__(64)
    sha256(int messages, const int *__restrict__ offsets, const unsigned char *__restrict__ bytes,
           uint4 *__restrict__ digests) {
    const int number = blockIdx.x * blockDim.x + threadIdx.x;
    if (number >= messages) {
        return;
    }
    const unsigned char *message = bytes + offsets[number];
    const int length = offsets[number + 1] - offsets[number];
    const int blocks = (length + 8) / 64 + 1;
    unsigned hash[8] = {0x6a09e667u, 0xbb67ae85u, 0x3c6ef372u, 0xa54ff53au,
                        0x510e527fu, 0x9b05688cu, 0x1f83d9abu, 0x5be0cd19u};
    for (int block = 0; block < blocks; ++block) {
        unsigned words[16];
#pragma unroll
        for (int i = 0; i < 16; ++i) {
            const int place = block * 64 + i * 4;
            words[i] = padded_byte(message, length, place) << 24 | padded_byte(message, length, place + 1) << 16 |
                       padded_byte(message, length, place + 2) << 8 | padded_byte(message, length, place + 3);
        }
        if (block == blocks - 1) {
            words[15] = length * 8;
        }
        unsigned a = hash[0];
        unsigned b = hash[1];
        unsigned c = hash[2];
        unsigned d = hash[3];
        unsigned e = hash[4];
        unsigned f = hash[5];
        unsigned g = hash[6];
        unsigned h = hash[7];
#pragma unroll
        for (int i = 0; i < 64; ++i) {
            if (i >= 16) {
                const unsigned early = words[(i + 1) % 16];
                const unsigned late = words[(i + 14) % 16];
                words[i % 16] += (rotated(early, 7) ^ rotated(early, 18) ^ early >> 3) + words[(i + 9) % 16] +
                                 (rotated(late, 17) ^ rotated(late, 19) ^ late >> 10);
            }
            const unsigned first = h + (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) + ((e & f) ^ (~e & g)) +
                                   constants[i] + words[i % 16];
            const unsigned second = (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
            h = g;
            g = f;
            f = e;
            e = d + first;
            d = c;
            c = b;
            b = a;
            a = first + second;
        }
        hash[0] += a;
        hash[1] += b;
        hash[2] += c;
        hash[3] += d;
        hash[4] += e;
        hash[5] += f;
        hash[6] += g;
        hash[7] += h;
    }
    digests[2 * number] = make_uint4(hash[0], hash[1], hash[2], hash[3]);
    digests[2 * number + 1] = make_uint4(hash[4], hash[5], hash[6], hash[7]);
}
