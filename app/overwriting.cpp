// Compares existing files by identity in the file system, others by name.
#include "app/overwriting.h"

#include <filesystem>

#include <fmt/format.h>

#include "model/error.h"

namespace smsim::app {
namespace {

namespace fs = std::filesystem;

/// Whether writing to this name can destroy a file.
bool is_file(const std::string &path) {
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    return !path.empty() && (!fs::exists(status) || fs::is_regular_file(status));
}

fs::path full(const std::string &path) {
    std::error_code error;
    const fs::path found = fs::weakly_canonical(fs::absolute(path, error), error);
    return error ? fs::path(path).lexically_normal() : found;
}

bool same(const std::string &first, const std::string &second) {
    std::error_code error;
    return is_file(first) && is_file(second) && (fs::equivalent(first, second, error) || full(first) == full(second));
}

} // namespace

void refuse_losing(const std::vector<NamedFile> &inputs, const std::vector<NamedFile> &outputs) {
    for (const NamedFile &output : outputs) {
        for (const NamedFile &input : inputs) {
            if (same(input.path, output.path)) {
                throw InputError(fmt::format("{} would overwrite {}; name another file", output.name, input.name));
            }
        }
    }
}

void refuse_overwriting(const std::vector<NamedFile> &inputs, const std::vector<NamedFile> &outputs) {
    refuse_losing(inputs, outputs);
    for (auto output = outputs.begin(); output != outputs.end(); ++output) {
        for (auto other = outputs.begin(); other != output; ++other) {
            if (same(other->path, output->path)) {
                throw InputError(
                    fmt::format("{} and {} would be one file; name another one", other->name, output->name));
            }
        }
    }
}

} // namespace smsim::app
