// Properties of every program that the assembler or the binary loader has accepted.
#pragma once

#include "assembler/assembler.h"
#include "assembler/container.h"
#include "assembler/disassembler.h"
#include "tb/fuzz/hostile/target.h"

namespace smsim::hostile {

/// The disassembly assembles to the same engine, words, kernels, constants, global data and symbols (disassembler.h).
inline void hold_text_round_trip(const Program &program, const timing::SchedulingModel &model) {
    const std::string text = assembler::disassemble(program);
    Program again;
    try {
        again = assemble(text, "again.sasm", model);
    } catch (const InputError &error) {
        hold(false, std::string("disassembly does not assemble: ") + error.what() + "\n" + text);
    }
    hold(again.engine == program.engine, "disassembly gives another engine:\n" + text);
    hold(again.code == program.code, "disassembly gives other words:\n" + text);
    hold(again.kernels == program.kernels, "disassembly gives other kernels:\n" + text);
    hold(again.constants == program.constants, "disassembly gives other constants:\n" + text);
    hold(again.global_data == program.global_data && again.global_data_bytes == program.global_data_bytes,
         "disassembly gives other global data:\n" + text);
    hold(again.symbols == program.symbols, "disassembly gives other symbols:\n" + text);
}

/// Written as a binary program, it is read back unchanged (container.h).
inline void hold_binary_round_trip(const Program &program) {
    const Program again = deserialize_program(serialize_program(program), "again.smbin");
    hold(again.engine == program.engine && again.code == program.code && again.kernels == program.kernels &&
             again.constants == program.constants && again.global_data == program.global_data &&
             again.global_data_bytes == program.global_data_bytes && again.symbols == program.symbols &&
             again.files == program.files && again.lines == program.lines && again.source == program.source,
         "the binary program does not come back");
}

} // namespace smsim::hostile
