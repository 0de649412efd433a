// The special registers of PTX by name, type and components.
#pragma once

#include <optional>
#include <string_view>

#include "ptx/type.h"

namespace smsim::ptx {

struct SpecialRegister {
    std::string_view name;
    std::string_view type;
    bool vector = false;   ///< has components x, y, z, w and is read through them
    unsigned row = 1;      ///< of docs/ptx.md
    unsigned numbered = 0; ///< N when the registers are name0 to name(N-1)
};

/// The special register called `name` (with %); nothing when there is none.
std::optional<SpecialRegister> find_special_register(std::string_view name);

} // namespace smsim::ptx
