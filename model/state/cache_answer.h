// What the L1 had of the data of one load: asked for by issue policies that follow it.
#pragma once

#include <cstdint>
#include <vector>

namespace smsim {

struct CacheAnswer {
    std::uint32_t transactions = 0;    ///< on global memory that do not bypass the L1
    std::vector<std::uint64_t> missed; ///< addresses of those that no cache answered, in the order of their answers

    void clear() {
        transactions = 0;
        missed.clear();
    }
    /// A transaction at `address` is answered.
    void add(std::uint64_t address, bool hit) {
        ++transactions;
        if (!hit) {
            missed.push_back(address);
        }
    }
};

} // namespace smsim
