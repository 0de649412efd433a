// Reads a whole file: labels, directives, sections; instructions are left to their own parser.
#include <algorithm>

#include "assembler/assembler.h"
#include "assembler/source.h"
#include "model/program/engine.h"

namespace smsim::assembler {
namespace {

constexpr std::size_t kBankBytes = 65536; // the reach of a 16-bit constant offset
constexpr std::uint32_t kMaxRegisters = 255;

/// Where the next statements go.
enum class Section : std::uint8_t { kText, kConstant, kGlobal };

class SourceParser {
  public:
    SourceParser(const std::vector<Token> &tokens, Diagnostics &diagnostics)
        : cursor_(tokens), diagnostics_(diagnostics) {
        begin_region({});
    }

    Source run() {
        while (!cursor_.at_end()) {
            try {
                statement();
            } catch (const SyntaxError &error) {
                diagnostics_.add(error);
                recover();
            }
        }
        end_region();
        return std::move(source_);
    }

  private:
    /// Continues after the next ';' or at the next line.
    void recover() {
        while (!cursor_.at_end()) {
            if (cursor_.accept(';')) {
                return;
            }
            cursor_.next();
            if (cursor_.peek().first) {
                return;
            }
        }
    }

    void statement() {
        const Token token = cursor_.peek();
        if (cursor_.accept(';')) {
            return;
        }
        if (token.kind == TokenKind::kName && cursor_.peek(1).is(':')) {
            label(token);
        } else if (token.kind == TokenKind::kName && token.text.front() == '.') {
            directive(token);
        } else if (section_ != Section::kText) {
            throw SyntaxError{token.place, "instruction in a data section; expected .text before it"};
        } else {
            instruction();
        }
    }

    void instruction() {
        try {
            source_.code.push_back(parse_instruction(cursor_, aliases_, source_.engine.value_or(kDefaultEngine)));
        } catch (const SyntaxError &) {
            // keep the place, so that the labels and kernels after it do not cause further errors
            source_.code.emplace_back();
            throw;
        }
    }

    void define(const Token &name) {
        if (!is_symbol_name(name.text)) {
            throw SyntaxError{name.place, describe(name) + " cannot be defined, it names a register or '.'"};
        }
        if (source_.label_index.contains(name.text) || source_.data_labels.contains(name.text) ||
            source_.constants.contains(name.text)) {
            throw SyntaxError{name.place, describe(name) + " is defined twice"};
        }
        if (aliases_.contains(name.text)) {
            throw SyntaxError{name.place, describe(name) + " is already a name given by .reg"};
        }
    }

    void label(const Token &name) {
        cursor_.next();
        cursor_.next();
        define(name);
        if (section_ == Section::kConstant) {
            source_.data_labels.emplace(name.text, section_bytes());
        } else if (section_ == Section::kGlobal) {
            source_.data_labels.emplace(name.text, kGlobalDataBase + section_bytes());
        } else {
            source_.label_index.emplace(name.text, source_.code.size());
            source_.labels.push_back({name.text, source_.code.size()});
        }
    }

    void begin_region(Region region) {
        region.first = source_.code.size();
        source_.regions.push_back(region);
    }

    void end_region() {
        Region &region = source_.regions.back();
        region.last = source_.code.size();
        if (region.is_kernel && region.first == region.last) {
            diagnostics_.add(region.place, "kernel '" + std::string(region.name) + "' has no instructions");
        }
    }

    // --- directives --------------------------------------------------------------------------------------------

