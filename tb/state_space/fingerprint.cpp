// Fingerprints by folded 128-bit products, two chains with different constants.
#include "tb/state_space/fingerprint.h"

#include <cstring>
#include <span>

namespace smsim::state_space {
namespace {

class Mixer {
  public:
    void add(std::uint64_t word) {
        low_ = fold(low_ ^ word, 0x9e3779b97f4a7c15ULL) + 0x632be59bd9b4e019ULL;
        high_ = fold(high_ + word, 0xd1342543de82ef95ULL) ^ (high_ >> 7) ^ 0x2545f4914f6cdd1dULL;
    }
    void add(std::uint32_t first, std::uint32_t second) { add(first | std::uint64_t{second} << 32); }
    void add(LaneMask first, LaneMask second) { add(first.bits(), second.bits()); }

    template <typename Word> void add(std::span<const Word> words) {
        const auto *bytes = reinterpret_cast<const unsigned char *>(words.data());
        std::size_t rest = words.size_bytes();
        add(rest);
        for (; rest >= 8; rest -= 8, bytes += 8) {
            std::uint64_t word = 0;
            std::memcpy(&word, bytes, 8);
            add(word);
        }
        std::uint64_t tail = 0;
        if (rest != 0) { // without words there may be no pointer
            std::memcpy(&tail, bytes, rest);
        }
        add(tail);
    }

    Fingerprint result() const { return {fold(low_, high_ | 1), fold(high_, 0xa0761d6478bd642fULL) ^ low_}; }

  private:
    static std::uint64_t fold(std::uint64_t a, std::uint64_t b) {
        __extension__ using Wide = unsigned __int128;
        const Wide product = static_cast<Wide>(a) * b;
        return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
    }
    std::uint64_t low_ = 0x243f6a8885a308d3ULL;
    std::uint64_t high_ = 0x13198a2e03707344ULL;
};

void add(Mixer &mixer, const bru::convergence_barrier::ControlState &state) {
    mixer.add(state.active_pc);
    mixer.add(state.valid, state.active);
    mixer.add(state.yield, state.sleep);
    mixer.add(state.switch_set, state.turn);
    mixer.add(state.wait, state.wait_bar);
    for_each_lane(state.valid & ~state.active, [&](unsigned lane) { mixer.add(state.rpc[lane]); });
    for (unsigned pair = 0; pair < kConvergenceBarriers; pair += 2) {
        mixer.add(state.b[pair], state.b[pair + 1]);
    }
}

void add(Mixer &mixer, const bru::TrapState &trap) {
    mixer.add(trap.index, trap.in_handler ? 1 : 0);
    mixer.add(trap.return_pc);
}

void add(Mixer &mixer, const bru::convergence_barrier::WarpControl &warp) {
    add(mixer, warp.state);
    add(mixer, warp.trap);
    mixer.add(std::span<const std::uint8_t>(warp.waiting_place));
    mixer.add(warp.turn_given ? 1 : 0);
}

void add(Mixer &mixer, const bru::simt_stack::Warp &warp) {
    mixer.add(warp.state.pc);
    mixer.add(warp.state.rpc);
    mixer.add(warp.state.mask.bits(), static_cast<std::uint32_t>(warp.state.stack.size()));
    for (const bru::simt_stack::Entry &entry : warp.state.stack) {
        mixer.add(entry.rpc);
        mixer.add(entry.pc);
        mixer.add(entry.mask.bits());
    }
    add(mixer, warp.trap);
}

void add(Mixer &mixer, const bru::token_stack::Warp &warp) {
    mixer.add(warp.state.pc);
    mixer.add(warp.state.active, warp.state.valid);
    mixer.add(warp.state.lmt ? 1 : 0, static_cast<std::uint32_t>(warp.state.stack.size()));
    for (const bru::token_stack::Token &token : warp.state.stack) {
        mixer.add(static_cast<std::uint32_t>(token.kind), token.mask.bits());
        mixer.add(token.pc);
    }
    add(mixer, warp.trap);
}

void add(Mixer &mixer, const WarpState &warp) {
    std::visit([&](const auto &control) { add(mixer, control); }, warp.control);
    const std::uint32_t flags = (warp.timer ? 2U : 0U) | (warp.asleep ? 4U : 0U) | (warp.exited ? 8U : 0U);
    mixer.add(flags, warp.countdown);
    mixer.add(warp.sleepers, warp.predicates[6]);
    for (unsigned pair = 0; pair < 6; pair += 2) {
        mixer.add(warp.predicates[pair], warp.predicates[pair + 1]);
    }
    mixer.add(warp.flags.zero, warp.flags.sign);
    mixer.add(warp.flags.carry, warp.flags.overflow);
    mixer.add(std::span<const std::uint32_t>(warp.registers));
    mixer.add(std::span<const std::uint32_t>(warp.uniforms));
}

void add(Mixer &mixer, const bcu::CtaBarriers &barriers, std::span<const BarrierId> last_reductions) {
    for (std::uint32_t id = 0; id < kBarriers; ++id) {
        const std::uint32_t word = bcu::pack(barriers.barrier(BarrierId(id)));
        if (word != 0) {
            mixer.add(id + 1, word);
        }
    }
    for (std::uint32_t warp = 0; warp < barriers.warps(); ++warp) {
        const auto blocked = barriers.blocked_at(warp);
        mixer.add(barriers.warp_word(warp), blocked ? blocked->value() + 1 : 0);
    }
    for (const BarrierId id : last_reductions) {
        mixer.add(id.value());
    }
}

} // namespace

Fingerprint fingerprint_of(const State &state) {
    Mixer mixer;
    for (const WarpState &warp : state.warps) {
        add(mixer, warp);
    }
    add(mixer, state.barriers.state(), state.barriers.last_reductions());
    mixer.add(std::span<const std::uint8_t>(state.shared));
    mixer.add(std::span<const std::uint8_t>(state.global));
    return mixer.result();
}

} // namespace smsim::state_space
