// What one run executes: program, kernel, grid, arguments with their initial contents, and what to check and keep
// afterwards. Read from a launch file (docs/launch-files.md); independent of the model that runs it.
//
// Code that runs a launch allocates the buffers, writes `initial_bytes` of each, puts `parameter_bytes` at
// constant_bank0::kArguments, and afterwards passes the bytes of each checked buffer to `check_buffer`.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "model/config/setting.h"
#include "model/launch/code_options.h"
#include "model/stats/check_result.h"

namespace smsim::launch {

/// Element types of arguments and buffers.
enum class ElementType : std::uint8_t { kU8, kU16, kU32, kU64, kS8, kS16, kS32, kS64, kF32, kF64 };
inline constexpr unsigned kElementTypes = 10;

/// "u8" ... "f64".
std::string_view element_name(ElementType type);
/// Bytes of one element.
unsigned element_bytes(ElementType type);
/// Whether the type is f32 or f64.
bool is_float(ElementType type);

/// Limits of a launch; a launch file beyond them is rejected. All buffers together must fit into the address window of
/// the configuration (`global.bytes`).
inline constexpr std::uint64_t kMaxBufferBytes = std::uint64_t{1} << 40;
inline constexpr std::uint32_t kMaxParameterBytes = 32764;
inline constexpr std::uint32_t kMaxBlockThreads = 1024;
inline constexpr std::array<std::uint32_t, 3> kMaxGrid = {0x7fffffff, 65535, 65535};
inline constexpr std::uint32_t kMaxDynamicShared = 1U << 30;

/// A value of some element type: unsigned types, signed types, float types (an f32 is held exactly).
using Value = std::variant<std::uint64_t, std::int64_t, double>;

/// All elements zero.
struct Zeros {};
/// All elements equal.
struct Constant {
    Value value;
};
/// Element i from splitmix64 (see `random_word`), uniform in [low, high].
struct Random {
    std::uint64_t seed = 0;
    Value low;
    Value high;
};
/// Element i is start + step * (i mod modulo), integers modulo 2^bits, floats in double precision; modulo 0: i itself.
/// A step below zero of an unsigned type is held modulo 2^64.
struct Pattern {
    Value start;
    Value step;
    std::uint64_t modulo = 0;
};
/// The bytes of a file, little endian; `path` is resolved against the launch file.
struct FileData {
    std::string path;
};
/// Explicit element values.
struct Values {
    std::vector<Value> values;
};
using Init = std::variant<Zeros, Constant, Random, Pattern, FileData, Values>;

/// One kernel argument: a scalar, or a buffer whose address is passed.
struct Argument {
    std::string name;
    ElementType type = ElementType::kU32;
    bool is_buffer = false;
    Value value;             ///< of a scalar
    std::uint64_t count = 0; ///< elements of a buffer, at least 1
    Init init;               ///< of a buffer
    std::string place;       ///< "file:line:column" of the argument

    /// Bytes of a buffer; 0 for a scalar.
    std::uint64_t bytes() const { return is_buffer ? count * element_bytes(type) : 0; }
};

/// How two NaNs compare.
enum class NanRule : std::uint8_t {
    kAny,   ///< any NaN equals any NaN
    kBits,  ///< equal bits only
    kNever, ///< a NaN is always a mismatch
};

/// Expected contents of a buffer from element `offset` on. An element agrees when |got - expected| <= absolute +
/// relative * |expected|, computed in double precision (64-bit integers: exactly, when both tolerances are 0).
/// Infinities agree only with the same infinity, +0 with -0, NaNs by `nan`.
struct Check {
    std::size_t argument = 0; ///< index into Launch::arguments
    std::uint64_t offset = 0; ///< elements
    std::uint64_t count = 0;  ///< elements compared
    std::variant<FileData, Values> expected;
    double absolute = 0;
    double relative = 0;
    NanRule nan = NanRule::kAny;
    std::string place;
};

/// A buffer to be written to a file of the output directory after the run.
struct Dump {
    std::size_t argument = 0;
    std::string file; ///< relative, stays inside the output directory
};

/// A launch as read and checked.
struct Launch {
    std::string path;    ///< the launch file, as given
    std::string program; ///< .sasm, .smbin, .ptx or .cu, resolved against the launch file
    std::string kernel;  ///< empty: the program has exactly one
    std::array<std::uint32_t, 3> grid = {1, 1, 1};
    std::array<std::uint32_t, 3> block = {1, 1, 1};
    std::uint32_t dynamic_shared = 0; ///< bytes
    std::vector<Argument> arguments;
    std::vector<Check> checks;
    std::vector<Dump> dumps;
    std::vector<Setting> settings; ///< configuration settings that it requests; keys and values are not checked here
    CodeOptions code;              ///< how the program is compiled

