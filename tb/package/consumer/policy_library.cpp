// An issue policy in a shared library: `smsim run --policy ./libpolicy_library.so:4 LAUNCH` stays on a warp for at most
// four instructions, then gives the turn to the warp that has issued least.
#include <charconv>

#include "ibuffer/issue_policy.h"
#include "model/error.h"

namespace {

using smsim::ibuffer::only;
using smsim::ibuffer::PolicyView;
using smsim::ibuffer::WarpSet;

class ShortTurns final : public smsim::ibuffer::IssuePolicy {
  public:
    explicit ShortTurns(unsigned turn) : turn_(turn) {}

    unsigned select(const PolicyView &view) override {
        const bool stays = view.last != smsim::ibuffer::kNoWarp && (view.ready & only(view.last)) != 0;
        if (stays && ++issued_ < turn_) {
            return view.last;
        }
        issued_ = 0;
        unsigned least = smsim::ibuffer::first_of(view.ready);
        for (WarpSet rest = view.ready; rest != 0; rest &= rest - 1) {
            const unsigned warp = smsim::ibuffer::first_of(rest);
            least = view.warps->instructions(warp) < view.warps->instructions(least) ? warp : least;
        }
        return least;
    }

  private:
    unsigned turn_;
    unsigned issued_ = 0; ///< instructions of the present turn, after the first
};

smsim::ibuffer::IssuePolicy *create(const smsim::PolicyRequest &request) {
    unsigned turn = 0;
    const char *end = request.parameters.data() + request.parameters.size();
    const auto [rest, error] = std::from_chars(request.parameters.data(), end, turn);
    if (error != std::errc() || rest != end || turn == 0) {
        throw smsim::InputError("short turns: parameter '" + request.parameters +
                                "'; expected a number of instructions, at least 1");
    }
    return new ShortTurns(turn);
}

} // namespace

extern "C" const smsim::ibuffer::IssuePolicyLibrary *smsim_issue_policy() {
    static const smsim::ibuffer::IssuePolicyLibrary library{smsim::kPolicyLibraryVersion, create};
    return &library;
}
