#include "tb/fuzz/programs/token_emitter.h"

#include <algorithm>
#include <bit>

namespace smsim::fuzz {
namespace {

constexpr const char *kTests[] = {"F",   "LT",  "EQ",  "LE", "GT",  "NE", "GE",  "NUM", "NAN", "LTU", "EQU", "LEU",
                                  "GTU", "NEU", "GEU", "T",  "OFF", "LO", "SFF", "LS",  "HI",  "SFT", "HS",  "OFT"};
constexpr const char *kFloatCompares[] = {"LT", "EQ", "LE", "GT", "NE", "GE", "NUM", "LTU"};
constexpr const char *kNothing = "function_none";

std::string guard_of(const std::string &predicate) {
    return predicate == "PT" ? "" : "@" + predicate + " ";
}

} // namespace

void TokenEmitter::end_kernel() {
    if (tree_.data_seed % 2 == 0) {
        call_by_pret(kNothing, "PT", 2);
    }
    out_.line("EXIT");
    out_.place(kNothing);
    out_.line("RET");
}

void TokenEmitter::return_to_caller(unsigned index) {
    if ((tree_.data_seed >> (index + 1)) % 2 == 0) { // at least the one call that may reach the call limit
        call_by_pret(kNothing, "PT", 5);
    }
    out_.line("RET");
}

void TokenEmitter::compute(const Node &node) {
    const auto &p = node.p;
    Emitter::compute(node);
    if (p[3] % 4 != 0) {
        return;
    }
    // Flags decide about an addition: many tests on many flags.
    const std::string end = out_.new_label();
    const std::string over = out_.new_label();
    out_.line("SSY {}", end);
    const std::string test = any_flags(p[4] ^ p[5] << 7);
    token_jump(over, "", test, p[3] >> 4);
    out_.line("IADD3 {0}, {0}, {1:#x}, RZ", data(p[1] >> 20), 1 + p[5] % 1000);
    out_.place(over);
    out_.line("SYNC");
    out_.place(end);
}

void TokenEmitter::nothing(const Node &node) {
    if (node.p[0] % 7 == 2 && node.p[4] % 2 == 0) { // a call of an empty function, unless the call limit is reached
        return call_by_pret(kNothing, node.p[2] % 4 == 0 ? predicate(node.p[2] >> 4) : "PT", node.p[3]);
    }
    Emitter::nothing(node);
}

void TokenEmitter::leave_function(const Condition &condition) {
    out_.instruction(guard_of(condition.predicate), "RET");
}

void TokenEmitter::end_threads(const Condition &condition, const Node & /*node*/) {
    out_.instruction(guard_of(condition.predicate), "EXIT");
}

void TokenEmitter::open(Construct &construct) {
    static constexpr const char *kPushes[] = {"SSY", "PBK", "PCNT"};
    out_.line("{} {}", kPushes[static_cast<unsigned>(construct.keeps)], construct.end);
}

/// A jump to `label` by the threads that `guard` and `test` ("CC.LT, ") choose.
void TokenEmitter::token_jump(const std::string &label, const std::string &guard, const std::string &test,
                              std::uint32_t raw, const std::string &modifier) {
    // Relative targets count from the address after the jump, so a label is placed there.
    const std::string behind = out_.new_label();
    const auto put = [&](const char *name, const std::string &target) {
        out_.instruction(guard, fmt::format("{}{} {}{}", name, modifier, test, target));
    };
    const bool by_register = modifier != ".U";
    switch (raw % 12) {
    case 0:
        put("BRA", out_.constant32(label + " - " + behind));
        break;
    case 1:
    case 2:
        if (by_register) {
            out_.line("MOV R38, {}", out_.constant32(label + " - " + behind));
            put("BRX", "R38+0x0");
            break;
        }
        [[fallthrough]];
    case 3:
        put("JMP", label);
        break;
    case 4:
        put("JMP", out_.constant32(label));
        break;
    case 5:
        if (by_register) {
            out_.line("MOV R38, 0x40");
            put("JMX", fmt::format("R38+`({} - 0x40)", label));
            break;
        }
        [[fallthrough]];
    case 6:
        if (by_register) {
            out_.line("MOV R38, -0x18");
            put("BRX", fmt::format("R38+`({} - {} + 0x18)", label, behind));
            break;
        }
        [[fallthrough]];
    default:
        put("BRA", label);
        break;
    }
    out_.place(behind);
}

/// Sets the flags by a predicate; returns a test that passes where it holds.
std::string TokenEmitter::flags_of(const std::string &predicate, std::uint32_t raw) {
    struct Way {
        const char *value; ///< where the predicate holds, otherwise 0
        const char *setter;
        const char *test;
    };
    static constexpr Way kWays[] = {
        {"0x4", "LOP3.CC RZ, R25, R25, RZ, 0xc0", "NE"},
        {"0x4", "IADD3.CC R25, R25, RZ, RZ", "GT"},
        {"0x4", "IADD3.CC R25, RZ, -R25, RZ", "LT"},
        {"0x4", "IADD3.CC R25, RZ, -R25, RZ", "LO"},
        {"0x4", "ISETP.NE.AND.CC P5, PT, R25, RZ, PT", "HI"},
        {"0x4", "ISETP.F.U32.AND.CC P5, PT, RZ, R25, PT", "SFT"},
        {"0x4", "LOP3.CC RZ, R25, RZ, RZ, 0xf0", "NEU"},
        {"0x4", "ISETP.T.AND.CC P5, PT, RZ, R25, PT", "LTU"},
        {"0x80000000", "IADD3.CC R25, R25, R25, RZ", "OFT"},
        {"0x80000000", "IADD3.CC R25, R25, R25, RZ", "HS"},
        {"0x7f800000", "FMUL.CC R25, R25, -1.0", "LT"},
        {"0x7fffffff", "FADD.CC R25, R25, RZ", "NAN"},
        {"0x3f800000", "FSETP.LT.AND.CC P5, PT, R25, RZ, PT", "GTU"},
    };
    const Way &way = kWays[raw % (sizeof(kWays) / sizeof(kWays[0]))];
    out_.line("SEL R25, RZ, {}, {}", way.value, inverse(predicate));
    out_.line("{}", way.setter);
    return fmt::format("CC.{}, ", way.test);
}

/// Sets the flags from data or keeps them; returns any test.
std::string TokenEmitter::any_flags(std::uint32_t raw) {
    const bool equal = (raw >> 20) % 4 == 0;
    const std::string a = data(raw >> 8);
    const std::string b = equal ? a : data(raw >> 11);
    const std::string c = equal ? a : source(raw >> 14);
    const char *sign = (raw >> 18) % 2 == 0 ? "" : "-";
    switch ((raw >> 4) % 10) {
    case 0:
        out_.line("LOP3.CC R25, {}, {}, {}, {:#x}", a, b, c, (raw >> 18) % 256);
        break;
    case 1:
    case 2:
        out_.line("IADD3.CC R25, {}, {}{}, {}", a, sign, b, (raw >> 19) % 2 == 0 ? "RZ" : c);
        break;
    case 3:
        out_.line("IADD3.X.CC R25, P5, {}, {}{}, RZ, {}", a, sign, b, predicate(raw >> 20));
        break;
    case 4:
        out_.line("ISETP.EQ{}.AND.CC P5, PT, {}, {}, PT", (raw >> 18) % 2 == 0 ? "" : ".U32", a, c);
        break;
    case 5:
        out_.line("FADD.CC R25, {}, {}{}", a, sign, b);
        break;
    case 6:
        if ((raw >> 19) % 2 == 0) {
            out_.line("FMUL.CC R25, {}, {}{}", a, sign, b);
        } else {
            out_.line("FFMA.CC R25, {}, {}{}, {}", a, sign, b, c);
        }
        break;
    case 7:
        out_.line("FSETP.{}.AND.CC P5, PT, {}, {}, PT", kFloatCompares[(raw >> 16) % 8], a, c);
        break;
    default: // flags left by another branch, or the initial ones
        break;
    }
    return fmt::format("CC.{}, ", kTests[(raw >> 24) % 24]);
}

void TokenEmitter::branch(const std::string &label, const Condition &condition, std::uint32_t raw) {
    if (!condition.known && raw % 5 < 2) {
        const std::string test = any_flags(std::rotr(raw, 3));
        return token_jump(label, raw % 5 == 0 ? guard_of(condition.predicate) : "", test, raw >> 16);
    }
    if (raw % 5 < 4) {
        return token_jump(label, guard_of(condition.predicate), raw % 5 == 3 ? "CC.T, " : "", raw >> 4);
    }
    const std::string test = flags_of(condition.predicate, raw >> 8);
    token_jump(label, "", test, raw >> 4);
}

void TokenEmitter::branch_while(const std::string &label, const std::string &counter, bool /*agreed*/,
                                std::uint32_t raw) {
    if (raw % 2 == 0) {
        out_.line("ISETP.GT.AND P4, PT, {}, RZ, PT", counter);
        return token_jump(label, "@P4 ", "", raw >> 4);
    }
    out_.line("IADD3.CC {0}, {0}, RZ, RZ", counter);
    token_jump(label, "", raw % 4 == 1 ? "CC.GT, " : "CC.GTU, ", raw >> 4);
}

void TokenEmitter::go(const std::string &label, std::uint32_t raw) {
    token_jump(label, "", raw % 4 == 0 ? "CC.T, " : "", raw >> 4, raw % 8 == 1 ? ".U" : "");
}

void TokenEmitter::unanimous(const std::string &label, const std::string &guard, const std::string &second,
                             std::uint32_t raw) {
    const std::string predicate = both(guard, second);
    if (raw % 4 == 0 && predicate != "PT") {
        const std::string test = flags_of(predicate, raw >> 8);
        return token_jump(label, "", test, raw >> 4, ".U");
    }
    token_jump(label, guard_of(predicate), "", raw >> 4, ".U");
}

void TokenEmitter::leave(std::size_t index, const Condition &condition, bool for_next, std::uint32_t raw) {
    const Keeps keeps = for_next ? Keeps::kContinue : constructs_[index].keeps;
    const char *sync = raw % 4 == 0 ? "NOP.S" : "SYNC";
    out_.instruction(guard_of(condition.predicate), keeps == Keeps::kSync    ? sync
                                                    : keeps == Keeps::kBreak ? "BRK"
                                                                             : "CONT");
}

/// BRK and CONT go to the innermost token of their kind, SYNC to the topmost token.
bool TokenEmitter::leaves_directly(std::size_t index, bool for_next) const {
    const Construct &construct = constructs_[index];
    const auto above = constructs_.begin() + static_cast<std::ptrdiff_t>(index) + 1;
    if (for_next || construct.keeps == Keeps::kContinue) {
        return std::none_of(above, constructs_.end(),
                            [](const Construct &one) { return one.turns || one.keeps == Keeps::kContinue; });
    }
    if (construct.keeps == Keeps::kSync) {
        return above == constructs_.end();
    }
    return std::none_of(above, constructs_.end(), [](const Construct &one) { return one.keeps == Keeps::kBreak; });
}

void TokenEmitter::arrive_at_end(std::size_t index, std::uint32_t raw) {
    leave(index, {"PT"}, false, raw);
}

void TokenEmitter::begin_turn(Construct &construct, std::uint32_t raw) {
    if (construct.keeps == Keeps::kBreak && raw % 4 != 0) {
        out_.line("PCNT {}", construct.next);
        construct.turns = true;
    }
}

void TokenEmitter::end_turn(Construct &construct) {
    if (construct.turns) {
        out_.line("CONT");
        out_.place(construct.next);
        construct.turns = false;
    }
}

void TokenEmitter::table(const std::vector<std::string> &cases, const std::string & /*selector*/,
                         const std::string &predicate, const Node &node) {
    const bool absolute = node.p[1] % 3 == 0;
    const std::string behind = out_.new_label();
    unsigned first = 0;
    for (unsigned i = 0; i < 4; ++i) {
        const std::string &to = cases[i % cases.size()];
        const unsigned offset = out_.constant32_offset(absolute ? to : to + " - " + behind);
        first = i == 0 ? offset : first;
    }
    out_.line("SHL R24, R24, 0x2");
    out_.line("LDC R24, c[0x3][R24+{:#x}]", first);
    out_.instruction(guard_of(predicate), absolute ? "JMX R24+0x0" : "BRX R24+0x0");
    out_.place(behind);
}

void TokenEmitter::call_function(unsigned index, const std::string &predicate, const Node &node) {
    const std::string name = fmt::format("function{}", index);
    const std::string guarded = guard_of(predicate);
    switch (node.p[4] % 8) {
    case 0:
    case 1:
        out_.line("MOV R38, {}", out_.constant32(name));
        return out_.instruction(guarded, "CAL R38");
    case 2:
    case 3: // each thread calls its own function
        out_.line("MOV R38, {}", out_.constant32(kNothing));
        out_.instruction(guarded, fmt::format("MOV R38, {}", out_.constant32(name)));
        return out_.line("CAL R38");
    case 4:
    case 5:
        return call_by_pret(name, predicate, node.p[4] >> 4);
    default:
        return out_.instruction(guarded, "CAL " + name);
    }
}

void TokenEmitter::call_by_pret(const std::string &name, const std::string &predicate, std::uint32_t raw) {
    const std::string back = out_.new_label();
    if (predicate == "PT") {
        if (raw % 3 == 0) { // .LMT directly follows PRET
            out_.line("MOV R38, {}", out_.constant32(name + " - " + back));
        } else if (raw % 3 == 1) {
            out_.line("MOV R38, {}", out_.constant32(name));
        }
        out_.line("PRET {}", back);
        out_.line("{}", raw % 3 == 0   ? "BRX.LMT R38+0x0"
                        : raw % 3 == 1 ? "JMX.LMT R38+0x0"
                                       : (raw % 2 == 0 ? "BRA.LMT " : "JMP.LMT ") + name);
        out_.place(back);
        return;
    }
    const std::string some = out_.new_label();
    const std::string around = out_.new_label();
    go(around, raw >> 8);
    out_.place(some);
    out_.instruction("@" + inverse(predicate) + " ", "RET");
    go(name, raw >> 4);
    out_.place(around);
    out_.line("PRET {}", back);
    out_.line("{}.LMT {}", raw % 2 == 0 ? "BRA" : "JMP", some);
    out_.place(back);
}

} // namespace smsim::fuzz