    /// What messages about the launch begin with: "path: "; empty for one that was built in code.
    std::string place() const { return path.empty() ? std::string() : path + ": "; }
};

/// Reads a launch file. Throws InputError "file:line:column: cause" for unknown keys (with the nearest known one),
/// wrong types and ranges, names used twice, missing files, files or values whose size does not fit, and for a file
/// with steps (plan.h).
Launch load_launch(const std::string &path);

/// As load_launch, from text; paths inside are resolved against the folder of `file`.
Launch parse_launch(std::string_view text, const std::string &file);

/// The argument block as it appears at constant_bank0::kArguments: each argument at the next multiple of its size;
/// buffers as 64-bit addresses taken from `addresses`, one per argument (ignored for scalars). Throws
/// std::invalid_argument when the length of `addresses` differs from the number of arguments.
std::vector<std::uint8_t> parameter_bytes(const Launch &launch, std::span<const std::uint64_t> addresses);

/// The contents of buffer `argument` before the launch, little endian. Throws InputError when its file cannot be read
/// or its size has changed since the launch file was read.
std::vector<std::uint8_t> initial_bytes(const Argument &argument);

/// `count` elements of `type`, little endian, as `init` says; element 0 is the first one. `place` appears in errors.
/// Throws InputError when the file of `init` cannot be read or has another size, std::invalid_argument when `init` has
/// another number of values.
std::vector<std::uint8_t> contents(ElementType type, std::uint64_t count, const Init &init, const std::string &place);

/// Element `index` of a pattern as a value of `type`.
Value pattern_value(ElementType type, const Pattern &pattern, std::uint64_t index);

/// The index-th output of splitmix64 with the state `seed`, index from 0:
///   z = seed + (index + 1) * 0x9e3779b97f4a7c15
///   z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9
///   z = (z ^ (z >> 27)) * 0x94d049bb133111eb
///   x = z ^ (z >> 31)                                           (all modulo 2^64)
/// Random elements: integers low + x mod (high - low + 1); f64 low + (high - low) * ((x >> 11) * 2^-53); f32
/// low + (high - low) * ((x >> 40) * 2^-24), each operation in double precision, the result rounded to f32.
std::uint64_t random_word(std::uint64_t seed, std::uint64_t index);

using smsim::CheckResult;
using smsim::Mismatch;

/// Compares the bytes of a buffer after the launch with what `check` expects; keeps the first `keep` mismatches. Throws
/// InputError when the expected file cannot be read or its size has changed, std::invalid_argument when `bytes` is not
/// the whole buffer.
CheckResult check_buffer(const Launch &launch, const Check &check, std::span<const std::uint8_t> bytes,
                         std::size_t keep = 10);

/// As above, for a check of `buffer`, whatever the check's index.
CheckResult check_buffer(const Argument &buffer, const Check &check, std::span<const std::uint8_t> bytes,
                         std::size_t keep = 10);

/// Copies bytes of a buffer, from byte `offset` on.
using ReadBytes = std::function<void(std::uint64_t offset, std::span<std::uint8_t> to)>;

/// As above, holding no more than a piece of the buffer at a time (contents.h).
CheckResult check_buffer(const Argument &buffer, const Check &check, const ReadBytes &read, std::size_t keep = 10);

/// One element as text: integers in decimal, floats so that they read back exactly.
std::string element_text(ElementType type, const std::uint8_t *bytes);

} // namespace smsim::launch
