// The known name nearest to a mistyped one, for messages: "unknown key 'x'; did you mean 'y'?".
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace smsim::text {

/// Number of single-character insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`.
/// Cost |a| * |b|; names longer than 200 characters are compared by their first 200.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The candidate with the smallest edit distance to `name`, the first of several; empty when none resembles it: at most
/// one character in three of the longer name may differ, or a single one.
std::string_view nearest(std::string_view name, std::span<const std::string_view> candidates);

/// For the end of a message: "; did you mean 'y'?", or if nothing resembles `name` the candidates after `all`, as in ";
/// types: u8, u16".
std::string suggestion(std::string_view name, std::span<const std::string_view> candidates, std::string_view all);

} // namespace smsim::text