    void directive(const Token &token) {
        using Handler = void (SourceParser::*)();
        static const std::map<std::string_view, Handler> handlers = {
            // of the program
            {".engine", &SourceParser::engine},
            // of a kernel
            {".kernel", &SourceParser::kernel},
            {".endkernel", &SourceParser::end_kernel},
            {".registers", &SourceParser::registers},
            {".shared", &SourceParser::shared},
            {".local", &SourceParser::local},
            {".parameters", &SourceParser::parameters},
            {".maxntid", &SourceParser::most_threads},
            {".reqntid", &SourceParser::block},
            {".schedule", &SourceParser::schedule},
            // sections and data
            {".const", &SourceParser::const_section},
            {".global", &SourceParser::global_section},
            {".text", &SourceParser::text_section},
            {".byte", &SourceParser::data<1>},
            {".half", &SourceParser::data<2>},
            {".word", &SourceParser::data<4>},
            {".quad", &SourceParser::data<8>},
            {".float", &SourceParser::floats<4>},
            {".double", &SourceParser::floats<8>},
            {".zero", &SourceParser::zero},
            {".align", &SourceParser::align},
            // names
            {".equ", &SourceParser::equ},
            {".reg", &SourceParser::reg},
        };
        const auto handler = handlers.find(token.text);
        if (handler == handlers.end()) {
            std::string names;
            for (const auto &[name, function] : handlers) {
                names.append(names.empty() ? "" : " ").append(name);
            }
            throw SyntaxError{token.place,
                              "unknown directive " + describe(token) + "; expected a label, or one of " + names};
        }
        cursor_.next();
        place_ = token.place;
        (this->*handler->second)();
        if (!cursor_.peek().first && !cursor_.accept(';')) {
            throw SyntaxError{cursor_.peek().place,
                              "unexpected " + describe(cursor_.peek()) + "; expected the end of the directive"};
        }
    }

    /// The next token of the directive's own line; throws when the line ends.
    const Token &argument(std::string_view expected) {
        const Token &token = cursor_.peek();
        if (token.first || token.kind == TokenKind::kEnd) {
            throw SyntaxError{place_, "directive lacks an argument; expected " + std::string(expected)};
        }
        return token;
    }

    Token name_argument(std::string_view expected) {
        const Token token = argument(expected);
        if (token.kind != TokenKind::kName) {
            throw SyntaxError{token.place, "unexpected " + describe(token) + "; expected " + std::string(expected)};
        }
        cursor_.next();
        return token;
    }

    std::uint64_t number_argument(std::uint64_t low, std::uint64_t high, std::string_view what) {
        const Token token = argument(what);
        // numbers that decide sizes must be known here: integers and earlier .equ names
        const Expression expression = parse_expression(cursor_);
        std::size_t terms = 0;
        const Value value = evaluate(
            expression, [&](std::string_view name, Place place) { return known(name, place, Expansion(terms)); });
        if (value.number < 0 || static_cast<std::uint64_t>(value.number) < low ||
            static_cast<std::uint64_t>(value.number) > high) {
            throw SyntaxError{token.place, std::string(what) + " is out of range; expected " + std::to_string(low) +
                                               " to " + std::to_string(high)};
        }
        return static_cast<std::uint64_t>(value.number);
    }

    Value known(std::string_view name, Place place, const Expansion &expansion) const {
        if (const auto data = source_.data_labels.find(name); data != source_.data_labels.end()) {
            return {static_cast<std::int64_t>(data->second), 0};
        }
        const auto constant = source_.constants.find(name);
        if (constant == source_.constants.end()) {
            throw SyntaxError{place, "value of '" + std::string(name) +
                                         "' is not known here; expected a number or an earlier .equ"};
        }
        const Expansion inside = expansion.enter(name, place, constant->second);
        return evaluate(constant->second,
                        [&](std::string_view inner, Place where) { return known(inner, where, inside); });
    }

    Region &kernel_region() {
        if (!source_.regions.back().is_kernel) {
            throw SyntaxError{place_, "directive outside a kernel; expected .kernel before it"};
        }
        return source_.regions.back();
    }

    void engine() {
        std::string expected;
        for (const std::string_view name : engine_names()) {
            expected.append(expected.empty() ? "" : ", ").append(name);
        }
        const Token name = name_argument(expected);
        if (!is_engine_name(name.text)) {
            throw SyntaxError{name.place, "unknown engine " + describe(name) + "; expected " + expected};
        }
        if (source_.engine) {
            throw SyntaxError{place_, "a second .engine; a file is for one engine"};
        }
        if (!source_.code.empty()) {
            throw SyntaxError{place_, ".engine after instructions; expected before the first one"};
        }
        source_.engine = name.text;
    }

