// Errors of one assembly, collected so that the user sees all of them at once; if there are very many, the first ones
// and their number.
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

    void add(Place place, std::string message) { add(SyntaxError{place, std::move(message)}); }
    void add(SyntaxError error) {
        errors_.push_back(std::move(error));
        ++count_;
        if (errors_.size() == 2 * kShown) { // later ones may precede those that are kept
            sort();
            errors_.resize(kShown);
        }
    }
    bool empty() const { return count_ == 0; }

    /// Throws InputError with the messages in the order of their places, one per line, the first 100 and the number of
    /// the others; returns if there are no errors.
    void throw_if_any() {
        if (empty()) {
            return;
        }
        sort();
        errors_.resize(std::min(errors_.size(), kShown));
        std::string text;
        for (const SyntaxError &error : errors_) {
            text += (text.empty() ? "" : "\n") + file_ + ":" + std::to_string(error.place.line) + ":" +
                    std::to_string(error.place.column) + ": " + error.message;
        }
        if (count_ > errors_.size()) {
            const std::size_t more = count_ - errors_.size();
            text += "\n" + file_ + ": and " + std::to_string(more) + (more == 1 ? " more error" : " more errors");
        }
        throw InputError(text);
    }

  private:
    static constexpr std::size_t kShown = 100;

    void sort() { std::ranges::stable_sort(errors_, {}, &SyntaxError::place); }

    std::string file_;
    std::vector<SyntaxError> errors_; ///< the first ones by place
    std::size_t count_ = 0;           ///< of all
};

} // namespace smsim::assembler
