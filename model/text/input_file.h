// The only reader of input files. Reading always ends, whatever a name refers to: what is no file is rejected, and no
// more is read than the caller's limit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace smsim::text {

/// Maximum size of a program's file, and of a report. (YAML, assembly text and PTX have lower limits of their own.)
inline constexpr std::size_t kMaxFileBytes = std::size_t{256} << 20;

/// A file that is read from its start to its end; may also be a pipe or a terminal.
class InputFile {
  public:
    /// Throws InputError "path: cause" when it cannot be opened, or is a directory or a device.
    explicit InputFile(std::string path);
    ~InputFile();
    InputFile(const InputFile &) = delete;
    InputFile &operator=(const InputFile &) = delete;

    /// Size of the file when it was opened; 0 for pipes.
    std::size_t announced() const { return announced_; }
    /// Reads the next bytes: the size of `to`, fewer only where the file ends. Returns their number. Throws InputError.
    std::size_t read(std::span<std::uint8_t> to);

  private:
    std::string path_;
    int descriptor_;
    std::size_t announced_ = 0;
};

/// The whole file at `path`, which may also be a pipe or a terminal. Throws InputError "path: cause" when it cannot be
/// read, is a directory or a device, or holds more than `limit` bytes.
std::string read_file(const std::string &path, std::size_t limit);

/// As read_file, as bytes.
std::vector<std::uint8_t> read_bytes(const std::string &path, std::size_t limit);

} // namespace smsim::text
