// `smsim disasm`
#include "app/commands.h"
#include "app/exit_status.h"
#include "app/output.h"
#include "app/program_file.h"
#include "model/config/config.h"
#include "model/config/loader.h"

namespace smsim::app {

int disasm_command(const DisasmOptions &options) {
    const Config config = load_config(options.config.file, options.config.settings);
    print(listing(load_program_file(options.input, config)));
    return kSuccess;
}

} // namespace smsim::app
