// Barriers, warp functions, atomics, fences and sleep, most by inline assembly.
#include "prelude.h"

extern "C" __global__ void warp(unsigned *out, unsigned mask) {
    unsigned v = out[THREAD_X];
    for (int d = 16; d > 0; d /= 2) {
        unsigned w;
        asm volatile("shfl.sync.bfly.b32 %0, %1, %2, 31, %3;" : "=r"(w) : "r"(v), "r"(d), "r"(mask));
        v += w;
    }
    unsigned ballot, lane, up;
    asm volatile("{ .reg .pred p; setp.gt.u32 p, %1, 3; vote.sync.ballot.b32 %0, p, %2; }" : "=r"(ballot) : "r"(v), "r"(mask));
    asm volatile("{ .reg .pred q; shfl.sync.up.b32 %0|q, %1, 1, 0, %2; @!q mov.b32 %0, -1; }" : "=r"(up) : "r"(v), "r"(mask));
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    asm volatile("bar.warp.sync %0;" ::"r"(mask) : "memory");
    out[THREAD_X] = v + ballot + lane + up;
}

extern "C" __global__ void block(int *data, int *lock) {
    BARRIER();
    ATOMIC_ADD(data, 1);
    while (ATOMIC_CAS(lock, 0, 1) != 0) asm volatile("nanosleep.u32 100;");
    data[1] += 1;
    asm volatile("membar.gl;" ::: "memory");
    *reinterpret_cast<volatile int *>(lock) = 0;
    int r;
    asm volatile("{ .reg .pred p; setp.ne.s32 p, %1, 0; bar.red.popc.u32 %0, 1, p; }" : "=r"(r) : "r"(data[2]));
    asm volatile("red.global.add.u32 [%0], %1;" ::"l"(data + 3), "r"(r) : "memory");
    asm volatile("fence.acq_rel.gpu;" ::: "memory");
    asm volatile("{ .reg .b64 a; cvta.to.global.u64 a, %0; atom.global.exch.b32 _, [a+4], 0x10; }" ::"l"(data) : "memory");
}
