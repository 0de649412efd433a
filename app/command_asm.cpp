// `smsim asm`
#include <filesystem>

#include <spdlog/spdlog.h>

#include "app/commands.h"
#include "app/exit_status.h"
#include "app/program_file.h"
#include "model/config/config.h"
#include "model/config/loader.h"
#include "model/error.h"

namespace smsim::app {

int asm_command(const AsmOptions &options) {
    const Config config = load_config(options.config.file, options.config.settings);
    std::filesystem::path output = options.output;
    if (output.empty()) {
        output = std::filesystem::path(options.input).replace_extension(".smbin");
    }
    std::error_code error;
    if (std::filesystem::equivalent(options.input, output, error)) {
        throw InputError(output.string() + ": the output would overwrite the input; name another with -o");
    }
    const Program program = load_program_file(options.input, config);
    save_program_file(program, output.string());
    spdlog::info("{}: {} instructions, {} kernels, for {}", output.string(), program.code.size(),
                 program.kernels.size(), program.engine);
    return kSuccess;
}

} // namespace smsim::app
