// Reads one instruction: guard, mnemonic with modifiers, operands, control fields.
#include <charconv>

#include "assembler/instruction_builder.h"
#include "model/isa/engine_operations.h"

namespace smsim::assembler {
namespace {

using isa::Instruction;
using isa::ModifierSpec;
using isa::OpSpec;

constexpr std::string_view kTokenStack = "token_stack";

/// The operation of that name that `engine` has, or otherwise one of another engine, which is rejected later with the
/// reason.
const OpSpec *find_mnemonic(std::string_view name, std::string_view engine) {
    if (name == "BAR.RESULT") { // the second name of B2R.RESULT (bcu.md B2R.RESULT 3)
        name = "B2R.RESULT";
    }
    if (name == "NOP.S" && engine == kTokenStack) { // the second name of SYNC
        name = "SYNC";
    }
    const OpSpec *foreign = nullptr;
    for (const OpSpec &spec : isa::all_operations()) {
        if (spec.name == name) {
            if (isa::engine_has(engine, spec.op)) {
                return &spec;
            }
            foreign = foreign == nullptr ? &spec : foreign;
        }
    }
    return foreign;
}

/// The operation whose name is the longest run of leading segments of `text`; `rest` gets the remaining suffixes.
const OpSpec *longest_mnemonic(std::string_view text, std::string_view engine, std::string_view &rest) {
    for (std::size_t end = text.size(); end != std::string_view::npos && end != 0; end = text.rfind('.', end - 1)) {
        if (const OpSpec *spec = find_mnemonic(text.substr(0, end), engine)) {
            rest = text.substr(end);
            return spec;
        }
    }
    return nullptr;
}

std::string names_of(const ModifierSpec &modifier) {
    std::string text;
    for (const std::string_view name : modifier.names) {
        if (!name.empty()) {
            text += (text.empty() ? "." : ", .") + std::string(name);
        }
    }
    return text;
}

std::string all_names_of(const OpSpec &spec) {
    std::string text;
    for (const ModifierSpec &modifier : spec.modifiers) {
        text += (text.empty() ? "" : ", ") + names_of(modifier);
    }
    return text.empty() ? "none" : text;
}

/// Gives each suffix to the first modifier that has that name and no value yet; the others take their defaults.
void set_modifiers(Instruction &insn, const OpSpec &spec, std::string_view suffixes, Place place) {
    std::array<bool, isa::kMaxModifiers> assigned{};
    while (!suffixes.empty()) {
        suffixes.remove_prefix(1); // the dot
        const std::string_view name = suffixes.substr(0, suffixes.find('.'));
        suffixes.remove_prefix(name.size());
        bool found = false;
        for (std::size_t i = 0; i < spec.modifiers.size() && !found && !name.empty(); ++i) {
            const auto names = spec.modifiers[i].names;
            const auto value = std::ranges::find(names, name);
            if (!assigned[i] && value != names.end()) {
                insn.mod[i] = static_cast<std::uint8_t>(value - names.begin());
                assigned[i] = found = true;
            }
        }
        if (!found) {
            throw SyntaxError{place, std::string(spec.name) + " has no modifier '." + std::string(name) +
                                         "' here; expected " + all_names_of(spec)};
        }
    }
    for (std::size_t i = 0; i < spec.modifiers.size(); ++i) {
        if (assigned[i]) {
            continue;
        }
        if (spec.modifiers[i].required) {
            throw SyntaxError{place, std::string(spec.name) + " lacks a modifier; expected one of " +
                                         names_of(spec.modifiers[i])};
        }
        insn.mod[i] = spec.modifiers[i].default_value;
    }
}

class InstructionParser {
  public:
    InstructionParser(Cursor &cursor, const Aliases &aliases, std::string_view engine)
        : cursor_(cursor), aliases_(aliases), engine_(engine),
          dialect_(engine == kTokenStack ? Dialect::kTokenStack : Dialect::kCommon) {}

    ParsedInstruction run() {
        guard();
        mnemonic();
        cursor_.accept(','); // `EXIT, P2`
        const auto ends = [&] { return cursor_.peek().is(';') || cursor_.peek().is('?') || cursor_.peek().is('&'); };
        while (!ends()) {
            parsed_.operands.push_back(parse_operand(cursor_, aliases_, dialect_));
            if (ends()) {
                break;
            }
            if (!cursor_.accept(',')) {
                throw unexpected("',' or ';'");
            }
        }
        while (cursor_.peek().is('?') || cursor_.peek().is('&')) {
            control_field();
        }
        if (!cursor_.accept(';')) {
            throw unexpected("';'");
        }
        return std::move(parsed_);
    }

