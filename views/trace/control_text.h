// The control state of a warp as text: what traces and dumps of states share.
#pragma once

#include <cstdint>
#include <string>

#include "model/state/control_snapshot.h"

namespace smsim::views {

/// Adds a member `"name":value`: a mask as "0x" and eight digits, an address or number in decimal, a value that has a
/// name as that.
void add_value(std::string &text, const ControlField &field, std::uint64_t value);

/// Adds a member for each field of `state` that stands alone, in the engine's order: all but those of banks and the
/// addresses of threads. A list is an array of objects.
void add_fields(std::string &text, const ControlSnapshot &state);

} // namespace smsim::views
