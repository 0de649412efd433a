// The reconvergence engine that a program is written for: its control instructions have a meaning only there
// (engines.md Engines 2).
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "model/config/config.h"
#include "model/program/program.h"

namespace smsim {

/// Names of the available engines, as `bru.engine` takes them.
std::span<const std::string_view> engine_names();

/// Whether there is an engine of that name.
bool is_engine_name(std::string_view name);

/// Why `program` cannot run on an SM of this configuration: names the program, its engine, and that of the SM. Empty
/// when both have the same.
std::string engine_mismatch(const Program &program, const Config &config);

} // namespace smsim