    void kernel() {
        const Token name = name_argument("kernel name");
        for (const Region &region : source_.regions) {
            if (region.is_kernel && region.name == name.text) {
                throw SyntaxError{name.place, "kernel " + describe(name) + " is defined twice"};
            }
        }
        section_ = Section::kText;
        end_region();
        Region region;
        region.place = name.place;
        region.is_kernel = true;
        region.name = name.text;
        begin_region(region);
    }

    void end_kernel() {
        kernel_region();
        end_region();
        begin_region({});
    }

    void registers() {
        Region &region = kernel_region();
        region.registers = static_cast<std::uint32_t>(number_argument(1, kMaxRegisters, "register count"));
    }
    void shared() {
        Region &region = kernel_region();
        region.shared_bytes =
            static_cast<std::uint32_t>(number_argument(0, 0xffffff, "size of shared memory in bytes"));
    }
    void local() {
        Region &region = kernel_region();
        region.local_bytes = static_cast<std::uint32_t>(number_argument(0, 0xffffff, "size of local memory in bytes"));
    }
    void parameters() {
        Region &region = kernel_region();
        region.parameter_bytes = static_cast<std::uint32_t>(
            number_argument(0, constant_bank0::kMaxArgumentBytes, "size of the arguments in bytes"));
    }

    void most_threads() {
        Region &region = kernel_region();
        region.most_threads = static_cast<std::uint32_t>(number_argument(1, 1024, "number of threads of a CTA"));
    }
    void block() {
        Region &region = kernel_region();
        for (std::size_t i = 0; i < region.block.size(); ++i) {
            if (i != 0 && !cursor_.accept(',')) {
                throw SyntaxError{cursor_.peek().place, "unexpected " + describe(cursor_.peek()) + "; expected ','"};
            }
            region.block[i] = static_cast<std::uint32_t>(number_argument(1, 0xffff, "extent of a CTA"));
        }
    }

    void schedule() {
        constexpr std::string_view kExpected = "auto, manual or done";
        const Token mode = name_argument(kExpected);
        Region &region = source_.regions.back();
        if (mode.text == "auto") {
            region.schedule = ScheduleMode::kAuto;
        } else if (mode.text == "manual") {
            region.schedule = ScheduleMode::kManual;
        } else if (mode.text == "done") {
            region.schedule = ScheduleMode::kDone;
        } else {
            throw SyntaxError{mode.place, "unknown mode " + describe(mode) + "; expected " + std::string(kExpected)};
        }
    }

    // --- data --------------------------------------------------------------------------------------------------

    void const_section() {
        bank_ = static_cast<std::uint8_t>(number_argument(1, 31, "constant bank (bank 0 belongs to the launch)"));
        section_ = Section::kConstant;
        source_.banks[bank_];
    }
    void global_section() { section_ = Section::kGlobal; }
    void text_section() { section_ = Section::kText; }

    void need_data_section() const {
        if (section_ == Section::kText) {
            throw SyntaxError{place_, "data outside a data section; expected .const or .global before it"};
        }
    }

    /// Bytes of the data section so far.
    std::uint64_t section_bytes() const {
        return section_ == Section::kGlobal ? source_.global_data_bytes : source_.banks.at(bank_).size();
    }

    /// Appends zero bytes.
    void grow(std::uint64_t count) {
        const std::uint64_t limit = section_ == Section::kGlobal ? kMaxGlobalDataBytes : kBankBytes;
        if (count > limit - section_bytes()) {
            throw SyntaxError{place_,
                              std::string(section_ == Section::kGlobal ? "global data are" : "constant bank is") +
                                  " larger than " + std::to_string(limit) + " bytes"};
        }
        if (section_ == Section::kGlobal) {
            source_.global_data_bytes += count; // zeros take no memory until something else follows them
        } else {
            source_.banks[bank_].resize(source_.banks[bank_].size() + count);
        }
    }

