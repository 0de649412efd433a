// Loads, atomic sums and shuffles of numbers and pairs of 16 bits. Included by all.h.

/// Loads data that nothing writes while the kernel runs.
SMSIM_FUNCTION SMSIM_NARROW __ldg(const SMSIM_NARROW *p) {
    unsigned short bits;
    asm("ld.global.nc.u16 %0, [%1];" : "=h"(bits) : "l"(p));
    return SMSIM_NUMBER(bits);
}
SMSIM_FUNCTION SMSIM_NARROW2 __ldg(const SMSIM_NARROW2 *p) {
    unsigned bits;
    asm("ld.global.nc.u32 %0, [%1];" : "=r"(bits) : "l"(p));
    return SMSIM_PAIR(bits);
}

/// Adds and returns the old value; of a pair each number by itself.
SMSIM_FUNCTION SMSIM_NARROW atomicAdd(SMSIM_NARROW *p, SMSIM_NARROW v) {
    unsigned short old;
    asm volatile("atom.add.noftz." SMSIM_NARROW_PTX " %0, [%1], %2;" : "=h"(old) : "l"(p), "h"(v.__x) : "memory");
    return SMSIM_NUMBER(old);
}
SMSIM_FUNCTION SMSIM_NARROW2 atomicAdd(SMSIM_NARROW2 *p, SMSIM_NARROW2 v) {
    unsigned old;
    asm volatile("atom.add.noftz." SMSIM_NARROW_PTX "x2 %0, [%1], %2;"
                 : "=r"(old)
                 : "l"(p), "r"(::smsim_cuda::bits_of(v))
                 : "memory");
    return SMSIM_PAIR(old);
}

// Shuffles as in smsim_cuda/warp.h.
#define SMSIM_SHUFFLE(name, type)                                                                                      \
    SMSIM_FUNCTION SMSIM_NARROW name(unsigned mask, SMSIM_NARROW value, type source, int width = 32) {                 \
        return SMSIM_NUMBER((unsigned short)name(mask, (unsigned)value.__x, source, width));                           \
    }                                                                                                                  \
    SMSIM_FUNCTION SMSIM_NARROW2 name(unsigned mask, SMSIM_NARROW2 value, type source, int width = 32) {               \
        return SMSIM_PAIR(name(mask, ::smsim_cuda::bits_of(value), source, width));                                    \
    }
SMSIM_SHUFFLE(__shfl_sync, int)
SMSIM_SHUFFLE(__shfl_up_sync, unsigned)
SMSIM_SHUFFLE(__shfl_down_sync, unsigned)
SMSIM_SHUFFLE(__shfl_xor_sync, int)
#undef SMSIM_SHUFFLE
