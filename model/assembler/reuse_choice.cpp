// One walk backwards: what the next reader of each slot and bank reads, and whether it is still the same value.
#include "model/assembler/reuse_choice.h"

#include <array>
#include <ranges>

namespace smsim::assembler {
namespace {

constexpr unsigned kBanks =
    2; // in a register file of more, the operand of a bit may be driven out, which costs nothing
constexpr unsigned kSlots = 3;

} // namespace

void choose_reuse(std::span<isa::Instruction> block) {
    std::array<std::array<std::uint8_t, kSlots>, kBanks> wanted; // by the next reader; RZ: nothing
    for (auto &bank : wanted) {
        bank.fill(isa::kRz);
    }
    for (isa::Instruction &insn : std::views::reverse(block)) {
        const unsigned written = isa::registers_written(insn);
        for (auto &bank : wanted) {
            for (std::uint8_t &index : bank) {
                if (index != isa::kRz && index >= insn.rd && index < insn.rd + written) {
                    index = isa::kRz;
                }
            }
        }
        if (!isa::reads_at_fixed_time(insn.spec())) {
            continue;
        }
        const std::array<std::uint8_t, kSlots> sources = {insn.ra, insn.rb, insn.rc};
        for (unsigned slot = 0; slot < kSlots; ++slot) {
            const std::uint8_t index = sources[slot];
            if (index == isa::kRz) {
                continue;
            }
            if (wanted[index % kBanks][slot] == index) {
                insn.reuse |= isa::reuse_bit(static_cast<isa::Source>(slot));
            }
            wanted[index % kBanks][slot] = index;
        }
        if (insn.rc != isa::kRz && isa::is_wide_product(insn)) { // both halves stand in one slot, and have one bit
            wanted[(insn.rc + 1) % kBanks][kSlots - 1] = static_cast<std::uint8_t>(insn.rc + 1);
        }
    }
}

} // namespace smsim::assembler