    /// Appends `count` bytes for a number; returns them.
    std::uint8_t *append(unsigned count) {
        grow(count);
        if (section_ == Section::kGlobal) {
            if (source_.global_data_bytes > kMaxGlobalDataStored) {
                throw SyntaxError{place_, "number at byte " + std::to_string(source_.global_data_bytes - count) +
                                              " of the global data; expected numbers in their first " +
                                              std::to_string(kMaxGlobalDataStored) + " bytes, and zeros after them"};
            }
            source_.global_data.resize(source_.global_data_bytes);
        }
        std::vector<std::uint8_t> &bytes = section_ == Section::kGlobal ? source_.global_data : source_.banks[bank_];
        return bytes.data() + bytes.size() - count;
    }

    template <unsigned Bytes> void data() {
        need_data_section();
        do {
            argument("number");
            DataItem item;
            if (section_ == Section::kConstant) {
                item.bank = bank_;
            }
            item.offset = section_bytes();
            item.bytes = Bytes;
            item.expression = parse_expression(cursor_);
            append(Bytes);
            source_.data.push_back(std::move(item));
        } while (cursor_.accept(','));
    }

    template <unsigned Bytes> void floats() {
        need_data_section();
        do {
            argument("floating-point number");
            const Operand operand = parse_operand(cursor_, aliases_);
            const std::uint64_t bits = Bytes == 4 ? float_bits(operand) : double_bits(operand);
            std::uint8_t *to = append(Bytes);
            for (unsigned i = 0; i < Bytes; ++i) {
                to[i] = static_cast<std::uint8_t>(bits >> (8 * i));
            }
        } while (cursor_.accept(','));
    }

    void zero() {
        need_data_section();
        grow(number_argument(0, kMaxGlobalDataBytes, "number of bytes"));
    }

    void align() {
        need_data_section();
        const std::uint64_t to = number_argument(1, 4096, "alignment in bytes");
        if ((to & (to - 1)) != 0) {
            throw SyntaxError{place_, "alignment " + std::to_string(to) + " is not a power of two"};
        }
        grow((to - section_bytes() % to) % to);
    }

    // --- names -------------------------------------------------------------------------------------------------

    void equ() {
        const Token name = name_argument("name");
        define(name);
        if (!cursor_.accept(',')) {
            throw SyntaxError{cursor_.peek().place, "unexpected " + describe(cursor_.peek()) + "; expected ','"};
        }
        argument("value");
        source_.constants.emplace(name.text, parse_expression(cursor_));
    }

    void reg() {
        const Token name = name_argument("name");
        if (!aliases_.contains(name.text)) {
            define(name);
        }
        if (!cursor_.accept(',')) {
            throw SyntaxError{cursor_.peek().place, "unexpected " + describe(cursor_.peek()) + "; expected ','"};
        }
        argument("register");
        const Operand operand = parse_operand(cursor_, aliases_);
        const bool plain = operand.kind == OperandKind::kRegister || operand.kind == OperandKind::kUniform ||
                           operand.kind == OperandKind::kPredicate || operand.kind == OperandKind::kConvergence;
        if (!plain || operand.negated || operand.absolute || operand.inverted || operand.not_) {
            throw SyntaxError{operand.place, "a name can stand for a register, predicate or convergence barrier; "
                                             "expected R, UR, P or B"};
        }
        aliases_[std::string(name.text)] = operand;
    }

    Cursor cursor_;
    Diagnostics &diagnostics_;
    Source source_;
    Aliases aliases_;
    Section section_ = Section::kText;
    std::uint8_t bank_ = 0; ///< in Section::kConstant
    Place place_;           ///< of the directive being parsed
};

} // namespace

Source parse_source(const std::vector<Token> &tokens, Diagnostics &diagnostics) {
    return SourceParser(tokens, diagnostics).run();
}

} // namespace smsim::assembler
