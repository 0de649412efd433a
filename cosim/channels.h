// What every adapter does with the pins of its block: the reset, taking what output channels offer, and what becomes of
// a block that does not keep to its pins.
#pragma once

#include <string>

#include <systemc>

#include "cosim/block.h"
#include "cosim/handshakes.h"
#include "cosim/pin.h"
#include "cosim/witness.h"
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
/// `handshakes` holds it up, or `may(channel)` is false. `pins` is the number of these pins for `handshakes`.
template <typename May, typename Taken>
void take_offered(const Handshakes &handshakes, unsigned pins, const Pin &valid, const Pin &ready, Cycle next, May may,
                  Taken taken) {
    if (!valid.any()) {
        return;
    }
    for (unsigned channel = 0; channel < valid.fields(); ++channel) {
        if (valid.get(channel) != 0) {
            const bool held = handshakes.hold(pins, channel, next) || !may(channel);
            ready.put(held ? 0 : 1, channel);
            if (!held) {
                taken(channel);
            }
        }
    }
}

/// The same where every channel may be taken.
template <typename Taken>
void take_offered(const Handshakes &handshakes, unsigned pins, const Pin &valid, const Pin &ready, Cycle next,
                  Taken taken) {
    take_offered(
        handshakes, pins, valid, ready, next, [](unsigned) { return true; }, taken);
}

/// The block does in `cycle` what docs/pins.md does not allow, as `text` says: in lockstep a difference that ends the
/// run, else (`witness` is null) an error of `module`.
inline void report_broken(const sc_core::sc_module &module, Witness *witness, Cycle cycle, const std::string &text) {
    if (witness != nullptr) {
        witness->differs(cycle, text, false);
    } else {
        SC_REPORT_ERROR(module.name(), text.c_str());
    }
}

} // namespace smsim::cosim
