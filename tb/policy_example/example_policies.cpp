// Policies in a shared library, as a template for one's own (docs/replacing-a-part.md):
//
//     g++ -std=c++20 -O2 -fPIC -shared -I SMSIM/include example_policies.cpp -o libexample_policies.so
//     smsim run --set l1.replacement=library:libexample_policies.so:newest launch.yaml
//
// One library may export any of the functions at its end.
#include <algorithm>
#include <charconv>
#include <cstddef>
#include <string>
#include <vector>

#include "bru/engines/convergence_barrier/path_choice.h"
#include "memory/l1/bypass.h"
#include "memory/l1/replacement.h"
#include "model/error.h"
#include "sm/dispatch/cta_distribution.h"

namespace {

using smsim::InputError;
using smsim::PolicyRequest;
namespace barrier = smsim::bru::convergence_barrier;
namespace l1 = smsim::memory::l1;

/// Replaces the line that was used last ("newest"), which keeps part of a loop over more data than fits, or the one
/// that was used longest ago ("oldest"), which is what the cache does without a library.
class ByLastUse final : public l1::Replacement {
  public:
    explicit ByLastUse(const PolicyRequest &request)
        : ways_(request.ways), newest_(request.parameters == "newest"),
          last_use_(std::size_t{request.sets} * request.ways) {
        if (!newest_ && request.parameters != "oldest") {
            throw InputError("l1.replacement: '" + request.parameters + "'; expected newest or oldest");
        }
    }
    void used(const l1::LinePlace &place) override { touch(place); }
    void installed(const l1::LinePlace &place) override { touch(place); }
    void extended(const l1::LinePlace &place) override { touch(place); }
    std::uint32_t victim(std::uint32_t set, std::uint64_t) override {
        const auto first = last_use_.begin() + static_cast<std::ptrdiff_t>(std::size_t{set} * ways_);
        const auto [oldest, newest] = std::minmax_element(first, first + ways_);
        return static_cast<std::uint32_t>((newest_ ? newest : oldest) - first);
    }

  private:
    void touch(const l1::LinePlace &place) { last_use_[std::size_t{place.set} * ways_ + place.way] = ++uses_; }

    std::uint32_t ways_;
    bool newest_;
    std::vector<std::uint64_t> last_use_; ///< set by set
    std::uint64_t uses_ = 0;
};

/// Forwards the reads of accesses with more transactions than the number in the parameters.
class Scattered final : public l1::Bypass {
  public:
    explicit Scattered(const PolicyRequest &request) {
        const char *const end = request.parameters.data() + request.parameters.size();
        const auto [rest, error] = std::from_chars(request.parameters.data(), end, most_);
        if (error != std::errc() || rest != end) {
            throw InputError("l1.bypass: '" + request.parameters + "'; expected a number of transactions");
        }
    }
    bool bypasses(const l1::Read &read) override { return read.transactions > most_; }

  private:
    std::uint32_t most_ = 0;
};

/// The even CTAs first, then the odd ones.
class EvenFirst final : public smsim::sm::CtaDistribution {
  public:
    void begin(const std::array<std::uint32_t, 3> &ctas, std::uint32_t) override {
        count_ = std::uint64_t{ctas[0]} * ctas[1] * ctas[2];
        next_ = 0;
    }
    std::uint64_t next(std::uint32_t) override {
        const std::uint64_t number = next_;
        next_ += 2;
        if (next_ >= count_ && next_ % 2 == 0) {
            next_ = 1;
        }
        return number;
    }

  private:
    std::uint64_t count_ = 0;
    std::uint64_t next_ = 0;
};

/// The path at the lowest address ("lowest_address"), so that threads that are late reach a join before others go on,
/// or that of the lowest lane ("lowest_lane"), which is what the branch unit does without a library.
class LowestFirst final : public barrier::PathChoice {
  public:
    explicit LowestFirst(const PolicyRequest &request) : by_address_(request.parameters == "lowest_address") {
        if (!by_address_ && request.parameters != "lowest_lane") {
            throw InputError("bru.election: '" + request.parameters + "'; expected lowest_address or lowest_lane");
        }
    }
    std::size_t choose(smsim::WarpSlot, std::span<const barrier::Path> paths) override {
        const auto lowest = std::ranges::min_element(paths, {}, &barrier::Path::pc);
        return by_address_ ? static_cast<std::size_t>(lowest - paths.begin()) : 0;
    }

  private:
    bool by_address_;
};

template <typename Interface, typename Own> const smsim::PolicyLibrary<Interface> *library_of() {
    static const smsim::PolicyLibrary<Interface> library{smsim::kPolicyLibraryVersion,
                                                         [](const PolicyRequest &request) -> Interface * {
                                                             if constexpr (requires { Own(request); }) {
                                                                 return new Own(request);
                                                             } else {
                                                                 return new Own;
                                                             }
                                                         }};
    return &library;
}

} // namespace

extern "C" {
const l1::ReplacementLibrary *smsim_l1_replacement() {
    return library_of<l1::Replacement, ByLastUse>();
}
const l1::BypassLibrary *smsim_l1_bypass() {
    return library_of<l1::Bypass, Scattered>();
}
const smsim::sm::CtaDistributionLibrary *smsim_cta_distribution() {
    return library_of<smsim::sm::CtaDistribution, EvenFirst>();
}
const barrier::PathChoiceLibrary *smsim_path_choice() {
    return library_of<barrier::PathChoice, LowestFirst>();
}
}
