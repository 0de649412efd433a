#include "ptx/machine/lowering/edges.h"

#include <utility>

#include "ptx/machine/operands.h"

namespace smsim::ptx::machine {

BlockIndex split_edge(Function &function, BlockIndex from, BlockIndex to) {
    const BlockIndex edge = function.add_block();
    function.blocks[edge].end.next = to;
    function.blocks[edge].end.line = function.blocks[from].end.line;
    for_each_edge(function.blocks[from], [&](BlockIndex &next) { next = next == to ? edge : next; });
    return edge;
}

Instruction set_predicate(Register predicate, bool value, std::uint32_t line) {
    return {.mnemonic = value ? "ISETP.EQ.U32.AND" : "ISETP.NE.U32.AND",
            .operands = {define_predicate(predicate), always(), zero(), zero(), always()},
            .line = line};
}

Instruction control(std::string mnemonic, std::vector<Operand> operands, std::uint32_t line) {
    return {.mnemonic = std::move(mnemonic), .operands = std::move(operands), .line = line, .moves_threads = true};
}

std::uint32_t line_of(const Block &block) {
    return block.code.empty() || block.code.front().line == 0 ? block.end.line : block.code.front().line;
}

} // namespace smsim::ptx::machine
