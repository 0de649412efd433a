// The assembler's interface, as the subcommands use it.
#include "sm/program/program_file.h"

#include <fstream>
#include <sstream>

#include "model/assembler/disassembler.h"
#include "model/error.h"
#include "model/program/container.h"
#include "model/timing/dependence.h"
#include "ptx/compiler.h"

namespace smsim::program {

Program load_program_file(const std::string &path, const Config &config) {
    const timing::SchedulingModel model(config);
    if (path.ends_with(".ptx")) {
        std::ifstream file(path, std::ios::binary);
        std::ostringstream text;
        text << file.rdbuf();
        if (!file) {
            throw InputError(path + ": cannot be read");
        }
        return ptx::compile(text.str(), path, model);
    }
    return load_program(path, model);
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
