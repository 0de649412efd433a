// The instruction buffers of one sub-partition: a ring of fetched instructions per warp, and the choice of the warp to
// fetch for next.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "ibuffer/issue_ports.h"
#include "ibuffer/warp_set.h"
#include "model/config/sections/ibuffer.h"
#include "model/observation/observer.h"

namespace smsim::ibuffer {

/// Buffers of all warps, `depth` entries each. A buffer holds instructions from the warp's next one on, in order,
/// including those whose fetch is under way.
class FetchBuffers {
  public:
    struct Entry {
        const isa::Instruction *insn = nullptr; ///< null: no instruction at that address, or not known yet
        Cycle ready = 0;                        ///< cycle in which it is in the buffer; kNever: not known yet
        std::uint64_t ticket = 0;               ///< identifies the fetch
        Cycle known = 0; ///< from when on `insn` is valid: the cycle of the fetch, or `ready` of a late answer
        FetchCause cause = FetchCause::kFetch; ///< where the fetch is served from
    };

    FetchBuffers(unsigned warps, unsigned depth, FetchPolicyKind policy = FetchPolicyKind::kEmptyFirst)
        : policy_(policy), depth_(depth), rings_(warps), entries_(std::size_t{warps} * depth) {}
    /// Reports to `observer` fetches that start, end on the call, or are discarded; null: no observer.
    void observe(observation::Observer *observer) { observer_ = observer; }

    /// Starts a warp in slot `slot` of the SM, number `age` in the order of starts: its buffer is empty, and nothing is
    /// fetched before `allow`.
    void start(unsigned warp, WarpSlot slot, Pc pc, std::uint64_t age = 0);
    /// From now on the fetch unit may fetch for the warp, or may not.
    void allow(unsigned warp, bool allowed) {
        rings_[warp].allowed = allowed;
        update(warp);
    }

    /// The last setting of `allow`.
    bool is_allowed(unsigned warp) const { return rings_[warp].allowed; }

    bool is_empty(unsigned warp) const { return rings_[warp].fill == 0; }
    /// The warp's next instruction; the buffer must not be empty. Valid until the next fetch for the warp.
    const Entry &head(unsigned warp) const { return entries_[warp * depth_ + rings_[warp].head]; }
    /// The same; null when the buffer is empty.
    const Entry *first(unsigned warp) const { return is_empty(warp) ? nullptr : &head(warp); }
    /// Instructions in the buffer at `now`, without those whose fetch is under way.
    unsigned decoded(unsigned warp, Cycle now) const {
        unsigned count = 0;
        while (count < rings_[warp].fill && entries_[warp * depth_ + wrapped(rings_[warp].head + count)].ready <= now) {
            ++count;
        }
        return count;
    }
    /// The next instruction has been issued.
    void pop(unsigned warp) {
        Ring &ring = rings_[warp];
        ring.head = static_cast<std::uint8_t>(wrapped(ring.head + 1U));
        --ring.fill;
        if (ring.allowed && !ring.ended) {
            fetchable_ |= only(warp);
            starving_ |= ring.fill == 0 ? only(warp) : 0;
        }
    }
    /// Drops everything at `now`; the warp continues at `pc`.
    void drop(unsigned warp, Pc pc, Cycle now);

