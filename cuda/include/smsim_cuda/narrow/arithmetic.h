// Arithmetic of numbers of 16 bits. Names with `_rn` are never contracted, and here the others are not either.
// Included by all.h.

SMSIM_FUNCTION SMSIM_NARROW __hadd(SMSIM_NARROW a, SMSIM_NARROW b) {
    return SMSIM_NUMBER(SMSIM_NARROW_BITS::add(a.__x, b.__x));
}
SMSIM_FUNCTION SMSIM_NARROW __hsub(SMSIM_NARROW a, SMSIM_NARROW b) {
    return SMSIM_NUMBER(SMSIM_NARROW_BITS::subtract(a.__x, b.__x));
}
SMSIM_FUNCTION SMSIM_NARROW __hmul(SMSIM_NARROW a, SMSIM_NARROW b) {
    return SMSIM_NUMBER(SMSIM_NARROW_BITS::multiply(a.__x, b.__x));
}
SMSIM_FUNCTION SMSIM_NARROW __hadd_rn(SMSIM_NARROW a, SMSIM_NARROW b) {
    return __hadd(a, b);
}
SMSIM_FUNCTION SMSIM_NARROW __hsub_rn(SMSIM_NARROW a, SMSIM_NARROW b) {
    return __hsub(a, b);
}
SMSIM_FUNCTION SMSIM_NARROW __hmul_rn(SMSIM_NARROW a, SMSIM_NARROW b) {
    return __hmul(a, b);
}
/// a / b, rounded correctly.
SMSIM_FUNCTION SMSIM_NARROW __hdiv(SMSIM_NARROW a, SMSIM_NARROW b) {
    return SMSIM_NUMBER(
        SMSIM_NARROW_BITS::nearest(__fdiv_rn(SMSIM_NARROW_BITS::to_float(a.__x), SMSIM_NARROW_BITS::to_float(b.__x))));
}
/// a * b + c, rounded once.
SMSIM_FUNCTION SMSIM_NARROW __hfma(SMSIM_NARROW a, SMSIM_NARROW b, SMSIM_NARROW c) {
    unsigned short result;
    asm("fma.rn." SMSIM_NARROW_PTX " %0, %1, %2, %3;" : "=h"(result) : "h"(a.__x), "h"(b.__x), "h"(c.__x));
    return SMSIM_NUMBER(result);
}
/// The same, and 0 if it is negative; a NaN stays one.
SMSIM_FUNCTION SMSIM_NARROW __hfma_relu(SMSIM_NARROW a, SMSIM_NARROW b, SMSIM_NARROW c) {
    unsigned short result;
    asm("fma.rn.relu." SMSIM_NARROW_PTX " %0, %1, %2, %3;" : "=h"(result) : "h"(a.__x), "h"(b.__x), "h"(c.__x));
    return SMSIM_NUMBER(result);
}
SMSIM_FUNCTION SMSIM_NARROW __hneg(SMSIM_NARROW a) {
    return SMSIM_NUMBER((unsigned short)(a.__x ^ 0x8000u));
}
SMSIM_FUNCTION SMSIM_NARROW __habs(SMSIM_NARROW a) {
    return SMSIM_NUMBER((unsigned short)(a.__x & 0x7fffu));
}

// Least and largest of two numbers; -0 is below +0. If one is a NaN, the other, with `_nan` a NaN.
#define SMSIM_CHOICE(name, instruction)                                                                                \
    SMSIM_FUNCTION SMSIM_NARROW name(SMSIM_NARROW a, SMSIM_NARROW b) {                                                 \
        unsigned short result;                                                                                         \
        asm(instruction "." SMSIM_NARROW_PTX " %0, %1, %2;" : "=h"(result) : "h"(a.__x), "h"(b.__x));                  \
        return SMSIM_NUMBER(result);                                                                                   \
    }
SMSIM_CHOICE(__hmin, "min")
SMSIM_CHOICE(__hmax, "max")
SMSIM_CHOICE(__hmin_nan, "min.NaN")
SMSIM_CHOICE(__hmax_nan, "max.NaN")
#undef SMSIM_CHOICE

// Saturating operations: a result below 0 and a NaN become 0, one above 1 becomes 1.
SMSIM_FUNCTION SMSIM_NARROW SMSIM_NARROW_NAME(smsim_saturate_, )(SMSIM_NARROW x) {
    return __hmin(__hmax(x, SMSIM_NUMBER(0)), SMSIM_NUMBER(SMSIM_NARROW_BITS::kOne));
}
SMSIM_FUNCTION SMSIM_NARROW __hadd_sat(SMSIM_NARROW a, SMSIM_NARROW b) {
    return SMSIM_NARROW_NAME(smsim_saturate_, )(__hadd(a, b));
}
SMSIM_FUNCTION SMSIM_NARROW __hsub_sat(SMSIM_NARROW a, SMSIM_NARROW b) {
    return SMSIM_NARROW_NAME(smsim_saturate_, )(__hsub(a, b));
}
SMSIM_FUNCTION SMSIM_NARROW __hmul_sat(SMSIM_NARROW a, SMSIM_NARROW b) {
    return SMSIM_NARROW_NAME(smsim_saturate_, )(__hmul(a, b));
}
SMSIM_FUNCTION SMSIM_NARROW __hfma_sat(SMSIM_NARROW a, SMSIM_NARROW b, SMSIM_NARROW c) {
    return SMSIM_NARROW_NAME(smsim_saturate_, )(__hfma(a, b, c));
}
