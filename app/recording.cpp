#include "app/recording.h"

#include <cerrno>
#include <cstring>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "model/error.h"

namespace smsim::app {

void CheckedBuffer::note(bool good) {
    if (!good && error_ == 0) {
        error_ = errno;
    }
}

CheckedBuffer::int_type CheckedBuffer::overflow(int_type c) {
    const int_type written = std::filebuf::overflow(c);
    note(!traits_type::eq_int_type(written, traits_type::eof()));
    return written;
}

std::streamsize CheckedBuffer::xsputn(const char *text, std::streamsize size) {
    const std::streamsize written = std::filebuf::xsputn(text, size);
    note(written == size);
    return written;
}

int CheckedBuffer::sync() {
    const int done = std::filebuf::sync();
    note(done == 0);
    return done;
}

OutputStream::OutputStream(std::string path, std::string what) : path_(std::move(path)), what_(std::move(what)) {
    if (!path_.empty() && buffer_.open(path_, std::ios::out | std::ios::trunc) == nullptr) {
        throw InputError(fmt::format("{}: cannot be opened for writing {}: {}", path_, what_, std::strerror(errno)));
    }
}

void OutputStream::close(std::vector<std::string> &errors) {
    if (!buffer_.is_open()) {
        return;
    }
    const bool closed = buffer_.close() != nullptr;
    buffer_.note(closed);
    if (!closed || !file_) {
        errors.push_back(
            fmt::format("{}: {} could not be written completely{}", path_, what_,
                        buffer_.error() == 0 ? std::string() : std::string(": ") + std::strerror(buffer_.error())));
    }
}

Recording::Recording(const std::string &trace_file, const std::string &state_file,
                     const std::optional<views::timeline::Request> &request, const views::timeline::Subject *subject)
    : trace(trace_file, "the trace"), state(state_file, "the state") {
    if (request) {
        timeline.emplace(*request, *subject);
    }
}

std::vector<std::string> Recording::close() {
    std::vector<std::string> errors;
    if (timeline && !timeline->error().empty()) {
        errors.push_back(timeline->error());
    }
    if (timeline && !timeline->left_out().empty()) {
        spdlog::warn("{}", timeline->left_out());
    }
    trace.close(errors);
    state.close(errors);
    return errors;
}

} // namespace smsim::app
