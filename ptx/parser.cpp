#include "ptx/parser.h"

#include <algorithm>
#include <charconv>

#include "ptx/body_parser.h"
#include "ptx/declaration_parser.h"

namespace smsim::ptx {

namespace {

using assembler::Diagnostics;
using assembler::Place;
using assembler::SyntaxError;

constexpr unsigned kOldest = 60; ///< .version 6.0
constexpr unsigned kNewest = 91; ///< .version 9.1

class ModuleParser {
  public:
    ModuleParser(TokenStream stream, Diagnostics &diagnostics)
        : stream_(std::move(stream)), diagnostics_(diagnostics) {}

    Module run() {
        guarded([this] { version(); });
        guarded([this] { target(); });
        while (!stream_.at_end()) {
            guarded([this] { item(); });
        }
        return std::move(module_);
    }

  private:
    template <typename Step> void guarded(Step step) {
        try {
            step();
        } catch (const SyntaxError &error) {
            diagnostics_.add(error);
            stream_.skip_item();
        }
    }

    void version() {
        if (!stream_.accept_dot("version")) {
            stream_.fail("'.version' as the first directive");
        }
        const Token token = stream_.next();
        const std::string_view text = token.text;
        const std::size_t dot = text.find('.');
        const char *end = text.data() + text.size();
        const bool good = token.kind == TokenKind::kDouble && dot != std::string_view::npos &&
                          std::from_chars(text.data(), end, module_.major).ec == std::errc{} &&
                          std::from_chars(text.data() + dot + 1, end, module_.minor).ptr == end;
        const unsigned number = good && module_.major < 100 ? module_.major * 10 + module_.minor : 0;
        if (number < kOldest || number > kNewest) {
            diagnostics_.add(token.place, "PTX version '" + std::string(text.substr(0, 40)) +
                                              "' is not covered; expected 6.0 to 9.1");
        }
    }

    void target() {
        if (!stream_.accept_dot("target")) {
            stream_.fail("'.target' after '.version'");
        }
        do {
            module_.targets.emplace_back(stream_.expect(TokenKind::kName, "a target such as 'sm_70'").text);
        } while (stream_.accept(","));
        if (stream_.accept_dot("address_size")) {
            const Token token = stream_.expect(TokenKind::kInteger, "32 or 64");
            if (token.value != 32 && token.value != 64) {
                diagnostics_.add(token.place, "address size " + std::string(token.text) + "; expected 32 or 64");
            }
            module_.address_size = token.value == 32 ? 32 : 64;
        }
    }

    Linkage linkage() {
        if (stream_.accept_dot("extern")) {
            return Linkage::kExtern;
        }
        if (stream_.accept_dot("visible")) {
            return Linkage::kVisible;
        }
        if (stream_.accept_dot("weak")) {
            return Linkage::kWeak;
        }
        return stream_.accept_dot("common") ? Linkage::kCommon : Linkage::kNone;
    }

    void item() {
        const Token &token = stream_.peek();
        if (token.is_dot("section")) {
            section();
        } else if (token.is_dot("file") || token.is_dot("loc") || token.is_dot("pragma") || token.is_dot("alias")) {
            module_.items.emplace_back(parse_directive(stream_));
        } else if (!stream_.accept(";")) {
            declaration();
        }
    }

    void declaration() {
        const Linkage linked = linkage();
        if (stream_.peek().is_dot("entry") || stream_.peek().is_dot("func")) {
            function(linked);
        } else if (at_declaration(stream_)) {
            for (Variable &variable : parse_variables(stream_, linked)) {
                module_.items.emplace_back(std::move(variable));
            }
        } else {
            stream_.fail("a function, a variable or another directive of a module");
        }
    }

