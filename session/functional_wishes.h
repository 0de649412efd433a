// What cannot be had of a session in which nothing has a time, or whose launches go on in time from their middle.
#pragma once

#include "model/config/config.h"
#include "session/session.h"

namespace smsim::session {

/// InputError when `options` simulate no CTA in time and want, or `config` has, what needs cycles: the message names
/// what it is.
void refuse_wishes_without_time(const Config &config, const Options &options);
/// The same where `options` let warps go on in time in mid-flight, for what cannot take their state over.
void refuse_wishes_in_mid_flight(const Config &config, const Options &options);

} // namespace smsim::session
