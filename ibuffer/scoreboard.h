// The control-field scoreboards of one warp (encoding.md req, wsb, rsb) and everything else that ends at a known time.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "model/isa/instruction.h"
#include "model/types.h"

namespace smsim::ibuffer {

/// Six counters. An increment becomes visible two cycles after the issue that caused it; decrements have a time.
/// Outstanding memory operations are counted beside them, because a barrier waits for all of them (bcu.md memory
/// order).
class Scoreboards {
  public:
    /// Kind of result that a scoreboard waits for; decides the stall reason.
    enum class Wait : std::uint8_t { kNone, kShort, kLong };

    /// Clears everything for a new warp.
    void reset() {
        counters_ = {};
        held_ = 0;
        memory_ = 0;
        others_ = 0;
        releases_.clear();
        next_release_ = kNever;
    }

    /// The instruction issued at `now` holds scoreboard `index` (0..5) until it is released.
    void hold(unsigned index, bool long_latency, Cycle now) {
        Counter &counter = counters_[index];
        if (counter.count == 0) {
            counter.visible_at = now + 2;
        }
        ++counter.count;
        held_ |= 1U << index;
        counter.long_count = static_cast<std::uint16_t>(counter.long_count + (long_latency ? 1 : 0));
    }
    /// A memory operation was issued.
    void hold_memory() { ++memory_; }
    /// Another instruction was accepted whose answer follows while the warp runs on (BAR.ARV, B2R, R2B).
    void hold_answer() { ++others_; }

    /// Scoreboard `index` is released once at cycle `at`.
    void release_at(unsigned index, bool long_latency, Cycle at) {
        add({at, static_cast<std::uint8_t>(index), long_latency});
    }
    /// One memory operation is performed at cycle `at`.
    void release_memory_at(Cycle at) { add({at, kMemory, false}); }
    /// The answer of one other instruction takes effect at cycle `at`.
    void release_answer_at(Cycle at) { add({at, kOther, false}); }

    /// Applies all releases up to and including cycle `now`.
    void advance(Cycle now) {
        if (now < next_release_) {
            return;
        }
        next_release_ = kNever;
        std::size_t kept = 0;
        for (const Release &release : releases_) {
            if (release.at > now) {
                next_release_ = release.at < next_release_ ? release.at : next_release_;
                releases_[kept++] = release;
            } else if (release.index == kMemory) {
                --memory_;
            } else if (release.index == kOther) {
                --others_;
            } else {
                Counter &counter = counters_[release.index];
                if (--counter.count == 0) {
                    held_ &= ~(1U << release.index);
                }
                counter.long_count = static_cast<std::uint16_t>(counter.long_count - (release.long_latency ? 1 : 0));
            }
        }
        releases_.resize(kept);
    }

    /// The reason to wait at `now` for the scoreboards of `required` (bit i: scoreboard i).
    Wait waits_for(unsigned required, Cycle now) const {
        Wait wait = Wait::kNone;
        for (unsigned rest = required & held_; rest != 0; rest &= rest - 1) {
            const Counter &counter = counters_[static_cast<unsigned>(std::countr_zero(rest))];
            if (now >= counter.visible_at) {
                if (counter.long_count != 0) {
                    return Wait::kLong;
                }
                wait = Wait::kShort;
            }
        }
        return wait;
    }
    /// First cycle after `now` at which an increment of `required` becomes visible; kNever when none is on its way.
    Cycle next_visible(unsigned required, Cycle now) const {
        Cycle next = kNever;
        for (unsigned rest = required & held_; rest != 0; rest &= rest - 1) {
            const Counter &counter = counters_[static_cast<unsigned>(std::countr_zero(rest))];
            if (counter.visible_at > now && counter.visible_at < next) {
                next = counter.visible_at;
            }
        }
        return next;
    }
    /// Memory operations issued and not yet performed.
    unsigned outstanding_memory() const { return memory_; }
    /// True while the answer of an instruction of `hold_answer` is still to come.
    bool awaits_answer() const { return others_ != 0; }
    /// Everything issued whose end is still to come: the warp's slot cannot be given away before.
    bool idle() const { return memory_ == 0 && others_ == 0; }
    /// Earliest known release after the last `advance`; kNever when none is known.
    Cycle next_release() const { return next_release_; }

  private:
    static constexpr std::uint8_t kMemory = isa::kScoreboards;
    static constexpr std::uint8_t kOther = kMemory + 1;

    struct Counter {
        std::uint16_t count = 0;
        std::uint16_t long_count = 0;
        Cycle visible_at = 0;
    };
    struct Release {
        Cycle at;
        std::uint8_t index;
        bool long_latency;
    };

    void add(Release release) {
        next_release_ = release.at < next_release_ ? release.at : next_release_;
        releases_.push_back(release);
    }

    std::array<Counter, isa::kScoreboards> counters_{};
    unsigned held_ = 0; ///< bit i: counter i is not zero
    unsigned memory_ = 0;
    unsigned others_ = 0;
    std::vector<Release> releases_;
    Cycle next_release_ = kNever;
};

} // namespace smsim::ibuffer
