// Reading by the system's own calls: streams neither tell what a name stands for nor why a call failed.
#include "model/text/input_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "model/error.h"

namespace smsim::text {

namespace {

class Descriptor {
  public:
    explicit Descriptor(int number) : number_(number) {}
    ~Descriptor() {
        if (number_ >= 0) {
            ::close(number_);
        }
    }
    Descriptor(const Descriptor &) = delete;
    Descriptor &operator=(const Descriptor &) = delete;
    int number() const { return number_; }

  private:
    int number_;
};

[[noreturn]] void refuse(const std::string &path, const std::string &cause) {
    throw InputError(path + ": " + cause);
}

template <typename Bytes> Bytes read_all(const std::string &path, std::size_t limit) {
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    struct stat status = {};
    if (file.number() < 0 || ::fstat(file.number(), &status) != 0) {
        refuse(path, fmt::format("cannot be opened for reading: {}", std::strerror(errno)));
    }
    if (S_ISDIR(status.st_mode)) {
        refuse(path, "cannot be opened for reading: it is a directory; expected a file");
    }
    if (S_ISBLK(status.st_mode) || (S_ISCHR(status.st_mode) && ::isatty(file.number()) == 0)) {
        refuse(path, "cannot be opened for reading: it is a device; expected a file");
    }
    constexpr std::size_t kStep = std::size_t{1} << 16;
    const auto announced = static_cast<std::size_t>(std::max<off_t>(status.st_size, 0)); // 0 of pipes
    Bytes bytes;
    std::size_t end = 0;
    while (end <= limit && announced <= limit) {
        // One byte beyond the announced size shows that a file has ended, without a second buffer.
        const bool known = announced != 0 && end <= announced;
        bytes.resize(std::min(known ? announced + 1 : std::max(end + kStep, end + end / 2), limit + 1));
        const ssize_t count = ::read(file.number(), bytes.data() + end, bytes.size() - end);
        if (count < 0 && errno != EINTR) {
            refuse(path, fmt::format("cannot be read: {}", std::strerror(errno)));
        }
        if (count == 0) {
            bytes.resize(end);
            return bytes;
        }
        end += static_cast<std::size_t>(std::max<ssize_t>(count, 0));
    }
    refuse(path, fmt::format("larger than {} bytes; expected a smaller file", limit));
}

} // namespace

std::string read_file(const std::string &path, std::size_t limit) {
    return read_all<std::string>(path, limit);
}

std::vector<std::uint8_t> read_bytes(const std::string &path, std::size_t limit) {
    return read_all<std::vector<std::uint8_t>>(path, limit);
}

} // namespace smsim::text
