// The messages of yaml-cpp that occur with mistakes of the hand: a bracket or a quote that is not closed, a tab, a
// missing ':', a wrong indentation.
#include "model/text/yaml_diagnosis.h"

#include <algorithm>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <yaml-cpp/exceptions.h>

namespace smsim::yaml {

namespace {

/// The characters of a text that have a meaning: not those in quotes and comments.
class Marks {
  public:
    struct Mark {
        std::size_t line;
        std::size_t column;
        char letter;
    };

    explicit Marks(std::string_view text) {
        std::size_t line = 1;
        std::size_t column = 0;
        char quote = 0;
        char before = ' ';
        bool comment = false;
        for (const char letter : text) {
            ++column;
            if (letter == '\n') {
                ++line;
                column = 0;
                comment = false;
            } else if (quote != 0) {
                quote = letter == quote && before != '\\' ? '\0' : quote;
            } else if (!comment) {
                comment = letter == '#' && (before == ' ' || before == '\n');
                const bool begins = before == ' ' || before == '\n' || before == '[' || before == '{' || before == ',';
                quote = (letter == '"' || letter == '\'') && begins ? letter : '\0';
                if (!comment && quote == 0) {
                    marks_.push_back({line, column, letter});
                }
            }
            before = letter;
        }
    }
    /// The innermost bracket that is open before a place.
    std::optional<Mark> open_bracket(std::size_t line, std::size_t column) const {
        std::vector<Mark> open;
        for (const Mark &mark : marks_) {
            if (mark.line > line || (mark.line == line && mark.column >= column)) {
                break;
            }
            if (mark.letter == '{' || mark.letter == '[') {
                open.push_back(mark);
            } else if ((mark.letter == '}' || mark.letter == ']') && !open.empty()) {
                open.pop_back();
            }
        }
        return open.empty() ? std::nullopt : std::optional(open.back());
    }
    /// How many colons end a key in a line before a column.
    std::size_t colons(std::size_t line, std::size_t column) const {
        return static_cast<std::size_t>(std::ranges::count_if(
            marks_, [&](const Mark &mark) { return mark.line == line && mark.column < column && mark.letter == ':'; }));
    }

  private:
    std::vector<Mark> marks_;
};

std::vector<std::string_view> lines_of(std::string_view text) {
    std::vector<std::string_view> lines;
    while (true) {
        const std::size_t end = text.find('\n');
        lines.push_back(text.substr(0, end));
        if (end == std::string_view::npos) {
            return lines;
        }
        text.remove_prefix(end + 1);
    }
}

std::size_t indentation(std::string_view line) {
    return std::min(line.find_first_not_of(" \t"), line.size());
}

/// The last line up to `line` with a tab in its indentation, if the parser has stopped at it or just after it.
std::optional<Diagnosis> tab(const std::vector<std::string_view> &lines, std::size_t line) {
    for (std::size_t number = std::min(line, lines.size()); number != 0 && number + 1 >= line; --number) {
        const std::string_view text = lines[number - 1];
        const std::size_t place = text.substr(0, indentation(text)).find('\t');
        if (place != std::string_view::npos) {
            return Diagnosis{number, place + 1, "a tab in the indentation; only blanks are allowed there"};
        }
    }
    return std::nullopt;
}

/// The last line with something before `line`, if it has no ':' although it is no element of a list: what follows it
/// are its keys, or beside it.
std::optional<Diagnosis> missing_colon(const std::vector<std::string_view> &lines, const Marks &marks,
                                       std::size_t line) {
    for (std::size_t number = std::min(line, lines.size() + 1) - 1; number != 0; --number) {
        const std::string_view text = lines[number - 1];
        const std::size_t begin = indentation(text);
        if (begin == text.size() || text[begin] == '#') {
            continue;
        }
        if (marks.colons(number, text.size() + 1) != 0 || text[begin] == '-') {
            return std::nullopt;
        }
        const std::string_view word = text.substr(begin, text.find_last_not_of(" \t\r") + 1 - begin);
        return Diagnosis{number, begin + 1, fmt::format("'{}' is followed by keys, but has no ':'", word)};
    }
    return std::nullopt;
}

/// A ':' where the parser expects none.
Diagnosis stray_colon(const std::vector<std::string_view> &lines, const Marks &marks, std::size_t line,
                      std::size_t column) {
    if (marks.colons(line, column) != 0) {
        return {line, column, "a second ':' in one line; quote a value that contains one"};
    }
    if (const auto found = missing_colon(lines, marks, line)) {
        return *found;
    }
    return {line, column, "a ':' where no key can be"};
}

} // namespace

Diagnosis diagnose(std::string_view text, std::size_t line, std::size_t column, std::string_view message) {
    namespace Said = YAML::ErrorMsg;
    const std::vector<std::string_view> lines = lines_of(text);
    const Marks marks(text);
    const std::string_view here = line <= lines.size() ? lines[line - 1] : std::string_view();
    const std::string letter(here.substr(std::min(column - 1, here.size()), 1));
    if (message == Said::END_OF_MAP_FLOW || message == Said::END_OF_SEQ_FLOW) {
        if (const auto open = marks.open_bracket(lines.size(), lines.back().size() + 1)) {
            return {open->line, open->column, fmt::format("'{}' is not closed", open->letter)};
        }
    }
    if (const auto found = tab(lines, line)) {
        return *found;
    }
    if (message == Said::MAP_VALUE) {
        return stray_colon(lines, marks, line, column);
    }
    if (message == Said::END_OF_MAP) {
        if (const auto found = missing_colon(lines, marks, line)) {
            return *found;
        }
        return {line, column,
                letter == "-" ? "a '-' beside keys; a list is the value of one key"
                              : "the indentation is that of no key above"};
    }
    if (message == Said::END_OF_SEQ) {
        return {line, column, "in a list, each element begins with '-', all at the same indentation"};
    }
    if (message == Said::BLOCK_ENTRY) {
        return {line, column, "a '-' that begins no element of a list"};
    }
    if (message == Said::FLOW_END) {
        const auto open = marks.open_bracket(line, column);
        return {line, column,
                open ? fmt::format("'{}' cannot close the '{}' of line {}, column {}", letter, open->letter, open->line,
                                   open->column)
                     : fmt::format("'{}' closes nothing", letter)};
    }
    if (message == Said::UNKNOWN_TOKEN) {
        return {line, column, fmt::format("a value cannot begin with '{}'; quote it", letter)};
    }
    if (message == Said::EOF_IN_SCALAR || message == Said::DOC_IN_SCALAR) {
        return {line, column, "a text in quotes is not closed"};
    }
    if (message.starts_with(Said::INVALID_ESCAPE)) {
        return {line, column,
                fmt::format("in double quotes '\\{}' means nothing; write '\\\\' for a backslash",
                            message.substr(std::string_view(Said::INVALID_ESCAPE).size()))};
    }
    return {line, column, fmt::format("no valid YAML: {}", message)};
}

} // namespace smsim::yaml
