// How instructions of fixed latency read their registers (timing.md 3): the stages Control and Allocate behind the
// issue, and the read ports of the register banks. Decides from when on the next instruction can be issued; what an
// instruction computes never depends on it. Plain C++.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "ibuffer/reuse_cache.h"
#include "model/config/config.h"
#include "model/isa/instruction.h"
#include "model/stats/busy_time.h"
#include "model/types.h"

namespace smsim::ibuffer {

class RegisterReads {
  public:
    explicit RegisterReads(const RegisterFileConfig &config)
        : bank_mask_(config.banks - 1), ports_(config.read_ports), places_(config.read_ports * config.read_window),
          keeps_(config.reuse_cache), cache_(config.banks) {}

    /// Whether instructions wait for one another here at all.
    bool limits() const { return ports_ != 0; }
    /// `insn` of `warp` is issued at `now`, no earlier than the last call returned. Returns the earliest cycle of the
    /// next issue of the sub-partition: later than the next one when `insn` stands in Control until the instruction
    /// before it has left Allocate.
    Cycle issued(unsigned warp, const isa::Instruction &insn, Cycle now) {
        if (isa::reads_at_fixed_time(insn.unit)) {
            return allocate(needs_of(warp, insn), now);
        }
        const bool fixed = insn.unit == isa::Unit::kNone || insn.unit == isa::Unit::kUniform;
        return fixed ? allocate({}, now) : now + 1; // the others go from Control to the queue of their unit
    }
    /// Nothing is kept any more and no port is taken: a launch begins in cycle `now`.
    void clear(Cycle now) {
        allocated_ = 0;
        next_port_ = {};
        cache_.clear();
        use_.clear(now);
    }
    /// Ports of all banks together.
    std::uint64_t ports() const { return std::uint64_t{bank_mask_ + 1} * ports_; }
    /// Their use up to cycle `end`.
    UseSeries use(Cycle end) const { return use_.until(end); }

  private:
    static constexpr Cycle kBehindIssue = 2; ///< from issue to Allocate
    using Needs = std::array<std::uint8_t, ReuseCache::kMaxBanks>;

    /// The ports that the instruction needs of each bank: one for each register that is not kept. The reuse cache is
    /// read now and not at Allocate: nothing else looks in between.
    Needs needs_of(unsigned warp, const isa::Instruction &insn) {
        Needs needs{};
        const auto reads = [&](unsigned slot, std::uint8_t index) {
            return index != isa::kRz && !(keeps_ && cache_.read(warp, slot, index, (insn.reuse >> slot & 1U) != 0));
        };
        const bool a = reads(0, insn.ra);
        const bool b = reads(1, insn.rb);
        const bool c = reads(2, insn.rc);
        if (a) {
            ++needs[insn.ra & bank_mask_];
        }
        if (b && !(a && insn.rb == insn.ra)) { // a register that is read twice needs one port
            ++needs[insn.rb & bank_mask_];
        }
        if (c && !(a && insn.rc == insn.ra) && !(b && insn.rc == insn.rb)) {
            ++needs[insn.rc & bank_mask_];
        }
        if (insn.rc != isa::kRz && isa::is_wide_product(insn)) {
            const auto upper = static_cast<std::uint8_t>(insn.rc + 1);
            if (reads(2, upper) && !(a && upper == insn.ra) && !(b && upper == insn.rb)) {
                ++needs[upper & bank_mask_];
            }
        }
        return needs;
    }

    /// Reserves ports in the first cycle in which all are free that are needed: always the earliest, so that what is
    /// taken of a bank has no gaps.
    Cycle allocate(const Needs &needs, Cycle now) {
        const Cycle enter = std::max(now + kBehindIssue, allocated_ + 1);
        Cycle first_port = (enter + 1) * ports_;
        allocated_ = enter;
        for (unsigned bank = 0; bank <= bank_mask_; ++bank) {
            while (next_port_[bank] + needs[bank] > first_port + places_)
                [[unlikely]] {
                    ++allocated_;
                    first_port += ports_;
                }
        }
        for (unsigned bank = 0; bank <= bank_mask_; ++bank) {
            const Cycle taken = std::max(next_port_[bank], first_port);
            next_port_[bank] = taken + needs[bank];
            for (Cycle port = taken; port != next_port_[bank]; ++port) {
                use_.add(now, port / ports_, port / ports_ + 1);
            }
        }
        return std::max(now + 1, enter - 1);
    }
    unsigned bank_mask_;
    unsigned ports_;
    unsigned places_; ///< ports of one bank in the cycles in which an instruction reads
    bool keeps_;
    ReuseCache cache_;
    Cycle allocated_ = 0; ///< when the last instruction has left Allocate
    /// Per bank the first port that is not taken: ports are numbered on from cycle to cycle.
    std::array<Cycle, ReuseCache::kMaxBanks> next_port_{};
    BusyTime use_;
};

} // namespace smsim::ibuffer
