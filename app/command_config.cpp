// `smsim config`
#include <nlohmann/json.hpp>

#include "app/commands.h"
#include "app/exit_status.h"
#include "app/output.h"
#include "model/config/config_json.h"
#include "model/config/loader.h"
#include "model/config/schema.h"

namespace smsim::app {

int config_command(const ConfigOptions &options) {
    const Config config = load_config(options.config.file, options.config.settings);
    if (options.schema) {
        print(options.json ? schema_json() : schema_table());
    } else {
        print(options.json ? config_to_json(config).dump(2) + "\n" : dump_config(config));
    }
    return kSuccess;
}

} // namespace smsim::app
