// One clear message and one exit status for every error.
#pragma once

#include <functional>
#include <string>

namespace smsim::app {

/// Calls `body` and returns its exit status. An exception becomes one message on standard error, without control
/// characters, and the status of its kind (exit_status.h): kBadInput for InputError, kInternalError for everything
/// else.
int run_guarded(const std::function<int()> &body);

/// Prints "smsim: error: MESSAGE" on standard error, without control characters other than line ends; returns
/// `status`.
int fail(int status, std::string message);

} // namespace smsim::app
