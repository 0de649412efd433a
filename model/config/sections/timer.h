// The sleep timer.
#pragma once

#include <cstdint>

#include "model/config/implementation.h"

namespace smsim {

struct TimerConfig {
    Implementation implementation{};
    std::uint32_t granularity = 1; ///< cycles; an expiry is rounded up to a multiple
};

} // namespace smsim
