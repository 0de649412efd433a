// What is wrong with a text that is no YAML, in words that help to fix it: the parser notices many mistakes later than
// where they are, and names them by its own rules.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace smsim::yaml {

/// A place, counted from 1, and what is wrong there.
struct Diagnosis {
    std::size_t line = 1;
    std::size_t column = 1;
    std::string cause;
};

/// What the parser means that has stopped at `line` and `column` of `text`, counted from 1, with `message`.
Diagnosis diagnose(std::string_view text, std::size_t line, std::size_t column, std::string_view message);

/// The innermost bracket of `text` that is not closed.
std::optional<Diagnosis> unclosed_bracket(std::string_view text);

} // namespace smsim::yaml
