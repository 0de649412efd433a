// Files that the program writes, and its standard output: a write that fails is an error, never a short file.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace smsim::app {

/// Prints on standard output. Throws InputError when it cannot be written (full disk, closed pipe).
void print(std::string_view text);

/// Prints what a kernel has printed, its last line completed: on standard output, on standard error where a report for
/// programs (`json_follows`) has standard output for itself. Throws InputError as `print`.
void print_device_output(std::string_view text, bool json_follows);

/// The reports of single launches that runs of several have left in a directory: `launches/NNN/report.json` and
/// `report.txt`, relative to it, in order.
std::vector<std::string> launch_reports(const std::string &directory);

/// The directory that a run writes its files to.
class OutputDirectory {
  public:
    /// Creates the directory and its parents where missing. Throws InputError when it cannot.
    explicit OutputDirectory(std::string path);

    /// Removes `launch_reports`, so that those of an earlier run are not taken for those of this one, and the folders
    /// that are then empty. Throws InputError.
    void remove_launch_reports() const;

    /// Writes a file; `name` is relative to the directory, folders in it are created. Throws InputError.
    void write(const std::string &name, std::string_view text) const;
    void write(const std::string &name, std::span<const std::uint8_t> bytes) const;

  private:
    std::string path_;
};

} // namespace smsim::app
