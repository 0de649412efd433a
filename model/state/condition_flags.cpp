// The one table of condition tests: name and formula.
#include "model/state/condition_flags.h"

#include <array>
#include <cstddef>

namespace smsim {
namespace {

struct Row {
    std::string_view name;
    LaneMask (*passing)(LaneMask z, LaneMask s, LaneMask c, LaneMask o);
};

constexpr std::array<Row, kConditionTests> kTests = {{
    {"F", [](LaneMask, LaneMask, LaneMask, LaneMask) { return LaneMask(); }},
    {"LT", [](LaneMask z, LaneMask s, LaneMask, LaneMask o) { return (s & ~z) ^ o; }},
    {"EQ", [](LaneMask z, LaneMask s, LaneMask, LaneMask) { return z & ~s; }},
    {"LE", [](LaneMask z, LaneMask s, LaneMask, LaneMask o) { return s ^ (z | o); }},
    {"GT", [](LaneMask z, LaneMask s, LaneMask, LaneMask o) { return ~z & ~(s ^ o); }},
    {"NE", [](LaneMask z, LaneMask, LaneMask, LaneMask) { return ~z; }},
    {"GE", [](LaneMask, LaneMask s, LaneMask, LaneMask o) { return ~(s ^ o); }},
    {"NUM", [](LaneMask z, LaneMask s, LaneMask, LaneMask) { return ~(z & s); }},
    {"NAN", [](LaneMask z, LaneMask s, LaneMask, LaneMask) { return z & s; }},
    {"LTU", [](LaneMask, LaneMask s, LaneMask, LaneMask o) { return s ^ o; }},
    {"EQU", [](LaneMask z, LaneMask, LaneMask, LaneMask) { return z; }},
    {"LEU", [](LaneMask z, LaneMask s, LaneMask, LaneMask o) { return z | (s ^ o); }},
    {"GTU", [](LaneMask z, LaneMask s, LaneMask, LaneMask o) { return ~s ^ (z | o); }},
    {"NEU", [](LaneMask z, LaneMask s, LaneMask, LaneMask) { return ~z | s; }},
    {"GEU", [](LaneMask z, LaneMask s, LaneMask, LaneMask o) { return (~s | z) ^ o; }},
    {"T", [](LaneMask, LaneMask, LaneMask, LaneMask) { return LaneMask::all(); }},
    {"OFF", [](LaneMask, LaneMask, LaneMask, LaneMask o) { return ~o; }},
    {"LO", [](LaneMask, LaneMask, LaneMask c, LaneMask) { return ~c; }},
    {"SFF", [](LaneMask, LaneMask s, LaneMask, LaneMask) { return ~s; }},
    {"LS", [](LaneMask z, LaneMask, LaneMask c, LaneMask) { return ~c | z; }},
    {"HI", [](LaneMask z, LaneMask, LaneMask c, LaneMask) { return c & ~z; }},
    {"SFT", [](LaneMask, LaneMask s, LaneMask, LaneMask) { return s; }},
    {"HS", [](LaneMask, LaneMask, LaneMask c, LaneMask) { return c; }},
    {"OFT", [](LaneMask, LaneMask, LaneMask, LaneMask o) { return o; }},
}};

} // namespace

std::string_view condition_test_name(ConditionTest test) {
    return kTests.at(static_cast<std::size_t>(test)).name;
}

LaneMask threads_passing(ConditionTest test, const ConditionFlags &flags) {
    return kTests.at(static_cast<std::size_t>(test)).passing(flags.zero, flags.sign, flags.carry, flags.overflow);
}

} // namespace smsim
