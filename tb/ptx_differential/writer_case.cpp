#include "tb/ptx_differential/writer_case.h"

#include <algorithm>
#include <array>

namespace smsim::ptx_differential {

namespace {

template <std::size_t N> bool among(std::string_view opcode, const std::array<std::string_view, N> &opcodes) {
    return std::ranges::find(opcodes, opcode) != opcodes.end();
}

} // namespace

Manner manner_of(std::string_view opcode) {
    constexpr std::array<std::string_view, 3> kMemory = {"ld", "ldu", "st"};
    constexpr std::array<std::string_view, 2> kAtomic = {"atom", "red"};
    constexpr std::array<std::string_view, 2> kAddress = {"cvta", "isspacep"};
    constexpr std::array<std::string_view, 4> kHint = {"prefetch", "prefetchu", "applypriority", "discard"};
    constexpr std::array<std::string_view, 10> kSynchronise = {"bar",  "barrier", "fence", "membar", "nanosleep",
                                                               "vote", "match",   "shfl",  "redux",  "activemask"};
    constexpr std::array<std::string_view, 10> kByHand = {"bra",  "brx",   "call",   "ret",       "exit",
                                                          "trap", "brkpt", "alloca", "stacksave", "stackrestore"};
    return among(opcode, kMemory)        ? Manner::kMemory
           : among(opcode, kAtomic)      ? Manner::kAtomic
           : among(opcode, kAddress)     ? Manner::kAddress
           : among(opcode, kHint)        ? Manner::kHint
           : among(opcode, kSynchronise) ? Manner::kSynchronise
           : among(opcode, kByHand)      ? Manner::kByHand
                                         : Manner::kCompute;
}

KernelWriter::Case::Case(const Variant &written, unsigned chosen) : variant(written), number(chosen) {
    const std::string_view opcode = variant.form->opcode;
    // Every second instruction has a constant, at successive positions.
    constant_at = number % 2 == 1 ? number / 2 % 3 : 99;
    computed = manner() == Manner::kCompute && opcode != "mov";
    const bool copies = opcode == "abs" || opcode == "neg" || opcode == "cvt" || opcode == "atom" || opcode == "red";
    any_nan = copies;
}

ptx::Type KernelWriter::Case::type_of(char letter) const {
    const ptx::Type first = variant.types.empty() ? ptx::bits_type(32) : variant.types.front();
    switch (letter) {
    case 'b':
    case 'B':
        return variant.types.size() > 1 ? variant.types[1] : first;
    case 'w':
    case 'c':
        return *ptx::find_type(std::string(1, first.name.front()) + std::to_string(2 * first.bits));
    case 'u':
    case 'e':
    case 'q':
    case 'z':
    case 'Q':
    case 'Z':
        return *ptx::find_type("u32");
    case 'P':
    case 'p':
        return *ptx::find_type("pred");
    default:
        return first;
    }
}

std::string_view KernelWriter::Case::set_of(char letter, unsigned position) const {
    const std::string_view opcode = variant.form->opcode;
    if (opcode == "fns") {
        return position == 0 ? "b32" : position == 1 ? "lane" : "offset";
    }
    if (opcode == "shfl") {
        return position == 0 ? "b32" : position == 1 ? "lane" : "clamp";
    }
    if (opcode == "match") {
        return "few";
    }
    if (letter == 'q' && opcode.starts_with("vsh") && position == 1) {
        return "count";
    }
    if (letter == 'u') {
        return opcode == "dp4a" || opcode == "dp2a" || opcode.starts_with('v') ? "b32" : "count";
    }
    return letter == 'p' ? "pred" : type_of(letter).name;
}

std::string KernelWriter::Case::selector(char letter, unsigned position) const {
    const unsigned turn = number + 5 * position + number / 7;
    if (letter == 'q' || letter == 'z') {
        constexpr std::array<std::string_view, 7> kParts = {"", ".b0", ".b1", ".b2", ".b3", ".h0", ".h1"};
        return std::string(kParts[turn % kParts.size()]);
    }
    const unsigned lanes = variant.form->opcode.ends_with('2') ? 2 : 4;
    std::string written = lanes == 2 ? ".h" : ".b";
    if (letter == 'Z') { // the lanes of a nonzero mask
        const unsigned mask = 1 + turn % ((1U << lanes) - 1);
        for (unsigned lane = lanes; lane-- > 0;) {
            written += (mask >> lane & 1) != 0 ? std::to_string(lane) : "";
        }
        return turn % 5 == 0 ? "" : written;
    }
    for (unsigned lane = 0; lane < lanes; ++lane) {
        written += std::to_string((turn * (3 + 2 * lane) + turn / 3 + lane) % (2 * lanes));
    }
    return letter == 'Q' && turn % 3 != 0 ? written : "";
}

bool KernelWriter::Case::is_mask(char letter, unsigned position) const {
    const std::string_view opcode = variant.form->opcode;
    return letter == 'u' && ((opcode == "shfl" && position == 3) || opcode == "vote" || opcode == "match" ||
                             opcode == "redux" || (opcode == "bar" && variant.has("warp")));
}

} // namespace smsim::ptx_differential
