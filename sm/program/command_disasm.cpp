// `smsim disasm`
#include "model/config/loader.h"
#include "sm/program/commands.h"
#include "sm/program/exit_status.h"
#include "sm/program/output.h"
#include "sm/program/program_file.h"

namespace smsim::program {

int disasm_command(const DisasmOptions &options) {
    const Config config = load_config(options.config.file, options.config.settings);
    print(listing(load_program_file(options.input, config)));
    return kSuccess;
}

} // namespace smsim::program
