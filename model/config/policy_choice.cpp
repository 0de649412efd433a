#include "model/config/policy_choice.h"

#include <algorithm>

namespace smsim {
namespace {

constexpr std::string_view kPrefix = "library:";

/// The text after the prefix.
std::string_view rest(std::string_view text) {
    return text.substr(std::min(kPrefix.size(), text.size()));
}

} // namespace

std::optional<LibraryChoice> LibraryChoice::parse(std::string_view text) {
    const bool control =
        std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
    if (!text.starts_with(kPrefix) || rest(text).empty() || rest(text).front() == ':' || control) {
        return std::nullopt;
    }
    LibraryChoice choice;
    choice.text_ = text;
    return choice;
}

std::string_view LibraryChoice::library() const {
    const std::string_view named = rest(text_);
    return named.substr(0, named.find(':'));
}

std::string_view LibraryChoice::parameters() const {
    const std::string_view named = rest(text_);
    const std::size_t colon = named.find(':');
    return colon == std::string_view::npos ? std::string_view() : named.substr(colon + 1);
}

} // namespace smsim
