// The control state of a warp as text: shared by traces and dumps of states.
#pragma once

#include <cstdint>
#include <string>

#include "model/state/control_snapshot.h"

namespace smsim::views {

/// Adds a member `"name":value`: a mask as "0x" and eight digits, an address or number in decimal, a value that has a
/// name as that name.
void add_value(std::string &text, const ControlField &field, std::uint64_t value);

/// Adds a member for each separate field of `state`, in the engine's order: all except those of banks and the
/// addresses of threads. A list is an array of objects.
void add_fields(std::string &text, const ControlSnapshot &state);

} // namespace smsim::views
