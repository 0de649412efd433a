#include "views/timeline/text_file.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include "model/error.h"

namespace smsim::views::timeline {

TextFile::TextFile(std::string path) : path_(std::move(path)), file_(std::fopen(path_.c_str(), "wb")) {
    if (file_ == nullptr) {
        throw InputError(fmt::format("{}: cannot be opened for writing: {}", path_, std::strerror(errno)));
    }
    buffer_.reserve(kPiece + kPiece / 4);
}

TextFile::~TextFile() {
    close();
}

void TextFile::flush() {
    if (error_.empty() && std::fwrite(buffer_.data(), 1, buffer_.size(), file_) != buffer_.size()) {
        error_ = std::strerror(errno);
    }
    flushed_ += buffer_.size();
    buffer_.clear();
}

std::string TextFile::close() {
    if (file_ != nullptr) {
        flush();
        if (std::fclose(std::exchange(file_, nullptr)) != 0 && error_.empty()) {
            error_ = std::strerror(errno);
        }
    }
    return error_.empty() ? std::string() : fmt::format("{}: could not be written completely: {}", path_, error_);
}

} // namespace smsim::views::timeline
