#include "model/program/engine.h"

#include <algorithm>

#include <fmt/format.h>

#include "model/config/schema.h"

namespace smsim {

namespace {

const ConfigKey &engine_key() {
    return *find_config_key("bru.engine");
}

} // namespace

std::span<const std::string_view> engine_names() {
    return enum_names(engine_key());
}

bool is_engine_name(std::string_view name) {
    return std::ranges::find(engine_names(), name) != engine_names().end();
}

std::string engine_mismatch(const Program &program, const Config &config) {
    const auto own = std::get<std::string_view>(value_of(config, engine_key()));
    if (program.engine == own) {
        return {};
    }
    const std::string name = program.files.empty() ? std::string() : fmt::format(" '{}'", program.files.front());
    return fmt::format("its program{} is for the reconvergence engine {}; this SM has {} (bru.engine)", name,
                       program.engine, own);
}

} // namespace smsim
