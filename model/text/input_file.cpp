// Reads with system calls: streams report neither what kind of file a name refers to nor why a call failed.
#include "model/text/input_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "model/error.h"

namespace smsim::text {

namespace {

[[noreturn]] void refuse(const std::string &path, const std::string &cause) {
    throw InputError(path + ": " + cause);
}

template <typename Bytes> Bytes read_all(const std::string &path, std::size_t limit) {
    InputFile file(path);
    constexpr std::size_t kStep = std::size_t{1} << 16;
    const std::size_t announced = file.announced();
    Bytes bytes;
    std::size_t end = 0;
    while (end <= limit && announced <= limit) {
        // One byte more than the announced size shows that a file has ended, without a second buffer.
        const bool known = announced != 0 && end <= announced;
        bytes.resize(std::min(known ? announced + 1 : std::max(end + kStep, end + end / 2),
                              limit == ~std::size_t{0} ? limit : limit + 1));
        const std::size_t wanted = bytes.size() - end;
        const std::size_t count = file.read({reinterpret_cast<std::uint8_t *>(bytes.data()) + end, wanted});
        end += count;
        if (count < wanted) {
            bytes.resize(end);
            return bytes;
        }
    }
    refuse(path, fmt::format("larger than {} bytes; expected a smaller file", limit));
}

} // namespace

InputFile::InputFile(std::string path)
    : path_(std::move(path)), descriptor_(::open(path_.c_str(), O_RDONLY | O_CLOEXEC)) {
    try {
        struct stat status = {};
        if (descriptor_ < 0 || ::fstat(descriptor_, &status) != 0) {
            refuse(path_, fmt::format("cannot be opened for reading: {}", std::strerror(errno)));
        }
        if (S_ISDIR(status.st_mode)) {
            refuse(path_, "cannot be opened for reading: it is a directory; expected a file");
        }
        if (S_ISBLK(status.st_mode) || (S_ISCHR(status.st_mode) && ::isatty(descriptor_) == 0)) {
            refuse(path_, "cannot be opened for reading: it is a device; expected a file");
        }
        announced_ = static_cast<std::size_t>(std::max<off_t>(status.st_size, 0));
    } catch (...) {
        if (descriptor_ >= 0) {
            ::close(descriptor_);
        }
        throw;
    }
}

InputFile::~InputFile() {
    ::close(descriptor_);
}

std::size_t InputFile::read(std::span<std::uint8_t> to) {
    std::size_t end = 0;
    while (end < to.size()) {
        const ssize_t count = ::read(descriptor_, to.data() + end, to.size() - end);
        if (count < 0 && errno != EINTR) {
            refuse(path_, fmt::format("cannot be read: {}", std::strerror(errno)));
        }
        if (count == 0) {
            break;
        }
        end += static_cast<std::size_t>(std::max<ssize_t>(count, 0));
    }
    return end;
}

std::string read_file(const std::string &path, std::size_t limit) {
    return read_all<std::string>(path, limit);
}

std::vector<std::uint8_t> read_bytes(const std::string &path, std::size_t limit) {
    return read_all<std::vector<std::uint8_t>>(path, limit);
}

} // namespace smsim::text
