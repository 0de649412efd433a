// When the fetch unit continues after a jump (timing.md 7): some cycles after the jump takes effect, and later when the
// target's line is not one of those that it has fetched last for the warp. Plain C++.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "model/config/sections/ibuffer.h"
#include "model/config/sections/icache.h"
#include "model/types.h"

namespace smsim::ibuffer {

class Redirect {
  public:
    Redirect(const IBufferConfig &config, const ICacheConfig &cache, unsigned warps)
        : latency_(config.redirect_latency), penalty_(config.redirect_penalty), kept_(config.line_buffer),
          line_bytes_(cache.line_bytes), lines_(penalty_ != 0 ? warps : 0), newest_(lines_.size()) {}

    /// Starts a warp for which nothing has been fetched.
    void start(unsigned warp) {
        if (penalty_ != 0) {
            lines_[warp].clear();
        }
    }
    /// Records the fetch of an instruction of the warp.
    void fetched(unsigned warp, Pc pc) {
        if (penalty_ != 0 && (pc - newest_[warp] >= line_bytes_ || lines_[warp].empty())) { // rarely
            note_line(warp, pc);
        }
    }
    /// A jump of the warp to `target` takes effect: returns the cycles until the target is fetched.
    Cycle jumps(unsigned warp, Pc target) const {
        const bool is_near =
            penalty_ == 0 || std::ranges::find(lines_[warp], target / line_bytes_) != lines_[warp].end();
        return latency_ + (is_near ? 0 : penalty_);
    }
    /// The part of them that belongs to the jump itself.
    Cycle latency() const { return latency_; }

  private:
    /// Records that the line of `pc` is the one fetched last.
    [[gnu::noinline]] void note_line(unsigned warp, Pc pc) {
        std::vector<Pc> &lines = lines_[warp];
        newest_[warp] = pc - pc % line_bytes_;
        const auto found = std::ranges::find(lines, pc / line_bytes_);
        if (found == lines.end()) {
            lines.insert(lines.begin(), pc / line_bytes_);
            lines.resize(std::min<std::size_t>(lines.size(), kept_));
        } else {
            std::rotate(lines.begin(), found, found + 1);
        }
    }

    Cycle latency_;
    Cycle penalty_;
    std::size_t kept_;
    Pc line_bytes_;
    std::vector<std::vector<Pc>> lines_; ///< by warp: the lines fetched last, the newest first
    std::vector<Pc> newest_;             ///< by warp: where the first of these lines begins
};

} // namespace smsim::ibuffer
