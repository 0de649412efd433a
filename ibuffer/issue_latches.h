// The input latches of the units of one sub-partition, and the warps whose next instruction waits for nothing else.
//
// In front of all latches is one gate: while it is shut no warp issues, whatever the latch.
//
// These warps are the applicants. They form groups by the latches that their instructions go into. A latch that is
// taken or becomes free changes the state of its whole group without examining its warps. The time of each warp is
// charged when it leaves the group, from a clock that counts the cycles in which the group's way was taken.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "ibuffer/warp_set.h"
#include "model/timing/pipes.h"
#include "model/types.h"

namespace smsim::ibuffer {

class IssueLatches {
  public:
    using Group = std::uint8_t; ///< as timing::Pipes::latch_group
    static constexpr Group kNoGroup = 0xff;

    /// For `warps` warps; `pipes` must outlive this.
    IssueLatches(const timing::Pipes &pipes, unsigned warps) : pipes_(pipes), group_(warps, kNoGroup) {}

    // --- latches ---------------------------------------------------------------------------------------------------
    /// Cycle `now` is reached: latches that are free by then can be taken. Call before anything else in that cycle.
    void reach(Cycle now) {
        if (next_free_ <= now) {
            open(now);
        }
    }
    /// Whether an instruction of `group` can be issued in the cycle reached last.
    bool is_free(Group group) const { return (taken_ & bit(group)) == 0; }
    /// The latch for an instruction of `group` issued at `now`.
    std::uint8_t latch_of(Group group, Cycle now) const {
        if (group != timing::kSecondFp32Latch) {
            return group;
        }
        const timing::LatchChoice ways = pipes_.ways(group);
        return free_at_[ways.second] <= now && ways.second != passed_ ? ways.second : ways.first;
    }
    /// An instruction has gone into this latch in the present cycle, and another one may issue in it; kNoGroup: that is
    /// over.
    void pass(std::uint8_t latch) { passed_ = latch; }
    /// The applicants that have no way but that latch at `now`.
    WarpSet passing(Cycle now) const {
        WarpSet warps = passed_ == timing::kSecondFp32Latch ? 0 : groups_[passed_].members;
        if (const timing::LatchChoice ways = pipes_.ways(timing::kSecondFp32Latch);
            pipes_.has_second_fp32() && (passed_ == ways.first || passed_ == ways.second)) {
            const std::uint8_t other = passed_ == ways.first ? ways.second : ways.first;
            warps |= other == passed_ || free_at_[other] > now ? groups_[timing::kSecondFp32Latch].members : 0;
        }
        return warps;
    }
    /// An instruction is issued at `now` into this latch, which is free again at `until`, later than the next cycle;
    /// kNever: `release` will say when.
    void take(std::uint8_t latch, Cycle until, Cycle now);
    /// `until` of the last call of `take` for this latch with a known time; 0: none.
    Cycle taken_until(std::uint8_t latch) const { return taken_until_[latch]; }
    /// The latch of a unit is free from `at` on.
    void release(isa::Unit unit, Cycle at) {
        const auto latch = static_cast<std::size_t>(unit);
        free_at_[latch] = groups_[latch].free_at = at;
        next_free_ = std::min(next_free_, at);
    }

    /// Whether a warp applies for the latch of the unit.
    bool has_applicants(isa::Unit unit) const { return groups_[static_cast<std::size_t>(unit)].members != 0; }

    // --- gate ------------------------------------------------------------------------------------------------------
    /// No warp issues from cycle `from` on, the next one, and before `until`. The gate is open in the cycle reached
    /// last.
    void shut(Cycle from, Cycle until);
    /// The cycle from which the gate is open.
    Cycle open_at() const { return shut_until_; }
    /// Cycles before `now` in which the way of `group` was free and the gate shut; only the difference of two readings
    /// is meaningful.
    Cycle shut_cycles(Group group, Cycle now) const {
        const State &state = groups_[group];
        if (shut_until_ <= state.shut_counted) { // all of it, or the gate has never been shut
            return state.shut_cycles;
        }
        return state.shut_cycles + shut_overlap(group, now);
    }
    /// Whether the gate is shut in cycle `now`.
    bool is_shut(Cycle now) const { return shut_from_ <= now && now < shut_until_; }

