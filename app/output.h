// Files that the program writes, and its standard output: a write that fails is an error, never a short file.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace smsim::app {

/// Prints on standard output. Throws InputError when it cannot be written (full disk, closed pipe).
void print(std::string_view text);

/// The directory that a run writes its files to.
class OutputDirectory {
  public:
    /// Creates the directory and its parents where missing. Throws InputError when it cannot.
    explicit OutputDirectory(std::string path);

    /// Writes a file; `name` is relative to the directory, folders in it are created. Throws InputError.
    void write(const std::string &name, std::string_view text) const;
    void write(const std::string &name, std::span<const std::uint8_t> bytes) const;

  private:
    std::string path_;
};

} // namespace smsim::app
