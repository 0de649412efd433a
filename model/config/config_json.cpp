// Nested objects from the table of keys, one level per dot.
#include "model/config/config_json.h"

#include <nlohmann/json.hpp>

#include "model/config/schema.h"

namespace smsim {

nlohmann::ordered_json config_to_json(const Config &config) {
    nlohmann::ordered_json root = nlohmann::ordered_json::object();
    for (const ConfigKey &key : config_keys()) {
        nlohmann::ordered_json *object = &root;
        std::string_view rest = key.name;
        for (std::size_t dot = rest.find('.'); dot != std::string_view::npos; dot = rest.find('.')) {
            object = &(*object)[std::string(rest.substr(0, dot))];
            rest.remove_prefix(dot + 1);
        }
        std::visit([&](const auto &value) { (*object)[std::string(rest)] = value; }, value_of(config, key));
    }
    return root;
}

} // namespace smsim
