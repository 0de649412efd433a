// Builds the tree from yaml-cpp's events, and reads scalars strictly.
#include "model/text/yaml.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <sstream>
#include <unordered_set>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include "model/error.h"
#include "model/text/input_file.h"
#include "model/text/nearest.h"
#include "model/text/utf8.h"
#include "model/text/yaml_diagnosis.h"

namespace smsim::yaml {

namespace {

/// A key is a list or a map.
class NoName : public InputError {
  public:
    using InputError::InputError;
};

/// Collects one document. Open containers are on an explicit stack instead of recursion.
class TreeBuilder : public YAML::EventHandler {
  public:
    explicit TreeBuilder(const std::string &file) : file_(file) {}

    void OnDocumentStart(const YAML::Mark &) override {}
    void OnDocumentEnd() override {}
    void OnNull(const YAML::Mark &mark, YAML::anchor_t anchor) override { add(start(Kind::kNull, mark, "", anchor)); }
    void OnAlias(const YAML::Mark &mark, YAML::anchor_t) override {
        throw InputError(place(mark) + ": an alias is not allowed here; write the value out");
    }
    void OnScalar(const YAML::Mark &mark, const std::string &tag, YAML::anchor_t anchor,
                  const std::string &value) override {
        // yaml-cpp marks a plain scalar with the tag "?" and a quoted one with "!".
        Node node = start(Kind::kScalar, mark, tag == "?" || tag == "!" ? "" : tag, anchor);
        node.quoted = tag == "!";
        node.text = value;
        if (!node.quoted && (value.empty() || value == "~" || value == "null")) {
            node.kind = Kind::kNull;
        }
        add(std::move(node));
    }
    void OnSequenceStart(const YAML::Mark &mark, const std::string &tag, YAML::anchor_t anchor,
                         YAML::EmitterStyle::value) override {
        open(start(Kind::kSequence, mark, tag, anchor));
    }
    void OnSequenceEnd() override { close(); }
    void OnMapStart(const YAML::Mark &mark, const std::string &tag, YAML::anchor_t anchor,
                    YAML::EmitterStyle::value) override {
        open(start(Kind::kMap, mark, tag, anchor));
    }
    void OnMapEnd() override { close(); }

    Node take_root() { return std::move(root_); }

  private:
    struct Open {
        Node node;
        Node key; ///< in a map: the key whose value is next
        bool has_key = false;
        std::unordered_set<std::string> keys;
    };

    std::string place(const YAML::Mark &mark) const {
        return fmt::format("{}:{}:{}", file_, mark.line + 1, mark.column + 1);
    }

    Node start(Kind kind, const YAML::Mark &mark, const std::string &tag, YAML::anchor_t anchor) const {
        Node node;
        node.kind = kind;
        node.place = place(mark);
        if (anchor != 0) {
            fail(node, "an anchor is not allowed here; write the value out");
        }
        if (!tag.empty() && tag != "?" && tag != "!") {
            fail(node, fmt::format("the tag '{}' is not allowed here; types follow from the key", tag));
        }
        return node;
    }

    void open(Node node) {
        if (stack_.size() >= kMaxDepth) {
            fail(node, fmt::format("nested deeper than {} levels", kMaxDepth));
        }
        // A list or map as a key would be reported only after its contents; report it at its first character.
        if (!stack_.empty() && stack_.back().node.kind == Kind::kMap && !stack_.back().has_key) {
            throw NoName(node.place + ": a key must be a single name, not a list or a map");
        }
        Open entry;
        entry.node = std::move(node);
        stack_.push_back(std::move(entry));
    }

    void close() {
        Node done = std::move(stack_.back().node);
        stack_.pop_back();
        add(std::move(done));
    }

    void add(Node node) {
        if (stack_.empty()) {
            root_ = std::move(node);
            return;
        }
        Open &top = stack_.back();
        if (top.node.kind == Kind::kSequence) {
            top.node.items.push_back(std::move(node));
        } else if (!top.has_key) {
            if (node.kind != Kind::kScalar) {
                fail(node, "a key must be a single name");
            }
            if (!top.keys.insert(node.text).second) {
                fail(node, fmt::format("duplicate key '{}'", node.text));
            }
            top.key = std::move(node);
            top.has_key = true;
        } else {
            top.node.members.push_back({std::move(top.key), std::move(node)});
            top.has_key = false;
        }
    }

