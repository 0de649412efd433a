// Instructions of single and double precision by subject; `select_float` (selector.h) chooses among them.
#pragma once

#include <string>

#include "ptx/select/sequence.h"

namespace smsim::ptx::select {

/// The model's modifier for the written rounding: "" for to nearest even, ".RZ", ".RM", ".RP".
std::string rounding_of(const Selection &in);

/// ".FTZ" if .ftz is written.
std::string flush_of(const Selection &in);

/// a, with subnormal single-precision numbers as zeros of their sign if .ftz is written.
Operand flushed(Selector &s, const Selection &in, const Operand &a);

/// The single-precision number a between -bound and bound, given by its bits; of a NaN one of the two.
Operand within(Selector &s, const Operand &a, std::uint32_t bound);

/// A double as sign and fraction with the exponent 0, and its exponent separately.
struct NormalDouble {
    Operand fraction; ///< +-[1, 2); zeros, infinities and NaNs unchanged
    Operand exponent; ///< biased, times 2^20, as in the upper word; of subnormal numbers less than that
    Operand special;  ///< predicate: zero, infinity or NaN
};
NormalDouble normalise(Selector &s, const Operand &a);

// float_single.cpp: rcp, sqrt and div of single precision in every rounding; the approximate functions.
void select_single_function(Selector &s, const Selection &in);
/// tanh(a) of single precision, relative error below 2^-11.
Operand hyperbolic_tangent(Selector &s, const Operand &a);

// float_double.cpp: rcp, rsqrt, sqrt and div of double precision.
void select_double_function(Selector &s, const Selection &in);

} // namespace smsim::ptx::select
