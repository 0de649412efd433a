// Draws the progress line.
#include "app/progress.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>

#include <fmt/format.h>

namespace smsim::app {

Progress::Progress(std::uint64_t total_ctas, bool wanted, std::string_view unit)
    : Progress(
          total_ctas,
          wanted && isatty(STDERR_FILENO) != 0 ? Sink([](std::string_view text) {
              std::fwrite(text.data(), 1, text.size(), stderr);
              std::fflush(stderr);
          })
                                               : Sink(),
          [] { return Clock::now(); }, unit) {}

Progress::Progress(std::uint64_t total_ctas, Sink sink, Now now, std::string_view unit)
    : total_ctas_(total_ctas), unit_(unit), sink_(std::move(sink)), now_(std::move(now)) {
    if (sink_) {
        start_ = now_();
        next_ = start_ + kFirst;
    }
}

Progress::~Progress() {
    if (width_ != 0) {
        sink_(fmt::format("\r{:{}}\r", "", width_));
    }
}

void Progress::update(Cycle cycles, std::uint64_t completed_ctas) {
    if (!sink_) {
        return;
    }
    const Clock::time_point now = now_();
    if (now < next_) {
        return;
    }
    next_ = now + kInterval;
    const double seconds = std::chrono::duration<double>(now - start_).count();
    const std::string line = fmt::format("{} {}, {} of {} CTAs, {:.0f} s, {:.0f} k{}/s", cycles, unit_, completed_ctas,
                                         total_ctas_, seconds, static_cast<double>(cycles) / seconds / 1000, unit_);
    width_ = std::max(width_, line.size());
    sink_(fmt::format("\r{:<{}}", line, width_)); // blanks erase the rest of a longer line
}

} // namespace smsim::app
