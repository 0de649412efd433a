// What a program needs of the branch unit: the reconvergence engine that it is written for, because its control
// instructions have a meaning only there (engines.md Engines 2), and convergence barriers.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "model/program/program.h"

namespace smsim {

struct Config;

/// Names of the available engines, as `bru.engine` takes them.
std::span<const std::string_view> engine_names();

/// Whether there is an engine of that name.
bool is_engine_name(std::string_view name);

/// Why `program` cannot run on an SM of this configuration: names the program, its engine, and that of the SM. Empty
/// when both have the same.
std::string engine_mismatch(const Program &program, const Config &config);

/// Why `kernel` cannot run with the convergence barriers of this configuration (`bru.convergence_barriers`): names the
/// instruction with the highest one. Empty when all are there.
std::string barrier_shortage(const Program &program, const Kernel &kernel, const Config &config);

} // namespace smsim
