// What every adapter does with the pins of its block: it resets the block, takes what output channels offer, and
// reports a block that breaks the rules of its pins.
#pragma once

#include <string>

#include <systemc>

#include "cosim/block.h"
#include "cosim/channel_rules.h"
#include "cosim/handshakes.h"
#include "cosim/pin.h"
#include "cosim/recent_transactions.h"
#include "model/types.h"

namespace smsim::cosim {

/// Holds `rst` for two edges. Set inputs and straps before.
inline void reset(Block &block, const Pin &rst) {
    rst.put(1);
    for (int i = 0; i < 2; ++i) {
        block.settle();
        block.edge(0);
    }
    rst.put(0);
    block.settle();
}

/// Takes what the channels `valid` offer in cycle `next`, which begins now: `taken(channel)` for each, unless
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

/// The same, with every channel allowed.
template <typename Taken>
void take_offered(const Handshakes &handshakes, unsigned pins, const Pin &valid, const Pin &ready, Cycle next,
                  Taken taken) {
    take_offered(
        handshakes, pins, valid, ready, next, [](unsigned) { return true; }, taken);
}

/// Ends the run because the block has done something in `cycle` that docs/pins.md does not allow, described by `text`.
/// Without a `recent` (null), it is an error of `module`.
inline void report_broken(const sc_core::sc_module &module, RecentTransactions *recent, Cycle cycle,
                          const std::string &text) {
    if (recent != nullptr) {
        recent->differs(cycle, text, false);
    } else {
        SC_REPORT_ERROR(module.name(), text.c_str());
    }
}

/// The rising edge that ends cycle `now`, with checks of the channels and of the block's simulator. If outputs follow
/// other inputs (`now`) after the edge, `follow` drives those inputs.
template <typename Follow>
void checked_edge(const sc_core::sc_module &module, RecentTransactions *recent, Block &block, ChannelRules &rules,
                  Cycle now, Follow follow) {
    if (const auto text = rules.before_edge()) {
        report_broken(module, recent, now, *text);
    }
    block.edge(now);
    follow();
    if (const auto text = rules.behind_edge()) {
        report_broken(module, recent, now + 1, *text);
    }
    if (!block.failure().empty()) {
        report_broken(module, recent, now, block.failure());
    }
}

/// The same without inputs to drive.
inline void checked_edge(const sc_core::sc_module &module, RecentTransactions *recent, Block &block,
                         ChannelRules &rules, Cycle now) {
    checked_edge(module, recent, block, rules, now, [] {});
}

/// Limits how long an answer may be owed (`rtl.patience`): triggers a check at regular intervals.
class Patience {
  public:
    explicit Patience(Cycle cycles) : cycles_(cycles), next_(cycles) {}

    /// Calls `owed(before)` when a check is due; it reports what the block has owed since cycle `before` or longer.
    template <typename Owed> void look(Cycle now, Owed owed) {
        if (now < next_) {
            return;
        }
        next_ = now + cycles_ / 4 + 1;
        if (now >= cycles_) {
            owed(now - cycles_);
        }
    }
    Cycle cycles() const { return cycles_; }

  private:
    Cycle cycles_;
    Cycle next_;
};

} // namespace smsim::cosim
