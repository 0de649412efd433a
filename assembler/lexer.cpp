#include "assembler/lexer.h"

#include <charconv>

namespace smsim::assembler {
namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
bool is_name_start(char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' || c == '.' || c == '$';
}
bool is_name_part(char c) {
    return is_name_start(c) || is_digit(c);
}
bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v';
}

constexpr std::size_t kShown = 40; // characters of a number in a message
constexpr std::string_view kSymbols = ";:,@!()[]{}+-~|=?&`";

class Lexer {
  public:
    Lexer(std::string_view text, Diagnostics &diagnostics) : text_(text), diagnostics_(diagnostics) {}

    std::vector<Token> run() {
        while (skip_blank()) {
            token();
        }
        Token end;
        end.place = place_;
        end.first = true;
        tokens_.push_back(end);
        return std::move(tokens_);
    }

  private:
    char at(std::size_t offset) const { return pos_ + offset < text_.size() ? text_[pos_ + offset] : '\0'; }

    void advance() {
        if (text_[pos_] == '\n') {
            ++place_.line;
            place_.column = 1;
            line_start_ = true;
        } else if ((static_cast<unsigned char>(text_[pos_]) & 0xc0U) != 0x80U) { // columns count characters of UTF-8
            ++place_.column;
        }
        ++pos_;
    }
    void advance(std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) {
            advance();
        }
    }

    /// Skips a comment that ends in `close`; its first two characters are at the position.
    void skip_comment(std::string_view close) {
        const Place begin = place_;
        const std::size_t end = text_.find(close, pos_ + 2);
        if (end == std::string_view::npos) {
            diagnostics_.add(begin, "comment is not closed; expected " + std::string(close));
            advance(text_.size() - pos_);
            return;
        }
        advance(end + close.size() - pos_);
    }

    /// Moves to the next token; false at the end of the text.
    bool skip_blank() {
        spaced_ = false;
        while (pos_ < text_.size()) {
            if (is_space(at(0))) {
                advance();
            } else if (at(0) == '/' && at(1) == '/') {
                while (pos_ < text_.size() && at(0) != '\n') {
                    advance();
                }
            } else if (at(0) == '/' && at(1) == '*') {
                skip_comment("*/");
            } else if (at(0) == '(' && at(1) == '*') {
                skip_comment("*)");
            } else {
                return true;
            }
            spaced_ = true;
        }
        return false;
    }

    void token() {
        Token token;
        token.place = place_;
        token.first = line_start_;
        token.spaced = spaced_;
        line_start_ = false;
        std::size_t length = 1;
        if (is_digit(at(0))) {
            length = number(token);
        } else if (is_name_start(at(0))) {
            token.kind = TokenKind::kName;
            while (is_name_part(at(length))) {
                ++length;
            }
        } else if (kSymbols.find(at(0)) != std::string_view::npos) {
            token.kind = TokenKind::kSymbol;
        } else {
            while ((static_cast<unsigned char>(at(length)) & 0xc0U) == 0x80U) {
                ++length;
            }
            const char byte = at(0);
            diagnostics_.add(place_, byte > ' ' && byte < 0x7f
                                         ? std::string("character '") + byte + "' is not part of the language"
                                         : std::string("character is not part of the language"));
            advance(length);
            return;
        }
        token.text = text_.substr(pos_, length);
        tokens_.push_back(token);
        advance(length);
    }

    /// Reads the number at the position into `token` and returns its length.
    std::size_t number(Token &token) {
        std::size_t length = 0;
        while (is_name_part(at(length)) || ((at(length) == '+' || at(length) == '-') && exponent_sign(length))) {
            ++length;
        }
        const std::string_view text = text_.substr(pos_, length);
        token.kind = TokenKind::kInteger;
        const std::string_view prefix = text.substr(0, 2);
        const std::string_view digits = text.size() > 2 ? text.substr(2) : std::string_view{};
        bool good = false;
        if (prefix == "0x" || prefix == "0X") {
            good = integer(digits, 16, token.value);
        } else if (prefix == "0b" || prefix == "0B") {
            good = integer(digits, 2, token.value);
        } else if (prefix == "0f") {
            token.kind = TokenKind::kBits32;
            good = digits.size() == 8 && integer(digits, 16, token.value);
        } else if (prefix == "0d") {
            token.kind = TokenKind::kBits64;
            good = digits.size() == 16 && integer(digits, 16, token.value);
        } else if (text.find_first_of(".eE") != std::string_view::npos) {
            token.kind = TokenKind::kFloat;
            double value = 0;
            const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
            // out of range is rejected where the width of the number is known
            good = error != std::errc::invalid_argument && end == text.data() + text.size();
        } else {
            token.decimal = true;
            good = integer(text, 10, token.value);
            if (good && text.size() > 1 && text.front() == '0') {
                diagnostics_.add(place_, "number '" + std::string(text.substr(0, kShown)) +
                                             "' begins with 0, which some would read as octal; expected it without");
            }
        }
        if (!good) {
            std::string message = "number '";
            message.append(text.substr(0, kShown))
                .append("' is malformed; expected 12, 0x1f, 0b101, 1.5, 2.0e-3, 0f and 8 hexadecimal "
                        "digits, or 0d and 16");
            diagnostics_.add(place_, std::move(message));
        }
        return length;
    }

    bool exponent_sign(std::size_t offset) const {
        const char before = at(offset - 1);
        return offset > 0 && (before == 'e' || before == 'E') && is_digit(at(offset + 1)) && at(1) != 'x' &&
               at(1) != 'X' && at(1) != 'f' && at(1) != 'd';
    }

    static bool integer(std::string_view digits, int base, std::uint64_t &value) {
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
        return !digits.empty() && error == std::errc{} && end == digits.data() + digits.size();
    }

    std::string_view text_;
    Diagnostics &diagnostics_;
    std::size_t pos_ = 0;
    Place place_;
    bool line_start_ = true;
    bool spaced_ = false;
    std::vector<Token> tokens_;
};

} // namespace

std::vector<Token> tokenize(std::string_view text, Diagnostics &diagnostics) {
    return Lexer(text, diagnostics).run();
}

} // namespace smsim::assembler
