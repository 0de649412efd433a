// Register operands of CTA barriers: which of their bits are used (bcu.md "Operands"), and the text about others that
// are set. The hardware ignores those; a program that sets them does not get what it means.
#pragma once

#include <cstdint>
#include <string>

namespace smsim {

/// A register operand of BAR or BAR.RED.
struct BarrierOperand {
    enum class Kind : std::uint8_t {
        kBarrier, ///< number of the barrier: the low 4 bits
        kCount,   ///< threads: the low 12 bits
        kBoth,    ///< number in bits 0..3, threads in bits 4..15 (bcu.md B-4)
    };
    static constexpr std::uint32_t kBarrierBits = 0xf;
    static constexpr std::uint32_t kCountBits = 0xfff;
    static constexpr unsigned kJointCountLsb = 4; ///< kBoth

    Kind kind = Kind::kBarrier;
    std::uint8_t reg = 0; ///< number of the register
    std::uint32_t value = 0;

    /// The used bits of `value`.
    std::uint32_t acts_as() const { return value & used_bits(kind); }
    /// Whether other bits are set.
    bool has_other_bits() const { return acts_as() != value; }

    static constexpr std::uint32_t used_bits(Kind kind) {
        switch (kind) {
        case Kind::kBarrier:
            return kBarrierBits;
        case Kind::kCount:
            return kCountBits;
        default:
            return kBarrierBits | kCountBits << kJointCountLsb;
        }
    }
};

/// "R4 holds 17, which acts as barrier 1", "R5 holds 4128, which acts as count 32", "R6 holds 0x100021, which acts as
/// barrier 1 with count 2".
std::string text_of(const BarrierOperand &operand);

} // namespace smsim
