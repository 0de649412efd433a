// Writing, with every result checked.
#include "app/output.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include "model/error.h"
#include "model/launch/contents.h"

namespace smsim::app {

namespace fs = std::filesystem;

namespace {

constexpr const char *kLaunches = "launches";

launch::ReadBytes pieces_of(std::string_view text) {
    return [text](std::uint64_t offset, std::span<std::uint8_t> to) {
        std::memcpy(to.data(), text.data() + offset, to.size());
    };
}

} // namespace

void write_file(const std::string &path, std::uint64_t bytes, const launch::ReadBytes &read) {
    std::error_code error;
    // Anything that exists under this name and is not a file, such as a pipe or a link, takes the bytes directly.
    const fs::file_status present = fs::symlink_status(path, error);
    const bool aside = !fs::exists(present) || fs::is_regular_file(present);
    const std::string part = aside ? path + ".part" : path;
    errno = 0;
    std::ofstream stream(part, std::ios::binary | std::ios::trunc);
    std::vector<std::uint8_t> piece;
    for (std::uint64_t offset = 0; offset < bytes && stream; offset += piece.size()) {
        piece.resize(std::min(launch::kPieceBytes, bytes - offset));
        read(offset, piece);
        stream.write(reinterpret_cast<const char *>(piece.data()), static_cast<std::streamsize>(piece.size()));
    }
    stream.close();
    error = stream ? std::error_code() : std::error_code(errno, std::generic_category());
    if (stream && aside) {
        fs::rename(part, path, error);
    }
    if (!stream || error) {
        std::error_code ignored;
        if (aside) {
            fs::remove(part, ignored);
        }
        throw InputError(fmt::format("{}: cannot be written{}", path, error ? ": " + error.message() : ""));
    }
}

void write_file(const std::string &path, std::string_view text) {
    write_file(path, text.size(), pieces_of(text));
}

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

std::vector<std::string> earlier_results(const std::string &directory) {
    std::vector<std::string> found;
    std::error_code error;
    for (const char *file : {"report.json", "report.txt", "what_if.json"}) {
        if (fs::is_regular_file(fs::path(directory) / file, error)) {
            found.emplace_back(file);
        }
    }
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

void OutputDirectory::remove_earlier_results() const {
    for (const std::string &result : earlier_results(path_)) {
        const fs::path file = fs::path(path_) / result;
        std::error_code error;
        if (!fs::remove(file, error)) {
            throw InputError(fmt::format("{}: the result of an earlier run cannot be removed: {}", file.string(),
                                         error ? error.message() : "it is gone"));
        }
        if (file.parent_path() != fs::path(path_)) {
            fs::remove(file.parent_path(), error); // fails if something else is left in it
        }
    }
    std::error_code ignored;
    fs::remove(fs::path(path_) / kLaunches, ignored);
}

void OutputDirectory::keep_others_out() {
    const int directory = ::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory < 0) {
        return; // problems with it show when a file is written
    }
    lock_.reset(new int(directory));
    // A file system without locks excludes no one.
    if (::flock(directory, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        throw InputError(fmt::format("{}: another run is writing to this directory; name another one", path_));
    }
}

void OutputDirectory::CloseFile::operator()(const int *file) const {
    ::close(*file);
    delete file;
}

void OutputDirectory::write(const std::string &name, std::string_view text) const {
    write(name, text.size(), pieces_of(text));
}

void OutputDirectory::write(const std::string &name, std::span<const std::uint8_t> bytes) const {
    write(name, std::string_view(reinterpret_cast<const char *>(bytes.data()), bytes.size()));
}

void OutputDirectory::write(const std::string &name, std::uint64_t bytes, const launch::ReadBytes &read) const {
    const fs::path path = fs::path(path_) / name;
    std::error_code ignored;
    fs::create_directories(path.parent_path(), ignored); // a failure shows when the file is opened
    write_file(path.string(), bytes, read);
}

} // namespace smsim::app
