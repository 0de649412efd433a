// One backward walk: tracks what the next reader of each slot and bank reads, and whether it is still the same value.
#include "assembler/reuse_choice.h"

#include <array>

namespace smsim::assembler {

void choose_reuse(std::span<isa::Instruction> block) {
    std::array<std::array<std::uint8_t, isa::kReuseSlots>, isa::kRegisterBanks>
        wanted; // by the next reader; RZ: nothing
    for (auto &bank : wanted) {
        bank.fill(isa::kRz);
    }
    for (auto at = block.rbegin(); at != block.rend(); ++at) {
        isa::Instruction &insn = *at;
        for (auto &bank : wanted) {
            for (std::uint8_t &index : bank) {
                if (index != isa::kRz && isa::writes_register(insn, index)) {
                    index = isa::kRz;
                }
            }
        }
        if (!isa::reads_at_fixed_time(insn.spec())) {
            continue;
        }
        const std::array sources = isa::sources_of(insn);
        for (unsigned slot = 0; slot < isa::kReuseSlots; ++slot) {
            const std::uint8_t index = sources[slot];
            if (index == isa::kRz) {
                continue;
            }
            if (wanted[index % isa::kRegisterBanks][slot] == index) {
                insn.reuse |= isa::reuse_bit(static_cast<isa::Source>(slot));
            }
            wanted[index % isa::kRegisterBanks][slot] = index;
        }
        if (insn.rc != isa::kRz && isa::is_wide_product(insn)) { // both halves are in one slot and share one bit
            wanted[(insn.rc + 1) % isa::kRegisterBanks][static_cast<unsigned>(isa::Source::kC)] =
                static_cast<std::uint8_t>(insn.rc + 1);
        }
    }
}

} // namespace smsim::assembler
