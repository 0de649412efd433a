// The instruction buffers of one sub-partition: a ring of fetched instructions per warp, and the choice of whom to
// fetch for next.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "ibuffer/issue_ports.h"
#include "ibuffer/warp_set.h"
#include "model/config/config.h"
#include "model/observation/observer.h"

namespace smsim::ibuffer {

/// Buffers of all warps, `depth` entries each. A buffer holds instructions from the warp's next one on, in order, also
/// those whose fetch is under way.
class FetchBuffers {
  public:
    struct Entry {
        const isa::Instruction *insn = nullptr; ///< null: no instruction at that address, or not known yet
        Cycle ready = 0;                        ///< cycle in which it is in the buffer; kNever: not known yet
        std::uint64_t ticket = 0;               ///< names the fetch
        Cycle known = 0; ///< from when on `insn` counts: the cycle of the fetch, or `ready` of a late answer
        FetchCause cause = FetchCause::kFetch; ///< whom the fetch waits for
    };

    FetchBuffers(unsigned warps, unsigned depth, FetchPolicyKind policy = FetchPolicyKind::kEmptyFirst)
        : policy_(policy), depth_(depth), rings_(warps), entries_(std::size_t{warps} * depth) {}
    /// Tells `observer` of fetches that start, end on the call, or are discarded; null: nobody.
    void observe(observation::Observer *observer) { observer_ = observer; }

    /// A new warp in slot `slot` of the SM, number `age` in the order of starts: its buffer is empty, and nothing is
    /// fetched before `allow`.
    void start(unsigned warp, WarpSlot slot, Pc pc, std::uint64_t age = 0);
    /// The fetch unit may or may not fetch for the warp from now on.
    void allow(unsigned warp, bool allowed) {
        rings_[warp].allowed = allowed;
        update(warp);
    }

    /// As `allow` has said last.
    bool is_allowed(unsigned warp) const { return rings_[warp].allowed; }

    bool is_empty(unsigned warp) const { return rings_[warp].fill == 0; }
    /// The warp's next instruction; the buffer must not be empty. Valid until the next fetch for the warp.
    const Entry &head(unsigned warp) const { return entries_[warp * depth_ + rings_[warp].head]; }
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
    /// Drops everything at `now`; the warp goes on at `pc`.
    void drop(unsigned warp, Pc pc, Cycle now);

    /// A warp waits for a fetch, and one may be asked for.
    bool wants_fetch() const { return fetchable_ != 0; }
    /// Whom to fetch for: greedy with the warp that issued last; then as the policy says.
    unsigned choose(unsigned last) const {
        if (last != kNoWarp && (fetchable_ & only(last)) != 0) {
            return last;
        }
        return policy_ == FetchPolicyKind::kEmptyFirst ? next_of(starving_ != 0 ? starving_ : fetchable_, last)
                                                       : choose_by_order();
    }
    /// Address of the warp's next fetch.
    Pc fetch_pc(unsigned warp) const { return rings_[warp].fetch_pc; }
    /// The fetch at `fetch_pc` of a warp for which one may be asked for has been, at `now`. Gives the cycle in which
    /// the warp's next instruction is in the buffer if it had none before, else kNever.
    Cycle push(unsigned warp, const IssuePorts::Fetched &fetched, Cycle now) {
        Ring &ring = rings_[warp];
        // Instructions enter the buffer in order, also when an earlier one had to be brought from further away.
        const Cycle ready = std::max(std::max(fetched.ready, ring.last_ready), now + 1);
        if (ready != kNever) {
            ring.last_ready = ready;
        }
        Entry &newest = entry(warp, ring.fill); // member by member: as a whole it would be made elsewhere first
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
    /// The answer of a fetch that was not answered on the call. False when it is of a path that the warp has left.
    bool answered(unsigned warp, std::uint64_t ticket, const isa::Instruction *insn, Cycle at, FetchCause cause);
    /// Cycle `now` is reached: an end of the program that a late answer has told of counts.
    void reach(unsigned warp, Cycle now) {
        if (rings_[warp].end_known_at <= now) {
            learn_end(warp);
        }
    }

    /// The cycle in which such an end counts; kNever: no late answer has told of one.
    Cycle end_known_at(unsigned warp) const { return rings_[warp].end_known_at; }

    /// Instructions that were fetched and dropped. One that a late answer brings has been fetched when it is in the
    /// buffer: whether the answer came before or after the drop within its cycle makes no difference.
    std::uint64_t discarded() const { return discarded_; }
    void clear_statistics() { discarded_ = 0; }

  private:
    struct Ring {
        std::uint8_t head = 0;
        std::uint8_t fill = 0;
        bool allowed = false;
        bool ended = false;          ///< it holds the end of the program
        Cycle end_known_at = kNever; ///< when a late answer tells that it does
        Pc fetch_pc = 0;
        Cycle last_ready = 0;
        WarpSlot slot;
        std::uint64_t age = 0;
        std::uint64_t last_fetch = 0; ///< its number among the fetches; 0: none
    };

    Entry &entry(unsigned warp, unsigned position) {
        return entries_[warp * depth_ + wrapped(rings_[warp].head + position)];
    }
    /// `place`, which is less than twice the depth, in the ring: without a branch, which nobody could foretell.
    unsigned wrapped(unsigned place) const { return place - (depth_ & (0U - static_cast<unsigned>(place >= depth_))); }
    void update(unsigned warp) {
        const Ring &ring = rings_[warp];
        const bool room = ring.allowed && !ring.ended && ring.fill < depth_;
        fetchable_ = room ? fetchable_ | only(warp) : fetchable_ & ~only(warp);
        starving_ = room && ring.fill == 0 ? starving_ | only(warp) : starving_ & ~only(warp);
    }
    void learn_end(unsigned warp);
    unsigned choose_by_order() const;
    // Out of line, so that the unobserved path stays as short as without.
    [[gnu::cold, gnu::noinline]] void tell_fetch(const Ring &ring, const IssuePorts::Fetched &fetched, Cycle now);
    [[gnu::cold, gnu::noinline]] void tell_dropped(unsigned warp, Cycle now);

    FetchPolicyKind policy_;
    unsigned depth_;
    std::vector<Ring> rings_;
    std::vector<Entry> entries_;
    WarpSet fetchable_ = 0; ///< allowed, with room in the buffer
    WarpSet starving_ = 0;  ///< of those, the ones with an empty buffer
    std::uint64_t fetches_ = 0;
    std::uint64_t discarded_ = 0;
    observation::Observer *observer_ = nullptr;
};

} // namespace smsim::ibuffer
