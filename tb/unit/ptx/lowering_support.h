// Lowered code of small control-flow graphs as text, block by block.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ptx/machine/lowering/lowering.h"
#include "tb/unit/ptx/flow_support.h"

namespace smsim::ptx::test {

/// Mnemonic, barrier and label of an instruction, preceded by the sign of its guard.
inline std::string instruction_text(const Instruction &instruction) {
    std::string text = instruction.guarded() ? instruction.guard.negated ? "@!P " : "@P " : "";
    text += instruction.mnemonic;
    for (const machine::Operand &operand : instruction.operands) {
        text += operand.kind == machine::OperandKind::kBarrier ? fmt::format(" B{}", operand.value)
                : operand.kind == machine::OperandKind::kLabel ? fmt::format(" to {}", operand.value)
                                                               : "";
    }
    return text;
}

/// The code of a block, without what Flow inserts at its start.
inline std::string code_of(const machine::Function &function, BlockIndex block) {
    std::string text;
    for (const Instruction &instruction : function.blocks[block].code) {
        const bool made_before = block == 0 && (instruction.mnemonic == "S2R" || instruction.mnemonic == "IMAD.WIDE" ||
                                                instruction.mnemonic == "ISETP");
        text += made_before ? "" : instruction_text(instruction) + "; ";
    }
    return text;
}

/// The functions of a module, prepared and lowered for an engine in this order.
inline machine::Module lowered(const std::vector<Flow> &flows, ReconvergenceEngineKind engine) {
    machine::Module module;
    for (const Flow &flow : flows) {
        module.functions.push_back(flow.function);
    }
    const std::vector<machine::CallWords> words(flows.size());
    module.prototypes = {{}};
    const machine::CallGraph calls(module, words);
    const auto lowering = machine::make_lowering(engine, module, calls, false);
    const auto calls_sync = [](const Instruction &) { return false; };
    for (std::size_t i = 0; i < flows.size(); ++i) {
        machine::Function &function = module.functions[i];
        lowering->prepare(i, calls_sync);
        const machine::FlowGraph graph = machine::analyse(function);
        lowering->lower(i, machine::find_regions(function, machine::find_divergence(function, graph)));
    }
    return module;
}

} // namespace smsim::ptx::test
