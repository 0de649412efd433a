// Layout: magic "SMBIN\r\n\x1a", version, CRC-32 of everything after it, then the sections in a fixed order, each as
// tag, length in bytes and content. All numbers are little-endian. Nothing may follow the last section.
#include "assembler/container.h"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "assembler/assembler.h"
#include "model/error.h"
#include "model/isa/engine_operations.h"
#include "model/program/branch_targets.h"
#include "model/program/engine.h"
#include "model/text/input_file.h"

namespace smsim {
namespace {

constexpr std::array<std::uint8_t, 8> kMagic = {'S', 'M', 'B', 'I', 'N', '\r', '\n', 0x1a};
constexpr std::size_t kHeaderBytes = kMagic.size() + 8;
constexpr std::size_t kBankBytes = 65536;
constexpr std::uint32_t kFirstVersion = 1;
constexpr std::size_t kMaxEngineName = 64;
constexpr std::uint32_t kAnyParameters = 0xffffffff; // a kernel that does not declare its number of argument bytes

constexpr std::uint32_t tag(const char (&text)[5]) {
    std::uint32_t value = 0;
    for (unsigned i = 0; i < 4; ++i) {
        value |= static_cast<std::uint32_t>(static_cast<unsigned char>(text[i])) << (8 * i);
    }
    return value;
}
constexpr std::uint32_t kEngine = tag("engn"); // first, because the meaning of the code depends on it
constexpr std::uint32_t kCode = tag("code");
constexpr std::uint32_t kKernels = tag("kern");
constexpr std::uint32_t kConstants = tag("cnst");
constexpr std::uint32_t kGlobalData = tag("glob");
constexpr std::uint32_t kSymbols = tag("symb");
constexpr std::uint32_t kFiles = tag("file");
constexpr std::uint32_t kLines = tag("line");
constexpr std::uint32_t kSource = tag("srce");

/// CRC-32 with the reflected polynomial 0xedb88320.
std::uint32_t crc32(std::span<const std::uint8_t> bytes) {
    static const auto table = [] {
        std::array<std::uint32_t, 256> values{};
        for (std::uint32_t i = 0; i < values.size(); ++i) {
            std::uint32_t value = i;
            for (int bit = 0; bit < 8; ++bit) {
                value = (value >> 1) ^ ((value & 1U) != 0 ? 0xedb88320U : 0U);
            }
            values[i] = value;
        }
        return values;
    }();
    std::uint32_t crc = ~0U;
    for (const std::uint8_t byte : bytes) {
        crc = table[(crc ^ byte) & 0xffU] ^ (crc >> 8);
    }
    return ~crc;
}

class Writer {
  public:
    void u8(std::uint8_t value) { bytes_.push_back(value); }
    void u32(std::uint32_t value) { number(value, 4); }
    void u64(std::uint64_t value) { number(value, 8); }
    void raw(std::span<const std::uint8_t> bytes) { bytes_.insert(bytes_.end(), bytes.begin(), bytes.end()); }
    void text(const std::string &value) {
        u32(static_cast<std::uint32_t>(value.size()));
        bytes_.insert(bytes_.end(), value.begin(), value.end());
    }
    /// Writes a section: tag, length, and what `body` writes.
    template <typename Body> void section(std::uint32_t name, Body &&body) {
        u32(name);
        const std::size_t at = bytes_.size();
        u64(0);
        body();
        const std::uint64_t length = bytes_.size() - at - 8;
        for (unsigned i = 0; i < 8; ++i) {
            bytes_[at + i] = static_cast<std::uint8_t>(length >> (8 * i));
        }
    }
    std::vector<std::uint8_t> take() { return std::move(bytes_); }

  private:
    void number(std::uint64_t value, unsigned count) {
        for (unsigned i = 0; i < count; ++i) {
            bytes_.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
        }
    }
    std::vector<std::uint8_t> bytes_;
};

/// Reads numbers from bytes; everything that does not fit is an InputError.
class Reader {
  public:
    Reader(std::span<const std::uint8_t> bytes, const std::string &file) : bytes_(bytes), file_(file) {}

