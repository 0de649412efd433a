#include "model/config/operation_list.h"

#include <algorithm>

#include "model/isa/isa.h"

namespace smsim {

std::optional<OperationList> OperationList::parse(std::string_view text) {
    OperationList parsed;
    parsed.text_ = text;
    if (text == "all") {
        return parsed;
    }
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        const std::string_view name = text.substr(begin, end - begin);
        const bool known = std::ranges::any_of(isa::all_operations(), [name](const isa::OpSpec &spec) {
            return spec.name == name && (spec.unit == isa::Unit::kBranch || spec.unit == isa::Unit::kBarrier);
        });
        if (!known) {
            return std::nullopt;
        }
        if (std::ranges::find(parsed.names_, name) == parsed.names_.end()) {
            parsed.names_.emplace_back(name);
        }
        begin = end + 1;
    }
    return parsed;
}

bool OperationList::has(std::string_view mnemonic) const {
    return all() || std::ranges::find(names_, mnemonic) != names_.end();
}

} // namespace smsim
