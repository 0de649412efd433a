// Arithmetic of pairs of numbers of 16 bits: the operations of arithmetic.h on both numbers. Included by all.h.

SMSIM_FUNCTION SMSIM_NARROW2 __hadd2(SMSIM_NARROW2 a, SMSIM_NARROW2 b) {
    return SMSIM_PAIR(SMSIM_NARROW_BITS::add_pair(::smsim_cuda::bits_of(a), ::smsim_cuda::bits_of(b)));
}
SMSIM_FUNCTION SMSIM_NARROW2 __hsub2(SMSIM_NARROW2 a, SMSIM_NARROW2 b) {
    return SMSIM_PAIR(SMSIM_NARROW_BITS::subtract_pair(::smsim_cuda::bits_of(a), ::smsim_cuda::bits_of(b)));
}
SMSIM_FUNCTION SMSIM_NARROW2 __hmul2(SMSIM_NARROW2 a, SMSIM_NARROW2 b) {
    return SMSIM_PAIR(SMSIM_NARROW_BITS::multiply_pair(::smsim_cuda::bits_of(a), ::smsim_cuda::bits_of(b)));
}
SMSIM_FUNCTION SMSIM_NARROW2 __hadd2_rn(SMSIM_NARROW2 a, SMSIM_NARROW2 b) {
    return __hadd2(a, b);
}
SMSIM_FUNCTION SMSIM_NARROW2 __hsub2_rn(SMSIM_NARROW2 a, SMSIM_NARROW2 b) {
    return __hsub2(a, b);
}
SMSIM_FUNCTION SMSIM_NARROW2 __hmul2_rn(SMSIM_NARROW2 a, SMSIM_NARROW2 b) {
    return __hmul2(a, b);
}
SMSIM_FUNCTION SMSIM_NARROW2 __h2div(SMSIM_NARROW2 a, SMSIM_NARROW2 b) {
    return {__hdiv(a.x, b.x), __hdiv(a.y, b.y)};
}
SMSIM_FUNCTION SMSIM_NARROW2 __hfma2(SMSIM_NARROW2 a, SMSIM_NARROW2 b, SMSIM_NARROW2 c) {
    unsigned result;
    asm("fma.rn." SMSIM_NARROW_PTX "x2 %0, %1, %2, %3;"
        : "=r"(result)
        : "r"(::smsim_cuda::bits_of(a)), "r"(::smsim_cuda::bits_of(b)), "r"(::smsim_cuda::bits_of(c)));
    return SMSIM_PAIR(result);
}
SMSIM_FUNCTION SMSIM_NARROW2 __hfma2_relu(SMSIM_NARROW2 a, SMSIM_NARROW2 b, SMSIM_NARROW2 c) {
    unsigned result;
    asm("fma.rn.relu." SMSIM_NARROW_PTX "x2 %0, %1, %2, %3;"
        : "=r"(result)
        : "r"(::smsim_cuda::bits_of(a)), "r"(::smsim_cuda::bits_of(b)), "r"(::smsim_cuda::bits_of(c)));
    return SMSIM_PAIR(result);
}
/// a * b + c of complex numbers: x is the real part.
SMSIM_FUNCTION SMSIM_NARROW2 __hcmadd(SMSIM_NARROW2 a, SMSIM_NARROW2 b, SMSIM_NARROW2 c) {
    return {__hfma(__hneg(a.y), b.y, __hfma(a.x, b.x, c.x)), __hfma(a.y, b.x, __hfma(a.x, b.y, c.y))};
}
SMSIM_FUNCTION SMSIM_NARROW2 __hneg2(SMSIM_NARROW2 a) {
    return SMSIM_PAIR(::smsim_cuda::bits_of(a) ^ 0x80008000u);
}
SMSIM_FUNCTION SMSIM_NARROW2 __habs2(SMSIM_NARROW2 a) {
    return SMSIM_PAIR(::smsim_cuda::bits_of(a) & 0x7fff7fffu);
}

#define SMSIM_CHOICE(name, instruction)                                                                                \
    SMSIM_FUNCTION SMSIM_NARROW2 name(SMSIM_NARROW2 a, SMSIM_NARROW2 b) {                                              \
        unsigned result;                                                                                               \
        asm(instruction "." SMSIM_NARROW_PTX "x2 %0, %1, %2;"                                                          \
            : "=r"(result)                                                                                             \
            : "r"(::smsim_cuda::bits_of(a)), "r"(::smsim_cuda::bits_of(b)));                                           \
        return SMSIM_PAIR(result);                                                                                     \
    }
SMSIM_CHOICE(__hmin2, "min")
SMSIM_CHOICE(__hmax2, "max")
SMSIM_CHOICE(__hmin2_nan, "min.NaN")
SMSIM_CHOICE(__hmax2_nan, "max.NaN")
#undef SMSIM_CHOICE

SMSIM_FUNCTION SMSIM_NARROW2 __hadd2_sat(SMSIM_NARROW2 a, SMSIM_NARROW2 b) {
    return {__hadd_sat(a.x, b.x), __hadd_sat(a.y, b.y)};
}
SMSIM_FUNCTION SMSIM_NARROW2 __hsub2_sat(SMSIM_NARROW2 a, SMSIM_NARROW2 b) {
    return {__hsub_sat(a.x, b.x), __hsub_sat(a.y, b.y)};
}
SMSIM_FUNCTION SMSIM_NARROW2 __hmul2_sat(SMSIM_NARROW2 a, SMSIM_NARROW2 b) {
    return {__hmul_sat(a.x, b.x), __hmul_sat(a.y, b.y)};
}
SMSIM_FUNCTION SMSIM_NARROW2 __hfma2_sat(SMSIM_NARROW2 a, SMSIM_NARROW2 b, SMSIM_NARROW2 c) {
    return {__hfma_sat(a.x, b.x, c.x), __hfma_sat(a.y, b.y, c.y)};
}
