// Layout: magic "SMTXN\r\n\x1a", version, then pieces, each with kind, number of records, length unpacked and packed,
// CRC-32 of the unpacked bytes, and its packed bytes (zlib). All numbers are little-endian.
#include "model/transactions/file.h"

#include <algorithm>

#include <zlib.h>

#include <fmt/format.h>

#include "model/text/input_file.h"

namespace smsim::transactions {
namespace {

constexpr std::array<std::uint8_t, 8> kMagic = {'S', 'M', 'T', 'X', 'N', '\r', '\n', 0x1a};
constexpr std::size_t kHeaderBytes = kMagic.size() + 4;
constexpr std::size_t kPieceBytes = 1 + 4 * 4;             // before its packed bytes
constexpr std::size_t kFullPiece = std::size_t{256} << 10; // a piece ends with the record that makes it this long
constexpr std::uint32_t kMostUnpacked = std::uint32_t{1} << 20;

std::uint64_t little(std::span<const std::uint8_t> bytes) {
    std::uint64_t value = 0;
    for (std::size_t i = bytes.size(); i-- > 0;) {
        value = value << 8 | bytes[i];
    }
    return value;
}

std::uint32_t checksum(std::span<const std::uint8_t> bytes) {
    return static_cast<std::uint32_t>(crc32(crc32(0, nullptr, 0), bytes.data(), static_cast<uInt>(bytes.size())));
}

} // namespace

// --- writing -------------------------------------------------------------------------------------------------------

FileWriter::FileWriter(std::ostream &to, const std::string &config, std::uint64_t full_at)
    : to_(to), full_at_(full_at) {
    ByteWriter header;
    header.raw(kMagic);
    header.fixed(kFileVersion, 4);
    to_.write(reinterpret_cast<const char *>(header.bytes().data()),
              static_cast<std::streamsize>(header.bytes().size()));
    written_ = header.bytes().size();
    piece(static_cast<std::uint8_t>(PieceKind::kConfiguration), 0,
          {reinterpret_cast<const std::uint8_t *>(config.data()), config.size()});
}

void FileWriter::add(Part part, const Record &record) {
    if (is_full()) {
        return;
    }
    Rows &rows = rows_[static_cast<std::size_t>(part)];
    encode(record, rows.count == 0 ? 0 : rows.previous, rows.bytes);
    rows.previous = cycle_of(record);
    ++rows.count;
    ++rows.total;
    if (rows.bytes.bytes().size() >= kFullPiece) {
        flush(part);
    }
}

void FileWriter::flush(Part part) {
    Rows &rows = rows_[static_cast<std::size_t>(part)];
    if (rows.count != 0) {
        piece(static_cast<std::uint8_t>(part), rows.count, rows.bytes.bytes());
        rows.bytes.clear();
        rows.count = 0;
    }
}

void FileWriter::piece(std::uint8_t kind, std::uint32_t count, std::span<const std::uint8_t> bytes) {
    std::vector<std::uint8_t> packed(compressBound(static_cast<uLong>(bytes.size())));
    uLongf length = static_cast<uLongf>(packed.size());
    if (compress2(packed.data(), &length, bytes.data(), static_cast<uLong>(bytes.size()), Z_DEFAULT_COMPRESSION) !=
        Z_OK) {
        throw std::bad_alloc(); // there is room for the worst case: there is no other possible cause
    }
    ByteWriter header;
    header.byte(kind);
    header.fixed(count, 4);
    header.fixed(bytes.size(), 4);
    header.fixed(length, 4);
    header.fixed(checksum(bytes), 4);
    to_.write(reinterpret_cast<const char *>(header.bytes().data()), kPieceBytes);
    to_.write(reinterpret_cast<const char *>(packed.data()), static_cast<std::streamsize>(length));
    written_ += kPieceBytes + length;
}

void FileWriter::finish(Cycle last) {
    ByteWriter end;
    end.number(last);
    for (std::size_t part = 0; part < kParts; ++part) {
        flush(static_cast<Part>(part));
        end.number(rows_[part].total);
    }
    piece(static_cast<std::uint8_t>(PieceKind::kEnd), 0, end.bytes());
}

// --- reading -------------------------------------------------------------------------------------------------------

void File::fail(std::size_t at, const std::string &reason) const {
    throw InputError(fmt::format("{}: byte {:#x}: {}", name_, at, reason));
}

File File::open(const std::string &path) {
    return {text::read_bytes(path, kMostFileBytes), path};
}

File::File(std::vector<std::uint8_t> bytes, std::string name) : bytes_(std::move(bytes)), name_(std::move(name)) {
    if (bytes_.size() < kMagic.size() || !std::equal(kMagic.begin(), kMagic.end(), bytes_.begin())) {
        fail(0, "this is not a file of transactions; expected one written by 'smsim run --record-transactions'");
    }
    if (bytes_.size() < kHeaderBytes) {
        fail(bytes_.size(), "the file ends before its version");
    }
    if (const std::uint64_t version = little(std::span(bytes_).subspan(kMagic.size(), 4)); version != kFileVersion) {
        fail(kMagic.size(), fmt::format("version {} of the file; expected {}", version, kFileVersion));
    }
    const Piece first = piece_at(kHeaderBytes);
    if (first.kind != static_cast<std::uint8_t>(PieceKind::kConfiguration)) {
        fail(kHeaderBytes, "the configuration is missing");
    }
    const std::vector<std::uint8_t> config = unpack(first);
    config_.assign(config.begin(), config.end());
    std::array<std::uint64_t, kParts> found{};
    Piece piece = first;
    do {
        const std::size_t at = piece.end;
        piece = piece_at(at);
        if (piece.kind < kParts) {
            found[piece.kind] += piece.count;
        } else if (piece.kind != static_cast<std::uint8_t>(PieceKind::kEnd)) {
            fail(at, fmt::format("a piece of kind {}", piece.kind));
        }
    } while (piece.kind < kParts);
    if (piece.end != bytes_.size()) {
        fail(piece.end, fmt::format("{} bytes after the end", bytes_.size() - piece.end));
    }
    read_end(piece);
    for (std::size_t part = 0; part < kParts; ++part) {
        if (found[part] != totals_[part]) {
            fail(piece.begin, fmt::format("{} records of {}; there are {}", totals_[part],
                                          part_name(static_cast<Part>(part)), found[part]));
        }
    }
}

File::Piece File::piece_at(std::size_t at) const {
    if (bytes_.size() - at < kPieceBytes) {
        fail(bytes_.size(), "the file ends before its end piece");
    }
    const std::span<const std::uint8_t> header = std::span(bytes_).subspan(at, kPieceBytes);
    const auto field = [header](std::size_t index) {
        return static_cast<std::uint32_t>(little(header.subspan(1 + 4 * index, 4)));
    };
    Piece piece;
    piece.kind = header[0];
    piece.count = field(0);
    piece.unpacked = field(1);
    const std::uint32_t packed = field(2);
    piece.crc = field(3);
    if (piece.unpacked > kMostUnpacked) {
        fail(at, fmt::format("a piece of {} bytes; expected at most {}", piece.unpacked, kMostUnpacked));
    }
    if (piece.count > piece.unpacked) {
        fail(at, fmt::format("{} records in {} bytes", piece.count, piece.unpacked));
    }
    if (packed > bytes_.size() - at - kPieceBytes) {
        fail(at, fmt::format("a piece of {} packed bytes; {} are left", packed, bytes_.size() - at - kPieceBytes));
    }
    piece.begin = at + kPieceBytes;
    piece.end = piece.begin + packed;
    return piece;
}

std::vector<std::uint8_t> File::unpack(const Piece &piece) const {
    std::vector<std::uint8_t> unpacked(piece.unpacked);
    uLongf length = piece.unpacked;
    std::uint8_t nothing = 0; // zlib needs a valid pointer even for zero bytes
    if (uncompress(unpacked.empty() ? &nothing : unpacked.data(), &length, bytes_.data() + piece.begin,
                   static_cast<uLong>(piece.end - piece.begin)) != Z_OK ||
        length != piece.unpacked) {
        fail(piece.begin, "the piece cannot be unpacked");
    }
    if (checksum(unpacked) != piece.crc) {
        fail(piece.begin, "the piece is altered: its checksum is wrong");
    }
    return unpacked;
}

void File::read_end(const Piece &piece) {
    const std::vector<std::uint8_t> bytes = unpack(piece);
    ByteReader reader(bytes, [&](std::size_t at, const std::string &reason) {
        fail(piece.begin, fmt::format("byte {:#x} of the end piece: {}", at, reason));
    });
    last_ = reader.number();
    for (std::uint64_t &total : totals_) {
        total = reader.number();
    }
    if (!reader.at_end()) {
        reader.refuse("data after its last number");
    }
}

// --- records -------------------------------------------------------------------------------------------------------

RecordStream::RecordStream(const File &file, Part part) : file_(&file), part_(part), at_(kHeaderBytes) {}

/// Unpacks the next piece of the part; false: there is none.
bool RecordStream::open_piece() {
    while (true) {
        const File::Piece piece = file_->piece_at(at_);
        if (piece.kind == static_cast<std::uint8_t>(PieceKind::kEnd)) {
            return false;
        }
        at_ = piece.end;
        if (piece.kind == static_cast<std::uint8_t>(part_) && piece.count != 0) {
            bytes_ = file_->unpack(piece);
            piece_ = piece.begin;
            left_ = piece.count;
            reader_.emplace(bytes_, [file = file_, begin = piece.begin](std::size_t at, const std::string &reason) {
                file->fail(begin, fmt::format("byte {:#x} of the unpacked piece: {}", at, reason));
            });
            return true;
        }
    }
}

std::optional<Record> RecordStream::next() {
    Cycle base = previous_;
    if (left_ == 0) {
        if (!open_piece()) {
            return std::nullopt;
        }
        base = 0;
    }
    Record record = decode(part_, base, *reader_);
    if (cycle_of(record) < previous_) {
        reader_->refuse(fmt::format("cycle {} after cycle {}", cycle_of(record), previous_));
    }
    if (cycle_of(record) > file_->last_) {
        reader_->refuse(fmt::format("cycle {} beyond the last one, {}", cycle_of(record), file_->last_));
    }
    previous_ = cycle_of(record);
    ++given_;
    if (--left_ == 0 && !reader_->at_end()) {
        reader_->refuse("data after the last record of the piece");
    }
    return record;
}

} // namespace smsim::transactions