    std::string file_;
    std::vector<Open> stack_;
    Node root_;
};

const char *kind_name(Kind kind) {
    switch (kind) {
    case Kind::kNull:
        return "nothing";
    case Kind::kScalar:
        return "a single value";
    case Kind::kSequence:
        return "a list";
    case Kind::kMap:
        return "a map";
    }
    return "?";
}

std::string shown(const Node &node) {
    if (node.kind != Kind::kScalar) {
        return kind_name(node.kind);
    }
    constexpr std::size_t kLongest = 60;
    const std::string text = node.text.size() > kLongest ? node.text.substr(0, kLongest) + "..." : node.text;
    return node.quoted ? fmt::format("the text \"{}\"", text) : fmt::format("'{}'", text);
}

/// Names are written to reports as JSON, which has no other encoding.
void refuse_other_encodings(std::string_view text, const std::string &file) {
    const std::size_t bad = text::find_invalid_utf8(text);
    if (bad == std::string_view::npos) {
        return;
    }
    const std::string_view before = text.substr(0, bad);
    const std::size_t line_start = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
    const auto is_first_byte = [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; };
    throw InputError(fmt::format("{}:{}:{}: byte {:#04x} is not UTF-8 text", file, std::ranges::count(before, '\n') + 1,
                                 std::ranges::count_if(before.substr(line_start), is_first_byte) + 1,
                                 static_cast<unsigned char>(text[bad])));
}

enum class Parsed : std::uint8_t { kOk, kNotANumber, kTooLarge, kLeadingZero };

/// True for 010, which some read as eight and others as ten.
bool has_leading_zero(std::string_view digits) {
    return digits.size() > 1 && digits[0] == '0' && digits.find_first_not_of("0123456789") == std::string_view::npos;
}

/// Reads [-](decimal | 0x hexadecimal); the magnitude into `magnitude`.
Parsed parse_integer(std::string_view text, bool &negative, std::uint64_t &magnitude) {
    negative = text.starts_with('-');
    if (negative || text.starts_with('+')) {
        text.remove_prefix(1);
    }
    if (has_leading_zero(text)) {
        return Parsed::kLeadingZero;
    }
    int base = 10;
    if (text.starts_with("0x") || text.starts_with("0X")) {
        base = 16;
        text.remove_prefix(2);
    }
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), magnitude, base);
    if (error == std::errc::result_out_of_range) {
        return Parsed::kTooLarge;
    }
    return error == std::errc{} && end == text.data() + text.size() ? Parsed::kOk : Parsed::kNotANumber;
}

[[noreturn]] void fail_leading_zero(const Node &node, const std::string &name) {
    fail(node, fmt::format("{} must be a number without leading zeros, which some would read as octal; found {}", name,
                           shown(node)));
}

/// The suffix of a size: its number of characters, and the power of two by which it multiplies.
struct Unit {
    std::size_t length = 0;
    unsigned shift = 0; ///< 0: no suffix
};

Unit unit_of(std::string_view text) {
    constexpr std::string_view kLetters = "KMG";
    const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
    const std::string_view suffix = text.substr(digits);
    if (digits == 0 || suffix.empty() || kLetters.find(suffix.front()) == std::string_view::npos ||
        (suffix.size() > 1 && suffix.substr(1) != "B" && suffix.substr(1) != "iB")) {
        return {};
    }
    return {suffix.size(), 10 * (static_cast<unsigned>(kLetters.find(suffix.front())) + 1)};
}

/// The integer in `text`, all of `node` or the part before a suffix. Throws when it is not an integer.
Parsed read_integer(const Node &node, std::string_view text, const std::string &name, bool &negative,
                    std::uint64_t &magnitude) {
    const Parsed parsed =
        node.kind == Kind::kScalar && !node.quoted ? parse_integer(text, negative, magnitude) : Parsed::kNotANumber;
    if (parsed == Parsed::kLeadingZero) {
        fail_leading_zero(node, name);
    }
    if (parsed == Parsed::kNotANumber) {
        const bool size = node.kind == Kind::kScalar && !node.quoted && unit_of(node.text).shift != 0;
        fail(node, fmt::format("{} must be an integer{}; found {}", name,
                               size ? " (suffixes such as KB are for sizes in bytes)" : "", shown(node)));
    }
    return parsed;
}

} // namespace

void refuse_leading_zero(const Node &node, const std::string &name) {
    std::string_view digits = node.text;
    digits.remove_prefix(digits.starts_with('-') || digits.starts_with('+') ? 1 : 0);
    if (node.kind == Kind::kScalar && !node.quoted && has_leading_zero(digits)) {
        fail_leading_zero(node, name);
    }
}

const Node *Node::find(std::string_view key) const {
    for (const auto &[name, value] : members) {
        if (name.text == key) {
            return &value;
        }
    }
    return nullptr;
}

