// Buffers of a launch file in a session: created before its first launch, and read after its last one.
#pragma once

#include <cstdint>
#include <span>

#include "model/launch/layout.h"
#include "session/session.h"

namespace smsim::session {

/// Maps the buffers among `arguments` where `layout` has put them, and fills them; local memory is placed after them.
/// False: `Options::stop` ended it between two pieces of contents, and the rest are zeros. Throws InputError when they
/// do not fit into the address window, or a file cannot be read or has the wrong size.
bool make_buffers(Session &session, std::span<const launch::Argument> arguments, const launch::BufferLayout &layout);

} // namespace smsim::session
