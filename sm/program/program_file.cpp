// The assembler's interface, as the subcommands use it.
#include "sm/program/program_file.h"

#include "model/assembler/disassembler.h"
#include "model/program/container.h"
#include "model/timing/dependence.h"

namespace smsim::program {

Program load_program_file(const std::string &path, const Config &config) {
    return load_program(path, timing::SchedulingModel(config));
}

void save_program_file(const Program &program, const std::string &path) {
    save_program(program, path);
}

std::string listing(const Program &program) {
    return assembler::disassemble(program);
}

std::string instruction_text(const Program &program, Pc pc) {
    if (!program.contains(pc)) {
        return {};
    }
    return assembler::operation_text(program.at(pc));
}

} // namespace smsim::program