Node parse(std::string_view text, const std::string &file) {
    if (text.size() > kMaxBytes) {
        throw InputError(fmt::format("{}: {} bytes is more than the limit of {}", file, text.size(), kMaxBytes));
    }
    refuse_other_encodings(text, file);
    TreeBuilder builder(file);
    try {
        std::istringstream stream{std::string(text)};
        YAML::Parser parser(stream);
        if (!parser.HandleNextDocument(builder)) {
            Node empty;
            empty.place = file + ":1:1";
            return empty;
        }
        TreeBuilder second(file);
        if (parser.HandleNextDocument(second)) {
            throw InputError(second.take_root().place + ": a second document; one file holds one");
        }
    } catch (const NoName &) {
        if (const auto open = unclosed_bracket(text)) { // noticed too late: it seems to be a key
            throw InputError(fmt::format("{}:{}:{}: {}", file, open->line, open->column, open->cause));
        }
        throw;
    } catch (const YAML::Exception &error) {
        if (error.mark.is_null()) {
            throw InputError(fmt::format("{}: {}", file, error.msg));
        }
        const Diagnosis found = diagnose(text, static_cast<std::size_t>(error.mark.line) + 1,
                                         static_cast<std::size_t>(error.mark.column) + 1, error.msg);
        throw InputError(fmt::format("{}:{}:{}: {}", file, found.line, found.column, found.cause));
    }
    return builder.take_root();
}

Node parse_file(const std::string &path) {
    return parse(text::read_file(path, kMaxBytes), path);
}

void fail(const Node &node, const std::string &cause) {
    throw InputError(node.place + ": " + cause);
}

void require_keys(const Node &node, std::span<const std::string_view> keys, const std::string &what) {
    if (node.kind != Kind::kMap) {
        fail(node,
             fmt::format("{} must be a map with the keys {}; found {}", what, fmt::join(keys, ", "), shown(node)));
    }
    for (const auto &[key, value] : node.members) {
        bool known = false;
        for (const std::string_view name : keys) {
            known = known || name == key.text;
        }
        if (!known) {
            fail(key,
                 fmt::format("{} has no key {}{}", what, shown(key), text::suggestion(key.text, keys, "its keys")));
        }
    }
}

std::uint64_t to_unsigned(const Node &node, const std::string &name, std::uint64_t low, std::uint64_t high) {
    bool negative = false;
    std::uint64_t value = 0;
    const Parsed parsed = read_integer(node, node.text, name, negative, value);
    if (parsed == Parsed::kTooLarge || (negative && value != 0) || value < low || value > high) {
        fail(node, fmt::format("{} must be in {}..{}; found {}", name, low, high, shown(node)));
    }
    return value;
}

std::uint64_t to_bytes(const Node &node, const std::string &name, std::uint64_t low, std::uint64_t high) {
    const Unit unit = node.kind == Kind::kScalar && !node.quoted ? unit_of(node.text) : Unit{};
    if (unit.shift == 0) {
        return to_unsigned(node, name, low, high);
    }
    bool negative = false;
    std::uint64_t value = 0;
    const std::string_view digits = std::string_view(node.text).substr(0, node.text.size() - unit.length);
    const Parsed parsed = read_integer(node, digits, name, negative, value);
    const bool fits = parsed == Parsed::kOk && value <= (high >> unit.shift) && !(negative && value != 0);
    if (!fits || (value << unit.shift) < low) {
        fail(node, fmt::format("{} must be in {}..{}; found {}", name, low, high, shown(node)));
    }
    return value << unit.shift;
}

std::int64_t to_signed(const Node &node, const std::string &name, std::int64_t low, std::int64_t high) {
    bool negative = false;
    std::uint64_t magnitude = 0;
    const Parsed parsed = read_integer(node, node.text, name, negative, magnitude);
    constexpr std::uint64_t kHalf = std::uint64_t{1} << 63;
    const bool fits = parsed == Parsed::kOk && (negative ? magnitude <= kHalf : magnitude < kHalf);
    const std::int64_t value = static_cast<std::int64_t>(negative ? std::uint64_t{0} - magnitude : magnitude);
    if (!fits || value < low || value > high) {
        fail(node, fmt::format("{} must be in {}..{}; found {}", name, low, high, shown(node)));
    }
    return value;
}

double to_real(const Node &node, const std::string &name, double low, double high) {
    refuse_leading_zero(node, name);
    double value = 0;
    bool good = node.kind == Kind::kScalar && !node.quoted;
    if (good) {
        std::string_view text = node.text;
        if (text.starts_with('+')) {
            text.remove_prefix(1);
        }
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        good = error == std::errc{} && end == text.data() + text.size() && std::isfinite(value);
    }
    if (!good) {
        fail(node, fmt::format("{} must be a number; found {}", name, shown(node)));
    }
    if (value < low || value > high) {
        fail(node, fmt::format("{} must be in {}..{}; found {}", name, low, high, shown(node)));
    }
    return value;
}

bool to_bool(const Node &node, const std::string &name) {
    if (node.kind != Kind::kScalar || node.quoted || (node.text != "true" && node.text != "false")) {
        fail(node, fmt::format("{} must be true or false; found {}", name, shown(node)));
    }
    return node.text == "true";
}

const std::string &to_text(const Node &node, const std::string &name) {
    if (node.kind != Kind::kScalar || node.text.empty()) {
        fail(node, fmt::format("{} must be text; found {}", name, shown(node)));
    }
    return node.text;
}

} // namespace smsim::yaml
