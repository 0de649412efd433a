// What is unavailable in a session without cycle timing, or whose launches continue in time from their middle.
#pragma once

#include "session/session.h"

namespace smsim {
struct Config;
}

namespace smsim::session {

/// Throws InputError when `options` simulate no CTA in time but ask for something that needs cycles, or `config` has
/// it; the message names it.
void reject_what_needs_timing(const Config &config, const Options &options);
/// Throws InputError when `options` simulate part of a launch in time, for a configuration that hands out CTAs in
/// another order than that of their numbers; and when they let warps continue in time in mid-flight, for anything that
/// cannot take over their state.
void reject_what_needs_a_whole_launch(const Config &config, const Options &options);

} // namespace smsim::session
