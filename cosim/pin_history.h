// Keeps the pins of a block in the last cycles, for inspection when something has gone wrong.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cosim/block.h"
#include "model/types.h"

namespace smsim::cosim {

class PinHistory {
  public:
    /// Keeps the last `cycles` cycles, at least 1, of all pins of `block`, which must outlive this object.
    PinHistory(const Block &block, std::size_t cycles);

    /// Samples the pins at the edge that ends `cycle`. Call with ascending cycles; a cycle in which nothing happened
    /// may be left out.
    void sample(Cycle cycle);

    /// The samples as a value change dump: a unit of time is half a cycle, so that cycle n begins at 2n, and `clk`
    /// rises at 2n + 1 in each cycle in which the clock ran. `name` is the name of the scope.
    std::string vcd(const std::string &name) const;

  private:
    struct Place {
        Port port;
        std::size_t at; ///< first byte in a sample
        std::size_t bytes;
    };

    std::vector<Place> places_;
    std::size_t stride_ = 0;           ///< bytes of a sample
    std::vector<unsigned char> bytes_; ///< a ring of samples
    std::vector<Cycle> cycles_;        ///< of each of them
    std::size_t taken_ = 0;
};

} // namespace smsim::cosim
