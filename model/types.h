// Basic value types shared by all parts of the model: lane masks, identities and cycle counts.
//
// Reason for separate types: a warp slot, a CTA slot and a barrier number are all small integers, and a model that
// confuses them still runs and gives wrong results. Identities therefore do not convert into one another.
#pragma once

#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

#include "model/bits.h"

namespace smsim {

/// Threads in a warp; every mask of the model has one bit per lane.
inline constexpr unsigned kLanes = 32;

/// Simulated time in clock cycles since the start of the simulation, that is of its first launch.
using Cycle = std::uint64_t;

/// A cycle that is never reached: "no event known".
inline constexpr Cycle kNever = ~Cycle{0};

/// Byte address of an instruction inside the program.
using Pc = std::uint64_t;

/// Size of an instruction word in bytes (bru.md Notation, `INST`).
inline constexpr Pc kInstructionBytes = 16;

/// A set of lanes of one warp, one bit each, lane 0 in bit 0.
class LaneMask {
  public:
    constexpr LaneMask() = default;
    constexpr explicit LaneMask(std::uint32_t bits) : bits_(bits) {}

    /// All 32 lanes.
    static constexpr LaneMask all() { return LaneMask(~std::uint32_t{0}); }
    /// Only lane `lane` (0..31).
    static constexpr LaneMask lane(unsigned lane) { return LaneMask(std::uint32_t{1} << lane); }
    /// The lanes 0..count-1; count 0..32.
    static constexpr LaneMask first(unsigned count) {
        return count >= kLanes ? all() : LaneMask((std::uint32_t{1} << count) - 1);
    }

    constexpr std::uint32_t bits() const { return bits_; }
    constexpr bool any() const { return bits_ != 0; }
    constexpr bool none() const { return bits_ == 0; }
    constexpr bool test(unsigned lane) const { return ((bits_ >> lane) & 1U) != 0; }
    constexpr unsigned count() const {
        if (bits_ == ~std::uint32_t{0}) { // the usual case
            return kLanes;
        }
        return bit_count(bits_);
    }
    /// Index of the lowest set lane (bru.md Notation, `ffs(m)`); 32 when the mask is empty.
    constexpr unsigned lowest() const { return static_cast<unsigned>(std::countr_zero(bits_)); }
    /// Whether every lane of `other` is in this mask.
    constexpr bool contains(LaneMask other) const { return (other.bits_ & ~bits_) == 0; }

    constexpr LaneMask &operator&=(LaneMask other) {
        bits_ &= other.bits_;
        return *this;
    }
    constexpr LaneMask &operator|=(LaneMask other) {
        bits_ |= other.bits_;
        return *this;
    }
    friend constexpr LaneMask operator&(LaneMask a, LaneMask b) { return LaneMask(a.bits_ & b.bits_); }
    friend constexpr LaneMask operator|(LaneMask a, LaneMask b) { return LaneMask(a.bits_ | b.bits_); }
    friend constexpr LaneMask operator^(LaneMask a, LaneMask b) { return LaneMask(a.bits_ ^ b.bits_); }
    friend constexpr LaneMask operator~(LaneMask a) { return LaneMask(~a.bits_); }
    friend constexpr bool operator==(LaneMask a, LaneMask b) = default;

  private:
    std::uint32_t bits_ = 0;
};

/// Calls `body(lane)` for every lane of `mask`, lowest first.
template <typename Body> constexpr void for_each_lane(LaneMask mask, Body &&body) {
    for (std::uint32_t rest = mask.bits(); rest != 0; rest &= rest - 1) {
        body(static_cast<unsigned>(std::countr_zero(rest)));
    }
}

/// An identity: a small number that can be compared only with others of its kind. `Tag` distinguishes the kinds.
template <typename Tag> class Identity {
  public:
    constexpr Identity() = default;
    constexpr explicit Identity(std::uint32_t value) : value_(value) {}
    constexpr std::uint32_t value() const { return value_; }
    friend constexpr auto operator<=>(Identity a, Identity b) = default;

  private:
    std::uint32_t value_ = 0;
};

/// Number of an SM in the GPU.
using SmId = Identity<struct SmIdTag>;
/// Slot of a resident warp in the SM (0..warps-1); warp slot w belongs to sub-partition w mod sub_partitions.
using WarpSlot = Identity<struct WarpSlotTag>;
/// Slot of a resident CTA in the SM.
using CtaSlot = Identity<struct CtaSlotTag>;
/// Number of a CTA barrier, 0..15.
using BarrierId = Identity<struct BarrierIdTag>;

/// CTA barriers of one CTA (bcu.md "Each CTA has 16 barriers").
inline constexpr unsigned kBarriers = 16;
/// Convergence-barrier registers of one warp (bru.md "State of a warp", `B0..B15`).
inline constexpr unsigned kConvergenceBarriers = 16;

} // namespace smsim

template <typename Tag> struct std::hash<smsim::Identity<Tag>> {
    std::size_t operator()(smsim::Identity<Tag> id) const noexcept { return id.value(); }
};
