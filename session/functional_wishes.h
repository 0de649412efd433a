// What cannot be had of a session in which nothing has a time.
#pragma once

#include "model/config/config.h"
#include "session/session.h"

namespace smsim::session {

/// InputError when `options` simulate no CTA in time and want, or `config` has, what needs cycles: the message names
/// what it is.
void refuse_wishes_without_time(const Config &config, const Options &options);

} // namespace smsim::session
