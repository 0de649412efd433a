#include "model/launch/changes.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "model/error.h"
#include "model/text/nearest.h"

namespace smsim::launch {

namespace {

/// Gives a parsed value the place of the change that contains it.
void set_place(yaml::Node &node, const std::string &place) {
    node.place = place;
    for (yaml::Node &item : node.items) {
        set_place(item, place);
    }
    for (auto &[key, value] : node.members) {
        set_place(key, place);
        set_place(value, place);
    }
}

/// What the part of a path after `node` can be.
std::vector<std::string> names_in(const yaml::Node &node) {
    std::vector<std::string> names;
    for (const auto &[key, value] : node.members) {
        names.push_back(key.text);
    }
    for (std::size_t i = 0; i < node.items.size(); ++i) {
        const yaml::Node *name = node.items[i].find("name");
        names.push_back(name != nullptr ? name->text : std::to_string(i));
    }
    return names;
}

yaml::Node *child(yaml::Node &node, std::string_view name) {
    const std::vector<std::string> names = names_in(node);
    const auto found = std::ranges::find(names, name);
    if (found == names.end()) {
        return nullptr;
    }
    const auto index = static_cast<std::size_t>(found - names.begin());
    return node.kind == yaml::Kind::kMap ? &node.members[index].value : &node.items[index];
}

/// Maps without which a file means what it means with them: a path may go through them although they are not there.
bool may_be_absent(std::string_view path) {
    return path == "compile" || path == "compile.define";
}

/// A new member of the map `node`.
yaml::Node &add(yaml::Node &node, std::string_view name, const std::string &place, yaml::Node value) {
    yaml::Node key;
    key.kind = yaml::Kind::kScalar;
    key.text = name;
    key.place = place;
    node.members.push_back({std::move(key), std::move(value)});
    return node.members.back().value;
}

void apply(yaml::Node &root, const std::string &change) {
    const std::string place = "--launch " + change;
    const std::size_t equals = change.find('=');
    if (equals == std::string::npos || equals == 0) {
        throw InputError(place + ": expected KEY=VALUE");
    }
    yaml::Node value = yaml::parse(std::string_view(change).substr(equals + 1), place);
    set_place(value, place);
    yaml::Node *node = &root;
    const std::string_view whole = std::string_view(change).substr(0, equals);
    std::string_view path = whole;
    while (true) {
        const std::string_view name = path.substr(0, path.find('.'));
        const bool last = name.size() == path.size();
        yaml::Node *next = child(*node, name);
        if (next == nullptr && last && node->kind == yaml::Kind::kMap) {
            add(*node, name, place, std::move(value));
            return;
        }
        if (next == nullptr && node->kind == yaml::Kind::kMap &&
            may_be_absent(whole.substr(0, whole.size() - path.size() + name.size()))) {
            yaml::Node map;
            map.kind = yaml::Kind::kMap;
            map.place = place;
            next = &add(*node, name, place, std::move(map));
        }
        if (next == nullptr) {
            const std::vector<std::string> names = names_in(*node);
            const std::vector<std::string_view> known(names.begin(), names.end());
            throw InputError(known.empty()
                                 ? fmt::format("{}: there is no '{}' here", place, name)
                                 : fmt::format("{}: there is no '{}' here{}", place, name,
                                               text::suggestion(std::string(name), known, "expected one of")));
        }
        if (last) {
            *next = std::move(value);
            return;
        }
        node = next;
        path.remove_prefix(name.size() + 1);
    }
}

} // namespace

void apply_changes(yaml::Node &root, std::span<const std::string> changes) {
    for (const std::string &change : changes) {
        apply(root, change);
    }
}

} // namespace smsim::launch
