// Checks that a block obeys the rules of its output channels (docs/pins.md "Channels"), whatever they carry: each pair
// of an output NAME_valid and an input NAME_ready is a channel, or a row of channels, and the outputs NAME_* are its
// payload.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cosim/block.h"
#include "cosim/pin.h"

namespace smsim::cosim {

class ChannelRules {
  public:
    /// `block` must have been reset, and must outlive this object.
    explicit ChannelRules(const Block &block);

    /// Checks the outputs after an edge, before anything else happens in the new cycle. Returns the first channel that
    /// has not waited for its `ready`: what has changed, from what to what.
    std::optional<std::string> behind_edge();
    /// Checks the outputs at the edge that ends the cycle, with the inputs of that moment. Returns the first output
    /// that has changed since `behind_edge`, or the first of `valid`, `ready`, `busy` and `expiry` that is X.
    std::optional<std::string> before_edge();

  private:
    struct Payload {
        std::string_view name;
        Pin pin;
        std::vector<unsigned char> kept; ///< of all channels, `stride` bytes each
        std::size_t stride;
    };
    struct Row {
        std::string_view valid_name;
        std::string_view ready_name;
        Pin valid;
        Pin ready;
        std::vector<Payload> payload;
        std::vector<bool> offered; ///< valid after the last edge
        std::vector<bool> held;    ///< valid, and not ready, at the last edge
        bool any = false;          ///< of either
    };
    struct Known {
        std::string_view name;
        const unsigned char *unknown;
        std::size_t bytes;
    };

    static std::optional<std::string> changed(Row &row, unsigned channel, const char *when);
    static void keep(Row &row, unsigned channel);

    std::vector<Row> rows_;
    std::vector<Known> known_;
};

} // namespace smsim::cosim
