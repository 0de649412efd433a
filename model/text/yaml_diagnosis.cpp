// The messages of yaml-cpp that occur with typing mistakes: a bracket or a quote that is not closed, a tab, a
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
        char quote = 0;       // in a quoted string: its quote
        bool escaped = false; // in double quotes: by a backslash
        bool comment = false;
        char before = '\n';
        char last = '\n'; // before this place, without spaces
        for (std::size_t i = 0; i < text.size(); ++i) {
            const char letter = text[i];
            ++column;
            if (letter == '\n') {
                ++line;
                column = 0;
                comment = false;
                last = '\n';
            } else if (quote == '"') {
                quote = letter == '"' && !escaped ? '\0' : quote;
                escaped = letter == '\\' && !escaped;
            } else if (quote == '\'') {
                if (letter == '\'' && i + 1 < text.size() && text[i + 1] == '\'') {
                    ++i; // a quote in the string
                    ++column;
                } else if (letter == '\'') {
                    quote = 0;
                }
            } else if (!comment) {
                comment = letter == '#' && (before == ' ' || before == '\t' || before == '\n');
                const bool begins = std::string_view("\n:-,[{?").find(last) != std::string_view::npos;
                if (begins && (letter == '"' || letter == '\'')) {
                    quote = letter;
                    escaped = false;
                } else if (!comment) {
                    marks_.push_back({line, column, letter});
                }
                last = letter == ' ' || letter == '\t' || letter == '\r' ? last : letter;
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
    /// The innermost bracket that is open at the end.
    std::optional<Mark> open_bracket() const {
        return marks_.empty() ? std::nullopt : open_bracket(marks_.back().line, marks_.back().column + 1);
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
        if (lines.back().ends_with('\r')) {
            lines.back().remove_suffix(1);
        }
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
std::optional<Diagnosis> tab(const std::vector<std::string_view> &lines, const Marks &marks, std::size_t line) {
    for (std::size_t number = std::min(line, lines.size()); number != 0 && number + 1 >= line; --number) {
        const std::string_view text = lines[number - 1];
        const std::size_t place = text.substr(0, indentation(text)).find('\t');
        if (place != std::string_view::npos && !marks.open_bracket(number, 1)) {
            return Diagnosis{number, place + 1, "a tab in the indentation; only spaces are allowed there"};
        }
    }
    return std::nullopt;
}

/// The number of the last line before `line` with more than a comment; 0: none.
std::size_t content_before(const std::vector<std::string_view> &lines, std::size_t line) {
    for (std::size_t number = std::min(line, lines.size() + 1) - 1; number != 0; --number) {
        const std::string_view text = lines[number - 1];
        const std::size_t begin = indentation(text);
        if (begin != text.size() && text[begin] != '#') {
            return number;
        }
    }
    return 0;
}

/// The last line with something before `line`, if it is a name without ':': what follows it are its keys, or beside it.
std::optional<Diagnosis> missing_colon(const std::vector<std::string_view> &lines, const Marks &marks,
                                       std::size_t line) {
    const std::size_t number = content_before(lines, line);
    if (number == 0) {
        return std::nullopt;
    }
    const std::string_view text = lines[number - 1];
    const std::size_t begin = indentation(text);
    const bool is_plain = text.find_first_of("[]{}'\"|>") == std::string_view::npos && text[begin] != '-' &&
                          marks.colons(number, text.size() + 1) == 0 && !marks.open_bracket(number, begin + 1);
    // Text that continues a value is deeper than its key, and no section begins before it.
    const std::size_t before = content_before(lines, number);
    const bool continues = before != 0 && indentation(lines[before - 1]) < begin && !lines[before - 1].ends_with(':');
    if (!is_plain || continues) {
        return std::nullopt;
    }
    const std::string_view word = text.substr(begin, text.find_last_not_of(" \t") + 1 - begin);
    return Diagnosis{number, begin + 1, fmt::format("'{}' is followed by keys, but has no ':'", word)};
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

/// The letter at a place, with all its bytes; columns count bytes here.
std::string letter_at(std::string_view line, std::size_t column) {
    std::string_view rest = line.substr(std::min(column - 1, line.size()));
    std::size_t bytes = rest.empty() ? 0 : 1;
    while (bytes < rest.size() && (static_cast<unsigned char>(rest[bytes]) & 0xc0U) == 0x80U) {
        ++bytes;
    }
    return std::string(rest.substr(0, bytes));
}

} // namespace

std::optional<Diagnosis> unclosed_bracket(std::string_view text) {
    const auto open = Marks(text).open_bracket();
    return open ? std::optional(Diagnosis{open->line, open->column, fmt::format("'{}' is not closed", open->letter)})
                : std::nullopt;
}

Diagnosis diagnose(std::string_view text, std::size_t line, std::size_t column, std::string_view message) {
    namespace Said = YAML::ErrorMsg;
    constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf"; // the parser does not count it
    text.remove_prefix(text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0);
    const std::vector<std::string_view> lines = lines_of(text);
    const Marks marks(text);
    const std::string letter = letter_at(line <= lines.size() ? lines[line - 1] : std::string_view(), column);
    if (message == Said::END_OF_MAP_FLOW || message == Said::END_OF_SEQ_FLOW) {
        if (auto open = unclosed_bracket(text)) {
            return *std::move(open);
        }
    }
    if (message == Said::UNKNOWN_TOKEN && letter != "\t") {
        return {line, column, fmt::format("a value cannot begin with '{}'; quote it", letter)};
    }
    if (message == Said::EOF_IN_SCALAR || message == Said::DOC_IN_SCALAR) {
        return {line, column, "a quoted string is not closed"};
    }
    if (message.starts_with(Said::INVALID_ESCAPE)) {
        return {line, column,
                "a backslash in double quotes means nothing before this letter; write '\\\\' for a backslash"};
    }
    if (const auto found = tab(lines, marks, line)) {
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
                              : "the indentation matches no key above"};
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
    return {line, column, fmt::format("no valid YAML: {}", message)};
}

} // namespace smsim::yaml
