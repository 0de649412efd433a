// Named conversions between the number of 16 bits and whole numbers, in four roundings: to nearest even, toward zero,
// down, up. A number outside the range of a type gives its nearest end; a NaN 0, with 64 bits only the highest bit.
// Included by all.h.

// To a whole number of PTX type `ptx`, in a register of constraint `letter`.
#define SMSIM_TO_ONE(name, type, ptx, letter, rounding, suffix)                                                        \
    SMSIM_FUNCTION type SMSIM_NARROW_NAME(__, 2##name##suffix)(SMSIM_NARROW x) {                                       \
        type result;                                                                                                   \
        asm("cvt." rounding "." ptx ".f32 %0, %1;" : "=" letter(result) : "f"(SMSIM_NARROW_BITS::to_float(x.__x)));    \
        return result;                                                                                                 \
    }
#define SMSIM_TO(name, type, ptx, letter)                                                                              \
    SMSIM_TO_ONE(name, type, ptx, letter, "rni", _rn)                                                                  \
    SMSIM_TO_ONE(name, type, ptx, letter, "rzi", _rz)                                                                  \
    SMSIM_TO_ONE(name, type, ptx, letter, "rmi", _rd)                                                                  \
    SMSIM_TO_ONE(name, type, ptx, letter, "rpi", _ru)

SMSIM_TO(int, int, "s32", "r")
SMSIM_TO(uint, unsigned, "u32", "r")
SMSIM_TO(short, short, "s16", "h")
SMSIM_TO(ushort, unsigned short, "u16", "h")
SMSIM_TO(ll, long long, "s64", "l")
SMSIM_TO(ull, unsigned long long, "u64", "l")

#undef SMSIM_TO
#undef SMSIM_TO_ONE

/// Bytes exist toward zero only.
SMSIM_FUNCTION signed char SMSIM_NARROW_NAME(__, 2char_rz)(SMSIM_NARROW x) {
    return (signed char)x;
}
SMSIM_FUNCTION unsigned char SMSIM_NARROW_NAME(__, 2uchar_rz)(SMSIM_NARROW x) {
    return (unsigned char)x;
}

// From a whole number, rounded once.
#define SMSIM_FROM_ONE(name, type, rounding, suffix)                                                                   \
    SMSIM_FUNCTION SMSIM_NARROW SMSIM_NARROW_NAME(__##name##2, suffix)(type x) {                                       \
        return SMSIM_NUMBER(SMSIM_NARROW_BITS::rounding(::smsim_cuda::to_odd(x)));                                     \
    }
#define SMSIM_FROM(name, type)                                                                                         \
    SMSIM_FROM_ONE(name, type, nearest, _rn)                                                                           \
    SMSIM_FROM_ONE(name, type, toward_zero, _rz)                                                                       \
    SMSIM_FROM_ONE(name, type, down, _rd)                                                                              \
    SMSIM_FROM_ONE(name, type, up, _ru)

SMSIM_FROM(int, int)
SMSIM_FROM(uint, unsigned)
SMSIM_FROM(short, short)
SMSIM_FROM(ushort, unsigned short)
SMSIM_FROM(ll, long long)
SMSIM_FROM(ull, unsigned long long)

#undef SMSIM_FROM
#undef SMSIM_FROM_ONE
