// Writing with every result checked.
#include "app/output.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "model/error.h"

namespace smsim::app {

namespace fs = std::filesystem;

namespace {

constexpr const char *kLaunches = "launches";

} // namespace

void print(std::string_view text) {
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
        throw InputError(std::string("standard output cannot be written: ") + std::strerror(errno));
    }
}

void print_device_output(std::string_view text, bool json_follows) {
    const std::string whole = std::string(text) + (text.empty() || text.ends_with('\n') ? "" : "\n");
    if (!json_follows) {
        print(whole);
    } else if (std::fwrite(whole.data(), 1, whole.size(), stderr) != whole.size()) {
        throw InputError(std::string("standard error cannot be written: ") + std::strerror(errno));
    }
}

std::vector<std::string> launch_reports(const std::string &directory) {
    std::vector<std::string> found;
    std::error_code error;
    for (const fs::directory_entry &entry : fs::directory_iterator(fs::path(directory) / kLaunches, error)) {
        const std::string number = entry.path().filename().string();
        if (number.size() != 3 || number.find_first_not_of("0123456789") != std::string::npos) {
            continue;
        }
        for (const char *report : {"report.json", "report.txt"}) {
            if (fs::is_regular_file(entry.path() / report, error)) {
                found.push_back((fs::path(kLaunches) / number / report).string());
            }
        }
    }
    std::ranges::sort(found);
    return found;
}

OutputDirectory::OutputDirectory(std::string path) : path_(std::move(path)) {
    std::error_code error;
    fs::create_directories(path_, error);
    if (error || !fs::is_directory(path_, error)) {
        throw InputError(fmt::format("{}: the output directory cannot be created: {}", path_,
                                     error ? error.message() : "a file is in the way"));
    }
}

void OutputDirectory::remove_launch_reports() const {
    for (const std::string &report : launch_reports(path_)) {
        const fs::path file = fs::path(path_) / report;
        std::error_code error;
        if (!fs::remove(file, error)) {
            throw InputError(fmt::format("{}: the report of an earlier run cannot be removed: {}", file.string(),
                                         error ? error.message() : "it is gone"));
        }
        fs::remove(file.parent_path(), error); // fails where something else is left in it
    }
    std::error_code ignored;
    fs::remove(fs::path(path_) / kLaunches, ignored);
}

void OutputDirectory::write(const std::string &name, std::string_view text) const {
    const fs::path path = fs::path(path_) / name;
    std::error_code error;
    fs::create_directories(path.parent_path(), error); // a failure shows when the file is opened
    std::ofstream stream(path, std::ios::binary | std::ios::trunc);
    stream.write(text.data(), static_cast<std::streamsize>(text.size()));
    stream.close();
    if (!stream) {
        throw InputError(path.string() + ": cannot be written");
    }
}

void OutputDirectory::write(const std::string &name, std::span<const std::uint8_t> bytes) const {
    write(name, std::string_view(reinterpret_cast<const char *>(bytes.data()), bytes.size()));
}

} // namespace smsim::app
