// How coarse a timeline is: anything shorter than a number of cycles is joined with what follows. Unless given by the
// user, the number grows with the file, so that long runs have files that viewers can open.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "model/types.h"

namespace smsim::views::timeline {

/// A factor that is 1 while a file is small, and then doubles with every given number of bytes.
class GrowthFactor {
  public:
    /// `small`: bytes up to which the file is small; `step`: bytes after each of which the factor doubles from there.
    constexpr GrowthFactor(std::uint64_t small, std::uint64_t step) : next_(small), step_(step) {}
    /// The file has `bytes` by now.
    void reach(std::uint64_t bytes) {
        while (bytes >= next_) {
            factor_ = std::min(factor_ * 2, kMost);
            next_ += step_;
        }
    }
    std::uint64_t value() const { return factor_; }

  private:
    static constexpr std::uint64_t kMost = std::uint64_t{1} << 32U;
    std::uint64_t factor_ = 1;
    std::uint64_t next_;
    std::uint64_t step_;
};

class Joining {
  public:
    /// Least cycles of a slice that is ended by the next charge of the same instruction, while a file is small.
    static constexpr Cycle kDefault = 16;
    /// Divisor of the limit for slices that another instruction ends.
    static constexpr Cycle kOthers = 16;

    /// Least cycles, 1 or more; none: kDefault, and more as the file grows.
    explicit Joining(std::optional<Cycle> least = std::nullopt)
        : least_(least.value_or(kDefault)), grows_(!least.has_value()) {}

    /// The file has `bytes` by now.
    void reach(std::uint64_t bytes) {
        if (grows_) {
            growth_.reach(bytes);
            least_ = kDefault * growth_.value();
        }
    }
    /// Whether what began at `begin` is joined with what begins at `at`, of the same instruction or of another one.
    bool takes(Cycle begin, Cycle at, bool is_same) const { return at - begin < (is_same ? least_ : least_ / kOthers); }
    Cycle least() const { return least_; }
    bool grows() const { return grows_; }

  private:
    Cycle least_;
    bool grows_;
    GrowthFactor growth_{24'000'000, 6'000'000};
};

} // namespace smsim::views::timeline
