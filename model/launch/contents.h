// Contents of buffers, made in pieces: a buffer may be larger than what anybody wants to hold twice.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/launch/launch.h"
#include "model/text/input_file.h"

namespace smsim::launch {

/// Most bytes of a piece; a multiple of the size of every element.
inline constexpr std::uint64_t kPieceBytes = std::uint64_t{1} << 20;

/// `count` elements of `type`, little endian, as `init` says (docs/launch-files.md), one piece after the other.
class Contents {
  public:
    /// `init` outlives the object; `place` is what an error names. Throws InputError when the file of `init` cannot be
    /// opened, std::invalid_argument when `init` has another number of values.
    Contents(ElementType type, std::uint64_t count, const Init &init, std::string place);

    /// The next `kPieceBytes`, or what is left; empty after the last byte. They hold until the next call. Throws
    /// InputError when the file cannot be read or has another size.
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
