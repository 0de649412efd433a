// Arrivals at CTA barriers in random forms, by all or some threads of a warp, for random programs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tb/cosim/lockstep_program.h"

namespace smsim::cosim {

/// Registers: R14 warps that are alive, R15 the number of threads that they count as in total; P2 warps that differ
/// from the others; P1 and R24 to R29 for use within one place.
class BarrierArrivals {
  public:
    /// A number of threads: known here, or in R26.
    using Count = std::optional<std::uint32_t>;

    /// `stay`: no warp ends before the others.
    BarrierArrivals(LockstepKernel &kernel, bool stay)
        : kernel_(kernel), random_(kernel.random), out_(kernel.out), stay_(stay) {}

    std::uint32_t warps() const { return kernel_.warps(); }
    /// The mask of all warps.
    std::uint32_t everybody() const { return ~0U >> (32 - warps()); }
    /// All alive warps, and `more` arrivals.
    Count all(std::uint32_t more = 0);
    /// `often` arrivals of each warp in the mask, and one of every other warp if `others`.
    Count some(std::uint32_t mask, std::uint32_t often, bool others);
    /// P1: random threads, lane 0 among them.
    void random_lanes();
    /// P2: the warps of a mask.
    void these_warps(std::uint32_t mask);
    /// P2: warp 0.
    void warp_zero() { out_.line("ISETP.EQ.AND P2, PT, R10, RZ, PT"); }
    /// Each warp arrives with all or some of its threads.
    void arrive(const std::string &operation, std::uint32_t id, Count count, const std::string &pp,
                bool rotate = false);
    /// The same for the warps with a true `predicate` (P2 or !P2).
    void arrive_if(const std::string &predicate, const std::string &operation, std::uint32_t id, Count count,
                   const std::string &pp = "");

  protected:
    LockstepKernel &kernel_;
    fuzz::Random &random_;
    fuzz::Writer &out_;

  private:
    /// An arrival in a random form. Unused bits of registers are random in each thread; all bits are random where
    /// `lanes` (a predicate, or "") is false. `rotate`: the barrier is `id` + iteration.
    void form(const std::string &guard, const std::string &operation, std::uint32_t id, Count count,
              const std::string &pp, const std::string &lanes, bool rotate = false);
    /// R28: barrier and count for BAR.RED with one register.
    void joint(std::uint32_t id, Count count, bool rotate);
    void put_id(std::uint32_t id, bool rotate);
    void choose(const char *name, const std::string &lanes);

    bool stay_;
};

} // namespace smsim::cosim
