// The one reader of input files. Whatever a name leads to, it ends: what is no file is refused, and no more is read
// than the limit of whoever asks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace smsim::text {

/// Most bytes of a program's file, and of a report. (YAML, assembly text and PTX have lower limits of their own.)
inline constexpr std::size_t kMaxFileBytes = std::size_t{256} << 20;

/// The whole file at `path`, which may also be a pipe or a terminal. Throws InputError "path: cause" when it cannot be
/// read, is a directory or a device, or holds more than `limit` bytes.
std::string read_file(const std::string &path, std::size_t limit);

/// As read_file, as bytes.
std::vector<std::uint8_t> read_bytes(const std::string &path, std::size_t limit);

} // namespace smsim::text
