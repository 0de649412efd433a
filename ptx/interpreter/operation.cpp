#include "ptx/interpreter/operation.h"

#include <algorithm>

namespace smsim::ptx::interpreter {

namespace {

constexpr std::array<std::string_view, static_cast<std::size_t>(Word::kCount)> kWords = {
    "ftz",  "sat",    "relu",  "NaN",       "xorsign",  "abs",    "approx",     "full",   "hi",        "lo",
    "wide", "cc",     "clamp", "wrap",      "shiftamt", "l",      "r",          "f4e",    "b4e",       "rc8",
    "ecl",  "ecr",    "rc16",  "finite",    "infinite", "number", "notanumber", "normal", "subnormal", "add",
    "min",  "max",    "and",   "or",        "xor",      "exch",   "cas",        "inc",    "dec",       "popc",
    "sync", "arrive", "warp",  "red",       "up",       "down",   "bfly",       "idx",    "all",       "any",
    "uni",  "ballot", "to",    "satfinite", "pack"};

constexpr std::array<std::string_view, 19> kCompares = {"",    "eq",  "ne",  "lt",  "le",  "gt",  "ge",
                                                        "lo",  "ls",  "hs",  "hi",  "equ", "neu", "ltu",
                                                        "leu", "gtu", "geu", "num", "nan"};
constexpr std::array<std::string_view, 5> kRoundings = {"rn", "rz", "rm", "rp", "rna"};

template <std::size_t N> int index_in(const std::array<std::string_view, N> &words, std::string_view word) {
    const auto found = std::ranges::find(words, word);
    return found == words.end() ? -1 : static_cast<int>(found - words.begin());
}

void add_word(Operation &operation, std::string_view word) {
    if (const int at = index_in(kWords, word); at >= 0) {
        operation.words |= std::uint64_t{1} << at;
    }
    const bool integral = word.size() == 3 && word.ends_with('i');
    if (const int at = index_in(kRoundings, integral ? word.substr(0, 2) : word); at >= 0) {
        operation.rounding = static_cast<Rounding>(at);
        operation.rounded = !integral;
        operation.integral = integral;
    }
    const bool compares =
        operation.opcode == "set" || operation.opcode == "setp" || operation.opcode.starts_with("vset");
    if (const int at = index_in(kCompares, word); at > 0 && compares) {
        operation.compare = static_cast<Compare>(at);
    }
    operation.boolean = word == "and"   ? Boolean::kAnd
                        : word == "or"  ? Boolean::kOr
                        : word == "xor" ? Boolean::kXor
                                        : operation.boolean;
}

} // namespace

Operation make_operation(std::string_view opcode, const std::vector<std::string> &modifiers,
                         const std::vector<ptx::Type> &types) {
    Operation operation;
    operation.opcode = opcode;
    std::copy_n(types.begin(), std::min<std::size_t>(types.size(), operation.types.size()), operation.types.begin());
    for (const std::string &modifier : modifiers) {
        add_word(operation, modifier);
    }
    for (const auto find : {comparison_handler, conversion_handler, floating_handler, integer_handler, video_handler}) {
        if (operation.handler == nullptr) {
            operation.handler = find(opcode, operation);
        }
    }
    return operation;
}

bool is_undefined(const Operation &operation, const Inputs &inputs) {
    const bool integers = !format_of(operation.types[0]);
    if (integers && (operation.opcode == "div" || operation.opcode == "rem")) {
        return inputs.value[1] == 0;
    }
    return operation.opcode == "fns" && inputs.value[1] > 31;
}

} // namespace smsim::ptx::interpreter