  private:
    SyntaxError unexpected(std::string_view expected) const {
        return {cursor_.peek().place, "unexpected " + describe(cursor_.peek()) + "; expected " + std::string(expected)};
    }

    void guard() {
        if (!cursor_.accept('@')) {
            return;
        }
        const Token &first = cursor_.peek();
        const Token &token = first.is('!') ? cursor_.peek(1) : first;
        if (std::string missing = missing_register(token.text); !missing.empty() && !aliases_.contains(token.text)) {
            throw SyntaxError{token.place, std::move(missing)};
        }
        const Operand guard = parse_operand(cursor_, aliases_);
        if (guard.kind != OperandKind::kPredicate) {
            throw SyntaxError{guard.place, "the guard is a " + std::string(kind_name(guard.kind)) +
                                               "; expected predicate P0 to P6 or PT"};
        }
        parsed_.fields.pg = guard.number;
        parsed_.fields.pg_not = guard.not_;
    }

    void mnemonic() {
        const Token &token = cursor_.peek();
        parsed_.place = token.place;
        if (token.kind != TokenKind::kName) {
            throw unexpected("instruction, label or directive");
        }
        std::string_view suffixes;
        const OpSpec *spec = longest_mnemonic(token.text, engine_, suffixes);
        if (spec == nullptr) {
            throw SyntaxError{token.place, "unknown instruction " + describe(token) + "; expected a mnemonic"};
        }
        parsed_.fields.op = spec->op;
        parsed_.fields.unit = spec->unit;
        set_modifiers(parsed_.fields, *spec, suffixes, token.place);
        cursor_.next();
    }

    std::uint8_t scoreboard() {
        const Token &token = cursor_.peek();
        if (token.kind != TokenKind::kInteger || token.value >= isa::kScoreboards) {
            throw unexpected("scoreboard 0 to 5");
        }
        cursor_.next();
        return static_cast<std::uint8_t>(token.value);
    }

    void once(bool &seen, const Token &token) {
        if (seen) {
            throw SyntaxError{token.place, "control field " + describe(token) + " is written twice"};
        }
        seen = true;
        parsed_.has_control = true;
    }

    void control_field() {
        Instruction &fields = parsed_.fields;
        const bool query = cursor_.next().is('?');
        const Token token = cursor_.peek();
        if (query && token.is_name("yield")) {
            once(yield_, token);
            cursor_.next();
            fields.yield = true;
            return;
        }
        if (query && token.kind == TokenKind::kName && token.text.starts_with("stall")) {
            unsigned value = 0;
            const std::string_view digits = token.text.substr(5);
            const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
            if (digits.empty() || digits.front() == '0' || error != std::errc{} ||
                end != digits.data() + digits.size() || value < 1 || value > 15) {
                throw unexpected("?stall1 to ?stall15");
            }
            once(stall_, token);
            cursor_.next();
            fields.stall = static_cast<std::uint8_t>(value);
            return;
        }
        if (query) {
            throw unexpected("?stall1 to ?stall15 or ?yield");
        }
        if (!token.is_name("req") && !token.is_name("wsb") && !token.is_name("rsb")) {
            throw unexpected("&req={...}, &wsb=n or &rsb=n");
        }
        cursor_.next();
        cursor_.expect('=');
        if (token.text == "wsb") {
            once(wsb_, token);
            fields.wsb = scoreboard();
        } else if (token.text == "rsb") {
            once(rsb_, token);
            fields.rsb = scoreboard();
        } else {
            once(req_, token);
            cursor_.expect('{');
            while (!cursor_.peek().is('}')) {
                fields.req = static_cast<std::uint8_t>(fields.req | (1U << scoreboard()));
                if (!cursor_.peek().is('}')) {
                    cursor_.expect(',');
                }
            }
            cursor_.expect('}');
        }
    }

    Cursor &cursor_;
    const Aliases &aliases_;
    std::string_view engine_;
    Dialect dialect_;
    ParsedInstruction parsed_;
    bool stall_ = false;
    bool yield_ = false;
    bool wsb_ = false;
    bool rsb_ = false;
    bool req_ = false;
};

} // namespace

ParsedInstruction parse_instruction(Cursor &cursor, const Aliases &aliases, std::string_view engine) {
    return InstructionParser(cursor, aliases, engine).run();
}

} // namespace smsim::assembler
