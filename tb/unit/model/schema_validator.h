// Checks JSON against the schemas in docs/.
#pragma once

#include <algorithm>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace smsim::test {

/// Supports the keywords that these schemas use; every deviation becomes a line with its place.
class SchemaValidator {
  public:
    using json = nlohmann::json;

    /// With the schema `file` of docs/, and those that it refers to.
    explicit SchemaValidator(const std::string &file) : root_(load(file)) {}

    std::vector<std::string> errors(const json &value) {
        found_.clear();
        check(root_, root_, value, "");
        return found_;
    }

  private:
    static bool has_type(const json &value, const std::string &type) {
        return type == "object"    ? value.is_object()
               : type == "array"   ? value.is_array()
               : type == "string"  ? value.is_string()
               : type == "boolean" ? value.is_boolean()
               : type == "integer" ? value.is_number_integer()
               : type == "number"  ? value.is_number()
                                   : type == "null" && value.is_null();
    }

    const json &load(const std::string &file) {
        const auto [entry, is_new] = documents_.try_emplace(file);
        if (is_new) {
            std::ifstream stream(SMSIM_SOURCE_DIR "/docs/" + file);
            entry->second = json::parse(stream);
        }
        return entry->second;
    }

    /// `schema` is a part of `document`.
    void check(const json &document, const json &schema, const json &value, const std::string &place) {
        if (schema.contains("$ref")) { // FILE#POINTER, or #POINTER in the same file
            const auto ref = schema["$ref"].get<std::string>();
            const std::size_t hash = ref.find('#');
            const json &there = hash == 0 ? document : load(ref.substr(0, hash));
            check(there, there.at(json::json_pointer(ref.substr(hash + 1))), value, place);
            return;
        }
        if (schema.contains("type")) {
            bool good = false;
            for (const json &type : schema["type"].is_array() ? schema["type"] : json::array({schema["type"]})) {
                good = good || has_type(value, type);
            }
            if (!good) {
                found_.push_back(place + ": wrong type");
                return;
            }
        }
        if (schema.contains("const") && schema["const"] != value) {
            found_.push_back(place + ": wrong constant");
        }
        if (schema.contains("enum") && std::ranges::find(schema["enum"], value) == schema["enum"].end()) {
            found_.push_back(place + ": not in the enumeration");
        }
        if (schema.contains("minimum") && value.get<double>() < schema["minimum"].get<double>()) {
            found_.push_back(place + ": too small");
        }
        for (const json &key : schema.value("required", json::array())) {
            if (value.is_object() && !value.contains(key.get<std::string>())) {
                found_.push_back(place + ": lacks " + key.get<std::string>());
            }
        }
        check_members(document, schema, value, place);
    }

    void check_members(const json &document, const json &schema, const json &value, const std::string &place) {
        if (value.is_object()) {
            for (const auto &[key, member] : value.items()) {
                if (schema.contains("properties") && schema["properties"].contains(key)) {
                    check(document, schema["properties"][key], member, place + "/" + key);
                } else if (schema.contains("additionalProperties") && schema["additionalProperties"].is_object()) {
                    check(document, schema["additionalProperties"], member, place + "/" + key);
                } else if (schema.contains("additionalProperties")) {
                    found_.push_back(place + ": unknown " + key);
                }
            }
        } else if (value.is_array() && schema.contains("items")) {
            for (std::size_t i = 0; i < value.size(); ++i) {
                check(document, schema["items"], value[i], place + "/" + std::to_string(i));
            }
        }
    }

    std::map<std::string, json> documents_; ///< by file
    const json &root_;
    std::vector<std::string> found_;
};

} // namespace smsim::test
