// Runs a test case on the scalar oracle.
#pragma once

#include <cstdint>

#include "model/program/program.h"
#include "tb/fuzz/programs/case.h"
#include "tb/fuzz/programs/outcome.h"

namespace smsim::fuzz {

/// The outcome with the interleaving of `seed`; for `call_limit` see `oracle::Launch`.
Outcome run_oracle(const Case &test, const Program &program, std::uint64_t seed, std::uint32_t call_limit = 0);

/// Byte address of the trap handler of a program; -1 without one.
std::int64_t trap_handler_of(const Case &test, const Program &program);

} // namespace smsim::fuzz
