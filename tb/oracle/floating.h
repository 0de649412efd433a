// Single-precision operations of one thread with the host's arithmetic: rounding to nearest even, subnormals kept.
#pragma once

#include "tb/oracle/step.h"

namespace smsim::oracle {

/// Executes FADD, FMUL, FFMA or FSETP without rounding modifier, .FTZ and .SAT.
void execute_float(const Step &step, std::uint32_t *row, std::uint8_t &predicates);

/// How the sources of FSETP compare: none of these if a is greater.
struct FloatOrder {
    bool less = false;
    bool equal = false;
    bool unordered = false;
};
FloatOrder float_order(const Step &step, const std::uint32_t *row);

/// The bits of a result; every NaN becomes the canonical one.
std::uint32_t float_bits(float value);
/// The number of these bits.
float to_float(std::uint32_t bits);
/// The same in double precision.
std::uint64_t double_bits(double value);
double to_double(std::uint64_t bits);

} // namespace smsim::oracle
