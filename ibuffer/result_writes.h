// When results of variable latency come to their registers (timing.md 3 "Write"): one that meets a result of fixed
// latency in its bank waits a cycle. Plain C++.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "model/config/config.h"
#include "model/isa/instruction.h"
#include "model/types.h"

namespace smsim::ibuffer {

/// Times of the sub-partition's results. Both kinds are told as soon as they are known, in any order.
class ResultWrites {
  public:
    explicit ResultWrites(const Config &config)
        : bank_mask_(config.register_file.banks - 1), conflicts_(config.register_file.write_conflicts),
          fixed_(std::bit_ceil(
              1 + std::max({config.pipes.alu.latency, config.pipes.fma.latency, config.pipes.half.latency}))) {}

    /// Whether results wait for one another at all.
    bool conflicts() const { return conflicts_; }
    /// An instruction of a pipe of fixed latency that is issued at `now` writes its registers at `at`. Calls
    /// `postpone(warp, scoreboard, at)` for the late results that come one cycle later by that.
    template <typename Postpone> void fixed(const isa::Instruction &insn, Cycle at, Cycle now, Postpone &&postpone) {
        if (insn.rd == isa::kRz) {
            return;
        }
        const bool pair = isa::is_wide_product(insn) || insn.op == isa::Op::kCs2r;
        const std::uint32_t banks = pair ? banks_of(insn) : bank_of(insn.rd);
        Write &write = fixed_[at & (fixed_.size() - 1)];
        write = {at, banks | (write.at == at ? write.banks : 0)};
        if (at > last_late_) {
            return;
        }
        std::erase_if(late_, [&](const LateWrite &late) {
            const bool meets = late.at == at && (late.banks & banks) != 0;
            if (meets) {
                postpone(late.warp, late.scoreboard, at);
            }
            return meets || late.at <= now;
        });
    }
    /// The result of `insn` of `warp`, which releases its scoreboard, is there at `at`, as is known since `now` at the
    /// latest. Returns when it is written.
    Cycle late(unsigned warp, const isa::Instruction &insn, Cycle at, Cycle now) {
        const std::uint32_t banks = banks_of(insn);
        if (banks == 0) {
            return at;
        }
        if (const Write &write = fixed_[at & (fixed_.size() - 1)]; write.at == at && (write.banks & banks) != 0) {
            return at + 1;
        }
        std::erase_if(late_, [&](const LateWrite &late) { return late.at <= now; });
        late_.push_back({at, banks, warp, insn.wsb});
        last_late_ = std::max(last_late_, at);
        return at;
    }
    /// Nothing is under way: a launch begins.
    void clear() {
        std::ranges::fill(fixed_, Write{});
        late_.clear();
        last_late_ = 0;
    }

  private:
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

    std::uint32_t bank_of(unsigned index) const { return 1U << (index & bank_mask_); }
    /// Bit b: a register of bank b is written.
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
    std::vector<Write> fixed_; ///< of a cycle, by its remainder: none lies further ahead than the longest latency
    std::vector<LateWrite> late_;
    Cycle last_late_ = 0; ///< the last cycle of these
};

} // namespace smsim::ibuffer
