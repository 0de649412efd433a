// Writing with every result checked.
#include "app/output.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "model/error.h"

namespace smsim::app {

namespace fs = std::filesystem;

void print(std::string_view text) {
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
        throw InputError(std::string("standard output cannot be written: ") + std::strerror(errno));
    }
}

OutputDirectory::OutputDirectory(std::string path) : path_(std::move(path)) {
    std::error_code error;
    fs::create_directories(path_, error);
    if (error || !fs::is_directory(path_, error)) {
        throw InputError(fmt::format("{}: the output directory cannot be created: {}", path_,
                                     error ? error.message() : "a file is in the way"));
    }
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
