// Follows the warps of a launch as far as the critical path of one of its CTAs needs it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/observation/observer.h"
#include "views/critical_path/history.h"
#include "views/timeline/event_order.h"

namespace smsim::views::critical_path {

/// The CTA to follow.
struct Choice {
    enum class Which : std::uint8_t {
        kNumber,
        kLast,    ///< the one that ended last, and with it the launch; the lowest of several
        kLongest, ///< the one that took the most cycles; the lowest of several
    };
    Which which = Which::kLast;
    std::uint64_t number = 0; ///< linear number in the grid
};

/// Reads "last", "longest" or a number below `ctas`. Throws InputError, whose message begins with `option`.
Choice parse_choice(const std::string &text, const std::string &option, std::uint64_t ctas);

/// Memory: 32 bytes for each change of state of the resident warps and of the chosen CTA.
class Observer final : public observation::Observer {
  public:
    explicit Observer(const Choice &choice) : choice_(choice), reader_(*this), order_(reader_) {}

    void observe(Cycle now, const observation::Event &event) override { order_.observe(now, event); }
    void end(Cycle end) override { order_.end(end); }
    /// Call after the end: the path; empty when the CTA did not end, or none did.
    std::optional<CriticalPath> path() const;

  private:
    struct Reader final : timeline::EventReader {
        explicit Reader(Observer &observer) : owner(observer) {}
        void cycle(Cycle at, std::span<const observation::Event> events) override;
        void end(Cycle) override {}
        Observer &owner;
    };
    struct Resident {
        CtaHistory history;
        std::uint32_t ended = 0;
    };
    struct Owner {
        std::uint64_t cta = 0;
        std::uint32_t warp = 0;
    };

    void on(const observation::WarpStarted &e);
    void on(const observation::StateChanged &e);
    void released(const observation::BarrierReleased &e);
    void on(const observation::WarpEnded &e);
    template <typename Other> void on(const Other &) {}
    bool follows(std::uint64_t cta) const { return choice_.which != Choice::Which::kNumber || choice_.number == cta; }
    /// The history of the warp in a slot; null: it is not followed.
    WarpHistory *history(WarpSlot slot);
    void consider(CtaHistory cta);

    Choice choice_;
    Reader reader_;
    timeline::EventOrder order_;
    std::map<std::uint32_t, Owner> owners_; ///< by warp slot: the last warp that began there
    std::map<std::uint64_t, Resident> residents_;
    std::optional<CtaHistory> chosen_;
};

} // namespace smsim::views::critical_path
