// Errors of one assembly, collected so that the user sees all of them at once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "model/error.h"

namespace smsim::assembler {

/// A place in the source text; line and column count from 1.
struct Place {
    std::uint32_t line = 1;
    std::uint32_t column = 1;
    friend auto operator<=>(const Place &, const Place &) = default;
};

/// Thrown inside the assembler to leave one statement; caught where the next one begins.
struct SyntaxError {
    Place place;
    std::string message;
};

/// Collects messages of the form "file:line:column: what is wrong; expected ...".
class Diagnostics {
  public:
    explicit Diagnostics(std::string file) : file_(std::move(file)) {}

    void add(Place place, std::string message) { errors_.push_back({place, std::move(message)}); }
    void add(const SyntaxError &error) { add(error.place, error.message); }
    bool empty() const { return errors_.empty(); }

    /// Throws InputError with all messages in the order of their places, one per line; returns when there is none.
    void throw_if_any() {
        if (errors_.empty()) {
            return;
        }
        std::ranges::stable_sort(errors_, {}, &SyntaxError::place);
        constexpr std::size_t kShown = 100;
        std::string text;
        for (std::size_t i = 0; i < std::min(errors_.size(), kShown); ++i) {
            text += (i == 0 ? "" : "\n") + file_ + ":" + std::to_string(errors_[i].place.line) + ":" +
                    std::to_string(errors_[i].place.column) + ": " + errors_[i].message;
        }
        if (errors_.size() > kShown) {
            text += "\n" + file_ + ": " + std::to_string(errors_.size() - kShown) + " more errors";
        }
        throw InputError(text);
    }

  private:
    std::string file_;
    std::vector<SyntaxError> errors_;
};

} // namespace smsim::assembler
