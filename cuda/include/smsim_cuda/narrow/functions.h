// Functions of numbers of 16 bits and, as `h2NAME`, of pairs: computed in single precision (smsim_cuda/math.h) and
// rounded again. Included by all.h.

// A function and its relative for pairs; `expression` has the argument as the float x.
#define SMSIM_OF_ONE(name, expression)                                                                                 \
    SMSIM_FUNCTION SMSIM_NARROW h##name(SMSIM_NARROW a) {                                                              \
        const float x = SMSIM_NARROW_BITS::to_float(a.__x);                                                            \
        return SMSIM_NUMBER(SMSIM_NARROW_BITS::nearest(expression));                                                   \
    }                                                                                                                  \
    SMSIM_FUNCTION SMSIM_NARROW2 h2##name(SMSIM_NARROW2 a) {                                                           \
        return {h##name(a.x), h##name(a.y)};                                                                           \
    }

/// Root and reciprocal root, reciprocal.
SMSIM_OF_ONE(sqrt, sqrtf(x))
SMSIM_OF_ONE(rsqrt, rsqrtf(x))
SMSIM_OF_ONE(rcp, __fdiv_rn(1.0f, x))
/// Powers of e, 2 and 10.
SMSIM_OF_ONE(exp, expf(x))
SMSIM_OF_ONE(exp2, exp2f(x))
SMSIM_OF_ONE(exp10, exp2f(x * 0x1.a934fp+1f))
/// Logarithms to the bases e, 2 and 10.
SMSIM_OF_ONE(log, logf(x))
SMSIM_OF_ONE(log2, log2f(x))
SMSIM_OF_ONE(log10, log2f(x) * 0x1.344136p-2f)
/// Sine and cosine.
SMSIM_OF_ONE(sin, sinf(x))
SMSIM_OF_ONE(cos, cosf(x))
/// Whole numbers: down, up, toward zero, to nearest even.
SMSIM_OF_ONE(floor, floorf(x))
SMSIM_OF_ONE(ceil, ceilf(x))
SMSIM_OF_ONE(trunc, truncf(x))
SMSIM_OF_ONE(rint, rintf(x))

#undef SMSIM_OF_ONE

/// Hyperbolic tangent, by the approximate instruction.
SMSIM_FUNCTION SMSIM_NARROW htanh(SMSIM_NARROW a) {
    float result;
    asm("tanh.approx.f32 %0, %1;" : "=f"(result) : "f"(SMSIM_NARROW_BITS::to_float(a.__x)));
    return SMSIM_NUMBER(SMSIM_NARROW_BITS::nearest(result));
}
SMSIM_FUNCTION SMSIM_NARROW2 h2tanh(SMSIM_NARROW2 a) {
    return {htanh(a.x), htanh(a.y)};
}
SMSIM_FUNCTION SMSIM_NARROW htanh_approx(SMSIM_NARROW a) {
    return htanh(a);
}
SMSIM_FUNCTION SMSIM_NARROW2 h2tanh_approx(SMSIM_NARROW2 a) {
    return h2tanh(a);
}
