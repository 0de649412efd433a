// Statements that any thread may execute anywhere: arithmetic, accesses to its own memory, atomics, scheduling hints.
#include <initializer_list>

#include "tb/fuzz/programs/emitter.h"

namespace smsim::fuzz {
namespace {

constexpr const char *kCompares[] = {"LT", "EQ", "LE", "GT", "NE", "GE", "F", "T"};
constexpr const char *kCombines[] = {"AND", "OR", "XOR"};
constexpr const char *kWidths[] = {".U8", ".S8", ".U16", ".S16", "", ".64", ".128"};
constexpr unsigned kWidthBytes[] = {1, 1, 2, 2, 4, 8, 16};
constexpr const char *kSpecial[] = {"SR_LANEID", "SR_TID.X",  "SR_CTAID.X", "SR_NTID.X", "SR_NCTAID.X", "SR_WARPID",
                                    "SR_EQMASK", "SR_LTMASK", "SR_LEMASK",  "SR_GTMASK", "SR_GEMASK",   "SR_TID.Y"};

std::string written_predicate(std::uint32_t raw) {
    return fmt::format("P{}", raw % 4);
}

/// An immediate: often a small number or an edge case.
std::string immediate(std::uint32_t raw) {
    switch (raw % 6) {
    case 0:
        return "0x1";
    case 1:
        return fmt::format("{:#x}", (raw >> 4) % 64);
    case 2:
        return "0x80000000";
    case 3:
        return "0xffffffff";
    default:
        return fmt::format("{:#x}", raw);
    }
}

/// A second source of any kind: register, immediate, uniform register, constant.
std::string second_source(std::uint32_t raw, const std::string &reg) {
    switch (raw % 8) {
    case 0:
    case 1:
        return immediate(raw >> 3);
    case 2:
        return "UR8";
    case 3:
        return (raw >> 3) % 2 == 0 ? "c[0x0][0x0]" : "c[0x0][0xc]";
    default:
        return reg;
    }
}

} // namespace

void Emitter::compute(const Node &node) {
    const auto &p = node.p;
    const std::string guarded = guard(p[1]);
    const std::string d = data(p[2]);
    const std::string a = source(p[3]);
    const std::string b = second_source(p[4], source(p[4] >> 8));
    const std::string c = source(p[5]);
    const std::string to = written_predicate(p[2]);
    const std::string from = predicate(p[5] >> 8);
    const auto put = [&](const std::string &text) { out_.instruction(guarded, text); };
    switch (p[0] % 26) {
    case 0:
        return put(fmt::format("IADD3 {}, {}, {}, {}{}", d, a, b, (p[1] >> 8) % 3 == 0 ? "-" : "", c));
    case 1:
        return put(fmt::format("IADD3 {}, {}, {}, {}, {}", d, to, a, b, c));
    case 2:
        return put(fmt::format("IADD3.X {}, {}, {}, {}, {}, {}", d, to, a, b, c, from));
    case 3:
        return put(fmt::format("IMAD {}, {}, {}, {}", d, a, b, c));
    case 4:
        return put(fmt::format("IMAD.HI{} {}, {}, {}, {}", (p[1] >> 8) % 2 == 0 ? "" : ".U32", d, a, b, c));
    case 5:
        return put(fmt::format("LOP3 {}, {}, {}, {}, {:#x}", d, a, b, c, (p[1] >> 8) % 256));
    case 6:
        return put(fmt::format("SHL {}, {}, {}", d, a, b));
    case 7:
        return put(fmt::format("SHR{} {}, {}, {}", (p[1] >> 8) % 2 == 0 ? "" : ".S32", d, a, b));
    case 8:
        return put(fmt::format("SHF.{}{} {}, {}, {}, {}", (p[1] >> 8) % 2 == 0 ? "L" : "R",
                               (p[1] >> 9) % 2 == 0 ? "" : ".W", d, a, b, c));
    case 9:
    case 10:
        return put(fmt::format("ISETP.{}{}.{} {}, {}, {}, {}, {}", kCompares[(p[1] >> 8) % 8],
                               (p[1] >> 11) % 2 == 0 ? "" : ".U32", kCombines[(p[1] >> 12) % 3], to,
                               (p[1] >> 16) % 3 == 0 ? written_predicate(p[2] + 1) : "PT", a, b, from));
    case 11:
        return put(fmt::format("SEL {}, {}, {}, {}", d, a, b, from));
    case 12:
        return put(fmt::format("MOV {}, {}", d, b));
    case 13:
        return put(fmt::format("{} {}, {}", (p[1] >> 8) % 2 == 0 ? "POPC" : "BREV", d, b));
    case 14:
        return put(
            fmt::format("FLO{}{} {}, {}", (p[1] >> 8) % 2 == 0 ? "" : ".S32", (p[1] >> 9) % 2 == 0 ? "" : ".SH", d, b));
    case 15:
        return put(fmt::format("PRMT {}, {}, {}, {}", d, a, b, c));
    case 16:
        return put(fmt::format("PSETP.{}.{} {}, {}, {}, {}, {}", kCombines[(p[1] >> 8) % 3],
                               kCombines[(p[1] >> 10) % 3], to, written_predicate(p[2] + 1), predicate(p[3]),
                               predicate(p[4]), from));
    case 17:
        return put(fmt::format("PLOP3 {}, {}, {}, {}, {}, {:#x}, {:#x}", to, written_predicate(p[2] + 2),
                               predicate(p[3]), predicate(p[4]), from, (p[1] >> 8) % 256, (p[1] >> 16) % 256));
    case 18:
        return put(fmt::format("P2R {}, PR, {}, {:#x}", d, a, (p[1] >> 8) % 16));
    case 19:
        return put(fmt::format("R2P PR, {}, {:#x}", data(p[3]), (p[1] >> 8) % 16));
    case 20:
        return put(fmt::format("IMNMX{} {}, {}, {}, {}", (p[1] >> 8) % 2 == 0 ? "" : ".U32", d, a, b, from));
    case 21:
        return put((p[1] >> 8) % 2 == 0 ? fmt::format("IABS {}, {}", d, b)
                                        : fmt::format("LEA {}, {}, {}, {:#x}", d, a, b, (p[1] >> 9) % 32));
    case 22:
    case 23:
        return compute_half(node);
    default:
        return compute_wide(node);
    }
}

// Operates on the present contents of the registers: 16-bit floats are often a NaN or far too large, but every case
// occurs.
void Emitter::compute_half(const Node &node) {
    const auto &p = node.p;
    const auto &bits = p[1];
    const auto one_of = [](std::uint32_t raw, std::initializer_list<const char *> texts) {
        return texts.begin()[raw % texts.size()];
    };
    const std::string modifiers =
        fmt::format("{}{}{}{}{}", one_of(bits >> 8, {"", ".BF16_V2"}), one_of(bits >> 9, {"", ".FTZ"}),
                    one_of(bits >> 10, {"", "", ".SAT", ".RELU"}), one_of(bits >> 12, {"", "", ".A_H0_H0", ".A_H1_H1"}),
                    one_of(bits >> 14, {"", "", ".B_H0_H0", ".B_H1_H1"}));
    const std::string a = fmt::format("{}{}", one_of(bits >> 16, {"", "-"}), source(p[3]));
    const std::string b = second_source(p[4], fmt::format("{}{}", one_of(bits >> 17, {"", "-"}), source(p[4] >> 8)));
    if (p[5] % 3 != 0) {
        return out_.instruction(guard(p[1]), fmt::format("{}{} {}, {}, {}", p[5] % 3 == 1 ? "HADD2" : "HMUL2",
                                                         modifiers, data(p[2]), a, b));
    }
    out_.instruction(guard(p[1]), fmt::format("HFMA2{}{} {}, {}, {}, {}{}", modifiers,
                                              one_of(bits >> 18, {"", "", ".C_H0_H0", ".C_H1_H1"}), data(p[2]), a, b,
                                              one_of(bits >> 20, {"", "-"}), source(p[5] >> 8)));
}

void Emitter::compute_wide(const Node &node) {
    const auto &p = node.p;
    const std::string guarded = guard(p[1]);
    const auto put = [&](const std::string &text) { out_.instruction(guarded, text); };
    switch ((p[0] >> 8) % 5) {
    case 0:
        return put(fmt::format("IMAD.WIDE{} {}, {}, {}, {}", p[3] % 2 == 0 ? "" : ".U32", data2(p[2]),
                               source(p[3] >> 1), source(p[4]), data2(p[5])));
    case 1:
        return put(fmt::format("S2R {}, {}", data(p[2]), kSpecial[p[3] % 12]));
    case 2:
        return put(fmt::format("CS2R{} {}, {}", p[4] % 2 == 0 ? "" : ".32", p[4] % 2 == 0 ? data2(p[2]) : data(p[2]),
                               kSpecial[p[3] % 12]));
    case 3:
        out_.line("LOP3 R24, {}, 0x1c, RZ, 0xc0", data(p[3]));
        return put(fmt::format("LDC {}, c[0x0][R24+{:#x}]", data(p[2]), p[4] % 2 * 0x160 % 0x160));
    default:
        return put(fmt::format("IADD3 {}, {}, UR10, {}", data(p[2]), source(p[3]), source(p[4])));
    }
}

/// The address `offset`, relative to UR4, which is set first: other uses, also on other paths of the warp, overwrite
/// it.
std::string Emitter::uniform_address(std::uint32_t raw, unsigned offset) {
    const unsigned base = raw % 128;
    out_.line("UMOV UR4, {:#x}", base);
    return fmt::format("UR4{:+#x}", static_cast<int>(offset) - static_cast<int>(base));
}

// Threads that share an address either write the same value there, which never changes, or use memory of their own.
void Emitter::uniform_access(const Node &node) {
    const auto &p = node.p;
    const unsigned width = p[0] % 7;
    const unsigned bytes = kWidthBytes[width];
    const bool local = p[1] % 4 == 1;
    const bool store = (p[1] >> 8) % 2 == 0;
    const std::string reg = bytes == 16 ? data4(p[3]) : bytes == 8 ? data2(p[3]) : data(p[3]);
    const std::string stored = local ? reg : bytes <= 4 ? "R11" : "RZ";
    const char *name = kWidths[store && width < 4 ? width / 2 * 2 : width]; // stores have no sign
    const unsigned offset = local   ? p[2] % (64 / bytes) * bytes
                            : store ? kSame + (bytes <= 4 ? 0 : 16)
                                    : kSame + p[2] % (32 / bytes) * bytes;
    const char *space = local ? "L" : p[1] % 4 == 0 ? "S" : (p[1] >> 12) % 2 == 0 ? "G.CG" : "G";
    uses_uniform_ = true;
    uses_local_ = uses_local_ || local;
    uses_shared_ = uses_shared_ || *space == 'S';
    const std::string address =
        *space == 'G' ? fmt::format("UR[2:3]+{:#x}", offset) : uniform_address(p[2] >> 8, offset);
    out_.instruction(guard(p[4]), store ? fmt::format("ST{}{} [{}], {}", space, name, address, stored)
                                        : fmt::format("LD{}{} {}, [{}]", space, name, reg, address));
}

void Emitter::private_access(const Node &node) {
    const auto &p = node.p;
    if ((p[1] >> 20) % 4 == 0) {
        return uniform_access(node);
    }
    const unsigned width = p[0] % 7;
    const unsigned bytes = kWidthBytes[width];
    const std::string reg = bytes == 16 ? data4(p[3]) : bytes == 8 ? data2(p[3]) : data(p[3]);
    const bool store = (p[1] >> 8) % 2 == 0;
    const char *name = kWidths[store && width < 4 ? width / 2 * 2 : width]; // stores have no sign
    const auto access = [&](const char *space, const std::string &address) {
        out_.instruction(guard(p[4]), store ? fmt::format("ST{}{} [{}], {}", space, name, address, reg)
                                            : fmt::format("LD{}{} {}, [{}]", space, name, reg, address));
    };
    switch (p[1] % 4) {
    case 0:
        uses_shared_ = true;
        return access("S", fmt::format("R14+{:#x}", p[2] % (32 / bytes) * bytes));
    case 1:
        uses_local_ = true;
        return access("L", fmt::format("{:#x}", p[2] % (64 / bytes) * bytes));
    case 2:
        return access((p[1] >> 12) % 2 == 0 ? "G.CG" : "G", fmt::format("R[12:13]+{:#x}", p[2] % (64 / bytes) * bytes));
    default:
        return access("G", fmt::format("R[12:13]+{:#x}", p[2] % (64 / bytes) * bytes));
    }
}

void Emitter::gather(const Node &node) {
    const auto &p = node.p;
    if ((p[0] >> 28) % 4 == 0) {
        uses_uniform_ = true;
        return out_.instruction(guard(p[1]),
                                fmt::format("LDG {}, [UR[0:1]+{:#x}]", data(p[2]), 4 * ((p[0] >> 8) % 64)));
    }
    out_.line("LOP3 R24, {}, 0x3f, RZ, 0xc0", source(p[0]));
    out_.line("IMAD.WIDE.U32 R[24:25], R24, R11, c[0x0][0x168]");
    out_.instruction(guard(p[1]), fmt::format("LDG {}, [R[24:25]]", data(p[2])));
}

// Operations whose result does not depend on the order: each cell has one operation, and its old value is not used.
void Emitter::atomic(const Node &node) {
    const auto &p = node.p;
    struct Cell {
        const char *operation;
        const char *value; ///< "": data register, ":2": pair, otherwise a fixed register
        bool zero;         ///< is in cells that begin as 0
    };
    static constexpr Cell kOperations[] = {
        {".ADD", "", false},       {".MIN", "", false},       {".MAX.S32", "", false},   {".INC", "R25", false},
        {".DEC", "R25", false},    {".AND", "", false},       {".OR", "", false},        {".XOR", "", false},
        {".EXCH", "R25", false},   {".ADD.U64", ":2", false}, {".MIN.S64", ":2", false}, {".MAX.U64", ":2", false},
        {".ADD.F32", "R25", true}, {".CAS", "RZ, R25", true}, {".MIN.S32", "", false},   {".MAX", "", false},
    };
    const unsigned index = p[0] % kCells;
    const Cell &cell = kOperations[index];
    const std::string kind = cell.value;
    const std::string value = kind.empty() ? data(p[1]) : kind == ":2" ? data2(p[1]) : kind;
    const std::string result = kind == ":2" ? "R[34:35]" : "R34";
    if (kind.find("R25") != std::string::npos) {
        // One value for all: INC and DEC wrap at it, EXCH and CAS do not change it. Sums of small integers are exact
        // in floats.
        out_.line("MOV R25, {}", index == 12 ? "0x3f800000" : "0x15");
    }
    const unsigned offset = 8 * index;
    const std::string guarded = guard(p[2]);
    const bool uniform = (p[3] >> 4) % 4 == 0;
    uses_uniform_ = uses_uniform_ || uniform;
    if (p[3] % 2 == 0) {
        uses_shared_ = true;
        const std::string address = uniform ? uniform_address(p[3] >> 8, offset) : fmt::format("{:#x}", offset);
        out_.instruction(guarded, fmt::format("ATOMS{} {}, [{}], {}", cell.operation, result, address, value));
        return;
    }
    const char *base = uniform ? (cell.zero ? "UR[2:3]" : "UR[60:61]") : cell.zero ? "R[22:23]" : "R[20:21]";
    if (p[3] % 4 == 1 && index != 13) {
        out_.instruction(guarded, fmt::format("RED{} [{}+{:#x}], {}", cell.operation, base, offset, value));
    } else {
        out_.instruction(guarded,
                         fmt::format("ATOMG{} {}, [{}+{:#x}], {}", cell.operation, result, base, offset, value));
    }
}

// Convergence barriers are hints: they must not change the result of any thread.
void Emitter::barrier_register(const Node &node) {
    const auto &p = node.p;
    const std::string b = wish(p[1]);
    const std::string guarded = guard(p[2]);
    switch (p[0] % 8) {
    case 0:
        return out_.instruction(guarded, fmt::format("BSSY {}", b));
    case 1:
        return out_.instruction(guarded, fmt::format("BREAK {}{}", second(p[3]), b));
    case 2:
        return out_.instruction(guarded, fmt::format("BMOV R30, {}", b));
    case 3:
        return out_.instruction(guarded, fmt::format("BMOV.CLEAR R30, {}", b));
    case 4:
        return out_.instruction(guarded, fmt::format("BMOV {}, R30", b));
    case 5:
        return out_.instruction(guarded, fmt::format("BMOV {}, {}", b, data(p[3])));
    default:
        return out_.instruction(guarded, fmt::format("BSYNC {}", b));
    }
}

void Emitter::nothing(const Node &node) {
    const auto &p = node.p;
    const std::string guarded = guard(p[1]);
    switch (p[0] % 7) {
    case 0:
        return out_.instruction(guarded, "NOP");
    case 6:
        return out_.instruction(guarded, p[2] % 2 == 0 ? "UMOV UR9, 0x1" : "S2UR UR9, SR_CTAID.X");
    case 1:
        return out_.instruction(guarded, "SYSCALL");
    case 2:
        return out_.instruction(guarded, p[2] % 2 == 0 ? "LEPC R[38:39]" : "LEPC R[38:39], `(start - .)");
    case 3:
        return out_.instruction(guarded, p[2] % 2 == 0 ? "MEMBAR.CTA" : "MEMBAR.GPU");
    case 4:
        return out_.instruction(guarded, p[2] % 2 == 0 ? "CS2R R[38:39], SR_CLOCKLO" : "S2R R38, SR_GLOBALTIMERLO");
    default:
        return out_.instruction(guarded, p[2] % 2 == 0 ? fmt::format("B2R.BAR R31, {:#x}", p[3] % 16) : "B2R.WARP R31");
    }
}

void Emitter::trap(const Node &node) {
    if (!tree_.trap_handler) {
        return;
    }
    const auto &p = node.p;
    const std::string guarded = guard(p[1]);
    switch (p[0] % 3) {
    case 0:
        return out_.instruction(guarded, fmt::format("TRAP {}", data(p[2])));
    case 1:
        return out_.instruction(guarded, "TRAP c[0x0][0x0]");
    default:
        return out_.instruction(guarded, fmt::format("TRAP {:#x}", p[2] % 100));
    }
}

void Emitter::yield(std::uint32_t raw) {
    out_.instruction(guard(raw), raw % 7 == 0 ? fmt::format("YIELD {}", predicate(raw >> 8)) : "YIELD");
}

void Emitter::sleep(std::uint32_t raw) {
    const std::string guarded = guard(raw);
    const std::string pp = second(raw >> 6);
    switch ((raw >> 12) % 4) {
    case 0:
        out_.line("LOP3 R24, {}, {:#x}, RZ, 0xc0", data(raw >> 16), (raw >> 14) % 4 == 0 ? 0x7ff : 0x1ff);
        return out_.instruction(guarded, fmt::format("NANOSLEEP {}R24", pp));
    case 1:
        out_.line("UMOV UR5, {:#x}", (raw >> 16) % 300);
        return out_.instruction(guarded, fmt::format("NANOSLEEP {}UR5", pp));
    case 2:
        return out_.instruction(guarded, fmt::format("NANOSLEEP {}c[0x0][0x0]", pp));
    default:
        return out_.instruction(
            guarded, fmt::format("NANOSLEEP {}{:#x}", pp, (raw >> 16) % ((raw >> 14) % 4 == 0 ? 4000 : 400)));
    }
}

void Emitter::let_others_run(std::uint32_t raw, std::uint32_t nanoseconds) {
    switch (raw % 4) {
    case 0:
        return out_.line("NANOSLEEP {:#x}", nanoseconds);
    case 1:
        out_.line("NANOSLEEP R9");
        return out_.line("YIELD");
    default:
        return out_.line("YIELD");
    }
}

} // namespace smsim::fuzz
