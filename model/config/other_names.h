// What architects call things that this configuration names otherwise, or that are no choice here.
#pragma once

#include <string_view>

namespace smsim {

/// For the key or section `name`, which does not exist: which keys set what it usually means, or why there is none.
/// Empty when the name is not known as another one.
std::string_view other_name(std::string_view name);

} // namespace smsim
