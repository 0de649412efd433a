#include "app/recording.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "model/error.h"

namespace smsim::app {

OutputStream::OutputStream(std::string path, std::string what) : path_(std::move(path)), what_(std::move(what)) {
    if (!path_.empty()) {
        file_.open(path_);
        if (!file_) {
            throw InputError(fmt::format("{}: cannot be opened for writing {}", path_, what_));
        }
    }
}

void OutputStream::close(std::vector<std::string> &errors) {
    if (file_.is_open()) {
        file_.close();
        if (!file_) {
            errors.push_back(fmt::format("{}: {} could not be written completely", path_, what_));
        }
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
