#include "ptx/scope.h"

#include <algorithm>
#include <charconv>

namespace smsim::ptx {

Symbol Scopes::find_in_range(const Scope &scope, std::string_view name) {
    std::size_t at = name.size();
    while (at > 0 && name[at - 1] >= '0' && name[at - 1] <= '9') {
        --at;
    }
    // Tries every split between the name and its number: "%r1<5>" declares %r10 to %r14.
    for (std::size_t split = at; split < name.size(); ++split) {
        const std::string_view digits = name.substr(split);
        if (digits.size() > 10 || (digits.size() > 1 && digits.front() == '0')) {
            continue;
        }
        std::uint64_t number = 0;
        std::from_chars(digits.data(), digits.data() + digits.size(), number);
        const auto found = scope.ranges.find(std::string(name.substr(0, split)));
        if (found != scope.ranges.end() && number < found->second.variable->range.value_or(0)) {
            return found->second;
        }
    }
    return {};
}

Symbol Scopes::find_in(const Scope &scope, std::string_view name) {
    const auto found = scope.names.find(std::string(name));
    return found != scope.names.end() ? found->second : find_in_range(scope, name);
}

Symbol Scopes::declare(const std::string &name, Symbol symbol) {
    Scope &scope = scopes_.back();
    const bool range = symbol.variable != nullptr && symbol.variable->range.has_value();
    if (!range) {
        const Symbol before = find_in(scope, name);
        scope.names.try_emplace(name, symbol);
        return before;
    }
    const auto [entry, fresh] = scope.ranges.try_emplace(name, symbol);
    return fresh ? find_in(scope, name + "0").variable == symbol.variable ? Symbol{} : find_in(scope, name + "0")
                 : entry->second;
}

Symbol Scopes::find(std::string_view name) const {
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
        const Symbol symbol = find_in(*scope, name);
        if (symbol.known()) {
            return symbol;
        }
    }
    return {};
}

bool Scopes::declare_label(const std::string &name, LabelSymbol label) {
    return scopes_.back().labels.try_emplace(name, label).second;
}

const LabelSymbol *Scopes::find_label(std::string_view name) const {
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
        const auto found = scope->labels.find(std::string(name));
        if (found != scope->labels.end()) {
            return &found->second;
        }
    }
    return nullptr;
}

std::vector<std::string_view> Scopes::labels() const {
    std::vector<std::string_view> names;
    for (const Scope &scope : scopes_) {
        for (const auto &[name, label] : scope.labels) {
            names.push_back(name);
        }
    }
    std::sort(names.begin(), names.end()); // independent of the order of the hash table
    return names;
}

} // namespace smsim::ptx