    [[noreturn]] void fail(const std::string &reason) const {
        throw InputError(fmt::format("{}: byte {:#x}: {}", file_, at_, reason));
    }
    std::size_t left() const { return bytes_.size() - at_; }
    std::span<const std::uint8_t> raw(std::uint64_t count) {
        if (count > left()) {
            fail(fmt::format("file ends {} bytes too early", count - left()));
        }
        const auto part = bytes_.subspan(at_, count);
        at_ += count;
        return part;
    }
    std::uint8_t u8() { return raw(1)[0]; }
    std::uint32_t u32() { return static_cast<std::uint32_t>(number(4)); }
    std::uint64_t u64() { return number(8); }
    std::string text() {
        const auto part = raw(u32());
        return {part.begin(), part.end()};
    }
    /// A number of items of at least `bytes` bytes each, checked before anything is allocated for them.
    std::uint32_t count(std::size_t bytes) {
        const std::uint32_t items = u32();
        if (items > left() / bytes) {
            fail(fmt::format("{} entries do not fit the file", items));
        }
        return items;
    }
    /// Opens a section; `close` checks that all of it was read.
    std::size_t open(std::uint32_t name) {
        if (u32() != name) {
            fail("unexpected section");
        }
        const std::uint64_t length = u64();
        if (length > left()) {
            fail("section runs past the end of the file");
        }
        return at_ + length;
    }
    void close(std::size_t end) const {
        if (at_ != end) {
            fail("length of the section does not match its content");
        }
    }