    // --- applicants ------------------------------------------------------------------------------------------------
    /// The warp waits for nothing but the latch of its next instruction, which is of `group`.
    void join(unsigned warp, Group group) {
        group_[warp] = group;
        groups_[group].members |= only(warp);
        selectable_ |= is_free(group) ? only(warp) : 0;
    }
    /// Ends the warp's application. Returns its group; kNoGroup: it did not apply.
    Group leave(unsigned warp) {
        const Group group = group_[warp];
        if (group != kNoGroup) {
            groups_[group].members &= ~only(warp);
            selectable_ &= ~only(warp);
            group_[warp] = kNoGroup;
        }
        return group;
    }
    /// The applicants whose way is free.
    WarpSet selectable() const { return selectable_; }
    /// All applicants.
    WarpSet applicants() const {
        WarpSet all = 0;
        for (const State &group : groups_) {
            all |= group.members;
        }
        return all;
    }
    /// The next cycle in which an applicant's way that is taken now is free; kNever: none, or not known yet.
    Cycle next_selectable() const {
        Cycle next = kNever;
        for (unsigned rest = taken_; rest != 0; rest &= rest - 1) {
            const auto group = static_cast<Group>(std::countr_zero(rest));
            next = groups_[group].members != 0 ? std::min(next, groups_[group].free_at) : next;
        }
        return next;
    }

    // --- time ------------------------------------------------------------------------------------------------------
    /// Cycles before `now` in which the way of `group` was taken; only the difference of two readings is meaningful.
    Cycle taken_cycles(Group group, Cycle now) const {
        const State &state = groups_[group];
        const Cycle until = std::min(now, state.free_at); // the group may have been free since then without being
                                                          // updated yet
        return state.taken_cycles + (!is_free(group) && until > state.since ? until - state.since : 0);
    }
    /// Whether the way of `group` is taken in cycle `now`, that of the last call of `reach` or the one after it.
    bool is_taken(Group group, Cycle now) const {
        return !is_free(group) && groups_[group].since <= now && now < groups_[group].free_at;
    }

  private:
    struct State {
        WarpSet members = 0;
        Cycle since = 0;        ///< when its way was taken, if it is
        Cycle free_at = 0;      ///< until when
        Cycle taken_cycles = 0; ///< of earlier times
        Cycle free_from = 0;    ///< from when its way is free, if it is
        Cycle shut_cycles = 0;  ///< before `shut_counted`
        Cycle shut_counted = 0;
    };

    static constexpr unsigned bit(Group group) { return 1U << group; }
    void close(Group group, Cycle free_at, Cycle now);
    /// Cycles before `now`, not counted yet, in which the way of `group` is free and the gate shut.
    [[gnu::noinline]] Cycle shut_overlap(Group group, Cycle now) const {
        const State &state = groups_[group];
        const Cycle from =
            std::max(std::max(shut_from_, is_free(group) ? state.free_from : state.free_at), state.shut_counted);
        const Cycle until = std::min(now, shut_until_);
        return until > from ? until - from : 0;
    }
    void count_shut(Group group, Cycle now) {
        groups_[group].shut_cycles += shut_overlap(group, now);
        groups_[group].shut_counted = now;
    }
    void open(Cycle now);

    const timing::Pipes &pipes_;
    std::array<Cycle, timing::kLatches> free_at_{}; ///< per latch
    std::array<Cycle, timing::kLatches> taken_until_{};
    std::array<State, timing::kLatches> groups_{};
    std::vector<Group> group_;       ///< per warp
    std::uint8_t passed_ = kNoGroup; ///< the latch of the first of two instructions in one cycle
    unsigned taken_ = 0;             ///< bit i: the way of group i
    Cycle shut_from_ = 0;
    Cycle shut_until_ = 0;
    Cycle next_free_ = kNever; ///< the earliest time at which one of these may be free
    WarpSet selectable_ = 0;
};

} // namespace smsim::ibuffer
