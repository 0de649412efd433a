// One clear message and one exit status for whatever goes wrong.
#pragma once

#include <functional>
#include <string>

namespace smsim::app {

/// Calls `body` and gives its exit status. An exception becomes one message on standard error, without control
/// characters, and the status of its kind (exit_status.h): InputError kBadInput, everything else kInternalError.
int run_guarded(const std::function<int()> &body);

/// Prints "smsim: error: MESSAGE" on standard error, without control characters other than ends of lines; gives
/// `status`.
int fail(int status, std::string message);

} // namespace smsim::app
