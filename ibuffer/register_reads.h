// How instructions of fixed latency read their registers (timing.md 3): the stages Control and Allocate after the
// issue, and the read ports of the register banks. Decides when the next instruction can be issued; results never
// depend on it. Plain C++.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "ibuffer/reuse_cache.h"
#include "model/config/sections/register_file.h"
#include "model/isa/instruction.h"
#include "model/isa/matrix/matrix_instruction.h"
#include "model/stats/busy_time.h"
#include "model/types.h"

namespace smsim::ibuffer {

class RegisterReads {
  public:
    /// `width`: instructions that the sub-partition issues per cycle.
    RegisterReads(const RegisterFileConfig &config, unsigned width)
        : width_(width), bank_mask_(config.banks - 1), ports_(config.read_ports),
          places_(config.read_ports * config.read_window), keeps_(config.reuse_cache), cache_(config.banks) {}

    /// Whether instructions wait for one another here.
    bool limits() const { return ports_ != 0; }
    /// `insn` of `warp` is issued at `now`, no earlier than the last call returned. Returns the earliest cycle of the
    /// next issue of the sub-partition: later than the next cycle when `insn` must stay in Control until the previous
    /// instruction has left Allocate.
    Cycle issued(unsigned warp, const isa::Instruction &insn, Cycle now) {
        if (isa::reads_at_fixed_time(insn.unit)) {
            return allocate(needs_of(warp, insn), now);
        }
        if (insn.unit == isa::Unit::kTensor) [[unlikely]] {
            return allocate_for(isa::matrix::widest_source(isa::matrix::operation_of(insn)), now);
        }
        const bool fixed = insn.unit == isa::Unit::kNone || insn.unit == isa::Unit::kUniform;
        return fixed ? allocate(0, now) : now + 1; // others go from Control to the queue of their unit
    }
    /// Forgets kept registers and frees all ports: a launch begins in cycle `now`.
    void clear(Cycle now) {
        allocated_ = 0;
        entered_ = 0;
        next_port_ = {};
        cache_.clear();
        use_.clear(now);
    }
    /// Total number of ports of all banks.
    std::uint64_t ports() const { return std::uint64_t{bank_mask_ + 1} * ports_; }
    /// Their use up to cycle `end`.
    UseSeries use(Cycle end) const { return use_.until(end); }

  private:
    static constexpr Cycle kBehindIssue = 2; ///< from issue to Allocate
    /// Number of ports needed per bank, one byte each: bank 0 in the lowest.
    using Needs = std::uint64_t;
    static constexpr unsigned kByte = 8;
    static_assert(ReuseCache::kMaxBanks <= sizeof(Needs));

    Needs one_of(std::uint8_t index) const { return Needs{1} << (kByte * (index & bank_mask_)); }

    /// The ports that the instruction needs of each bank: one for each register that is not kept. Reads the reuse cache
    /// now and not at Allocate: nothing else reads it in between.
    Needs needs_of(unsigned warp, const isa::Instruction &insn) {
        const bool looks = keeps_ && (insn.reuse != 0 || !cache_.is_empty());
        const auto reads = [&](unsigned slot, std::uint8_t index) {
            return index != isa::kRz && !(looks && cache_.read(warp, slot, index, (insn.reuse >> slot & 1U) != 0));
        };
        const bool a = reads(0, insn.ra);
        const bool b = reads(1, insn.rb);
        const bool c = reads(2, insn.rc);
        Needs needs = 0;
        if (a) {
            needs += one_of(insn.ra);
        }
        if (b && !(a && insn.rb == insn.ra)) { // a register that is read twice needs one port
            needs += one_of(insn.rb);
        }
        if (c && !(a && insn.rc == insn.ra) && !(b && insn.rc == insn.rb)) {
            needs += one_of(insn.rc);
        }
        if (insn.rc != isa::kRz && isa::is_wide_product(insn)) [[unlikely]] {
            const auto upper = static_cast<std::uint8_t>(insn.rc + 1);
            if (reads(2, upper) && !(a && upper == insn.ra) && !(b && upper == insn.rb)) {
                needs += one_of(upper);
            }
        }
        return needs;
    }

    Cycle allocate(Needs needs, Cycle now) {
        const Cycle first = now + kBehindIssue;
        const bool beside = entered_ < width_ && allocated_ >= first; // the previous one, in the same cycle
        const Cycle enter = beside ? allocated_ : std::max(first, allocated_ + 1);
        entered_ = beside ? entered_ + 1 : 1;
        allocated_ = enter;
        if (needs != 0) {
            take(needs, now);
        }
        return std::max(now + 1, enter - 1);
    }

    /// An instruction whose groups of registers take `cycles` to read: the next one stays in Control until then.
    Cycle allocate_for(unsigned cycles, Cycle now) {
        const Cycle next = allocate(0, now);
        allocated_ += cycles - 1;
        entered_ = width_;
        return next;
    }

    /// Reserves ports in the first cycle in which all needed ones are free: always the earliest, so that the taken
    /// ports of a bank have no gaps.
    void take(Needs needs, Cycle now) {
        Cycle first_port = (allocated_ + 1) * ports_;
        unsigned bank = 0;
        for (Needs rest = needs; rest != 0; rest >>= kByte, ++bank) {
            while (next_port_[bank] + (rest & 0xff) > first_port + places_)
                [[unlikely]] {
                    ++allocated_;
                    entered_ = 1;
                    first_port += ports_;
                }
        }
        // An instruction usually reads everything in the cycle in which it begins.
        const Cycle begins = allocated_ + 1;
        std::uint32_t at_once = 0;
        bank = 0;
        for (Needs rest = needs; rest != 0; rest >>= kByte, ++bank) {
            const Cycle taken = std::max(next_port_[bank], first_port);
            const Cycle behind = taken + (rest & 0xff);
            if ((rest & 0xff) != 0) {
                next_port_[bank] = behind;
            }
            if (behind <= first_port + ports_) {
                at_once += static_cast<std::uint32_t>(rest & 0xff);
                continue;
            }
            for (Cycle port = taken; port != behind; ++port) {
                const Cycle at = port / ports_;
                use_.add(now, at, at + 1);
            }
        }
        if (at_once != 0) {
            use_.add(now, begins, begins + 1, at_once);
        }
    }
    unsigned width_;
    unsigned entered_ = 0; ///< instructions that leave Allocate in cycle `allocated_`
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
