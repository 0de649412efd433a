// Parses the command line; the only place that uses CLI11.
#pragma once

#include <variant>

#include "app/options.h"

namespace smsim::app {

/// The parsed command line, or the exit status when nothing remains to do: help and version have been printed on
/// standard output (status 0), a usage error on standard error (kBadInput).
std::variant<CommandLine, int> parse_command_line(int argc, const char *const *argv);

} // namespace smsim::app
