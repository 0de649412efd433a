#include "assembler/operand.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "model/isa/condition_tests.h"
#include "model/isa/instruction.h"

namespace smsim::assembler {
namespace {

constexpr std::string_view kReuse = ".reuse"; // after a register: keep it in the reuse cache

/// `name` without ".reuse".
std::string_view without_reuse(std::string_view name) {
    return name.substr(0, name.size() - (name.ends_with(kReuse) ? kReuse.size() : 0));
}

/// The decimal number after the prefix of a register name; none when it is not a plain number.
std::optional<unsigned> register_number(std::string_view digits) {
    unsigned value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (digits.empty() || error != std::errc{} || end != digits.data() + digits.size() ||
        (digits.size() > 1 && digits.front() == '0')) {
        return std::nullopt;
    }
    return value;
}

class OperandParser {
  public:
    OperandParser(Cursor &cursor, const Aliases &aliases, Dialect dialect)
        : cursor_(cursor), aliases_(aliases), dialect_(dialect) {}

    Operand run() {
        const Token &token = cursor_.peek();
        const Place place = token.place;
        Operand operand;
        if (cursor_.accept('!')) {
            operand = needs_register("!");
            operand.not_ = !operand.not_;
            if (operand.kind != OperandKind::kPredicate) {
                throw SyntaxError{place,
                                  "'!' before a " + std::string(kind_name(operand.kind)) + "; expected predicate"};
            }
        } else if (cursor_.accept('~')) {
            operand = needs_register("~");
            operand.inverted = true;
        } else if (token.is('|')) {
            operand = absolute();
        } else if (token.is('-') && starts_source(1)) {
            cursor_.next();
            operand = cursor_.peek().is('|') ? absolute() : needs_register("-");
            operand.negated = true;
        } else if ((token.is('-') || token.is('+')) && starts_float(1)) {
            cursor_.next();
            operand = floating();
            if (token.is('-')) {
                operand.value = -operand.value;
                operand.narrow = -operand.narrow;
            }
        } else if (starts_float(0)) {
            operand = floating();
        } else if (token.kind == TokenKind::kBits32 || token.kind == TokenKind::kBits64) {
            operand.kind = token.kind == TokenKind::kBits32 ? OperandKind::kBits32 : OperandKind::kBits64;
            operand.bits = cursor_.next().value;
        } else if (token.is('[')) {
            operand = address();
        } else if (dialect_ == Dialect::kTokenStack && starts_token_stack_operand()) {
            operand = token_stack_operand();
        } else if (auto plain = source()) {
            operand = std::move(*plain);
            if (dialect_ == Dialect::kTokenStack && operand.kind == OperandKind::kRegister &&
                (cursor_.peek().is('+') || cursor_.peek().is('-'))) {
                operand.has_offset = true;
                operand.expression = parse_expression(cursor_);
            }
        } else {
            operand.kind = OperandKind::kExpression;
            operand.expression = parse_expression(cursor_);
        }
        operand.place = place;
        return operand;
    }

  private:
    static bool is_nonfinite(const Token &token) { return token.is_name("INF") || token.is_name("NAN"); }

    bool starts_float(std::size_t ahead) const {
        const Token &token = cursor_.peek(ahead);
        return token.kind == TokenKind::kFloat || is_nonfinite(token);
    }

    bool starts_source(std::size_t ahead) const {
        const Token &token = cursor_.peek(ahead);
        const std::string_view name = without_reuse(token.text);
        Operand ignored;
        return token.is('|') ||
               (token.kind == TokenKind::kName &&
                (named_register(name, ignored) || aliases_.contains(name) ||
                 (cursor_.peek(ahead + 1).is('[') && (token.text == "R" || token.text == "UR" || token.text == "c"))));
    }

    Operand floating() {
        const Token &token = cursor_.next();
        Operand operand;
        operand.kind = OperandKind::kFloat;
        if (token.text == "INF" || token.text == "NAN") {
            operand.value = token.text == "INF" ? std::numeric_limits<double>::infinity()
                                                : std::numeric_limits<double>::quiet_NaN();
            operand.narrow = static_cast<float>(operand.value);
            return operand;
        }
        const char *begin = token.text.data();
        const char *end = begin + token.text.size();
        const auto wide = std::from_chars(begin, end, operand.value);
        const auto narrow = std::from_chars(begin, end, operand.narrow);
        if (wide.ec == std::errc::result_out_of_range) {
            throw SyntaxError{token.place, "number " + describe(token) + " is out of the range of a double"};
        }
        if (narrow.ec == std::errc::result_out_of_range) {
            // the user means the nearest value; only code that needs 32 bits may object
            operand.narrow = static_cast<float>(operand.value);
        }
        return operand;
    }

