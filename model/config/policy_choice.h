// A policy as a configuration names it: one of the model's own by its name, or one from a shared library by
// "library:LIB.so[:PARAMETERS]" (model/policy_library.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace smsim {

/// Names a policy in a shared library, or none.
class LibraryChoice {
  public:
    /// None: the policy is one of the model's own.
    LibraryChoice() = default;
    /// The library that `text` names, "library:LIB.so" or "library:LIB.so:PARAMETERS". None when it does not begin like
    /// that, the path is empty, or the text contains control characters.
    static std::optional<LibraryChoice> parse(std::string_view text);

    bool is_library() const { return !text_.empty(); }
    /// Path of the library: the text up to the second colon.
    std::string_view library() const;
    /// The text after the second colon, unchanged; may be empty.
    std::string_view parameters() const;
    /// As it was read; empty: no library.
    std::string_view text() const { return text_; }

    /// How such a value is written, for messages.
    static constexpr std::string_view kForm = "library:LIB.so[:PARAMETERS]";

  private:
    std::string text_;
};

/// `Kind`: an enumeration of the model's own policies.
template <typename Kind> class PolicyChoice : public LibraryChoice {
  public:
    /// One of the model's own.
    constexpr PolicyChoice(Kind own) : own_(own) {} // implicit: a configuration in code assigns the enumeration
    /// One from a library.
    PolicyChoice(LibraryChoice choice) : LibraryChoice(std::move(choice)) {}

    /// The policy among the model's own; without meaning for one from a library.
    Kind own() const { return own_; }
    /// Whether it is this one of the model's own.
    friend bool operator==(const PolicyChoice &choice, Kind own) { return !choice.is_library() && choice.own_ == own; }

  private:
    Kind own_{};
};

/// Whether `T` is a PolicyChoice.
template <typename T> inline constexpr bool kIsPolicyChoice = std::is_base_of_v<LibraryChoice, T>;

} // namespace smsim
