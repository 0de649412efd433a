// `smsim config`: one configuration, the keys, or (--each) many configurations in one call, which saves starting a
// process for each.
#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <spdlog/spdlog.h>

#include "app/commands.h"
#include "app/exit_status.h"
#include "app/output.h"
#include "model/config/config.h"
#include "model/config/config_json.h"
#include "model/config/loader.h"
#include "model/config/schema.h"
#include "model/error.h"
#include "model/text/input_file.h"

namespace smsim::app {

namespace {

constexpr std::size_t kMaxSettingsBytes = std::size_t{64} << 20;

/// The settings of a line. Throws InputError with `place`.
std::vector<std::string> settings_of(const std::string &line, const std::string &place) {
    const nlohmann::json list = nlohmann::json::parse(line, nullptr, false);
    if (!list.is_array() || !std::ranges::all_of(list, [](const auto &one) { return one.is_string(); })) {
        throw InputError(place + R"(: expected a list of settings in JSON, such as ["ibuffer.depth=4"])");
    }
    return list.get<std::vector<std::string>>();
}

/// The effective configuration, or {"refused": message}.
nlohmann::ordered_json effective(const ConfigSource &source) {
    try {
        return config_to_json(load_config(source.file, source.settings));
    } catch (const InputError &error) {
        return {{"refused", error.what()}};
    }
}

int print_each(const ConfigOptions &options) {
    if (options.schema) {
        throw InputError("--each lists configurations and --schema keys; give one of them");
    }
    const std::string path = options.each == "-" ? "/dev/stdin" : options.each;
    std::istringstream lines(text::read_file(path, kMaxSettingsBytes));
    std::size_t number = 0;
    for (std::string line; std::getline(lines, line);) {
        ConfigSource source = options.config;
        const std::vector<std::string> more = settings_of(line, fmt::format("{}:{}", path, ++number));
        source.settings.insert(source.settings.end(), more.begin(), more.end());
        // A message may name a file whose name is not UTF-8.
        print(effective(source).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
    }
    return kSuccess;
}

} // namespace

int config_command(const ConfigOptions &options) {
    if (!options.each.empty()) {
        return print_each(options);
    }
    const ConfigInput given(options.config.file, options.config.settings);
    const Config config = given.with({});
    for (const std::string &message : given.without_effect({})) {
        spdlog::warn("{}", message);
    }
    if (options.schema) {
        print(options.json ? schema_json() : schema_table());
    } else {
        print(options.json ? config_to_json(config).dump(2) + "\n" : dump_config(config, Remarks::kEffect));
    }
    return kSuccess;
}

} // namespace smsim::app