    Operand absolute() {
        cursor_.expect('|');
        Operand operand = needs_register("|");
        cursor_.expect('|');
        operand.absolute = true;
        return operand;
    }

    Operand needs_register(std::string_view prefix) {
        auto operand = source();
        if (!operand) {
            if (std::string missing = missing_register(cursor_.peek().text); !missing.empty()) {
                throw SyntaxError{cursor_.peek().place, std::move(missing)};
            }
            throw SyntaxError{cursor_.peek().place, "unexpected " + describe(cursor_.peek()) + " after '" +
                                                        std::string(prefix) + "'; expected register or predicate"};
        }
        return std::move(*operand);
    }

    /// A register, predicate, special register or constant at the cursor.
    std::optional<Operand> source() {
        const Token &token = cursor_.peek();
        if (token.kind != TokenKind::kName) {
            return std::nullopt;
        }
        const bool bracket = cursor_.peek(1).is('[');
        if (bracket && token.text == "c") {
            return constant();
        }
        if (bracket && (token.text == "R" || token.text == "UR")) {
            return group(token.text == "UR");
        }
        const std::string_view name = without_reuse(token.text);
        Operand operand;
        if (const auto alias = aliases_.find(name); alias != aliases_.end()) {
            operand = alias->second;
        } else if (!named_register(name, operand)) {
            return std::nullopt;
        }
        operand.reuse = name.size() != token.text.size();
        cursor_.next();
        return operand;
    }

    /// R[4:5], UR[4:5], R[4:7]; of products of matrices also R[8:15] and R[16:31].
    Operand group(bool uniform) {
        const Place place = cursor_.next().place;
        cursor_.expect('[');
        const unsigned limit = uniform ? isa::kUrz : isa::kRz;
        const auto number = [&] {
            const Token &token = cursor_.next();
            if (token.kind != TokenKind::kInteger || token.value >= limit) {
                throw SyntaxError{token.place, describe(token) + " is not a register number; expected 0 to " +
                                                   std::to_string(limit - 1)};
            }
            return static_cast<unsigned>(token.value);
        };
        const unsigned first = number();
        cursor_.expect(':');
        const unsigned last = number();
        cursor_.expect(']');
        constexpr std::array<unsigned, 4> kSizes = {2, 4, 8, 16};
        if (last <= first || std::ranges::find(kSizes, last - first + 1) == kSizes.end()) {
            throw SyntaxError{place, "register group [" + std::to_string(first) + ":" + std::to_string(last) +
                                         "] has not 2, 4, 8 or 16 registers"};
        }
        Operand operand;
        operand.kind = uniform ? OperandKind::kUniform : OperandKind::kRegister;
        operand.number = static_cast<std::uint8_t>(first);
        operand.count = static_cast<std::uint8_t>(last - first + 1);
        if (cursor_.peek().is_name(kReuse)) {
            cursor_.next();
            operand.reuse = true;
        }
        return operand;
    }

    Operand constant() {
        Operand operand;
        cursor_.next();
        cursor_.expect('[');
        Expression bank = parse_expression(cursor_);
        cursor_.expect(']');
        cursor_.expect('[');
        base_and_offset(operand, false);
        operand.kind = OperandKind::kConstant;
        operand.bank = std::move(bank);
        return operand;
    }

    Operand address() {
        Operand operand;
        cursor_.expect('[');
        const bool uniform = base_and_offset(operand, true);
        operand.kind = uniform ? OperandKind::kUniformAddress : OperandKind::kAddress;
        return operand;
    }

    /// The inside of [R5+0x10], up to and including the closing bracket. Returns whether the base is a uniform
    /// register, which `may_be_uniform` allows.
    bool base_and_offset(Operand &operand, bool may_be_uniform) {
        const Place place = cursor_.peek().place;
        bool uniform = false;
        if (auto base = source()) {
            uniform = base->kind == OperandKind::kUniform;
            if (base->kind != OperandKind::kRegister && !(uniform && may_be_uniform)) {
                throw SyntaxError{place, "a " + std::string(kind_name(base->kind)) +
                                             " cannot be a base address; expected register R" +
                                             (may_be_uniform ? " or UR" : "")};
            }
            operand = std::move(*base);
            operand.has_register = true;
            if (!cursor_.peek().is('+') && !cursor_.peek().is('-') && !cursor_.peek().is(']')) {
                throw SyntaxError{cursor_.peek().place,
                                  "unexpected " + describe(cursor_.peek()) + "; expected '+', '-' or ']'"};
            }
        }
        operand.expression.place = cursor_.peek().place;
        if (!operand.has_register || !cursor_.peek().is(']')) {
            operand.expression = parse_expression(cursor_);
        }
        cursor_.expect(']');
        return uniform;
    }

