// A request for waveforms.
#pragma once

#include <string>

#include "views/timeline/window.h"

namespace smsim::views::waveforms {

struct Request {
    std::string file;        ///< VCD
    timeline::Window window; ///< cycles in which signals change
};

} // namespace smsim::views::waveforms
