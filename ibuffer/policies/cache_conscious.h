// Limits the warps that may load while they take each other's lines out of the L1. After Rogers et al.,
// "Cache-Conscious Wavefront Scheduling", MICRO 2012 (CCWS).
//
// A load that misses a line which its own warp has fetched before has lost locality: other warps have replaced the line
// meanwhile. Such a loss raises the warp's score, the more the more often losses happen; the score falls by one in each
// cycle. The warps with the highest scores may load, as many as fit below a limit that is reached when each resident
// warp has the base score; the others may issue everything else. Among the warps that may issue it is greedy, then
// oldest.
//
// The authors detect losses by tags of the lines that were replaced; here they are the lines that a warp has fetched,
// which is the same once they miss again.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "ibuffer/policies/choice.h"

namespace smsim::ibuffer::policies {

class CacheConscious final : public IssuePolicy {
  public:
    explicit CacheConscious(unsigned warps) : warps_(warps) {}

    unsigned select(const PolicyView &view) override {
        const WarpSet set = willing(view.ready, view);
        if (view.now >= calm_from_) {
            return greedy_then_oldest(set, view); // no warp has a score
        }
        WarpSet allowed = set & may_load(view);
        for (WarpSet rest = set & ~allowed; rest != 0; rest &= rest - 1) {
            const unsigned warp = first_of(rest);
            allowed |= isa::is_far_load(*view.warps->head(warp)) ? 0 : only(warp);
        }
        return allowed == 0 ? kNoWarp : greedy_then_oldest(allowed, view);
    }

    bool wants_events() const override { return true; }
    void started(unsigned warp, const WarpStart &, Cycle) override { warps_[warp] = {}; }
    void issued(unsigned, const isa::Instruction &, Cycle) override { ++issued_; }
    void loaded(unsigned warp, const CacheAnswer &found, Cycle issued, Cycle at) override {
        Warp &own = warps_[warp];
        for (const std::uint64_t address : found.missed) {
            const std::uint64_t line = address / kLineBytes;
            Tag *tag = std::ranges::find(own.tags, line, &Tag::line);
            if (tag != own.tags.end() && tag->fetched <= issued) {
                const Cycle rise = ++losses_ * kThrottle * warps_.size() * kBase / std::max<std::uint64_t>(issued_, 1);
                own.calm_at = std::max(own.calm_at, at + rise);
                calm_from_ = std::max(calm_from_, own.calm_at);
            } else if (tag == own.tags.end()) {
                tag = &own.tags[own.next++ % own.tags.size()];
            }
            *tag = {line, at};
        }
    }

  private:
    static constexpr std::uint64_t kLineBytes = 128;
    static constexpr Cycle kBase = 100;   ///< score of a warp without losses
    static constexpr Cycle kThrottle = 8; ///< how strongly the rate of losses counts

    struct Tag {
        std::uint64_t line = ~std::uint64_t{0};
        Cycle fetched = 0;
    };
    struct Warp {
        std::array<Tag, 16> tags;
        std::size_t next = 0; ///< tag to be replaced
        Cycle calm_at = 0;    ///< when its score is down to the base
    };

    /// Above the base.
    static Cycle score_of(const Warp &warp, Cycle now) { return warp.calm_at - std::min(warp.calm_at, now); }

    WarpSet may_load(const PolicyView &view) const {
        const WarpSet all = view.warps->resident();
        const Cycle limit = static_cast<Cycle>(std::popcount(all)) * kBase;
        WarpSet allowed = 0;
        Cycle sum = 0;
        for (WarpSet rest = all; rest != 0;) { // highest score first, then the oldest
            const auto score = [&](unsigned warp) {
                return std::pair(score_of(warps_[warp], view.now), ~view.ages[warp]);
            };
            const unsigned warp = extreme(rest, score, std::greater<>{});
            sum += kBase + score(warp).first;
            if (sum > limit && allowed != 0) {
                break;
            }
            allowed |= only(warp);
            rest &= ~only(warp);
        }
        return allowed;
    }

    std::vector<Warp> warps_;
    std::uint64_t issued_ = 0;
    std::uint64_t losses_ = 0;
    Cycle calm_from_ = 0; ///< from then on all scores are at the base
};

} // namespace smsim::ibuffer::policies
