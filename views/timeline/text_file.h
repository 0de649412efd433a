// A text file that is written piece by piece during a run, and that remembers write errors.
#pragma once

#include <cstdint>
#include <cstdio>
#include <iterator>
#include <string>

#include <fmt/compile.h>
#include <fmt/format.h>

namespace smsim::views::timeline {

class TextFile {
  public:
    /// Creates the file at `path`. Throws InputError when that is not possible.
    explicit TextFile(std::string path);
    ~TextFile();
    TextFile(const TextFile &) = delete;
    TextFile &operator=(const TextFile &) = delete;

    /// Appends a formatted text; `format` is FMT_COMPILE("..."), because millions of records are written.
    template <typename Format, typename... Args> void write(const Format &format, const Args &...args) {
        fmt::format_to(std::back_inserter(buffer_), format, args...);
        if (buffer_.size() >= kPiece) {
            flush();
        }
    }
    /// Bytes that the file has so far.
    std::uint64_t bytes() const { return flushed_ + buffer_.size(); }
    /// Whether something could not be written.
    bool failed() const { return !error_.empty(); }
    /// Closes the file. Returns a message with path and cause when not everything could be written; empty: no error.
    std::string close();

  private:
    static constexpr std::size_t kPiece = std::size_t{1} << 16;
    void flush();

    std::string path_;
    fmt::memory_buffer buffer_;
    std::string error_;
    std::uint64_t flushed_ = 0;
    std::FILE *file_ = nullptr;
};

} // namespace smsim::views::timeline
