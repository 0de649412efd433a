// Reading with every result checked.
#include "sm/program/input.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include "model/error.h"

namespace smsim::program {

std::string read_text(const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    std::error_code ignored;
    if (!file || std::filesystem::is_directory(path, ignored)) {
        throw InputError(path + ": cannot be opened for reading");
    }
    std::ostringstream text;
    if (file.peek() != std::ifstream::traits_type::eof()) {
        text << file.rdbuf();
    }
    if (file.bad() || !text) {
        throw InputError(path + ": cannot be read");
    }
    return text.str();
}

} // namespace smsim::program
