#include "ptx/interpreter/names.h"

#include <charconv>

namespace smsim::ptx::interpreter {

const Entity *Names::find_in(Scope &scope, std::string_view name, unsigned &slots) {
    if (const auto found = scope.names.find(std::string(name)); found != scope.names.end()) {
        return &found->second;
    }
    std::size_t digits = name.size();
    while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9') {
        --digits;
    }
    for (std::size_t split = digits; split < name.size(); ++split) { // "%r1<5>" declares %r10
        const std::string_view number = name.substr(split);
        const auto range = scope.ranges.find(std::string(name.substr(0, split)));
        std::uint64_t index = 0;
        const bool plain = number.size() == 1 || (number.front() != '0' && number.size() <= 10);
        std::from_chars(number.data(), number.data() + number.size(), index);
        if (!plain || range == scope.ranges.end() || index >= range->second.count) {
            continue;
        }
        Entity entity = range->second.entity;
        entity.slot = slots;
        slots += entity.vector;
        return &(scope.names[std::string(name)] = entity);
    }
    return nullptr;
}

const Entity *Names::find(std::string_view name, unsigned &slots) {
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
        if (const Entity *found = find_in(*scope, name, slots)) {
            return found;
        }
    }
    return nullptr;
}

const unsigned *Names::find_label(std::string_view name) const {
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
        const auto found = scope->labels.find(std::string(name));
        if (found != scope->labels.end()) {
            return &found->second;
        }
    }
    return nullptr;
}

const ptx::TargetList *Names::find_list(std::string_view name) const {
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
        const auto found = scope->lists.find(std::string(name));
        if (found != scope->lists.end()) {
            return found->second;
        }
    }
    return nullptr;
}

} // namespace smsim::ptx::interpreter
