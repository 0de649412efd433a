// Collects the text of an assembly program: instructions, labels, constants.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace smsim::fuzz {

class Writer {
  public:
    /// One instruction, without its semicolon; `guard` is "" or "@P0 ".
    void instruction(const std::string &guard, const std::string &text) {
        starts_.push_back(code_.size());
        code_ += "    " + guard + text + ";\n";
    }
    template <typename... Values> void line(fmt::format_string<Values...> format, Values &&...values) {
        instruction("", fmt::format(format, std::forward<Values>(values)...));
    }
    std::string new_label() { return fmt::format("L{}", labels_++); }
    void place(const std::string &label) {
        places_.push_back({label, starts_.size()});
        code_ += label + ":\n";
    }
    void comment(const std::string &text) { code_ += "    // " + text + "\n"; }

    /// Puts an expression into constant bank 3; returns the operand that reads it.
    std::string constant32(const std::string &expression) { return operand(constant32_offset(expression)); }
    std::string constant64(const std::string &expression) { return operand(constant64_offset(expression)); }
    /// The same, as byte offset in the bank.
    unsigned constant32_offset(const std::string &expression) { return append(".word", expression, 4); }
    unsigned constant64_offset(const std::string &expression) { return append(".quad", expression, 8); }

    const std::string &code() const { return code_; }
    /// Where each instruction begins in the text.
    const std::vector<std::size_t> &starts() const { return starts_; }
    /// Labels in text order, each with the number of the instruction after it.
    const std::vector<std::pair<std::string, std::size_t>> &places() const { return places_; }
    const std::string &constants() const { return constants_; }

  private:
    static std::string operand(unsigned offset) { return fmt::format("c[0x3][{:#x}]", offset); }

    unsigned append(const char *directive, const std::string &expression, unsigned bytes) {
        const unsigned aligned = (constant_bytes_ + bytes - 1) / bytes * bytes;
        if (aligned != constant_bytes_) {
            constants_ += fmt::format("    .zero {}\n", aligned - constant_bytes_);
        }
        constants_ += fmt::format("    {} {}\n", directive, expression);
        constant_bytes_ = aligned + bytes;
        return aligned;
    }

    std::string code_;
    std::vector<std::size_t> starts_;
    std::vector<std::pair<std::string, std::size_t>> places_;
    std::string constants_;
    unsigned constant_bytes_ = 0;
    unsigned labels_ = 0;
};

} // namespace smsim::fuzz
