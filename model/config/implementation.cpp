#include "model/config/implementation.h"

#include <algorithm>
#include <utility>

namespace smsim {

std::optional<Implementation> Implementation::parse(std::string_view text) {
    constexpr std::pair<std::string_view, Kind> kKinds[] = {
        {"model", Kind::kModel}, {"rtl", Kind::kRtl}, {"lockstep", Kind::kLockstep}};
    const std::size_t colon = text.find(':');
    const auto named = std::ranges::find(kKinds, text.substr(0, colon), &std::pair<std::string_view, Kind>::first);
    if (named == std::end(kKinds)) {
        return std::nullopt;
    }
    if (colon != std::string_view::npos) {
        const std::string_view path = text.substr(colon + 1);
        const bool control =
            std::ranges::any_of(path, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
        if (named->second == Kind::kModel || path.empty() || control) {
            return std::nullopt;
        }
    }
    Implementation parsed;
    parsed.text_ = text;
    parsed.kind_ = named->second;
    return parsed;
}

std::string_view Implementation::library() const {
    const std::size_t colon = text_.find(':');
    return colon == std::string::npos ? std::string_view() : std::string_view(text_).substr(colon + 1);
}

} // namespace smsim
