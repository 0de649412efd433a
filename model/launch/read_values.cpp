// Strict conversion of YAML scalars to numbers of each element type.
#include "model/launch/read_values.h"

#include <cmath>
#include <cstdlib>
#include <limits>

#include <fmt/format.h>

#include "model/text/nearest.h"

namespace smsim::launch {

namespace {

bool is_signed(ElementType type) {
    return type >= ElementType::kS8 && type <= ElementType::kS64;
}

/// A number for a float type: decimal or hexadecimal notation, nan, inf, -inf (also as YAML writes them). An f32 is
/// rounded once, from the text.
double read_float(const yaml::Node &node, ElementType type, const std::string &name) {
    yaml::refuse_leading_zero(node, name);
    std::string text = node.kind == yaml::Kind::kScalar && !node.quoted ? node.text : "";
    for (const std::string_view special : {".nan", ".inf", "-.inf", "+.inf"}) {
        if (text == special) {
            std::erase(text, '.');
        }
    }
    const bool special = text == "nan" || text == "inf" || text == "-inf" || text == "+inf";
    char *end = nullptr;
    const double value = type == ElementType::kF32 ? static_cast<double>(std::strtof(text.c_str(), &end))
                                                   : std::strtod(text.c_str(), &end);
    // strtod also takes leading blanks, "nan(...)" and "infinity": only the spellings above are allowed.
    const bool number = !text.empty() && text.find_first_not_of("0123456789+-.eExXpPabcdfABCDF") == std::string::npos;
    if ((!special && !number) || end != text.c_str() + text.size()) {
        yaml::fail(node, fmt::format("{} must be a number of type {}", name, element_name(type)));
    }
    if (!special && std::isinf(value)) {
        yaml::fail(node, fmt::format("{} is too large for type {}", name, element_name(type)));
    }
    return value;
}

} // namespace

Value read_value(const yaml::Node &node, ElementType type, const std::string &name) {
    if (is_float(type)) {
        return read_float(node, type, name);
    }
    const unsigned bits = 8 * element_bytes(type);
    if (is_signed(type)) {
        const std::int64_t high = std::numeric_limits<std::int64_t>::max() >> (64 - bits);
        return yaml::to_signed(node, name, -high - 1, high);
    }
    return yaml::to_unsigned(node, name, 0, std::numeric_limits<std::uint64_t>::max() >> (64 - bits));
}

Value read_step(const yaml::Node &node, ElementType type) {
    const bool down = node.kind == yaml::Kind::kScalar && node.text.starts_with('-');
    if (!down || is_float(type) || is_signed(type)) {
        return read_value(node, type, "step");
    }
    const std::int64_t high = std::numeric_limits<std::int64_t>::max() >> (64 - 8 * element_bytes(type));
    return static_cast<std::uint64_t>(yaml::to_signed(node, "step", -high - 1, high));
}

Value zero_of(ElementType type) {
    if (is_float(type)) {
        return 0.0;
    }
    return is_signed(type) ? Value{std::int64_t{0}} : Value{std::uint64_t{0}};
}

ElementType read_type(const yaml::Node &node) {
    std::vector<std::string_view> names;
    for (unsigned i = 0; i < kElementTypes; ++i) {
        names.push_back(element_name(static_cast<ElementType>(i)));
    }
    const std::string &text = yaml::to_text(node, "type");
    for (unsigned i = 0; i < kElementTypes; ++i) {
        if (names[i] == text) {
            return static_cast<ElementType>(i);
        }
    }
    yaml::fail(node, fmt::format("no type '{}'{}", text, text::suggestion(text, names, "types")));
}

const yaml::Node &need(const yaml::Node &map, std::string_view key, const std::string &what) {
    const yaml::Node *node = map.find(key);
    if (node == nullptr) {
        yaml::fail(map, fmt::format("{} needs the key '{}'", what, key));
    }
    return *node;
}

const std::vector<yaml::Node> &need_list(const yaml::Node &node, const std::string &name) {
    if (node.kind != yaml::Kind::kSequence) {
        yaml::fail(node, name + " must be a list");
    }
    return node.items;
}

std::vector<Value> read_values(const yaml::Node &node, ElementType type) {
    std::vector<Value> values;
    for (const yaml::Node &item : need_list(node, "values")) {
        values.push_back(read_value(item, type, "a value"));
    }
    if (values.empty()) {
        yaml::fail(node, "values must hold at least one value");
    }
    return values;
}

} // namespace smsim::launch
