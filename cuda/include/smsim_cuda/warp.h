// Functions between the lanes of a warp. Each names the lanes that take part; these synchronise first.
#pragma once

#include "smsim_cuda/language.h"

#if defined(__clang__) && !defined(__NVCC__)

// Shuffles: the value of another lane, within segments of `width` lanes (a power of two); a source outside the segment
// gives the own value. The bounds operand of PTX has the segment mask in bits 8 to 12 and the clamp in bits 0 to 4.
#define SMSIM_SHUFFLE(name, mode, clamp, operand)                                                                      \
    SMSIM_FUNCTION int name(unsigned mask, int value, operand, int width = 32) {                                       \
        int result;                                                                                                    \
        asm volatile("shfl.sync." mode ".b32 %0, %1, %2, %3, %4;"                                                      \
                     : "=r"(result)                                                                                    \
                     : "r"(value), "r"(source), "r"(((32 - width) << 8) | clamp), "r"(mask));                          \
        return result;                                                                                                 \
    }                                                                                                                  \
    SMSIM_FUNCTION unsigned name(unsigned mask, unsigned value, operand, int width = 32) {                             \
        return (unsigned)name(mask, (int)value, source, width);                                                        \
    }                                                                                                                  \
    SMSIM_FUNCTION float name(unsigned mask, float value, operand, int width = 32) {                                   \
        return __builtin_bit_cast(float, name(mask, __builtin_bit_cast(int, value), source, width));                   \
    }                                                                                                                  \
    SMSIM_FUNCTION unsigned long long name(unsigned mask, unsigned long long value, operand, int width = 32) {         \
        const unsigned low = name(mask, (unsigned)value, source, width);                                               \
        const unsigned high = name(mask, (unsigned)(value >> 32), source, width);                                      \
        return ((unsigned long long)high << 32) | low;                                                                 \
    }                                                                                                                  \
    SMSIM_FUNCTION long long name(unsigned mask, long long value, operand, int width = 32) {                           \
        return (long long)name(mask, (unsigned long long)value, source, width);                                        \
    }                                                                                                                  \
    SMSIM_FUNCTION double name(unsigned mask, double value, operand, int width = 32) {                                 \
        return __builtin_bit_cast(double, name(mask, __builtin_bit_cast(unsigned long long, value), source, width));   \
    }

/// The value of lane `source` of the segment, modulo its width.
SMSIM_SHUFFLE(__shfl_sync, "idx", 31, int source)
/// The value of the lane `source` positions below.
SMSIM_SHUFFLE(__shfl_up_sync, "up", 0, unsigned source)
/// The value of the lane `source` positions above.
SMSIM_SHUFFLE(__shfl_down_sync, "down", 31, unsigned source)
/// The value of the lane whose number differs in the bits of `source`.
SMSIM_SHUFFLE(__shfl_xor_sync, "bfly", 31, int source)

#undef SMSIM_SHUFFLE

/// Lanes of the mask whose predicate is not 0.
SMSIM_FUNCTION unsigned __ballot_sync(unsigned mask, int predicate) {
    unsigned lanes;
    asm volatile("{ .reg .pred p; setp.ne.s32 p, %1, 0; vote.sync.ballot.b32 %0, p, %2; }"
                 : "=r"(lanes)
                 : "r"(predicate), "r"(mask));
    return lanes;
}

/// 1 when the predicate of some lane is not 0.
SMSIM_FUNCTION int __any_sync(unsigned mask, int predicate) {
    int any;
    asm volatile("{ .reg .pred p, q; setp.ne.s32 p, %1, 0; vote.sync.any.pred q, p, %2; selp.s32 %0, 1, 0, q; }"
                 : "=r"(any)
                 : "r"(predicate), "r"(mask));
    return any;
}

/// 1 when the predicate of all lanes is not 0.
SMSIM_FUNCTION int __all_sync(unsigned mask, int predicate) {
    int all;
    asm volatile("{ .reg .pred p, q; setp.ne.s32 p, %1, 0; vote.sync.all.pred q, p, %2; selp.s32 %0, 1, 0, q; }"
                 : "=r"(all)
                 : "r"(predicate), "r"(mask));
    return all;
}

/// Lanes that execute this together with the caller; there may be fewer than possible.
SMSIM_FUNCTION unsigned __activemask() {
    unsigned lanes;
    asm volatile("activemask.b32 %0;" : "=r"(lanes));
    return lanes;
}

/// Lanes of the mask with the same value as the caller.
SMSIM_FUNCTION unsigned __match_any_sync(unsigned mask, unsigned value) {
    unsigned lanes;
    asm volatile("match.any.sync.b32 %0, %1, %2;" : "=r"(lanes) : "r"(value), "r"(mask));
    return lanes;
}
SMSIM_FUNCTION unsigned __match_any_sync(unsigned mask, int value) {
    return __match_any_sync(mask, (unsigned)value);
}
SMSIM_FUNCTION unsigned __match_any_sync(unsigned mask, unsigned long long value) {
    unsigned lanes;
    asm volatile("match.any.sync.b64 %0, %1, %2;" : "=r"(lanes) : "l"(value), "r"(mask));
    return lanes;
}

/// Returns the mask, with 1 in `agree`, when all lanes have the same value; otherwise 0 and 0.
SMSIM_FUNCTION unsigned __match_all_sync(unsigned mask, unsigned value, int *agree) {
    unsigned lanes;
    int all;
    asm volatile("{ .reg .pred p; match.all.sync.b32 %0|p, %2, %3; selp.s32 %1, 1, 0, p; }"
                 : "=r"(lanes), "=r"(all)
                 : "r"(value), "r"(mask));
    *agree = all;
    return lanes;
}
SMSIM_FUNCTION unsigned __match_all_sync(unsigned mask, int value, int *agree) {
    return __match_all_sync(mask, (unsigned)value, agree);
}

#if __CUDA_ARCH__ >= 800

// Reductions over the lanes of the mask; each lane gets the result. Compile for sm_80: PTX has redux.sync from there
// on.
#define SMSIM_REDUCE(name, operation, type)                                                                            \
    SMSIM_FUNCTION type name(unsigned mask, type value) {                                                              \
        type result;                                                                                                   \
        asm volatile("redux.sync." operation " %0, %1, %2;" : "=r"(result) : "r"(value), "r"(mask));                   \
        return result;                                                                                                 \
    }

SMSIM_REDUCE(__reduce_add_sync, "add.u32", unsigned)
SMSIM_REDUCE(__reduce_min_sync, "min.u32", unsigned)
SMSIM_REDUCE(__reduce_max_sync, "max.u32", unsigned)
SMSIM_REDUCE(__reduce_add_sync, "add.s32", int)
SMSIM_REDUCE(__reduce_min_sync, "min.s32", int)
SMSIM_REDUCE(__reduce_max_sync, "max.s32", int)
SMSIM_REDUCE(__reduce_and_sync, "and.b32", unsigned)
SMSIM_REDUCE(__reduce_or_sync, "or.b32", unsigned)
SMSIM_REDUCE(__reduce_xor_sync, "xor.b32", unsigned)

#undef SMSIM_REDUCE

#endif

#endif
