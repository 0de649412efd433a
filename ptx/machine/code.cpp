#include "ptx/machine/code.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>
#include <unordered_set>

namespace smsim::ptx::machine {

std::vector<BlockIndex> successors(const Block &block) {
    std::vector<BlockIndex> found;
    if (block.end.kind == EndKind::kTable) { // may be long
        std::unordered_set<BlockIndex> known;
        std::ranges::copy_if(block.end.table, std::back_inserter(found),
                             [&](BlockIndex to) { return known.insert(to).second; });
        return found;
    }
    for_each_edge(const_cast<Block &>(block), [&](BlockIndex to) {
        if (std::ranges::find(found, to) == found.end()) {
            found.push_back(to);
        }
    });
    return found;
}

Register Function::add(RegisterClass kind, unsigned words, int fixed) {
    registers.push_back({kind, static_cast<std::uint8_t>(words), static_cast<std::int16_t>(fixed), false, false});
    return static_cast<Register>(registers.size() - 1);
}

BlockIndex Function::add_block() {
    blocks.emplace_back();
    return static_cast<BlockIndex>(blocks.size() - 1);
}

bool has_effect(const Instruction &instruction) {
    constexpr std::array<std::string_view, 20> kEffects = {
        "ST",        "ATOM", "RED.", "BAR",  "MEMBAR", "WARPSYNC", "YIELD", "BSSY", "BSYNC",      "BREAK",
        "NANOSLEEP", "EXIT", "CALL", "TRAP", "RET",    "BRX",      "BRA",   "BMOV", "B2R.RESULT", "SYSCALL"};
    return instruction.moves_threads ||
           std::ranges::any_of(kEffects, [&](std::string_view word) { return instruction.mnemonic.starts_with(word); });
}

bool is_sync(const Instruction &instruction) {
    return instruction.mnemonic.starts_with("BAR.") || instruction.mnemonic == "WARPSYNC";
}

bool is_copy(const Instruction &instruction) {
    return instruction.mnemonic == "MOV" && instruction.operands.size() == 2 && !instruction.guarded() &&
           instruction.operands[0].kind == OperandKind::kRegister &&
           instruction.operands[1].kind == OperandKind::kRegister;
}

} // namespace smsim::ptx::machine
