// Operators of C on numbers and pairs of 16 bits. A comparison of pairs holds when it holds for both numbers.
// Included by all.h.

// Operators of `type`, by the functions of arithmetic and comparison for it.
#define SMSIM_OPERATORS(type, add, subtract, multiply, divide, negate, eq, neu, lt, le, gt, ge, one)                   \
    SMSIM_FUNCTION type operator+(const type &a, const type &b) {                                                      \
        return add(a, b);                                                                                              \
    }                                                                                                                  \
    SMSIM_FUNCTION type operator-(const type &a, const type &b) {                                                      \
        return subtract(a, b);                                                                                         \
    }                                                                                                                  \
    SMSIM_FUNCTION type operator*(const type &a, const type &b) {                                                      \
        return multiply(a, b);                                                                                         \
    }                                                                                                                  \
    SMSIM_FUNCTION type operator/(const type &a, const type &b) {                                                      \
        return divide(a, b);                                                                                           \
    }                                                                                                                  \
    SMSIM_FUNCTION type operator+(const type &a) {                                                                     \
        return a;                                                                                                      \
    }                                                                                                                  \
    SMSIM_FUNCTION type operator-(const type &a) {                                                                     \
        return negate(a);                                                                                              \
    }                                                                                                                  \
    SMSIM_FUNCTION type &operator+=(type &a, const type &b) {                                                          \
        return a = add(a, b);                                                                                          \
    }                                                                                                                  \
    SMSIM_FUNCTION type &operator-=(type &a, const type &b) {                                                          \
        return a = subtract(a, b);                                                                                     \
    }                                                                                                                  \
    SMSIM_FUNCTION type &operator*=(type &a, const type &b) {                                                          \
        return a = multiply(a, b);                                                                                     \
    }                                                                                                                  \
    SMSIM_FUNCTION type &operator/=(type &a, const type &b) {                                                          \
        return a = divide(a, b);                                                                                       \
    }                                                                                                                  \
    SMSIM_FUNCTION type &operator++(type &a) {                                                                         \
        return a = add(a, one);                                                                                        \
    }                                                                                                                  \
    SMSIM_FUNCTION type &operator--(type &a) {                                                                         \
        return a = subtract(a, one);                                                                                   \
    }                                                                                                                  \
    SMSIM_FUNCTION type operator++(type &a, int) {                                                                     \
        const type before = a;                                                                                         \
        ++a;                                                                                                           \
        return before;                                                                                                 \
    }                                                                                                                  \
    SMSIM_FUNCTION type operator--(type &a, int) {                                                                     \
        const type before = a;                                                                                         \
        --a;                                                                                                           \
        return before;                                                                                                 \
    }                                                                                                                  \
    SMSIM_FUNCTION bool operator==(const type &a, const type &b) {                                                     \
        return eq(a, b);                                                                                               \
    }                                                                                                                  \
    SMSIM_FUNCTION bool operator!=(const type &a, const type &b) {                                                     \
        return neu(a, b);                                                                                              \
    }                                                                                                                  \
    SMSIM_FUNCTION bool operator<(const type &a, const type &b) {                                                      \
        return lt(a, b);                                                                                               \
    }                                                                                                                  \
    SMSIM_FUNCTION bool operator<=(const type &a, const type &b) {                                                     \
        return le(a, b);                                                                                               \
    }                                                                                                                  \
    SMSIM_FUNCTION bool operator>(const type &a, const type &b) {                                                      \
        return gt(a, b);                                                                                               \
    }                                                                                                                  \
    SMSIM_FUNCTION bool operator>=(const type &a, const type &b) {                                                     \
        return ge(a, b);                                                                                               \
    }

SMSIM_OPERATORS(SMSIM_NARROW, __hadd, __hsub, __hmul, __hdiv, __hneg, __heq, __hneu, __hlt, __hle, __hgt, __hge,
                SMSIM_NUMBER(SMSIM_NARROW_BITS::kOne))
SMSIM_OPERATORS(SMSIM_NARROW2, __hadd2, __hsub2, __hmul2, __h2div, __hneg2, __hbeq2, __hbneu2, __hblt2, __hble2,
                __hbgt2, __hbge2, SMSIM_PAIR(SMSIM_NARROW_BITS::kOne * 0x10001u))

#undef SMSIM_OPERATORS
