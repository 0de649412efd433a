#include "ptx/line_table.h"

#include <charconv>
#include <optional>

namespace smsim::ptx {

namespace {

std::optional<std::uint32_t> number(const std::vector<std::string> &words, std::size_t index) {
    std::uint32_t value = 0;
    if (index >= words.size()) {
        return std::nullopt;
    }
    const std::string &word = words[index];
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    return error == std::errc{} && end == word.data() + word.size() ? std::optional(value) : std::nullopt;
}

class Reader {
  public:
    LineTable read(const Module &module) {
        for (const auto &item : module.items) {
            if (const auto *function = std::get_if<Function>(&item); function != nullptr && function->body) {
                line_ = 0;
                block(*function->body);
            }
        }
        for (const auto &item : module.items) {
            const auto *directive = std::get_if<Directive>(&item);
            if (main_ && directive != nullptr && directive->name == "file" && number(directive->words, 0) == main_ &&
                directive->words.size() > 1) {
                table_.file = directive->words[1];
                std::erase(table_.file, '"');
            }
        }
        return std::move(table_);
    }

  private:
    void block(const Block &block) {
        for (const Statement &statement : block.statements) {
            if (const auto *instruction = std::get_if<Instruction>(&statement.what)) {
                const std::uint32_t at = instruction->place.line;
                if (table_.lines.size() <= at) {
                    table_.lines.resize(at + 1, 0);
                }
                table_.lines[at] = line_;
            } else if (const auto *inner = std::get_if<Block>(&statement.what)) {
                this->block(*inner);
            } else if (const auto *directive = std::get_if<Directive>(&statement.what)) {
                loc(*directive);
            }
        }
    }

    void loc(const Directive &directive) {
        const auto file = number(directive.words, 0);
        const auto line = number(directive.words, 1);
        if (directive.name != "loc" || !file || !line) {
            return;
        }
        main_ = main_ ? main_ : file;
        if (file == main_ && *line != 0) { // line 0 is code without a line
            line_ = *line;
        }
    }

    LineTable table_;
    std::optional<std::uint32_t> main_;
    std::uint32_t line_ = 0;
};

} // namespace

LineTable line_table(const Module &module) {
    return Reader().read(module);
}

} // namespace smsim::ptx
