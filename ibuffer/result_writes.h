// When results of variable latency are written to their registers (timing.md 3 "Write"): one that conflicts with a
// result of fixed latency in its bank waits a cycle. Plain C++.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/config/sections/pipes.h"
#include "model/config/sections/register_file.h"
#include "model/isa/instruction.h"
#include "model/types.h"

namespace smsim::ibuffer {

/// Times of the sub-partition's results. Results of both kinds are reported as soon as they are known, in any order.
class ResultWrites {
  public:
    ResultWrites(const RegisterFileConfig &config, const PipesConfig &pipes)
        : bank_mask_(config.banks - 1), conflicts_(config.write_conflicts),
          fixed_(std::bit_ceil(1 + std::max({pipes.alu.latency, pipes.fma.latency, pipes.half.latency}))) {}

    /// Whether results wait for one another.
    bool conflicts() const { return conflicts_; }
    /// An instruction of a pipe of fixed latency issued at `now` writes its registers at `at`. Calls `postpone(warp,
    /// scoreboard, at)` for each late result that this delays by one cycle.
    template <typename Postpone> void fixed(const isa::Instruction &insn, Cycle at, Cycle now, Postpone &&postpone) {
        if (insn.rd == isa::kRz) {
            return;
        }
        const bool pair = isa::is_wide_product(insn) || insn.op == isa::Op::kCs2r;
        const std::uint32_t banks = pair ? banks_of(insn) : bank_of(insn.rd);
        Write &write = fixed_[at & (fixed_.size() - 1)];
        write = {at, banks | (write.at == at ? write.banks : 0)};
        forget_before(now);
        for (auto late = first_late(); late != late_.end() && late->at <= at;) {
            if (late->at == at && (late->banks & banks) != 0) {
                postpone(late->warp, late->scoreboard, at);
                late = late_.erase(late);
            } else {
                ++late;
            }
        }
    }
    /// The result of `insn` of `warp`, which releases its scoreboard, arrives at `at`, known since `now` at the latest.
    /// Returns when it is written.
    Cycle late(unsigned warp, const isa::Instruction &insn, Cycle at, Cycle now) {
        const std::uint32_t banks = banks_of(insn);
        if (banks == 0) {
            return at;
        }
        if (const Write &write = fixed_[at & (fixed_.size() - 1)]; write.at == at && (write.banks & banks) != 0) {
            return at + 1;
        }
        forget_before(now);
        auto behind = late_.end();
        while (behind != first_late() && (behind - 1)->at > at) {
            --behind;
        }
        late_.insert(behind, {at, banks, warp, insn.wsb});
        return at;
    }
    /// Late results kept: those under way, and a few more.
    std::size_t remembered() const { return late_.size(); }
    /// Clears everything: a launch begins.
    void clear() {
        std::ranges::fill(fixed_, Write{});
        late_.clear();
        past_ = 0;
    }

  private:
    static constexpr std::size_t kMostPast = 64; ///< results kept past their time

    struct Write {
        Cycle at = 0;
        std::uint32_t banks = 0;
    };
    struct LateWrite {
        Cycle at;
        std::uint32_t banks;
        unsigned warp;
        std::uint8_t scoreboard;
    };

    std::vector<LateWrite>::iterator first_late() { return late_.begin() + static_cast<std::ptrdiff_t>(past_); }
    /// Late results of cycle `now` and before no longer conflict with anything.
    void forget_before(Cycle now) {
        while (past_ != late_.size() && late_[past_].at <= now) {
            ++past_;
        }
        if (past_ == late_.size() || past_ >= kMostPast) {
            late_.erase(late_.begin(), first_late());
            past_ = 0;
        }
    }
    std::uint32_t bank_of(unsigned index) const { return 1U << (index & bank_mask_); }
    /// Bit b: the instruction writes a register of bank b.
    std::uint32_t banks_of(const isa::Instruction &insn) const {
        std::uint32_t banks = 0;
        const unsigned count = isa::registers_written(insn);
        for (unsigned i = 0; i < count; ++i) {
            banks |= bank_of(insn.rd + i);
        }
        return banks;
    }

    std::uint32_t bank_mask_;
    bool conflicts_;
    std::vector<Write> fixed_;    ///< of a cycle, by its remainder: none is further ahead than the longest latency
    std::vector<LateWrite> late_; ///< in order of time, then of the calls
    std::size_t past_ = 0;        ///< the number of them that are written
};

} // namespace smsim::ibuffer
