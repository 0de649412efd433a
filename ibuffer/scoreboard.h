// The control-field scoreboards of one warp (encoding.md Fields, `req`, `wsb`, `rsb`) and everything else of the warp
// that ends at a known time.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "model/isa/instruction.h"
#include "model/types.h"

namespace smsim::ibuffer {

/// Six counters. An increment becomes visible two cycles after the issue that caused it; decrements have a time. Also
/// counts memory operations not yet performed, because MEMBAR waits for all of them, and among these the ones with a
/// result, because the end of the warp waits for those (timing.md 9).
class Scoreboards {
  public:
    /// Kind of result that a scoreboard waits for; determines the stall reason.
    enum class Wait : std::uint8_t { kNone, kShort, kLong };

    /// What is released: bit i is scoreboard i, the other bits are defined below.
    using Releases = std::uint16_t;
    static constexpr Releases only(unsigned scoreboard) { return static_cast<Releases>(1U << scoreboard); }
    static constexpr Releases kLoads = 1U << isa::kScoreboards; ///< and atomics: memory operations with a result
    static constexpr Releases kStores = kLoads << 1U;
    static constexpr Releases kMemory = kLoads | kStores;

    /// Clears everything for a new warp.
    void reset() {
        counters_ = {};
        held_ = 0;
        memory_ = 0;
        loads_ = 0;
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
    /// A memory operation was issued; `result`: registers are written when it is performed.
    void hold_memory(bool result) {
        ++memory_;
        loads_ += result ? 1 : 0;
    }
    /// An instruction was accepted whose answer follows while the warp runs on (BAR.ARV, B2R, R2B).
    void hold_answer() { ++others_; }

    /// Scoreboard `index` is released once, at cycle `at`.
    void release_at(unsigned index, bool long_latency, Cycle at) {
        add({at, static_cast<std::uint8_t>(index), long_latency});
    }
    /// Delays the release of scoreboard `index` known for cycle `at`, in the future, by one cycle.
    void postpone(unsigned index, Cycle at) {
        const auto found = std::ranges::find_if(
            releases_, [&](const Release &release) { return release.index == index && release.at == at; });
        if (found != releases_.end()) {
            ++found->at;
        }
    }
    /// One memory operation is performed at cycle `at`.
    void release_memory_at(bool result, Cycle at) { add({at, result ? kLoad : kStore, false}); }
    /// The answer to an instruction of `hold_answer` takes effect at cycle `at`.
    void release_answer_at(Cycle at) { add({at, kOther, false}); }

    /// Applies all releases up to and including cycle `now`.
    void advance(Cycle now) {
        if (now < next_release_) [[likely]] {
            return;
        }
        next_release_ = kNever;
        std::size_t kept = 0;
        for (const Release &release : releases_) {
            if (release.at > now) {
                next_release_ = release.at < next_release_ ? release.at : next_release_;
                releases_[kept++] = release;
            } else if (release.index == kOther) {
                --others_;
            } else if (release.index == kLoad || release.index == kStore) {
                --memory_;
                loads_ -= release.index == kLoad ? 1 : 0;
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

    /// A reason to wait, and the lowest scoreboard that causes it.
    struct Held {
        Wait wait;
        unsigned index;
    };
    /// The reason to wait at `now` for the scoreboards of `required` (bit i: scoreboard i); long waits take precedence.
    Held waits_at(unsigned required, Cycle now) const {
        Held held{Wait::kNone, 0};
        for (unsigned rest = required & held_; rest != 0; rest &= rest - 1) {
            const auto index = static_cast<unsigned>(std::countr_zero(rest));
            const Counter &counter = counters_[index];
            if (now >= counter.visible_at) {
                if (counter.long_count != 0) {
                    return {Wait::kLong, index};
                }
                held = held.wait == Wait::kNone ? Held{Wait::kShort, index} : held;
            }
        }
        return held;
    }
    /// First cycle after `now` at which an increment of `required` becomes visible; kNever when there is none.
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
    /// Whether the answer to an instruction of `hold_answer` has yet to arrive.
    bool awaits_answer() const { return others_ != 0; }
    /// Whether a result of this warp has yet to arrive: until then its slot cannot be reused.
    bool awaits_result() const { return loads_ != 0 || others_ != 0; }
    /// Earliest known release after the last `advance`; kNever when none is known.
    Cycle next_release() const { return next_release_; }
    /// The same for `some` of them.
    Cycle next_release(Releases some) const {
        Cycle next = kNever;
        for (const Release &release : releases_) {
            next = (some & only(release.index)) != 0 && release.at < next ? release.at : next;
        }
        return next;
    }

  private:
    // What can be released besides the counters.
    static constexpr std::uint8_t kLoad = isa::kScoreboards; ///< or an atomic: a memory operation with a result
    static constexpr std::uint8_t kStore = kLoad + 1;
    static constexpr std::uint8_t kOther = kStore + 1;

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

    Cycle next_release_ = kNever;
    unsigned held_ = 0; ///< bit i: counter i is not zero
    unsigned memory_ = 0;
    unsigned loads_ = 0; ///< those with a result
    unsigned others_ = 0;
    std::vector<Release> releases_;
    std::array<Counter, isa::kScoreboards> counters_{};
};

} // namespace smsim::ibuffer
