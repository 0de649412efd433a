// Text in UTF-8, the only encoding of text that smsim reads and writes.
#pragma once

#include <cstddef>
#include <string_view>

namespace smsim::text {

/// The first byte that belongs to no character of UTF-8 (RFC 3629: shortest form, no surrogates, at most U+10FFFF);
/// npos if there is none.
std::size_t find_invalid_utf8(std::string_view text);

} // namespace smsim::text
