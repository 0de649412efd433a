// The implementation of a part, as a configuration names it (`bru.implementation` and others; docs/co-simulation.md):
// "model", "rtl", "lockstep", and with a block from a library "rtl:LIBRARY", "lockstep:LIBRARY".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace smsim {

class Implementation {
  public:
    enum class Kind : std::uint8_t {
        kModel,    ///< this model's own
        kRtl,      ///< a block of RTL
        kLockstep, ///< RTL, compared with the model in each transaction; a difference ends the run
    };

    /// The model's own implementation.
    Implementation() = default;
    /// The implementation that `text` names. None when it is not one of the forms above, or the library's path is empty
    /// or contains control characters.
    static std::optional<Implementation> parse(std::string_view text);

    Kind kind() const { return kind_; }
    /// Path of the library that contains the block; empty: the block of this program, or none.
    std::string_view library() const;
    /// As it was read.
    std::string_view text() const { return text_; }

  private:
    std::string text_ = "model";
    Kind kind_ = Kind::kModel;
};

} // namespace smsim