    void function(Linkage linked) {
        Function function;
        function.linkage = linked;
        function.entry = stream_.next().text == "entry";
        if (!function.entry && stream_.peek().is_dot("attribute")) {
            const Token token = stream_.peek();
            function.attributes = parse_attributes(stream_);
            if (std::ranges::find(function.attributes, "managed") != function.attributes.end()) {
                diagnostics_.add(token.place, "'.managed' of a function; expected '.unified'");
            }
        }
        if (!function.entry && stream_.peek().is("(")) {
            function.signature.returns = parse_parameters(stream_);
        }
        function.place = stream_.place();
        function.name = stream_.expect(TokenKind::kName, "the name of a function").text;
        if (stream_.peek().is("(")) {
            function.signature.parameters = parse_parameters(stream_);
        }
        while (stream_.peek().kind == TokenKind::kDot) {
            function_directive(function);
        }
        if (!stream_.accept(";")) {
            if (!stream_.peek().is("{")) {
                stream_.fail("'{' or ';'");
            }
            function.body = parse_block(stream_, diagnostics_);
        }
        module_.items.emplace_back(std::move(function));
    }

    /// .maxntid and the like: a name and numbers.
    void function_directive(Function &function) {
        const Token token = stream_.next();
        if (token.text == "noreturn") {
            function.signature.noreturn = true;
            return;
        }
        Directive directive{token.place, std::string(token.text), {}};
        if (token.text == "pragma") {
            strings(directive);
            stream_.accept(";");
        } else if (token.text == "maxntid" || token.text == "reqntid" || token.text == "minnctapersm" ||
                   token.text == "maxnctapersm" || token.text == "maxnreg" || token.text == "maxclusterrank" ||
                   token.text == "reqnctapercluster" || token.text == "abi_preserve" ||
                   token.text == "abi_preserve_control") {
            numbers(directive);
        } else if (token.text != "explicitcluster" && token.text != "blocksareclusters") { // which stand alone
            throw SyntaxError{token.place, "'." + std::string(token.text) +
                                               "' is not a directive of a function; expected '.maxntid', '.reqntid', "
                                               "'.minnctapersm', '.maxnctapersm', '.maxnreg', '.noreturn' or "
                                               "'.pragma'"};
        }
        function.directives.push_back(std::move(directive));
    }

    void strings(Directive &directive) {
        do {
            directive.words.emplace_back(directive.words.empty() ? "" : ",");
            directive.words.push_back('"' + std::string(stream_.expect(TokenKind::kString, "a string").text) + '"');
        } while (stream_.accept(","));
        directive.words.erase(directive.words.begin());
    }

    void numbers(Directive &directive) {
        directive.words.emplace_back(stream_.expect(TokenKind::kInteger, "a number").text);
        while (stream_.accept(",")) {
            directive.words.emplace_back(",");
            directive.words.emplace_back(stream_.expect(TokenKind::kInteger, "a number").text);
        }
    }

    /// Debugging data: its tokens are kept, braces must not occur in it.
    void section() {
        stream_.next();
        Section section;
        section.place = stream_.place();
        const bool dotted = stream_.peek().kind == TokenKind::kDot;
        section.name = (dotted ? "." : "") + std::string(stream_.next().text);
        stream_.expect("{");
        while (!stream_.accept("}")) {
            const Token &token = stream_.peek();
            const bool word = token.kind == TokenKind::kDot || token.kind == TokenKind::kName ||
                              token.kind == TokenKind::kInteger || token.is(":") || token.is(",") || token.is("+") ||
                              token.is("-");
            if (!word) {
                stream_.fail("data of a section or '}'");
            }
            section.tokens.push_back((token.kind == TokenKind::kDot ? "." : "") + std::string(token.text));
            stream_.next();
        }
        module_.items.emplace_back(std::move(section));
    }

    TokenStream stream_;
    Diagnostics &diagnostics_;
    Module module_;
};

} // namespace

Module parse_module(std::string_view text, const std::string &file) {
    Diagnostics diagnostics(file);
    if (text.size() > kMaxBytes) {
        diagnostics.add({}, "larger than " + std::to_string(kMaxBytes) + " bytes; expected a smaller module");
        diagnostics.throw_if_any();
    }
    TokenStream stream(tokenize(text, diagnostics));
    Module module = ModuleParser(std::move(stream), diagnostics).run();
    diagnostics.throw_if_any();
    return module;
}

} // namespace smsim::ptx
