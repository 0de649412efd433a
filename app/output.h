// Files that the program writes, and its standard output: a failed write is an error, never a short file.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/launch/launch.h"

namespace smsim::app {

/// Prints on standard output. Throws InputError when it cannot be written (full disk, closed pipe).
void print(std::string_view text);

/// Prints what a kernel has printed, completing its last line: on standard output, or on standard error where a
/// machine-readable report (`json_follows`) needs standard output for itself. Throws InputError like `print`.
void print_device_output(std::string_view text, bool json_follows);

/// Writes a file of `bytes` bytes, which `read` provides in pieces. It gets its name when it is complete and ends with
/// ".part" until then; pipes and links take the bytes directly. Throws InputError with the cause.
void write_file(const std::string &path, std::uint64_t bytes, const launch::ReadBytes &read);
void write_file(const std::string &path, std::string_view text);

/// The results that an earlier run has left in a directory: `report.json`, `report.txt`, `what_if.json`, and the
/// reports of single launches, `launches/NNN/report.json` and `report.txt`; relative to it, in order.
std::vector<std::string> earlier_results(const std::string &directory);

/// The directory that a run writes its files to.
class OutputDirectory {
  public:
    /// Creates the directory and its parents where missing. Throws InputError on failure.
    explicit OutputDirectory(std::string path);

    /// Locks the directory against other runs for the lifetime of this object. Throws InputError when another run has
    /// it.
    void keep_others_out();

    /// Removes `earlier_results`, and the folders of launches that are then empty: however this run ends, no results
    /// of another run lie beside its configuration. Throws InputError.
    void remove_earlier_results() const;

    /// Like `write_file`; `name` is relative to the directory, folders in it are created.
    void write(const std::string &name, std::string_view text) const;
    void write(const std::string &name, std::span<const std::uint8_t> bytes) const;
    /// As above, `bytes` bytes, which `read` provides in pieces.
    void write(const std::string &name, std::uint64_t bytes, const launch::ReadBytes &read) const;

  private:
    struct CloseFile {
        void operator()(const int *file) const;
    };

    std::string path_;
    std::unique_ptr<const int, CloseFile> lock_; ///< a descriptor of the directory
};

} // namespace smsim::app
