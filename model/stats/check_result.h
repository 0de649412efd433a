// Result of comparing a buffer with its expected contents; filled by launches, shown by reports.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace smsim {

/// One element that does not agree.
struct Mismatch {
    std::uint64_t index = 0; ///< element of the buffer
    std::string got;
    std::string expected;
};

/// The result of a check.
struct CheckResult {
    std::string buffer;
    std::uint64_t compared = 0;   ///< elements
    std::uint64_t mismatches = 0; ///< elements that do not agree
    std::vector<Mismatch> first;  ///< the first few of them
    bool passed() const { return mismatches == 0; }
};

} // namespace smsim
