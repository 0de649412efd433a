#include "ptx/lexer.h"

#include <array>
#include <bit>
#include <cctype>
#include <charconv>

namespace smsim::ptx {

namespace {

using assembler::Diagnostics;
using assembler::Place;

bool is_follow(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$';
}
bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

class Lexer {
  public:
    Lexer(std::string_view text, Diagnostics &diagnostics) : text_(text), diagnostics_(diagnostics) {}

    std::vector<Token> run() {
        for (skip_blank(); at_ < text_.size(); skip_blank()) {
            token();
        }
        tokens_.push_back({TokenKind::kEnd, {}, place_, 0});
        return std::move(tokens_);
    }

  private:
    char look(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

    void advance(std::size_t count = 1) {
        for (; count > 0 && at_ < text_.size(); --count, ++at_) {
            const bool newline = text_[at_] == '\n';
            place_.line += newline ? 1 : 0;
            place_.column = newline ? 1 : place_.column + 1;
        }
    }

    void skip_blank() {
        while (at_ < text_.size()) {
            if (std::isspace(static_cast<unsigned char>(look())) != 0) {
                advance();
            } else if ((look() == '/' && look(1) == '/') || (look() == '#' && place_.column == 1)) {
                advance(std::min(text_.find('\n', at_), text_.size()) - at_);
            } else if (look() == '/' && look(1) == '*') {
                skip_comment();
            } else {
                return;
            }
        }
    }

    void skip_comment() {
        const std::size_t end = text_.find("*/", at_ + 2);
        if (end == std::string_view::npos) {
            diagnostics_.add(place_, "unterminated comment; expected '*/'");
            advance(text_.size() - at_);
        } else {
            advance(end + 2 - at_);
        }
    }

    void push(TokenKind kind, std::size_t from, std::size_t to, Place place, std::uint64_t value = 0) {
        tokens_.push_back({kind, text_.substr(from, to - from), place, value});
    }

    void token() {
        const char c = look();
        if (is_digit(c)) {
            number();
        } else if (c == '.' && (is_follow(look(1)))) {
            dot();
        } else if (is_follow(c) || c == '%') {
            name();
        } else if (c == '"') {
            string();
        } else {
            symbol();
        }
    }

    void name() {
        const std::size_t from = at_;
        const Place place = place_;
        do {
            advance();
        } while (is_follow(look()));
        // A lone % is the remainder.
        push(at_ - from == 1 && text_[from] == '%' ? TokenKind::kSymbol : TokenKind::kName, from, at_, place);
    }

    void dot() {
        const Place place = place_;
        advance();
        const std::size_t from = at_;
        while (is_follow(look()) || (look() == ':' && look(1) == ':' && is_follow(look(2)))) {
            advance(look() == ':' ? 2 : 1);
        }
        push(TokenKind::kDot, from, at_, place);
    }

    void string() {
        const Place place = place_;
        const std::size_t from = at_ + 1;
        const std::size_t end = text_.find_first_of("\"\n", from);
        if (end == std::string_view::npos || text_[end] == '\n') {
            diagnostics_.add(place, "unterminated string; expected '\"'");
            advance(std::min(end, text_.size()) - at_);
            return;
        }
        push(TokenKind::kString, from, end, place);
        advance(end + 1 - at_);
    }

    void symbol() {
        constexpr std::array<std::string_view, 8> kLong = {"<<", ">>", "==", "!=", "<=", ">=", "&&", "||"};
        constexpr std::string_view kShort = "{}()[]<>,;:=+-*/%!~&|^?@";
        std::size_t length = kShort.find(look()) == std::string_view::npos ? 0 : 1;
        for (const std::string_view symbol : kLong) {
            length = text_.substr(at_, 2) == symbol ? 2 : length;
        }
        if (length == 0) {
            diagnostics_.add(place_, "a character that belongs to no token; expected a directive, name or number");
            advance();
            return;
        }
        push(TokenKind::kSymbol, at_, at_ + length, place_);
        advance(length);
    }

    void number() {
        const std::size_t from = at_;
        const Place place = place_;
        const char mark = static_cast<char>(look() == '0' ? std::tolower(static_cast<unsigned char>(look(1))) : 0);
        while (is_follow(look()) || (look() == '.' && is_digit(look(1)) && mark != 'x') || exponent_sign(from, mark)) {
            advance();
        }
        const std::string_view word = text_.substr(from, at_ - from);
        if (mark == 'f' || mark == 'd') {
            bits(word, mark == 'f' ? 8 : 16, from, place);
        } else if (mark != 'x' && mark != 'b' && word.find_first_of(".eE") != std::string_view::npos) {
            decimal_float(word, from, place);
        } else {
            integer(word, mark, from, place);
        }
    }

    bool exponent_sign(std::size_t from, char mark) const {
        const bool sign = look() == '+' || look() == '-';
        return sign && at_ > from && mark != 'x' && mark != 'b' && mark != 'f' && mark != 'd' && is_digit(look(1)) &&
               (text_[at_ - 1] == 'e' || text_[at_ - 1] == 'E');
    }

    void bits(std::string_view word, std::size_t digits, std::size_t from, Place place) {
        std::uint64_t value = 0;
        const std::string_view hex = word.substr(2);
        const auto [end, error] = std::from_chars(hex.data(), hex.data() + hex.size(), value, 16);
        if (hex.size() != digits || error != std::errc{} || end != hex.data() + hex.size()) {
            diagnostics_.add(place, "malformed number '" + std::string(word.substr(0, 40)) + "'; expected " +
                                        std::to_string(digits) + " hexadecimal digits after '" +
                                        std::string(word.substr(0, 2)) + "'");
        }
        push(digits == 8 ? TokenKind::kSingle : TokenKind::kDouble, from, at_, place, value);
    }

    void decimal_float(std::string_view word, std::size_t from, Place place) {
        double value = 0;
        const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
        if (error != std::errc{} || end != word.data() + word.size()) {
            diagnostics_.add(place, "malformed number '" + std::string(word.substr(0, 40)) + "'; expected a double");
        }
        push(TokenKind::kDouble, from, at_, place, std::bit_cast<std::uint64_t>(value));
    }

    void integer(std::string_view word, char mark, std::size_t from, Place place) {
        std::string_view digits = word;
        if (digits.ends_with('U')) {
            digits.remove_suffix(1);
        }
        int base = 10;
        if (mark == 'x' || mark == 'b') {
            base = mark == 'x' ? 16 : 2;
            digits.remove_prefix(std::min<std::size_t>(2, digits.size()));
        } else if (digits.size() > 1 && digits.front() == '0') {
            base = 8;
        }
        std::uint64_t value = 0;
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
        if (error != std::errc{} || end != digits.data() + digits.size()) {
            diagnostics_.add(place, "malformed number '" + std::string(word.substr(0, 40)) +
                                        "'; expected an integer below 2^64");
        }
        push(TokenKind::kInteger, from, at_, place, value);
    }

    std::string_view text_;
    Diagnostics &diagnostics_;
    std::size_t at_ = 0;
    Place place_;
    std::vector<Token> tokens_;
};

} // namespace

std::vector<Token> tokenize(std::string_view text, Diagnostics &diagnostics) {
    return Lexer(text, diagnostics).run();
}

} // namespace smsim::ptx
