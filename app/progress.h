// A progress line on the terminal for long runs. It reads the host's clock, but results do not depend on it.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string_view>

#include "model/types.h"

namespace smsim::app {

/// Shows cycles (or another count) and completed CTAs on standard error, only on a terminal, from two seconds after
/// construction, at most five times a second. The line is erased when the object is destroyed.
class Progress {
  public:
    using Clock = std::chrono::steady_clock;
    using Now = std::function<Clock::time_point()>;
    using Sink = std::function<void(std::string_view)>;

    static constexpr std::chrono::milliseconds kFirst{2000};
    static constexpr std::chrono::milliseconds kInterval{200};

    /// Writes to standard error when it is a terminal and `wanted`; otherwise does nothing. `total_ctas` is that of
    /// the launch.
    Progress(std::uint64_t total_ctas, bool wanted, std::string_view unit = "cycles");
    /// Writes to `sink` and takes the time from `now`. `unit` is what `update` counts.
    Progress(std::uint64_t total_ctas, Sink sink, Now now, std::string_view unit = "cycles");
    ~Progress();
    Progress(const Progress &) = delete;
    Progress &operator=(const Progress &) = delete;

    /// Updates the progress. Cheap enough for every completed CTA; reads the host's clock only when shown.
    void update(Cycle cycles, std::uint64_t completed_ctas);

  private:
    std::uint64_t total_ctas_;
    std::string_view unit_;
    Sink sink_; ///< empty: silent
    Now now_;
    Clock::time_point start_;
    Clock::time_point next_;
    std::size_t width_ = 0; ///< columns of the displayed line
};

} // namespace smsim::app
