// Comparisons of numbers of 16 bits. With a NaN those ending in `u` are true, the others false. Included by all.h.

#define SMSIM_COMPARE(name, operation)                                                                                 \
    SMSIM_FUNCTION bool name(SMSIM_NARROW a, SMSIM_NARROW b) {                                                         \
        return SMSIM_NARROW_BITS::to_float(a.__x) operation SMSIM_NARROW_BITS::to_float(b.__x);                        \
    }
SMSIM_COMPARE(__heq, ==)
SMSIM_COMPARE(__hneu, !=)
SMSIM_COMPARE(__hlt, <)
SMSIM_COMPARE(__hle, <=)
SMSIM_COMPARE(__hgt, >)
SMSIM_COMPARE(__hge, >=)
#undef SMSIM_COMPARE

SMSIM_FUNCTION bool __hisnan(SMSIM_NARROW a) {
    return (a.__x & 0x7fffu) > SMSIM_NARROW_BITS::kInfinity;
}
/// 1 for plus infinity, -1 for minus infinity, otherwise 0.
SMSIM_FUNCTION int __hisinf(SMSIM_NARROW a) {
    return (a.__x & 0x7fffu) != SMSIM_NARROW_BITS::kInfinity ? 0 : (a.__x & 0x8000u) != 0 ? -1 : 1;
}

SMSIM_FUNCTION bool __hne(SMSIM_NARROW a, SMSIM_NARROW b) {
    return !__hisnan(a) && !__hisnan(b) && __hneu(a, b);
}
SMSIM_FUNCTION bool __hequ(SMSIM_NARROW a, SMSIM_NARROW b) {
    return !__hne(a, b);
}
SMSIM_FUNCTION bool __hltu(SMSIM_NARROW a, SMSIM_NARROW b) {
    return !__hge(a, b);
}
SMSIM_FUNCTION bool __hleu(SMSIM_NARROW a, SMSIM_NARROW b) {
    return !__hgt(a, b);
}
SMSIM_FUNCTION bool __hgtu(SMSIM_NARROW a, SMSIM_NARROW b) {
    return !__hle(a, b);
}
SMSIM_FUNCTION bool __hgeu(SMSIM_NARROW a, SMSIM_NARROW b) {
    return !__hlt(a, b);
}
