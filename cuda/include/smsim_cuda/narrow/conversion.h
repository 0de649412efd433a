// Named conversions between the number of 16 bits, pairs of it, float and double. Included by all.h.

/// The exact value.
SMSIM_FUNCTION float SMSIM_NARROW_NAME(__, 2float)(SMSIM_NARROW x) {
    return SMSIM_NARROW_BITS::to_float(x.__x);
}
/// Rounded to nearest even.
SMSIM_FUNCTION SMSIM_NARROW SMSIM_NARROW_NAME(__float2, )(float x) {
    return SMSIM_NUMBER(SMSIM_NARROW_BITS::nearest(x));
}
SMSIM_FUNCTION SMSIM_NARROW SMSIM_NARROW_NAME(__float2, _rn)(float x) {
    return SMSIM_NUMBER(SMSIM_NARROW_BITS::nearest(x));
}
/// Rounded toward zero.
SMSIM_FUNCTION SMSIM_NARROW SMSIM_NARROW_NAME(__float2, _rz)(float x) {
    return SMSIM_NUMBER(SMSIM_NARROW_BITS::toward_zero(x));
}
/// Rounded down.
SMSIM_FUNCTION SMSIM_NARROW SMSIM_NARROW_NAME(__float2, _rd)(float x) {
    return SMSIM_NUMBER(SMSIM_NARROW_BITS::down(x));
}
/// Rounded up.
SMSIM_FUNCTION SMSIM_NARROW SMSIM_NARROW_NAME(__float2, _ru)(float x) {
    return SMSIM_NUMBER(SMSIM_NARROW_BITS::up(x));
}
/// A double, rounded once.
SMSIM_FUNCTION SMSIM_NARROW SMSIM_NARROW_NAME(__double2, )(double x) {
    return SMSIM_NUMBER(SMSIM_NARROW_BITS::nearest(::smsim_cuda::to_odd(x)));
}

/// A pair of two floats, of one float twice, and of the two floats of a float2.
SMSIM_FUNCTION SMSIM_NARROW2 SMSIM_NARROW_NAME(__floats2, 2_rn)(float low, float high) {
    return {SMSIM_NARROW_NAME(__float2, _rn)(low), SMSIM_NARROW_NAME(__float2, _rn)(high)};
}
SMSIM_FUNCTION SMSIM_NARROW2 SMSIM_NARROW_NAME(__float2, 2_rn)(float x) {
    return SMSIM_NARROW_NAME(__floats2, 2_rn)(x, x);
}
SMSIM_FUNCTION SMSIM_NARROW2 SMSIM_NARROW_NAME(__float22, 2_rn)(float2 x) {
    return SMSIM_NARROW_NAME(__floats2, 2_rn)(x.x, x.y);
}
/// Both numbers of a pair as floats, its lower one, and its upper one.
SMSIM_FUNCTION float2 SMSIM_NARROW_NAME(__, 22float2)(SMSIM_NARROW2 x) {
    return {SMSIM_NARROW_NAME(__, 2float)(x.x), SMSIM_NARROW_NAME(__, 2float)(x.y)};
}
SMSIM_FUNCTION float __low2float(SMSIM_NARROW2 x) {
    return SMSIM_NARROW_NAME(__, 2float)(x.x);
}
SMSIM_FUNCTION float __high2float(SMSIM_NARROW2 x) {
    return SMSIM_NARROW_NAME(__, 2float)(x.y);
}

/// A pair of one number twice, and of two numbers.
SMSIM_FUNCTION SMSIM_NARROW2 SMSIM_NARROW_NAMES(__, 2, 2)(SMSIM_NARROW x) {
    return {x, x};
}
SMSIM_FUNCTION SMSIM_NARROW2 SMSIM_NARROW_NAME(__halves2, 2)(SMSIM_NARROW low, SMSIM_NARROW high) {
    return {low, high};
}
SMSIM_FUNCTION SMSIM_NARROW2 SMSIM_NARROW_NAME(make_, 2)(SMSIM_NARROW low, SMSIM_NARROW high) {
    return {low, high};
}
/// The lower number of a pair, and the upper one.
SMSIM_FUNCTION SMSIM_NARROW SMSIM_NARROW_NAME(__low2, )(SMSIM_NARROW2 x) {
    return x.x;
}
SMSIM_FUNCTION SMSIM_NARROW SMSIM_NARROW_NAME(__high2, )(SMSIM_NARROW2 x) {
    return x.y;
}
/// A pair of the lower number twice, and of the upper one twice.
SMSIM_FUNCTION SMSIM_NARROW2 SMSIM_NARROW_NAME(__low2, 2)(SMSIM_NARROW2 x) {
    return {x.x, x.x};
}
SMSIM_FUNCTION SMSIM_NARROW2 SMSIM_NARROW_NAME(__high2, 2)(SMSIM_NARROW2 x) {
    return {x.y, x.y};
}
/// The lower numbers of two pairs, and the upper ones.
SMSIM_FUNCTION SMSIM_NARROW2 SMSIM_NARROW_NAME(__lows2, 2)(SMSIM_NARROW2 a, SMSIM_NARROW2 b) {
    return {a.x, b.x};
}
SMSIM_FUNCTION SMSIM_NARROW2 SMSIM_NARROW_NAME(__highs2, 2)(SMSIM_NARROW2 a, SMSIM_NARROW2 b) {
    return {a.y, b.y};
}
/// The pair in the other order.
SMSIM_FUNCTION SMSIM_NARROW2 __lowhigh2highlow(SMSIM_NARROW2 x) {
    return {x.y, x.x};
}

/// The bits as a whole number, and the number with these bits.
SMSIM_FUNCTION short SMSIM_NARROW_NAME(__, _as_short)(SMSIM_NARROW x) {
    return (short)x.__x;
}
SMSIM_FUNCTION unsigned short SMSIM_NARROW_NAME(__, _as_ushort)(SMSIM_NARROW x) {
    return x.__x;
}
SMSIM_FUNCTION SMSIM_NARROW SMSIM_NARROW_NAME(__short_as_, )(short bits) {
    return SMSIM_NUMBER((unsigned short)bits);
}
SMSIM_FUNCTION SMSIM_NARROW SMSIM_NARROW_NAME(__ushort_as_, )(unsigned short bits) {
    return SMSIM_NUMBER(bits);
}
