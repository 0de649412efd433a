// Comparisons of pairs, number by number. `__hOP2` gives 1 where it holds and else 0, `__hOP2_mask` ones in all 16 bits
// where it holds, `__hbOP2` whether it holds for both. Included by all.h.

#define SMSIM_COMPARE(operation)                                                                                       \
    SMSIM_FUNCTION SMSIM_NARROW2 __h##operation##2(SMSIM_NARROW2 a, SMSIM_NARROW2 b) {                                 \
        return SMSIM_PAIR((__h##operation(a.x, b.x) ? SMSIM_NARROW_BITS::kOne : 0u) |                                  \
                          (__h##operation(a.y, b.y) ? (unsigned)SMSIM_NARROW_BITS::kOne << 16 : 0u));                  \
    }                                                                                                                  \
    SMSIM_FUNCTION unsigned __h##operation##2_mask(SMSIM_NARROW2 a, SMSIM_NARROW2 b) {                                 \
        return (__h##operation(a.x, b.x) ? 0xffffu : 0u) | (__h##operation(a.y, b.y) ? 0xffff0000u : 0u);              \
    }                                                                                                                  \
    SMSIM_FUNCTION bool __hb##operation##2(SMSIM_NARROW2 a, SMSIM_NARROW2 b) {                                         \
        return __h##operation(a.x, b.x) && __h##operation(a.y, b.y);                                                   \
    }
SMSIM_COMPARE(eq)
SMSIM_COMPARE(ne)
SMSIM_COMPARE(lt)
SMSIM_COMPARE(le)
SMSIM_COMPARE(gt)
SMSIM_COMPARE(ge)
SMSIM_COMPARE(equ)
SMSIM_COMPARE(neu)
SMSIM_COMPARE(ltu)
SMSIM_COMPARE(leu)
SMSIM_COMPARE(gtu)
SMSIM_COMPARE(geu)
#undef SMSIM_COMPARE

/// 1 where the pair has a NaN, else 0.
SMSIM_FUNCTION SMSIM_NARROW2 __hisnan2(SMSIM_NARROW2 a) {
    return SMSIM_PAIR((__hisnan(a.x) ? SMSIM_NARROW_BITS::kOne : 0u) |
                      (__hisnan(a.y) ? (unsigned)SMSIM_NARROW_BITS::kOne << 16 : 0u));
}
