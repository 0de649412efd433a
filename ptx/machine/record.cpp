#include "ptx/machine/record.h"

#include "ptx/machine/flow_graph.h"
#include "ptx/machine/print.h"

namespace smsim::ptx::machine {

namespace {

void count(const Instruction &instruction, PassRecord &record) {
    const std::string &name = instruction.mnemonic;
    if (name == kUndefined) {
        return;
    }
    ++record.instructions;
    record.moves += name == "MOV" ? 1 : 0;
    record.loads += name.starts_with("LDG") || name.starts_with("LDS") || name.starts_with("LDL") ? 1 : 0;
    record.stores += name.starts_with("ST") || name.starts_with("ATOM") || name.starts_with("RED.") ? 1 : 0;
    record.meetings += is_sync(instruction) ? 1 : 0;
}

} // namespace

void record(CompileLog &log, std::string_view pass, const Function &function, unsigned changes) {
    PassRecord record{.function = function.name, .pass = std::string(pass), .changes = changes};
    for (const BlockIndex block : analyse(function).order) {
        for (const Instruction &instruction : function.blocks[block].code) {
            count(instruction, record);
        }
        const EndKind end = function.blocks[block].end.kind;
        record.branches += end == EndKind::kBranch || end == EndKind::kTable ? 1 : 0;
    }
    if (pass == log.print_after) {
        record.text = print(function);
    }
    log.passes.push_back(std::move(record));
}

} // namespace smsim::ptx::machine
