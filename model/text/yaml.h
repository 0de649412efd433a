// YAML as a tree with places: every scalar, key, list and map knows its line and column, so that code that reads a
// value can say where it is wrong. Reasons for a tree of our own: keys stay in order, duplicates are rejected, aliases
// and deep nesting (the two ways to make a small file expensive) do not exist, and yaml-cpp is used in one file only.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace smsim::yaml {

/// Limits of an input file; larger ones are rejected with an InputError.
inline constexpr std::size_t kMaxBytes = std::size_t{8} << 20;
inline constexpr unsigned kMaxDepth = 32;

enum class Kind : std::uint8_t { kNull, kScalar, kSequence, kMap };

struct Member;

/// One node. Children are owned; the text of a scalar is as written, without quotes.
struct Node {
    Kind kind = Kind::kNull;
    bool quoted = false; ///< a scalar in quotes: text, never a number
    std::string text;
    std::vector<Node> items;     ///< of a sequence
    std::vector<Member> members; ///< of a map, in the order of the file
    std::string place;           ///< "file:line:column", or what replaces it

    /// The value of key `key`; null when the map has none or this is not a map.
    const Node *find(std::string_view key) const;
};

/// One entry of a map; the key is a scalar.
struct Member {
    Node key;
    Node value;
};

/// Parses one YAML document. `file` is its name in messages. An empty document is a null node. Throws InputError
/// "file:line:column: cause" for: syntax errors, more than one document, duplicate keys, keys that are not scalars,
/// aliases and anchors, explicit tags, nesting deeper than kMaxDepth, more than kMaxBytes, bytes that are not UTF-8.
Node parse(std::string_view text, const std::string &file);

/// Reads and parses the file at `path`. Throws InputError also when it cannot be read.
Node parse_file(const std::string &path);

/// Throws InputError "place: cause".
[[noreturn]] void fail(const Node &node, const std::string &cause);

/// Throws InputError unless every key of the map `node` is one of `keys`; the message names the nearest one. `what`
/// describes the map ("an argument"). Throws also when `node` is not a map.
void require_keys(const Node &node, std::span<const std::string_view> keys, const std::string &what);

/// Readers of scalars. Each throws InputError at the node's place when it is not such a scalar or out of [low, high];
/// `name` is its name in the message. Integers are decimal without leading zeros or 0x hexadecimal; quoted text is not
/// a number.
std::uint64_t to_unsigned(const Node &node, const std::string &name, std::uint64_t low, std::uint64_t high);
std::int64_t to_signed(const Node &node, const std::string &name, std::int64_t low, std::int64_t high);
/// A size in bytes: an integer, or a decimal one with the suffix K, M or G, also KB or KiB: each is 1024 times the
/// previous one, so that 64K, 64KB and 64KiB are 65536.
std::uint64_t to_bytes(const Node &node, const std::string &name, std::uint64_t low, std::uint64_t high);
/// Throws InputError when the node is a number such as 010. The readers here call it themselves.
void refuse_leading_zero(const Node &node, const std::string &name);
/// A finite number in [low, high].
double to_real(const Node &node, const std::string &name, double low, double high);
/// `true` or `false`, nothing else.
bool to_bool(const Node &node, const std::string &name);
/// A non-empty scalar as text.
const std::string &to_text(const Node &node, const std::string &name);

} // namespace smsim::yaml
