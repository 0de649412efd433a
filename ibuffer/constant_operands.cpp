// Hits, misses and whom they displace.
#include "ibuffer/constant_operands.h"

namespace smsim::ibuffer {

Cycle ConstantOperands::look_up(const isa::Instruction &insn, Cycle now) {
    constexpr unsigned kOffsetBits = 16; // of an address in a bank
    const std::uint64_t address = std::uint64_t{insn.const_bank} << kOffsetBits | insn.const_offset;
    const std::uint64_t number = address / line_bytes_;
    const std::uint64_t sets = lines_.size() / ways_;
    const auto first = lines_.begin() + static_cast<std::ptrdiff_t>(number % sets * ways_);
    const auto last = first + ways_;
    auto line = std::find_if(first, last, [&](const Line &l) { return l.used != 0 && l.number == number; });
    if (line == last) {
        line = std::min_element(first, last, [](const Line &a, const Line &b) { return a.used < b.used; });
        *line = {number, 0, now + miss_latency_};
    }
    line->used = ++uses_;
    return std::max(line->ready, now);
}

} // namespace smsim::ibuffer
