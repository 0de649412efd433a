// The files that a simulation writes while it runs: trace, dump of states, timeline.
#pragma once

#include <fstream>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "views/timeline/timeline.h"

namespace smsim::app {

/// A file buffer that remembers why a write failed.
class CheckedBuffer : public std::filebuf {
  public:
    /// The error number of the first write that failed; 0: none.
    int error() const { return error_; }
    void note(bool good);

  protected:
    int_type overflow(int_type c) override;
    std::streamsize xsputn(const char *text, std::streamsize size) override;
    int sync() override;

  private:
    int error_ = 0;
};

/// A file that the simulation writes lines to.
class OutputStream {
  public:
    /// `path` empty: none. Throws InputError when the file cannot be opened.
    OutputStream(std::string path, std::string what);
    /// Null: none.
    std::ostream *stream() { return buffer_.is_open() ? &file_ : nullptr; }
    /// Whether a line could not be written.
    bool failed() const { return buffer_.is_open() && !file_; }
    /// Closes the file; adds a message to `errors` when it is not complete.
    void close(std::vector<std::string> &errors);

  private:
    std::string path_;
    std::string what_;
    CheckedBuffer buffer_;
    std::ostream file_{&buffer_};
};

/// All of them.
class Recording {
  public:
    /// `trace` and `state` are paths, empty: none. `timeline` empty: none; `subject` is only used with a timeline.
    /// Throws InputError when a file cannot be opened.
    Recording(const std::string &trace, const std::string &state,
              const std::optional<views::timeline::Request> &timeline, const views::timeline::Subject *subject);

    OutputStream trace;
    OutputStream state;
    std::optional<views::timeline::Timeline> timeline;

    /// Whether one of the files can take no more: nothing recorded from now on would be kept.
    bool failed() const { return trace.failed() || state.failed() || (timeline && timeline->failed()); }
    /// Closes the files; returns messages with path and cause for those that are not complete. Warns about what a
    /// timeline has left out.
    std::vector<std::string> close();
};

} // namespace smsim::app
