// `smsim compile`
#include <filesystem>
#include <fstream>

#include "app/commands.h"
#include "app/exit_status.h"
#include "app/output.h"
#include "app/program_file.h"
#include "model/config/loader.h"
#include "model/error.h"
#include "ptx/compiler.h"

namespace smsim::app {

int compile_command(const CompileOptions &options) {
    if (!is_ptx_source(options.input)) {
        throw InputError(options.input +
                         ": 'smsim compile' takes PTX (.ptx) or CUDA C++ (.cu); 'smsim asm' assembles .sasm");
    }
    std::error_code error;
    if (!options.output.empty() && std::filesystem::equivalent(options.input, options.output, error)) {
        throw InputError(options.output + ": the output would overwrite the input; name another with -o");
    }
    const PtxSource source = read_ptx_source(options.input);
    ptx::CompileOptions compile;
    compile.registers = options.registers;
    if (!options.engine.empty()) {
        compile.engine = load_config(std::nullopt, std::vector{"bru.engine=" + options.engine}).bru.engine;
    }
    compile.force = options.code.force;
    compile.level = options.code.level;
    const std::string text = ptx::compile_to_assembly(source.text, source.name, compile);
    if (options.output.empty()) {
        print(text);
        return kSuccess;
    }
    std::ofstream file(options.output, std::ios::binary | std::ios::trunc);
    file << text;
    file.close();
    if (!file) {
        throw InputError(options.output + ": cannot be written");
    }
    return kSuccess;
}

} // namespace smsim::app
