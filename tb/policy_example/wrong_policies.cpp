// Policies that return what their interfaces exclude: smsim must say so and end.
#include "bru/engines/convergence_barrier/path_choice.h"
#include "memory/l1/replacement.h"
#include "sm/dispatch/cta_distribution.h"

namespace {

namespace barrier = smsim::bru::convergence_barrier;
namespace l1 = smsim::memory::l1;
using smsim::PolicyRequest;

class NoSuchWay final : public l1::Replacement {
  public:
    explicit NoSuchWay(std::uint32_t ways) : ways_(ways) {}
    void used(const l1::LinePlace &) override {}
    void installed(const l1::LinePlace &) override {}
    std::uint32_t victim(std::uint32_t, std::uint64_t) override { return ways_; }

  private:
    std::uint32_t ways_;
};

class TheFirstAgain final : public smsim::sm::CtaDistribution {
  public:
    void begin(const std::array<std::uint32_t, 3> &, std::uint32_t) override {}
    std::uint64_t next(std::uint32_t) override { return 0; }
};

class NoSuchPath final : public barrier::PathChoice {
  public:
    std::size_t choose(smsim::WarpSlot, std::span<const barrier::Path> paths) override { return paths.size(); }
};

} // namespace

extern "C" {
const l1::ReplacementLibrary *smsim_l1_replacement() {
    static const l1::ReplacementLibrary library{
        smsim::kPolicyLibraryVersion,
        [](const PolicyRequest &request) -> l1::Replacement * { return new NoSuchWay(request.ways); }};
    return &library;
}
const smsim::sm::CtaDistributionLibrary *smsim_cta_distribution() {
    static const smsim::sm::CtaDistributionLibrary library{
        smsim::kPolicyLibraryVersion,
        [](const PolicyRequest &) -> smsim::sm::CtaDistribution * { return new TheFirstAgain; }};
    return &library;
}
const barrier::PathChoiceLibrary *smsim_path_choice() {
    static const barrier::PathChoiceLibrary library{
        smsim::kPolicyLibraryVersion, [](const PolicyRequest &) -> barrier::PathChoice * { return new NoSuchPath; }};
    return &library;
}
}
