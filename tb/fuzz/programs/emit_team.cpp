// Statements of threads that meet: WARPSYNC and the operations it makes possible, CTA barriers in all forms.
#include <algorithm>
#include <bit>

#include "tb/fuzz/programs/emitter.h"

namespace smsim::fuzz {
namespace {

constexpr unsigned kMaxChains = 2;
constexpr unsigned kFirstUniform = 12;
constexpr unsigned kUniforms = 48;
constexpr const char *kReductions[] = {"AND", "OR", "POPC"};

} // namespace

/// A uniform register that holds `value` from here on and is used only at this place: while threads are at a WARPSYNC,
/// other paths of the warp continue, and they share the uniform registers. Empty if all are in use.
std::string Emitter::own_uniform(std::uint32_t value) {
    if (uniforms_ == kUniforms) {
        return {};
    }
    std::string name = fmt::format("UR{}", kFirstUniform + uniforms_++);
    out_.line("UMOV {}, {:#x}", name, value);
    return name;
}

/// WARPSYNC of `lanes`, in any form: exactly the threads that arrive here. With a guard, those for which it is true.
void Emitter::meet(std::uint32_t lanes, std::uint32_t raw, const std::string &guard) {
    meets_ = true;
    const bool inverted = (raw >> 8) % 2 == 1;
    const char *bitnot = inverted ? "~" : "";
    const std::uint32_t value = inverted ? ~lanes : lanes;
    const char *also = (raw >> 9) % 8 == 0 ? "PT, " : "";
    std::string operand = fmt::format("{:#x}", lanes);
    switch (raw % 7) {
    case 0:
        if (const std::string uniform = own_uniform(value); !uniform.empty()) {
            operand = bitnot + uniform;
        }
        break;
    case 1:
        operand = bitnot + out_.constant32(fmt::format("{:#x}", value));
        break;
    case 2:
        out_.line("MOV R24, {:#x}", value);
        operand = fmt::format("{}R24", bitnot);
        break;
    default:
        break;
    }
    out_.instruction(guard, fmt::format("WARPSYNC {}{}", also, operand));
}

void Emitter::meeting(const Node &node) {
    const auto &p = node.p;
    if (!together_possible()) {
        return;
    }
    const std::uint32_t lanes = here().lanes;
    switch (p[0] % 6) {
    case 0:
        return meet_groups(node);
    case 1:
    case 2: { // some of the lanes meet, the others pass
        const std::uint32_t some = lanes & (p[1] | 1U << (p[2] % 32));
        lanes_to_p4(some);
        return meet(some, p[3], "@P4 ");
    }
    case 3:
        return meet(lanes, p[1], agreed_guard(true));
    case 4:
        return meet(lanes, p[1], p[2] % 2 == 0 ? agreed_guard(false) : "@!PT ");
    default:
        return meet(lanes, p[1]);
    }
}

/// Groups of lanes that agree in some bits of their number, each lane with its group's mask.
void Emitter::meet_groups(const Node &node) {
    static constexpr std::uint32_t kGroups[][2] = {{1, 0x55555555}, {3, 0x11111111}, {7, 0x01010101}, {15, 0x00010001}};
    const auto &group = kGroups[node.p[1] % 4];
    out_.line("LOP3 R24, R8, {:#x}, RZ, 0xc0", group[0]);
    out_.line("MOV R25, {:#x}", group[1]);
    out_.line("SHL R24, R25, R24");
    out_.line("LOP3 R24, R24, {:#x}, RZ, 0xc0", here().lanes);
    if (node.p[2] % 4 == 0) {
        out_.line("LOP3 R24, R24, RZ, RZ, 0x0f");
        return out_.line("WARPSYNC ~R24");
    }
    out_.line("WARPSYNC R24");
}

/// Each lane passes a value to a partner: the lane whose number differs in one bit, if it is one of `lanes`.
void Emitter::exchange(const Node &node) {
    const auto &p = node.p;
    if (!together_possible()) {
        return;
    }
    const std::uint32_t lanes = here().lanes;
    if (p[0] % 3 == 0) {
        return lane_operation(node, lanes);
    }
    uses_shared_ = true;
    const std::uint32_t bit = 1U << (p[1] % 5);
    out_.line("STS [R15], {}", data(p[2]));
    meet(lanes, p[3]);
    out_.line("LOP3 R25, R8, {:#x}, RZ, 0x3c", bit);
    out_.line("MOV R24, {:#x}", lanes);
    out_.line("SHR R24, R24, R25");
    out_.line("LOP3 R24, R24, 0x1, RZ, 0xc0");
    out_.line("ISETP.NE.AND P4, PT, R24, RZ, PT");
    out_.line("LOP3 R25, R9, {:#x}, RZ, 0x3c", bit);
    out_.line("ISETP.LT.AND P4, PT, R25, {:#x}, P4", tree_.threads); // the last warp may be partial
    out_.line("SEL R25, R25, R9, P4");
    out_.line("LEA R25, R25, {:#x}, 0x2", kSharedExchange);
    out_.line("LDS {}, [R25]", data(p[4]));
    meet(lanes, p[5]);
}

/// Operations between lanes, where a meeting has determined which lanes execute.
void Emitter::lane_operation(const Node &node, std::uint32_t lanes) {
    const auto &p = node.p;
    const std::string d = data(p[1]);
    const std::string a = data(p[2]);
    meet(lanes, p[3]);
    const std::string guarded = p[5] % 2 == 0 ? guard(p[5] >> 4) : "";
    switch (p[4] % 5) {
    case 0:
        return out_.instruction(guarded, fmt::format("VOTE.{} {}, P{}, {}",
                                                     p[5] % 3 == 0   ? "ALL"
                                                     : p[5] % 3 == 1 ? "ANY"
                                                                     : "EQ",
                                                     d, p[1] % 4, predicate(p[2])));
    case 1:
        return out_.instruction(guarded, fmt::format("MATCH.{} {}, {}", p[5] % 2 == 0 ? "ANY" : "ALL", d, a));
    case 2: {
        static constexpr const char *kOperations[] = {"ADD", "MIN", "MAX", "AND", "OR", "XOR"};
        return out_.instruction(guarded, fmt::format("REDUX.{} {}, {}", kOperations[p[5] % 6], d, a));
    }
    case 3: {
        static constexpr const char *kModes[] = {"IDX", "UP", "DOWN", "BFLY"};
        return out_.instruction(guarded, fmt::format("SHFL.{} P{}, {}, {}, {:#x}, {:#x}", kModes[p[5] % 4], p[1] % 4, d,
                                                     a, (p[5] >> 4) % 32, p[5] % 4 == 1 ? 0 : 0x1f));
    }
    default:
        if (!guarded.empty()) {
            return out_.instruction(guarded, fmt::format("R2UR UR9, {}", a));
        }
        out_.line("R2UR UR11, {}", a);
        return out_.line("IADD3 {}, {}, UR11, RZ", d, d);
    }
}

/// After a meeting the result of BRA.U, BRA.DIV and BRA.CONV is known.
std::string Emitter::known_guard(const Node &node) {
    const auto &p = node.p;
    std::string guarded = "@" + predicate(p[1]) + " ";
    switch (p[5] % 5) {
    case 0:
        guarded.clear();
        break;
    case 1: // a guard that is uniform within a warp
        out_.line("LOP3 R24, R10, 0x1, RZ, 0xc0");
        out_.line("ISETP.EQ.AND P4, PT, R24, RZ, PT");
        guarded = (p[5] >> 8) % 2 == 0 ? "@P4 " : "@!P4 ";
        break;
    case 2: // one in which few lanes differ
        lanes_to_p4(p[1] | p[2] | p[3]);
        guarded = "@P4 ";
        break;
    default:
        break;
    }
    return guarded;
}

void Emitter::known_branch(const Node &node) {
    const auto &p = node.p;
    if (!together_possible()) {
        return;
    }
    const std::uint32_t lanes = here().lanes;
    static constexpr const char *kConditions[] = {"U", "DIV", "CONV"};
    const unsigned condition = p[0] % 3;
    const std::string guarded = known_guard(node);
    const bool with_mask = condition != 0 && (p[2] % 2 == 0 || lanes != kAllLanes);
    const std::string target = out_.new_label();
    const std::string also = p[4] % 5 == 0 ? predicate(p[4] >> 4) + ", " : "";
    const std::uint32_t members = p[3] % 3 == 0 ? lanes : p[3] & lanes;
    const bool inverted = p[4] % 2 == 0;
    const std::string uniform = with_mask ? own_uniform(inverted ? ~members : members) : "";
    if (with_mask && uniform.empty()) {
        return;
    }
    if (with_mask) {
        meet(lanes, p[2] >> 4);
        out_.instruction(guarded, fmt::format("BRA.{} {}{}{}, {}", kConditions[condition], also, inverted ? "~" : "",
                                              uniform, target));
    } else {
        meet(lanes, p[2] >> 4);
        out_.instruction(guarded, fmt::format("BRA.{} {}{}", kConditions[condition], also, target));
    }
    out_.line("IADD3 {0}, {0}, {1:#x}, RZ", data(p[3]), 1 + p[5] % 1000);
    out_.place(target);
}

/// Thread t waits until thread t - distance has passed on its value.
void Emitter::chain(const Node &node) {
    const auto &p = node.p;
    const std::uint32_t distance = tree_.threads <= 16 ? 1 + p[0] % 3 : tree_.threads <= 64 ? 4 + p[0] % 13 : 32;
    if (!whole_cta() || !here().once || exits_ || chains_ >= kMaxChains || tree_.threads > 128) {
        return;
    }
    const std::uint32_t threads = tree_.ctas * tree_.threads;
    const unsigned first_word = 2 * threads * chains_++;
    const std::string value = data(p[1]);
    const std::string spin = out_.new_label();
    const std::string got = out_.new_label();
    const std::string go = out_.new_label();
    const std::string end = out_.new_label();
    const std::string b = wish(p[2]);
    const std::string inner = wish(p[2] >> 8);
    out_.line("S2R R24, SR_CTAID.X");
    out_.line("IMAD R24, R24, {:#x}, R9", tree_.threads);
    out_.line("LEA R24, R24, {:#x}, 0x1", first_word);
    out_.line("IMAD.WIDE.U32 R[32:33], R24, R11, c[0x0][0x178]");
    out_.line("ISETP.GE.U32.AND P4, PT, R9, {:#x}, PT", distance);
    out_.line("BSSY {}, {}", b, end);
    jump(go, "@!P4 ", "", p[3]);
    out_.place(spin);
    const bool region = p[5] % 3 == 0;
    if (region) {
        out_.line("BSSY {}, {}", inner, got);
    }
    out_.line("LDG.CG R24, [R[32:33]+-{:#x}]", 8 * distance);
    out_.line("ISETP.NE.AND P5, PT, R24, RZ, PT");
    jump(got, "@P5 ", "", p[3] >> 5);
    let_others_run(p[4], 5 + p[5] % 300);
    if (region) {
        out_.line("BSYNC {}", inner);
    }
    out_.line("BRA {}", spin);
    out_.place(got);
    out_.line("LDG.CG R25, [R[32:33]+-{:#x}]", 8 * distance - 4);
    out_.line("IADD3 {0}, {0}, R25, R8", value);
    out_.place(go);
    out_.line("STG [R[32:33]+0x4], {}", value);
    out_.line("MEMBAR.GPU");
    out_.line("STG [R[32:33]], R11");
    out_.place(end);
    out_.line("BSYNC {}", b);
}

/// The operands of an arrival in any form; `pp` is "" or the predicate of BAR.RED. Sets register bits that the
/// instruction does not use.
std::string Emitter::arrival(const std::string &operation, std::uint32_t id, std::uint32_t count, const std::string &pp,
                             std::uint32_t raw) {
    const std::string tail = pp.empty() ? "" : ", " + pp;
    const std::uint32_t noise = raw & 0xffff0000;
    switch (raw % 6) {
    case 0:
        if (!pp.empty()) { // BAR.RED: one register for both
            out_.line("MOV R28, {:#x}", noise | count << 4 | id);
            return fmt::format("{} R28{}", operation, tail);
        }
        out_.line("MOV R28, {:#x}", noise | 0xff00 | id);
        out_.line("MOV R29, {:#x}", noise | count);
        return fmt::format("{} R28, R29", operation);
    case 1:
        out_.line("MOV R28, {:#x}", noise | 0x1230 | id);
        return fmt::format("{} R28, {:#x}{}", operation, count, tail);
    case 2:
        out_.line("MOV R29, {:#x}", noise | count);
        return fmt::format("{} {:#x}, R29{}", operation, id, tail);
    case 3:
        if (count == 0 && pp.empty()) {
            return fmt::format("{} {:#x}", operation, id);
        }
        [[fallthrough]];
    default:
        return fmt::format("{} {:#x}, {:#x}{}", operation, id, count, tail);
    }
}

/// BAR.SYNC of all warps; the threads are together.
void Emitter::arrive_all(std::uint32_t id, std::uint32_t raw) {
    const std::uint32_t count = !exits_ && (raw >> 8) % 2 == 0 ? 32 * warps() : 0;
    out_.line("{}", arrival("BAR.SYNC", id, count, "", raw));
}

/// A guard of an arrival: none, true, false, or true in some lanes of each warp. With exits lane 0 may have exited,
/// and the last form may be true in no lane.
std::string Emitter::team_guard(std::uint32_t raw) {
    switch (raw % 8) {
    case 0:
        return agreed_guard(true);
    case 1:
        return agreed_guard(false);
    case 2:
    case 3:
        if (exits_) {
            return "";
        }
        out_.line("LOP3 R25, R8, {:#x}, RZ, 0xc0", 1U << (raw >> 4) % 5);
        out_.line("ISETP.EQ.AND P5, PT, R25, RZ, PT");
        return "@P5 ";
    default:
        return "";
    }
}

void Emitter::barrier(const Node &node) {
    const auto &p = node.p;
    if (!whole_cta()) {
        return;
    }
    const std::uint32_t id = p[0] % 16;
    const bool values = p[1] % 2 == 0;
    if (values) {
        offer_values(node);
    }
    meet(kAllLanes, p[3]);
    const std::uint32_t count = !exits_ && p[4] % 2 == 0 ? 32 * warps() : 0;
    const std::string arrives = arrival("BAR.SYNC", id, count, "", p[5]);
    out_.instruction(team_guard(p[4] >> 1), arrives);
    if (values) {
        pass_values(node);
    }
}

/// Where values are passed: a word of the exchange area in shared memory, or of the thread's own global memory.
std::string Emitter::offered_word(const Node &node) {
    return (node.p[4] >> 9) % 3 == 0 ? "" : fmt::format("+{:#x}", (node.p[4] >> 12) % 16 * 4);
}

/// Each thread stores a value that another one reads after a barrier; in global memory after another store, so that it
/// is still in the queue when the warp arrives.
void Emitter::offer_values(const Node &node) {
    const auto &p = node.p;
    const std::string word = offered_word(node);
    if (word.empty()) {
        uses_shared_ = true;
        out_.line("STS [R15], {}", data(p[2]));
        return;
    }
    out_.line("STG [R[12:13]+{:#x}], {}", (p[4] >> 16) % 16 * 4, data(p[2] >> 8));
    out_.line("STG [R[12:13]{}], {}", word, data(p[2]));
    if ((p[4] >> 24) % 2 == 0) { // adds 0 and evicts the line from the L1, so that the reader has to wait for it
        out_.line("RED.ADD [R[12:13]{}], RZ", word);
    }
}

/// Threads read values that threads of another warp have stored. The owner writes again after the next barrier, when
/// the load may still be under way, and uses its word when it has arrived.
void Emitter::pass_values(const Node &node) {
    const auto &p = node.p;
    const std::string word = offered_word(node);
    arrive_all((p[0] + p[1]) % 16, p[5] >> 12); // the arrival above may have had a false guard
    out_.line("LOP3 R25, R9, {:#x}, RZ, 0x3c", 1U << (5 + p[0] % 3));
    out_.line("ISETP.LT.AND P4, PT, R25, {:#x}, PT", tree_.threads);
    out_.line("SEL R25, R25, R9, P4");
    if (word.empty()) {
        out_.line("LEA R25, R25, {:#x}, 0x2", kSharedExchange);
        out_.line("LDS {}, [R25]", data(p[2] >> 4));
    } else {
        out_.line("IADD3 R25, R25, -R9, RZ");
        out_.line("MOV R24, 0x40");
        out_.line("IMAD.WIDE R[26:27], R25, R24, R[12:13]");
        out_.line("LDG{} {}, [R[26:27]{}]", (p[4] >> 20) % 4 == 0 ? ".CG" : "", data(p[2] >> 4), word);
    }
    arrive_all((p[0] + p[2]) % 16, p[5] >> 3);
    if (!word.empty()) {
        out_.line("STG [R[12:13]{}], {}", word, data(p[2] >> 12));
        out_.line("LOP3 R25, {}, R25, RZ, 0x3c", data(p[2] >> 4));
        out_.line("LDG {}, [R[12:13]{}]", data(p[2] >> 16), word);
    }
}

void Emitter::reduce(const Node &node) {
    const auto &p = node.p;
    if (!whole_cta()) {
        return;
    }
    const std::uint32_t id = p[0] % 16;
    const std::uint32_t count = !exits_ && p[1] % 2 == 0 ? 32 * warps() : 0;
    const std::string operation = fmt::format("BAR.RED.{}", kReductions[p[2] % 3]);
    meet(kAllLanes, p[3]);
    std::string contribution = predicate(p[5]);
    if (p[3] % 2 == 0) {
        // True, or false, in one lane of each warp: AND and OR depend on whether that lane takes part.
        lanes_to_p4(1U << (p[5] >> 8) % 32);
        contribution = p[5] % 2 == 0 ? "P4" : "!P4";
    }
    const std::string arrives = arrival(operation, id, count, contribution, p[4] >> 8);
    out_.instruction(team_guard(p[4]), arrives);
    out_.instruction(guard(p[0] >> 4), fmt::format("B2R.RESULT {}, P{}", data(p[5] >> 4), p[5] % 4));
    if (p[1] % 3 == 0) {
        out_.instruction(guard(p[2] >> 4), fmt::format("B2R.WARP {}", data(p[5] >> 8)));
    }
    if (p[0] % 4 == 0) { // the word, saved and restored, gives the same result again
        out_.line("B2R.WARP R30");
        out_.instruction(team_guard(p[1] >> 8), fmt::format("R2B.WARP {}", data(p[5] >> 12)));
        out_.line("R2B.WARP R30");
        out_.line("B2R.RESULT {}", data(p[5] >> 6));
    }
}

/// Even warps arrive and continue; odd ones wait for them.
void Emitter::producer(const Node &node) {
    const auto &p = node.p;
    if (!whole_cta() || exits_ || warps() < 2) {
        return;
    }
    uses_shared_ = true;
    const std::uint32_t count = 32 * warps();
    const std::uint32_t id = 1 + p[0] % 15;
    out_.line("LOP3 R24, R10, 0x1, RZ, 0xc0");
    out_.line("ISETP.EQ.AND P4, PT, R24, RZ, PT");
    out_.line("@P4 STS [R15], {}", data(p[1]));
    out_.line("MEMBAR.CTA");
    meet(kAllLanes, p[2]);
    if (p[5] % 3 == 0) {
        out_.instruction("@P4 ", arrival("BAR.ARV", id, count, "", p[3]));
        out_.instruction("@!P4 ", arrival("BAR.SYNC", id, count, "", p[4]));
    } else {
        arrive_by_parity(id, kAllLanes, node);
        meet(kAllLanes, p[5] >> 4);
    }
    out_.line("LOP3 R25, R9, 0x20, RZ, 0x3c");
    out_.line("LEA R25, R25, {:#x}, 0x2", kSharedExchange);
    out_.line("@!P4 LDS {}, [R25]", data(p[1] >> 4));
    arrive_all(0, p[5]);
}

/// Some lanes of each warp arrive on its behalf while the others are at other places, have yielded or sleep.
void Emitter::part_barrier(const Node &node) {
    const auto &p = node.p;
    if (!whole_cta() || exits_) {
        return;
    }
    const std::uint32_t lanes = p[0] | 1U;
    const std::string part = out_.new_label();
    const std::string end = out_.new_label();
    const std::string b = wish(p[1]);
    meet(kAllLanes, p[2]);
    lanes_to_p4(lanes);
    out_.line("BSSY {}, {}", b, end);
    jump(part, "@P4 ", "", p[3]);
    out_.line("IMAD {0}, {0}, {0}, R9", data(p[1] >> 4));
    switch (p[1] % 4) {
    case 0:
        out_.line("NANOSLEEP {:#x}", 200 + p[1] % 1000);
        break;
    case 1:
        out_.line("YIELD");
        break;
    default:
        break;
    }
    jump(end, "", "", p[3] >> 5);
    out_.place(part);
    meet(lanes, p[5]);
    part_arrival(node);
    out_.place(end);
    out_.line("BSYNC {}", b);
    meet(kAllLanes, p[2] >> 4);
    // Warps that have not waited may be far ahead: no warp uses that barrier again before all have finished with it
    // here.
    arrive_all((p[4] + 1) % 16, p[5] >> 16);
}

/// Warps with a true P4 arrive and continue, the others wait; each warp branches as a whole.
void Emitter::arrive_by_parity(std::uint32_t id, std::uint32_t lanes, const Node &node) {
    const auto &p = node.p;
    const std::string skip = out_.new_label();
    const std::string after = out_.new_label();
    out_.line("BRA{} !P4, {}", p[5] % 2 == 0 ? ".U" : "", skip);
    arrival_by_parity(id, lanes, node, true);
    out_.line("BRA {}", after);
    out_.place(skip);
    arrival_by_parity(id, lanes, node, false);
    out_.place(after);
}

/// One of the two paths: if `arrives`, arrive and continue, otherwise wait.
void Emitter::arrival_by_parity(std::uint32_t id, std::uint32_t lanes, const Node &node, bool arrives) {
    const auto &p = node.p;
    const std::uint32_t count = 32 * warps();
    if (!arrives) {
        meet(lanes, p[2] >> 12);
        return out_.line("{}", arrival("BAR.SYNC", id, count, "", p[5] >> 8));
    }
    meet(lanes, p[2] >> 8);
    const std::string guarded = team_guard(p[2] >> 16);
    out_.instruction(guarded, arrival("BAR.ARV", id, count, "", p[5] >> 4));
    if (guarded == "@P6 ") {
        out_.instruction("@!P6 ", arrival("BAR.ARV", id, count, "", p[5] >> 6)); // if it was false
    }
}

/// One barrier operation of the lanes that are together here, including lane 0.
void Emitter::part_arrival(const Node &node) {
    const auto &p = node.p;
    const std::uint32_t id = p[4] % 16;
    switch ((p[4] >> 4) % 8) {
    case 6:
    case 7:
        return lane_operation(node, p[0] | 1U);
    case 0: // even warps arrive and continue
        if (warps() > 1) {
            out_.line("LOP3 R24, R10, 0x1, RZ, 0xc0");
            out_.line("ISETP.EQ.AND P4, PT, R24, RZ, PT");
            return arrive_by_parity(id, p[0] | 1U, node);
        }
        [[fallthrough]];
    case 1:
    case 2: {
        const std::string arrives = arrival("BAR.SYNC", id, p[5] % 2 * 32 * warps(), "", p[5] >> 4);
        return out_.instruction(team_guard(p[2] >> 12), arrives);
    }
    case 3:
        out_.line("B2R.WARP R30");
        out_.instruction(team_guard(p[2] >> 12), fmt::format("R2B.WARP {}", data(p[2])));
        out_.line("R2B.WARP R30");
        // No warp uses this barrier now: it is idle, and is set to idle.
        return out_.instruction(team_guard(p[2] >> 20), fmt::format("R2B.BAR {:#x}, RZ", id));
    default: {
        const std::string operation = fmt::format("BAR.RED.{}", kReductions[p[2] % 3]);
        const std::string arrives = arrival(operation, id, p[5] % 2 * 32 * warps(), predicate(p[2]), p[5] >> 4);
        out_.instruction(team_guard(p[2] >> 12), arrives);
        return out_.instruction(guard(p[5] >> 8), fmt::format("B2R.RESULT {}", data(p[2] >> 4)));
    }
    }
}

/// Barrier state is saved while the barrier is half complete, used for something else, and restored: the barrier then
/// completes as it would have.
void Emitter::context(const Node &node) {
    const auto &p = node.p;
    if (!whole_cta() || exits_) {
        return;
    }
    const std::uint32_t half = 1 + p[0] % 7;
    const std::uint32_t fence = 8 + p[1] % 8;
    const std::uint32_t count = 32 * warps();
    out_.line("ISETP.EQ.AND P4, PT, R10, RZ, PT"); // warp 0
    meet(kAllLanes, p[2]);
    out_.line("{}", arrival("BAR.RED.POPC", fence, 0, predicate(p[3]), p[4]));
    if (warps() > 1) {
        out_.instruction("@P4 ", arrival("BAR.ARV", half, count, "", p[4] >> 4));
    }
    arrive_all(fence, p[5]);
    out_.line("B2R.BAR {}, {:#x}", data(p[2] >> 4), half);
    out_.line("B2R.BAR R30, {:#x}", half);
    out_.line("B2R.WARP R31");
    arrive_all(fence, p[5] >> 2);
    out_.instruction(team_guard(p[2] >> 8), fmt::format("R2B.BAR {:#x}, RZ", half));
    out_.line("R2B.BAR {:#x}, RZ", half);
    arrive_all(fence, p[5] >> 4);
    out_.line("{}", arrival("BAR.RED.AND", half, 0, predicate(p[3] >> 4), p[4] >> 8));
    out_.line("B2R.RESULT {}, P{}", data(p[3] >> 8), p[3] % 4);
    arrive_all(fence, p[5] >> 6);
    out_.instruction(team_guard(p[2] >> 16), fmt::format("R2B.BAR {:#x}, R30", half));
    out_.line("R2B.BAR {:#x}, R30", half);
    out_.line("R2B.WARP R31");
    arrive_all(fence, p[5] >> 8);
    if (warps() > 1) {
        out_.instruction("@!P4 ", arrival("BAR.SYNC", half, count, "", p[4] >> 12));
    }
    out_.line("B2R.RESULT {}", data(p[3] >> 12));
    arrive_all(fence, p[5] >> 10); // warp 0 has not waited at the barrier above
}

} // namespace smsim::fuzz
