// What waveforms are asked for.
#pragma once

#include <string>

#include "sm/timeline/window.h"

namespace smsim::sm::waveforms {

struct Request {
    std::string file;        ///< VCD
    timeline::Window window; ///< cycles in which signals change
};

} // namespace smsim::sm::waveforms