    bool starts_token_stack_operand() const {
        const Token &token = cursor_.peek();
        return (token.kind == TokenKind::kName && token.text.starts_with("CC.")) ||
               (cursor_.peek(1).is(':') && (token.is_name("REL") || token.is_name("ABS")));
    }

    /// CC.GE, REL:0x28, ABS:0xca80.
    Operand token_stack_operand() {
        const Token token = cursor_.next();
        Operand operand;
        if (token.text.starts_with("CC.")) {
            const std::string_view name = token.text.substr(3);
            const auto test = isa::find_condition_test(name);
            if (!test) {
                throw SyntaxError{token.place, isa::condition_test_refusal(name)};
            }
            operand.kind = OperandKind::kCondition;
            operand.number = static_cast<std::uint8_t>(*test);
            return operand;
        }
        cursor_.expect(':');
        operand.kind = OperandKind::kExpression;
        operand.anchor = token.is_name("REL") ? Anchor::kRelative : Anchor::kAbsolute;
        operand.expression = parse_expression(cursor_);
        return operand;
    }

    Cursor &cursor_;
    const Aliases &aliases_;
    Dialect dialect_;
};

} // namespace

std::string_view kind_name(OperandKind kind) {
    switch (kind) {
    case OperandKind::kRegister:
        return "register";
    case OperandKind::kUniform:
        return "uniform register";
    case OperandKind::kPredicate:
        return "predicate";
    case OperandKind::kConvergence:
        return "convergence barrier";
    case OperandKind::kPredicateFile:
        return "predicate file";
    case OperandKind::kSpecial:
        return "special register";
    case OperandKind::kExpression:
        return "number";
    case OperandKind::kFloat:
    case OperandKind::kBits32:
    case OperandKind::kBits64:
        return "floating-point number";
    case OperandKind::kConstant:
        return "constant";
    case OperandKind::kAddress:
        return "address";
    case OperandKind::kUniformAddress:
        return "uniform address";
    case OperandKind::kCondition:
        return "condition test";
    }
    return "operand";
}

bool named_register(std::string_view name, Operand &operand) {
    const auto numbered = [&](std::string_view prefix, std::string_view last, unsigned count, OperandKind kind,
                              unsigned last_number) {
        if (!last.empty() && name == last) {
            operand.kind = kind;
            operand.number = static_cast<std::uint8_t>(last_number);
            return true;
        }
        if (!name.starts_with(prefix)) {
            return false;
        }
        const auto number = register_number(name.substr(prefix.size()));
        if (!number || *number >= count) {
            return false;
        }
        operand.kind = kind;
        operand.number = static_cast<std::uint8_t>(*number);
        return true;
    };
    if (numbered("UR", "URZ", isa::kUrz, OperandKind::kUniform, isa::kUrz) ||
        numbered("R", "RZ", isa::kRz, OperandKind::kRegister, isa::kRz) ||
        numbered("P", "PT", isa::kPt, OperandKind::kPredicate, isa::kPt) ||
        numbered("B", "", kConvergenceBarriers, OperandKind::kConvergence, 0)) {
        return true;
    }
    if (name == "PR") {
        operand.kind = OperandKind::kPredicateFile;
        return true;
    }
    const auto specials = isa::special_register_names();
    const auto special = std::ranges::find(specials, name);
    if (special == specials.end()) {
        return false;
    }
    operand.kind = OperandKind::kSpecial;
    operand.number = static_cast<std::uint8_t>(special - specials.begin());
    return true;
}

std::string missing_register(std::string_view name) {
    struct File {
        std::string_view prefix;
        unsigned count;
        std::string_view what;
        std::string_view last;
    };
    constexpr std::array kFiles = {
        File{"R", isa::kRz, "registers", " and RZ"}, File{"UR", isa::kUrz, "uniform registers", " and URZ"},
        File{"P", isa::kPt, "predicates", " and PT"}, File{"B", kConvergenceBarriers, "convergence barriers", ""}};
    Operand ignored;
    for (const File &file : kFiles) {
        const std::string_view digits = name.substr(std::min(name.size(), file.prefix.size()));
        const bool numbered = name.starts_with(file.prefix) && !digits.empty() &&
                              digits.find_first_not_of("0123456789") == std::string_view::npos;
        if (numbered && !named_register(name, ignored)) {
            std::string text(name.substr(0, 40));
            return text.append(" does not exist: ")
                .append(file.what)
                .append(" go from ")
                .append(file.prefix)
                .append("0 to ")
                .append(file.prefix)
                .append(std::to_string(file.count - 1))
                .append(file.last);
        }
    }
    return {};
}

Operand parse_operand(Cursor &cursor, const Aliases &aliases, Dialect dialect) {
    return OperandParser(cursor, aliases, dialect).run();
}

} // namespace smsim::assembler
