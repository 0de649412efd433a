// The number of 16 bits and the pair of them, and what converts to and from them without a name. Included by all.h.

/// The bits alone.
struct __align__(2) SMSIM_NARROW_RAW {
    unsigned short x;
};
struct __align__(4) SMSIM_NARROW2_RAW {
    unsigned short x;
    unsigned short y;
};

/// A number; `__x` has its bits.
struct __align__(2) SMSIM_NARROW {
    unsigned short __x;

    SMSIM_NARROW() = default;
    __device__ SMSIM_NARROW(const SMSIM_NARROW_RAW &raw) : __x(raw.x) {}
#define SMSIM_FROM(type)                                                                                               \
    __device__ SMSIM_NARROW(type value) : __x(SMSIM_NARROW_BITS::nearest(::smsim_cuda::to_odd(value))) {}
    SMSIM_FROM(float)
    SMSIM_FROM(double)
    SMSIM_FROM(short)
    SMSIM_FROM(unsigned short)
    SMSIM_FROM(int)
    SMSIM_FROM(unsigned)
    SMSIM_FROM(long)
    SMSIM_FROM(unsigned long)
    SMSIM_FROM(long long)
    SMSIM_FROM(unsigned long long)
#undef SMSIM_FROM

    __device__ operator SMSIM_NARROW_RAW() const {
        return {__x};
    }
    __device__ operator float() const {
        return SMSIM_NARROW_BITS::to_float(__x);
    }
    /// True unless it is a zero.
    __device__ operator bool() const {
        return (__x & 0x7fffu) != 0;
    }
    // Whole numbers: cut toward zero (cut.h).
#define SMSIM_TO(type)                                                                                                 \
    __device__ operator type() const {                                                                                 \
        return ::smsim_cuda::cut_to<type>(SMSIM_NARROW_BITS::to_float(__x));                                           \
    }
    SMSIM_TO(char)
    SMSIM_TO(signed char)
    SMSIM_TO(unsigned char)
    SMSIM_TO(short)
    SMSIM_TO(unsigned short)
    SMSIM_TO(int)
    SMSIM_TO(unsigned)
    SMSIM_TO(long)
    SMSIM_TO(unsigned long)
    SMSIM_TO(long long)
    SMSIM_TO(unsigned long long)
#undef SMSIM_TO
};

/// Two numbers in a word, `x` in its lower half.
struct __align__(4) SMSIM_NARROW2 {
    SMSIM_NARROW x;
    SMSIM_NARROW y;

    SMSIM_NARROW2() = default;
    __device__ SMSIM_NARROW2(const SMSIM_NARROW &low, const SMSIM_NARROW &high) : x(low), y(high) {}
    __device__ SMSIM_NARROW2(const SMSIM_NARROW2_RAW &raw) : x(SMSIM_NARROW_RAW{raw.x}), y(SMSIM_NARROW_RAW{raw.y}) {}
    __device__ operator SMSIM_NARROW2_RAW() const {
        return {x.__x, y.__x};
    }
};

namespace smsim_cuda {

/// The bits of a pair.
SMSIM_FUNCTION unsigned bits_of(SMSIM_NARROW2 pair) {
    return pair.x.__x | (unsigned)pair.y.__x << 16;
}

} // namespace smsim_cuda

/// The number and the pair with these bits.
SMSIM_FUNCTION SMSIM_NARROW SMSIM_NARROW_NAME(smsim_, _of_bits)(unsigned short bits) {
    return SMSIM_NARROW(SMSIM_NARROW_RAW{bits});
}
SMSIM_FUNCTION SMSIM_NARROW2 SMSIM_NARROW_NAME(smsim_, 2_of_bits)(unsigned bits) {
    return SMSIM_NARROW2(SMSIM_NARROW2_RAW{(unsigned short)bits, (unsigned short)(bits >> 16)});
}

#define SMSIM_NUMBER SMSIM_NARROW_NAME(smsim_, _of_bits)
#define SMSIM_PAIR SMSIM_NARROW_NAME(smsim_, 2_of_bits)
