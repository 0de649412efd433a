// What every adapter does with the pins of its block: the reset, and taking what output channels offer.
#pragma once

#include "cosim/block.h"
#include "cosim/handshakes.h"
#include "cosim/pin.h"
#include "model/types.h"

namespace smsim::cosim {

/// Holds `rst` for two edges. Inputs and straps are set before.
inline void reset(Block &block, const Pin &rst) {
    rst.put(1);
    for (int i = 0; i < 2; ++i) {
        block.settle();
        block.edge();
    }
    rst.put(0);
    block.settle();
}

/// Takes what the channels `valid` offer in cycle `next`, the one that begins now: `taken(channel)` for each, unless
/// `handshakes` holds it up. `pins` is the number of these pins for `handshakes`.
template <typename Taken>
void take_offered(const Handshakes &handshakes, unsigned pins, const Pin &valid, const Pin &ready, Cycle next,
                  Taken taken) {
    if (!valid.any()) {
        return;
    }
    for (unsigned channel = 0; channel < valid.fields(); ++channel) {
        if (valid.get(channel) != 0) {
            const bool held = handshakes.hold(pins, channel, next);
            ready.put(held ? 0 : 1, channel);
            if (!held) {
                taken(channel);
            }
        }
    }
}

} // namespace smsim::cosim