    /// Whether a warp waits for a fetch that may be requested.
    bool wants_fetch() const { return fetchable_ != 0; }
    /// The warp to fetch for: greedily the warp that issued last; otherwise by the policy.
    unsigned choose(unsigned last) const {
        if (last != kNoWarp && (fetchable_ & only(last)) != 0) {
            return last;
        }
        return policy_ == FetchPolicyKind::kEmptyFirst ? next_of(starving_ != 0 ? starving_ : fetchable_, last)
                                                       : choose_by_order();
    }
    /// Address of the warp's next fetch.
    Pc fetch_pc(unsigned warp) const { return rings_[warp].fetch_pc; }
    /// Records the fetch at `fetch_pc` made at `now` for a warp for which a fetch may be requested. Returns the cycle
    /// in which the warp's next instruction is in the buffer if it had none before, otherwise kNever.
    Cycle push(unsigned warp, const IssuePorts::Fetched &fetched, Cycle now) {
        Ring &ring = rings_[warp];
        // Instructions enter the buffer in order, even if an earlier one had to be fetched from further away.
        const Cycle ready = std::max(std::max(fetched.ready, ring.last_ready), now + 1);
        if (ready != kNever) {
            ring.last_ready = ready;
        }
        Entry &newest = entry(warp, ring.fill); // member by member: a whole entry would be built in a temporary first
        newest.insn = fetched.insn;
        newest.ready = ready;
        newest.ticket = fetched.ticket;
        newest.known = now;
        newest.cause = fetched.cause;
        ++ring.fill;
        ring.last_fetch = ++fetches_;
        if (observer_ != nullptr) [[unlikely]] {
            tell_fetch(ring, {fetched.insn, ready, fetched.ticket}, now);
        }
        ring.fetch_pc += kInstructionBytes;
        ring.ended = fetched.insn == nullptr && ready != kNever;
        starving_ &= ~only(warp);
        if (ring.ended || ring.fill == depth_) {
            fetchable_ &= ~only(warp);
        }
        return ring.fill == 1 ? ready : kNever;
    }
    /// The answer to a fetch that was not answered on the call. False when the warp has left the path of the fetch.
    bool answered(unsigned warp, std::uint64_t ticket, const isa::Instruction *insn, Cycle at, FetchCause cause);
    /// Cycle `now` is reached: an end of the program reported by a late answer takes effect.
    void reach(unsigned warp, Cycle now) {
        if (rings_[warp].end_known_at <= now) {
            learn_end(warp);
        }
    }

    /// The cycle in which such an end takes effect; kNever: no late answer has reported one.
    Cycle end_known_at(unsigned warp) const { return rings_[warp].end_known_at; }

    /// Instructions that were fetched and dropped. An instruction of a late answer counts as fetched when it is in the
    /// buffer: it makes no difference whether the answer arrived before or after the drop in the same cycle.
    std::uint64_t discarded() const { return discarded_; }
    void clear_statistics() { discarded_ = 0; }

  private:
    struct Ring {
        std::uint8_t head = 0;
        std::uint8_t fill = 0;
        bool allowed = false;
        bool ended = false;          ///< it holds the end of the program
        Cycle end_known_at = kNever; ///< when a late answer reports that it does
        Pc fetch_pc = 0;
        Cycle last_ready = 0;
        WarpSlot slot;
        std::uint64_t age = 0;
        std::uint64_t last_fetch = 0; ///< its number among the fetches; 0: none
    };

    Entry &entry(unsigned warp, unsigned position) {
        return entries_[warp * depth_ + wrapped(rings_[warp].head + position)];
    }
    /// `place`, which is less than twice the depth, in the ring: without a branch, which would be unpredictable.
    unsigned wrapped(unsigned place) const { return place - (depth_ & (0U - static_cast<unsigned>(place >= depth_))); }
    void update(unsigned warp) {
        const Ring &ring = rings_[warp];
        const bool room = ring.allowed && !ring.ended && ring.fill < depth_;
        fetchable_ = room ? fetchable_ | only(warp) : fetchable_ & ~only(warp);
        starving_ = room && ring.fill == 0 ? starving_ | only(warp) : starving_ & ~only(warp);
    }
    void learn_end(unsigned warp);
    unsigned choose_by_order() const;
    // Out of line, to keep the unobserved path as short as without observers.
    [[gnu::cold, gnu::noinline]] void tell_fetch(const Ring &ring, const IssuePorts::Fetched &fetched, Cycle now);
    [[gnu::cold, gnu::noinline]] void tell_dropped(unsigned warp, Cycle now);

    FetchPolicyKind policy_;
    unsigned depth_;
    std::vector<Ring> rings_;
    std::vector<Entry> entries_;
    WarpSet fetchable_ = 0; ///< allowed, with room in the buffer
    WarpSet starving_ = 0;  ///< those of `fetchable_` with an empty buffer
    std::uint64_t fetches_ = 0;
    std::uint64_t discarded_ = 0;
    observation::Observer *observer_ = nullptr;
};

} // namespace smsim::ibuffer
