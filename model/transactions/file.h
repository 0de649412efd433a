// Files of recorded transactions: written during a run, read part by part. The layout is described in
// docs/transactions.md. Neither side holds more than one piece of the records of a part at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "model/transactions/coding.h"
#include "model/transactions/records.h"

namespace smsim::transactions {

/// Version of the layout that is written, and the only one that can be read.
inline constexpr std::uint32_t kFileVersion = 1;
/// Maximum size of a file, compressed as it is.
inline constexpr std::uint64_t kMostFileBytes = std::uint64_t{1} << 30;
/// A writer takes no more records when this many bytes are left: those that it already has still fit.
inline constexpr std::uint64_t kRoomForTheLast = std::uint64_t{8} << 20;

/// The kinds of pieces.
enum class PieceKind : std::uint8_t { kConfiguration = 4, kEnd = 5 }; ///< below: records of a Part

class FileWriter {
  public:
    /// Begins a file in `to`, which must outlive the writer, for a run with the configuration `config`, as YAML. It is
    /// full when `full_at` bytes have been written.
    FileWriter(std::ostream &to, const std::string &config, std::uint64_t full_at = kMostFileBytes - kRoomForTheLast);

    /// Adds a record of `part`, not earlier than the previous one.
    void add(Part part, const Record &record);
    /// Ends the file: everything up to the end of cycle `last` has been recorded.
    void finish(Cycle last);
    /// Whether the file has as many bytes as may be read; further records are left out.
    bool is_full() const { return written_ >= full_at_; }

  private:
    struct Rows {
        ByteWriter bytes;
        std::uint32_t count = 0;
        std::uint64_t total = 0;
        Cycle previous = 0;
    };
    void flush(Part part);
    void piece(std::uint8_t kind, std::uint32_t count, std::span<const std::uint8_t> bytes);

    std::ostream &to_;
    std::uint64_t full_at_;
    std::array<Rows, kParts> rows_;
    std::uint64_t written_ = 0;
};

/// The records of a part, one after the other.
class RecordStream {
  public:
    /// The next record; none after the last one. Throws InputError, with file and byte offset, for invalid content: a
    /// piece that is altered or cannot be unpacked, bytes that are no record, records that go back in time.
    std::optional<Record> next();
    /// Number of the record that `next` returned last, from 0.
    std::uint64_t number() const { return given_ - 1; }

  private:
    friend class File;
    RecordStream(const class File &file, Part part);
    bool open_piece();

    const File *file_;
    Part part_;
    std::size_t at_;                   ///< next piece
    std::size_t piece_ = 0;            ///< present piece
    std::vector<std::uint8_t> bytes_;  ///< unpacked
    std::optional<ByteReader> reader_; ///< of `bytes_`
    std::uint32_t left_ = 0;           ///< records of the piece
    std::uint64_t given_ = 0;
    Cycle previous_ = 0;
};

class File {
  public:
    /// `bytes` of a file whose name in messages is `name`. InputError, with byte offset and reason, for another magic
    /// or version, a truncated file, one with data after its end, pieces of impossible lengths, or totals that do not
    /// match. Records are checked when they are read.
    File(std::vector<std::uint8_t> bytes, std::string name);
    /// The file at `path`.
    static File open(const std::string &path);

    const std::string &name() const { return name_; }
    /// The configuration of the run, as YAML.
    const std::string &config() const { return config_; }
    /// The last cycle that is completely recorded.
    Cycle last() const { return last_; }
    /// Number of records of a part.
    std::uint64_t records(Part part) const { return totals_[static_cast<std::size_t>(part)]; }
    /// From the first record of a part on. The file must outlive the stream and not move.
    RecordStream stream(Part part) const { return {*this, part}; }

  private:
    friend class RecordStream;
    struct Piece {
        std::uint8_t kind = 0;
        std::uint32_t count = 0;
        std::uint32_t unpacked = 0;
        std::uint32_t crc = 0;
        std::size_t begin = 0; ///< of the packed bytes
        std::size_t end = 0;
    };
    [[noreturn]] void fail(std::size_t at, const std::string &reason) const;
    Piece piece_at(std::size_t at) const;
    std::vector<std::uint8_t> unpack(const Piece &piece) const;
    void read_end(const Piece &piece);

    std::vector<std::uint8_t> bytes_;
    std::string name_;
    std::string config_;
    std::array<std::uint64_t, kParts> totals_{};
    Cycle last_ = 0;
};

} // namespace smsim::transactions