  private:
    std::uint64_t number(unsigned count) {
        const auto part = raw(count);
        std::uint64_t value = 0;
        for (unsigned i = 0; i < count; ++i) {
            value |= std::uint64_t{part[i]} << (8 * i);
        }
        return value;
    }
    std::span<const std::uint8_t> bytes_;
    const std::string &file_;
    std::size_t at_ = 0;
};

void read_engine(Reader &reader, Program &program, const std::string &file) {
    const std::size_t end = reader.open(kEngine);
    program.engine = reader.text();
    if (!assembler::is_symbol_name(program.engine) || program.engine.size() > kMaxEngineName) {
        reader.fail("engine has an impossible name");
    }
    reader.close(end);
    if (!is_engine_name(program.engine)) {
        throw InputError(
            fmt::format("{}: program for the reconvergence engine '{}', which does not exist; expected one "
                        "of: {}",
                        file, program.engine, fmt::join(engine_names(), ", ")));
    }
}

void read_code(Reader &reader, Program &program, const std::string &file) {
    const std::size_t end = reader.open(kCode);
    const std::uint32_t count = reader.count(kInstructionBytes);
    for (std::uint32_t i = 0; i < count; ++i) {
        isa::Word word;
        word.lo = reader.u64();
        word.hi = reader.u64();
        auto decoded = isa::decode(word, i * kInstructionBytes);
        if (const auto *error = std::get_if<isa::DecodeError>(&decoded)) {
            throw InputError(file + ": address " + error->message());
        }
        program.code.push_back(std::get<isa::Instruction>(decoded));
    }
    for (const isa::Instruction &insn : program.code) {
        if (const auto error = branch_target_error(program, insn)) {
            throw InputError(fmt::format("{}: address {:#06x}: {}", file, insn.pc, *error));
        }
        if (const auto refusal = isa::engine_refusal(insn, program.engine)) {
            throw InputError(fmt::format("{}: address {:#06x}: {}", file, insn.pc, *refusal));
        }
    }
    reader.close(end);
}

void read_kernels(Reader &reader, Program &program, std::uint32_t version) {
    const std::size_t end = reader.open(kKernels);
    Pc behind = 0;
    std::set<std::string> names;
    for (std::uint32_t left = reader.count(4); left != 0; --left) {
        Kernel kernel;
        kernel.name = reader.text();
        kernel.entry = reader.u64();
        kernel.end = reader.u64();
        kernel.registers = reader.u32();
        kernel.shared_bytes = reader.u32();
        kernel.local_bytes = reader.u32();
        const std::uint8_t scheduled = reader.u8();
        kernel.scheduled_by_pass = scheduled == 1;
        if (const std::uint32_t bytes = version == kFirstVersion ? kAnyParameters : reader.u32();
            bytes != kAnyParameters) {
            kernel.parameter_bytes = bytes;
        }
        if (version >= kBoundsVersion) {
            kernel.most_threads = reader.u32();
            for (std::uint32_t &extent : kernel.block) {
                extent = reader.u32();
            }
        }
        const bool any_block = kernel.block == std::array<std::uint32_t, 3>{};
        const bool bounds = kernel.most_threads <= 1024 && std::ranges::all_of(kernel.block, [&](std::uint32_t extent) {
                                return any_block || (extent != 0 && extent <= 0xffff);
                            });
        const bool in_code = kernel.entry >= behind && kernel.entry < kernel.end &&
                             kernel.end <= program.size_bytes() && kernel.entry % kInstructionBytes == 0 &&
                             kernel.end % kInstructionBytes == 0;
        if (!assembler::is_name(kernel.name) || !names.insert(kernel.name).second || !in_code || !bounds ||
            scheduled > 1 || kernel.registers == 0 || kernel.registers > 255 || kernel.shared_bytes > 0xffffff ||
            kernel.local_bytes > 0xffffff || kernel.parameter_bytes.value_or(0) > constant_bank0::kMaxArgumentBytes) {
            reader.fail("kernel has an impossible name, range or resource");
        }
        const auto code =
            std::span(program.code)
                .subspan(kernel.entry / kInstructionBytes, (kernel.end - kernel.entry) / kInstructionBytes);
        if (const unsigned used = isa::registers_used(code); used > kernel.registers) {
            reader.fail(fmt::format("kernel '{}' uses register R{} and has {} registers", kernel.name, used - 1,
                                    kernel.registers));
        }
        behind = kernel.end;
        program.kernels.push_back(std::move(kernel));
    }
    reader.close(end);
}

void read_constants(Reader &reader, Program &program) {
    const std::size_t end = reader.open(kConstants);
    for (std::uint32_t left = reader.count(5); left != 0; --left) {
        const std::uint8_t bank = reader.u8();
        const std::uint32_t size = reader.u32();
        if (bank == 0 || bank > 31 || size > kBankBytes || program.constants.contains(bank)) {
            reader.fail("constant bank has an impossible number or size");
        }
        const auto bytes = reader.raw(size);
        program.constants[bank].assign(bytes.begin(), bytes.end());
    }
    reader.close(end);
}

void read_global_data(Reader &reader, Program &program) {
    const std::size_t end = reader.open(kGlobalData);
    const std::uint32_t stored = reader.u32();
    program.global_data_bytes = reader.u64();
    const auto bytes = reader.raw(stored);
    if (program.global_data_bytes > kMaxGlobalDataBytes || stored > program.global_data_bytes ||
        stored > kMaxGlobalDataStored || (stored != 0 && bytes.back() == 0)) {
        reader.fail("global data have an impossible size");
    }
    program.global_data.assign(bytes.begin(), bytes.end());
    reader.close(end);
}

void read_symbols(Reader &reader, Program &program) {
    const std::size_t end = reader.open(kSymbols);
    std::set<std::string> names;
    Pc previous = 0;
    for (std::uint32_t left = reader.count(12); left != 0; --left) {
        Symbol symbol{reader.text(), reader.u64()};
        if (!assembler::is_symbol_name(symbol.name) || !names.insert(symbol.name).second ||
            symbol.address > program.size_bytes() || symbol.address % kInstructionBytes != 0 ||
            symbol.address < previous) {
            reader.fail("symbol has an impossible name or address");
        }
        previous = symbol.address;
        program.symbols.push_back(std::move(symbol));
    }
    reader.close(end);
}

void read_lines(Reader &reader, Program &program) {
    std::size_t end = reader.open(kFiles);
    for (std::uint32_t left = reader.count(4); left != 0; --left) {
        program.files.push_back(reader.text());
    }
    reader.close(end);
    end = reader.open(kLines);
    for (std::uint32_t left = reader.count(8); left != 0; --left) {
        SourcePlace place;
        place.file = reader.u32();
        place.line = reader.u32();
        if (place.file >= program.files.size()) {
            reader.fail("line table names a file that does not exist");
        }
        program.lines.push_back(place);
    }
    if (!program.lines.empty() && program.lines.size() != program.code.size()) {
        reader.fail("line table does not match the code");
    }
    reader.close(end);
    end = reader.open(kSource);
    for (std::uint32_t left = reader.count(4); left != 0; --left) {
        program.source.push_back(reader.text());
    }
    reader.close(end);
}

/// Whether a file is not text: it has the name of a binary program, begins as one (or is cut short in its first
/// letters), or contains a zero byte.
} // namespace

bool is_program_file(std::span<const std::uint8_t> bytes, const std::string &file) {
    // Text cannot hold the control character that ends the magic; a damaged magic is recognised by its letters.
    constexpr std::size_t kLetters = 5;
    const auto begin = bytes.first(std::min(bytes.size(), kLetters));
    const bool letters = !begin.empty() && std::ranges::equal(begin, std::span(kMagic).first(begin.size()));
    const bool has_zeros = std::ranges::find(bytes, std::uint8_t{0}) != bytes.end();
    return letters || file.ends_with(".smbin") || (has_zeros && !file.ends_with(".sasm"));
}

std::vector<std::uint8_t> serialize_program(const Program &program) {
    Writer body;
    const auto size = [](const auto &container) { return static_cast<std::uint32_t>(container.size()); };
    const bool has_bounds = std::ranges::any_of(program.kernels, &Kernel::has_bounds);
    const bool names_engine = has_bounds || program.engine != kDefaultEngine;
    if (names_engine) {
        body.section(kEngine, [&] { body.text(program.engine); });
    }
    body.section(kCode, [&] {
        body.u32(size(program.code));
        for (const isa::Instruction &insn : program.code) {
            const auto word = isa::encode(insn);
            if (const auto *error = std::get_if<std::string>(&word)) {
                throw InputError(fmt::format("instruction at {:#06x} has no encoding: {}", insn.pc, *error));
            }
            body.u64(std::get<isa::Word>(word).lo);
            body.u64(std::get<isa::Word>(word).hi);
        }
    });
    body.section(kKernels, [&] {
        body.u32(size(program.kernels));
        for (const Kernel &kernel : program.kernels) {
            body.text(kernel.name);
            body.u64(kernel.entry);
            body.u64(kernel.end);
            body.u32(kernel.registers);
            body.u32(kernel.shared_bytes);
            body.u32(kernel.local_bytes);
            body.u8(kernel.scheduled_by_pass ? 1 : 0);
            body.u32(kernel.parameter_bytes.value_or(kAnyParameters));
            if (has_bounds) {
                body.u32(kernel.most_threads);
                for (const std::uint32_t extent : kernel.block) {
                    body.u32(extent);
                }
            }
        }
    });
    body.section(kConstants, [&] {
        body.u32(size(program.constants));
        for (const auto &[bank, bytes] : program.constants) {
            body.u8(bank);
            body.u32(size(bytes));
            body.raw(bytes);
        }
    });
    body.section(kGlobalData, [&] {
        body.u32(size(program.global_data));
        body.u64(program.global_data_bytes);
        body.raw(program.global_data);
    });
    body.section(kSymbols, [&] {
        body.u32(size(program.symbols));
        for (const Symbol &symbol : program.symbols) {
            body.text(symbol.name);
            body.u64(symbol.address);
        }
    });
    body.section(kFiles, [&] {
        body.u32(size(program.files));
        for (const std::string &file : program.files) {
            body.text(file);
        }
    });
    body.section(kLines, [&] {
        body.u32(size(program.lines));
        for (const SourcePlace &place : program.lines) {
            body.u32(place.file);
            body.u32(place.line);
        }
    });
    body.section(kSource, [&] {
        body.u32(size(program.source));
        for (const std::string &line : program.source) {
            body.text(line);
        }
    });
    const std::vector<std::uint8_t> content = body.take();
    Writer file;
    file.raw(kMagic);
    file.u32(has_bounds ? kBoundsVersion : (names_engine ? kEngineVersion : kContainerVersion));
    file.u32(crc32(content));
    file.raw(content);
    return file.take();
}

Program deserialize_program(std::span<const std::uint8_t> bytes, const std::string &file) {
    Reader header(bytes, file);
    if (bytes.size() < kHeaderBytes) {
        throw InputError(fmt::format("{}: {} bytes are not a program file; the header alone has {}", file, bytes.size(),
                                     kHeaderBytes));
    }
    if (!std::ranges::equal(header.raw(kMagic.size()), kMagic)) {
        throw InputError(file + ": not a program file; expected the magic bytes SMBIN");
    }
    const std::uint32_t version = header.u32();
    if (version < kFirstVersion || version > kBoundsVersion) {
        throw InputError(fmt::format("{}: version {} of the program file is not known; expected {} to {}", file,
                                     version, kFirstVersion, kBoundsVersion));
    }
    const std::uint32_t expected = header.u32();
    if (const std::uint32_t found = crc32(bytes.subspan(kHeaderBytes)); found != expected) {
        throw InputError(
            fmt::format("{}: content is damaged: CRC-32 is {:#010x}; expected {:#010x}", file, found, expected));
    }
    Program program;
    if (version >= kEngineVersion) {
        read_engine(header, program, file);
    }
    read_code(header, program, file);
    read_kernels(header, program, version);
    read_constants(header, program);
    if (version != kFirstVersion) {
        read_global_data(header, program);
    }
    read_symbols(header, program);
    read_lines(header, program);
    if (header.left() != 0) {
        header.fail(fmt::format("{} bytes follow the last section", header.left()));
    }
    return program;
}

} // namespace smsim
