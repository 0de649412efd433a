// Asynchronous copies and barriers in shared memory: from issue to completion, and the cost of each further one. For GPUs of
// compute capability 8.0 and later, bulk copies 9.0.
//
// The data copied are in the L2, with `.ca` also in the L1. `bytes` is what a thread copies, in total if the copy is a
// bulk.
#include "harness.h"

#if !defined(__NVCC__) || __CUDA_ARCH__ >= 800

namespace {
__shared__ __align__(128) unsigned char tile[40960];
__shared__ unsigned long long barrier;

__device__ __forceinline__ unsigned address_of(const void *shared) {
    return window((const unsigned *)shared);
}
} // namespace

// Section 0 executes a step 8 times per round, section 1 24 times.
#define COPIES(NAME, STEP)                                                                                             \
    extern "C" __global__ void copies_##NAME(unsigned *clocks, unsigned rounds, unsigned parties, const char *data,    \
                                             unsigned *result) {                                                       \
        Frame<2> frame;                                                                                                \
        const unsigned bar = address_of(&barrier);                                                                     \
        const unsigned to = address_of(tile) + 16 * threadIdx.x;                                                       \
        const char *from = data + 16 * threadIdx.x;                                                                    \
        if (threadIdx.x == 0) {                                                                                        \
            asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(bar), "r"(parties) : "memory");                    \
        }                                                                                                              \
        PASSES (rounds, count) {                                                                                       \
            SECTION(frame, 0, count, {                                                                                 \
                _Pragma("unroll") for (int i = 0; i < 8; ++i) {                                                        \
                    STEP                                                                                               \
                }                                                                                                      \
            });                                                                                                        \
            SECTION(frame, 1, count, {                                                                                 \
                _Pragma("unroll") for (int i = 0; i < 24; ++i) {                                                       \
                    STEP                                                                                               \
                }                                                                                                      \
            });                                                                                                        \
        }                                                                                                              \
        frame.store(clocks);                                                                                           \
        result[threadIdx.x] = tile[threadIdx.x] ^ (unsigned)(size_t)from;                                              \
    }

#define COPY(CACHE, BYTES, OFFSET)                                                                                     \
    asm volatile("cp.async." CACHE ".shared.global [%0+" #OFFSET "], [%1+" #OFFSET "], " #BYTES ";" ::"r"(to),         \
                 "l"(from)                                                                                             \
                 : "memory");
#define COMMIT asm volatile("cp.async.commit_group;" ::: "memory");
#define WAIT(NUMBER) asm volatile("cp.async.wait_group " #NUMBER ";" ::: "memory");
#define FOUR_COPIES(CACHE, BYTES)                                                                                      \
    COPY(CACHE, BYTES, 0) COPY(CACHE, BYTES, 4096) COPY(CACHE, BYTES, 8192) COPY(CACHE, BYTES, 12288)

COPIES(wait_ca_4, COPY("ca", 4, 0) COMMIT WAIT(0))
COPIES(wait_ca_8, COPY("ca", 8, 0) COMMIT WAIT(0))
COPIES(wait_ca_16, COPY("ca", 16, 0) COMMIT WAIT(0))
COPIES(wait_cg_16, COPY("cg", 16, 0) COMMIT WAIT(0))
COPIES(four_ca_4, FOUR_COPIES("ca", 4) COMMIT WAIT(0))
COPIES(four_ca_16, FOUR_COPIES("ca", 16) COMMIT WAIT(0))
COPIES(four_cg_16, FOUR_COPIES("cg", 16) COMMIT WAIT(0))
COPIES(ahead_cg_16, COPY("cg", 16, 0) COMMIT WAIT(3))
COPIES(ahead_ca_16, COPY("ca", 16, 0) COMMIT WAIT(3))
COPIES(empty_group, COMMIT WAIT(0))

#define ARRIVE asm volatile("{\n\t.reg .b64 t;\n\tmbarrier.arrive.shared.b64 t, [%0];\n\t}" ::"r"(bar) : "memory");
#define ARRIVE_ALONE                                                                                                   \
    if (threadIdx.x == 0) {                                                                                            \
        ARRIVE                                                                                                         \
    }
#define TEST_PHASE(HOW)                                                                                                \
    asm volatile("{\n\t.reg .pred p;\n\tAGAIN:\n\tmbarrier." HOW ".parity.shared.b64 p, [%0], %1;\n\t@!p bra "         \
                 "AGAIN;\n\t}" ::"r"(bar),                                                                             \
                 "r"(i & 1)                                                                                            \
                 : "memory");

#if !defined(__NVCC__) || __CUDA_ARCH__ >= 900
COPIES(barrier_all, ARRIVE TEST_PHASE("try_wait"))
COPIES(barrier_one, ARRIVE_ALONE TEST_PHASE("try_wait"))
COPIES(barrier_test, ARRIVE TEST_PHASE("test_wait"))
COPIES(barrier_arrive, ARRIVE)
COPIES(barrier_copies, COPY("cg", 16, 0) asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(bar)
                                                      : "memory");
       TEST_PHASE("try_wait"))

// One thread copies `BYTES`, all wait.
#define BULK(BYTES)                                                                                                    \
    COPIES(                                                                                                            \
        bulk_##BYTES, if (threadIdx.x == 0) {                                                                          \
            asm volatile("{\n\t.reg .b64 t;\n\tmbarrier.arrive.expect_tx.shared.b64 t, [%0], " #BYTES ";\n\t"          \
                         "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%1], [%2], " #BYTES       \
                         ", [%0];\n\t}" ::"r"(bar),                                                                    \
                         "r"(to), "l"(from)                                                                            \
                         : "memory");                                                                                  \
        } TEST_PHASE("try_wait"))
BULK(16)
BULK(64)
BULK(128)
BULK(256)
BULK(512)
BULK(1024)
BULK(2048)
BULK(4096)
BULK(8192)
BULK(16384)
BULK(32768)
// The reverse: one thread writes, and waits until the source may be reused, or until everything is written.
#define BULK_STORE(NAME, BYTES, READ)                                                                                  \
    COPIES(                                                                                                            \
        NAME##_##BYTES, if (threadIdx.x == 0) {                                                                        \
            asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%1], [%0], " #BYTES ";\n\t"                     \
                         "cp.async.bulk.commit_group;\n\tcp.async.bulk.wait_group" READ " 0;" ::"r"(to),               \
                         "l"(from)                                                                                     \
                         : "memory");                                                                                  \
        })
BULK_STORE(bulk_store, 128, "")
BULK_STORE(bulk_store, 1024, "")
BULK_STORE(bulk_store, 8192, "")
BULK_STORE(bulk_store_read, 128, ".read")
BULK_STORE(bulk_store_read, 1024, ".read")
BULK_STORE(bulk_store_read, 8192, ".read")
#endif

#endif
