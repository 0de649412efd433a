// Contents of buffers, generated in pieces: a buffer may be too large to hold twice.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/launch/launch.h"
#include "model/text/input_file.h"

namespace smsim::launch {

/// Maximum size of a piece in bytes; a multiple of the size of every element.
inline constexpr std::uint64_t kPieceBytes = std::uint64_t{1} << 20;

/// `count` elements of `type`, little endian, as `init` says (docs/launch-files.md), one piece after the other.
class Contents {
  public:
    /// `init` must outlive the object; `place` appears in errors. Throws InputError when the file of `init` cannot be
    /// opened, std::invalid_argument when `init` has another number of values.
    Contents(ElementType type, std::uint64_t count, const Init &init, std::string place);

    /// The next `kPieceBytes`, or what is left; empty after the last byte. Valid until the next call. Throws InputError
    /// when the file cannot be read or has another size.
    std::span<const std::uint8_t> next();

  private:
    void read();
    void make();

    ElementType type_;
    const Init &init_;
    std::string place_;
    std::uint64_t bytes_;
    std::uint64_t given_ = 0;
    std::optional<text::InputFile> file_;
    std::vector<std::uint8_t> piece_;
};

} // namespace smsim::launch
