// The bounds of the second byte distinguish valid characters from overlong ones, surrogates and too large ones.
#include "model/text/utf8.h"

namespace smsim::text {

namespace {

/// Length in bytes of the character that begins at `at`; 0 if none does.
std::size_t character_length(std::string_view text, std::size_t at) {
    const auto byte = [&](std::size_t ahead) -> unsigned {
        return at + ahead < text.size() ? static_cast<unsigned char>(text[at + ahead]) : 0;
    };
    const unsigned first = byte(0);
    if (first < 0x80) {
        return 1;
    }
    const std::size_t length = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
    if (length == 0) {
        return 0;
    }
    const unsigned low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
    const unsigned high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
    if (byte(1) < low || byte(1) > high) {
        return 0;
    }
    for (std::size_t i = 2; i < length; ++i) {
        if (byte(i) < 0x80 || byte(i) > 0xbf) {
            return 0;
        }
    }
    return length;
}

} // namespace

std::size_t find_invalid_utf8(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = character_length(text, at);
        if (length == 0) {
            return at;
        }
        at += length;
    }
    return std::string_view::npos;
}

} // namespace smsim::text
