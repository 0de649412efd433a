// Numbers and texts as byte sequences, as in files of transactions (docs/transactions.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace smsim::transactions {

/// Appends numbers to a sequence of bytes.
class ByteWriter {
  public:
    void byte(std::uint8_t value) { bytes_.push_back(value); }
    /// 7 bits in each byte, lowest first; the highest bit says that another byte follows.
    void number(std::uint64_t value);
    /// `count` bytes, lowest first.
    void fixed(std::uint64_t value, unsigned count);
    void text(std::string_view value);
    void raw(std::span<const std::uint8_t> bytes) { bytes_.insert(bytes_.end(), bytes.begin(), bytes.end()); }

    const std::vector<std::uint8_t> &bytes() const { return bytes_; }
    void clear() { bytes_.clear(); }

  private:
    std::vector<std::uint8_t> bytes_;
};

/// The opposite direction. Errors are reported to `fail` with a reason and the place; `fail` throws.
class ByteReader {
  public:
    using Fail = std::function<void(std::size_t at, const std::string &reason)>;

    /// `bytes` must outlive the reader.
    ByteReader(std::span<const std::uint8_t> bytes, Fail fail) : bytes_(bytes), fail_(std::move(fail)) {}

    std::uint8_t byte() { return raw(1)[0]; }
    /// A byte below `limit`; `what` appears in the message otherwise.
    std::uint8_t below(std::uint8_t limit, const char *what);
    std::uint64_t number();
    /// A number of 32 bits.
    std::uint32_t number32();
    std::uint64_t fixed(unsigned count);
    std::string text();
    std::span<const std::uint8_t> raw(std::uint64_t count);
    bool at_end() const { return at_ == bytes_.size(); }
    /// Position of the next byte.
    std::size_t at() const { return at_; }
    [[noreturn]] void refuse(const std::string &reason) const;

  private:
    std::span<const std::uint8_t> bytes_;
    Fail fail_;
    std::size_t at_ = 0;
};

} // namespace smsim::transactions
