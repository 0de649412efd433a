// Statements that change which threads execute what: branches in all forms, loops, jump tables, calls, exits, locks.
#include <algorithm>
#include <bit>

#include "tb/fuzz/programs/emitter.h"

namespace smsim::fuzz {
namespace {

/// Loop counters: two for the main body, one for each function.
constexpr unsigned kBodyLoops = 2;
constexpr unsigned kContenders = 24; ///< threads that contend for one lock; more would only cost time

} // namespace

std::uint32_t Emitter::spread(std::uint32_t raw) {
    // Masks of all densities: few lanes, half of them, most of them.
    switch (raw % 5) {
    case 0:
        return raw * 0x9e3779b1;
    case 1:
        return 0xffffU << ((raw >> 8) % 17);
    case 2:
        return 1U << ((raw >> 8) % 32);
    case 3:
        return 0x55555555U << ((raw >> 8) % 2);
    default:
        return ~(1U << ((raw >> 8) % 32));
    }
}

/// A jump to `label` by any instruction that can jump, taken by the threads that `guard` and `second` choose.
void Emitter::jump(const std::string &label, const std::string &guard, const std::string &second, std::uint32_t raw) {
    const auto put = [&](const std::string &text) {
        note_jump(label, !guard.empty() || !second.empty());
        out_.instruction(guard, text);
    };
    // Relative targets count from the address after the jump, so a label is placed there.
    const std::string behind = out_.new_label();
    const char *name = (raw >> 8) % 2 == 0 ? "CALL" : "RET";
    switch (raw % 22) {
    case 0:
        put(fmt::format("BRX {}{}", second, out_.constant32(label + " - " + behind)));
        break;
    case 1:
        out_.line("MOV R38, {}", out_.constant32(label + " - " + behind));
        put(fmt::format("BRX {}R38, 0x0", second));
        break;
    case 2:
        out_.line("UMOV UR6, {}", out_.constant32(label + " - " + behind));
        put(fmt::format("BRX {}UR6, 0x0", second));
        break;
    case 3:
        put(fmt::format("{}.ABS {}{}", name, second, out_.constant64(label)));
        break;
    case 4:
        put(fmt::format("{}.REL {}{}", name, second, out_.constant64(label + " - " + behind)));
        break;
    case 5:
        out_.line("LEPC R[38:39], `({} - .)", label);
        put(fmt::format("{}.ABS {}R[38:39], 0x0", name, second));
        break;
    case 6:
        out_.line("LDC.64 R[38:39], c[0x3][RZ+{:#x}]", out_.constant64_offset(label + " - " + behind));
        put(fmt::format("{}.REL {}R[38:39], 0x0", name, second));
        break;
    case 7: {
        const unsigned offset = out_.constant64_offset(label);
        out_.line("UMOV UR6, c[0x3][{:#x}]", offset);
        out_.line("UMOV UR7, c[0x3][{:#x}]", offset + 4);
        put(fmt::format("{}.ABS {}UR[6:7], 0x0", name, second));
        break;
    }
    case 8: {
        out_.line("UMOV UR6, 0x40");
        out_.line("UMOV UR7, 0x0");
        put(fmt::format("{}.REL {}UR[6:7], `({} - {} - 0x40)", name, second, label, behind));
        break;
    }
    case 9:
        put(fmt::format("CALL.REL {}{}", second, label));
        break;
    default:
        put(fmt::format("BRA {}{}", second, label));
        break;
    }
    out_.place(behind);
}

/// P4 = this lane is one of `lanes`.
void Emitter::lanes_to_p4(std::uint32_t lanes) {
    out_.line("MOV R24, {:#x}", lanes);
    out_.line("SHR R24, R24, R8");
    out_.line("LOP3 R24, R24, 0x1, RZ, 0xc0");
    out_.line("ISETP.NE.AND P4, PT, R24, RZ, PT");
}

void Emitter::note_jump(const std::string & /*label*/, bool /*conditional*/) {}

Emitter::Parting Emitter::part_if(const Node &node, Scope &then, Scope &otherwise) {
    const auto &p = node.p;
    then = here();
    ++then.depth;
    otherwise = then;
    switch (p[0] % 5) {
    case 0:
    case 1: { // by lane: it is known which lane goes where
        const std::uint32_t lanes = spread(p[1]);
        lanes_to_p4(lanes);
        then.lanes &= lanes;
        otherwise.lanes &= ~lanes;
        return {"@!P4 ", ""};
    }
    case 2: // by warp
        out_.line("LOP3 R24, R10, {:#x}, RZ, 0xc0", 1U << (p[1] % 2));
        out_.line("ISETP.NE.AND P4, PT, R24, RZ, PT");
        then.all_warps = otherwise.all_warps = false;
        return {"@!P4 ", ""};
    default:
        then.exact = otherwise.exact = false;
        return {"@" + predicate(p[1]) + " ", second(p[2])};
    }
}

void Emitter::branch_if(const Node &node) {
    const auto &p = node.p;
    if (node.blocks.empty()) {
        return;
    }
    Scope then;
    Scope otherwise;
    const auto [condition, also] = part_if(node, then, otherwise);
    const std::string end = out_.new_label();
    const std::string other = out_.new_label();
    const std::string b = wish(p[3]);
    const bool wished = p[3] % 9 != 0;
    if (wished) {
        out_.instruction((p[3] >> 8) % 10 == 0 ? guard(p[3] >> 12) : "", fmt::format("BSSY {}, {}", b, end));
    }
    const bool has_else = node.blocks.size() > 1;
    if (p[5] % 12 == 0) {
        // Uniform if possible, otherwise per thread: how compilers translate a branch that is mostly uniform.
        out_.instruction(condition, fmt::format("BRA.U {}{}", also, has_else ? other : end));
    }
    jump(has_else ? other : end, condition, also, p[4]);
    regions_.push_back({end, p[3], scopes_.size()});
    block(node.blocks[0], then);
    if (has_else) {
        jump(end, "", "", p[5]);
        out_.place(other);
        block(node.blocks[1], otherwise);
    }
    regions_.pop_back();
    out_.place(end);
    if (wished) {
        out_.instruction((p[4] >> 8) % 12 == 0 ? guard(p[4] >> 12) : "", fmt::format("BSYNC {}", b));
    } else if (together_possible() && (p[4] >> 8) % 3 == 0) {
        meet(here().lanes, p[4] >> 12);
    }
}

/// Sets the counter of a loop and returns what is known in its body; empty if no counter is free.
std::string Emitter::begin_loop(const Node &node, Scope &body) {
    const auto &p = node.p;
    const unsigned most = in_function_ ? kBodyLoops + function_ : kBodyLoops;
    if (node.blocks.empty() || here().loops >= most) {
        return {};
    }
    // Whatever a later turn of the loop may meet must be expected in an earlier one.
    exits_ = exits_ || contains(node.blocks[0], Kind::kExit);
    body = here();
    std::string counter = fmt::format("R{}", 16 + body.loops);
    ++body.loops;
    ++body.depth;
    body.once = false;
    body.exact = body.exact && !contains(node.blocks[0], Kind::kBreakOut);
    const bool uniform = p[0] % 3 == 0;
    if (uniform) {
        out_.line("MOV {}, {:#x}", counter, 1 + p[1] % 3);
    } else {
        out_.line("LOP3 {}, {}, {:#x}, RZ, 0xc0", counter, source(p[1]), body.depth > 2 ? 1 : 3);
        body.exact = false;
    }
    return counter;
}

void Emitter::loop(const Node &node) {
    const auto &p = node.p;
    Scope body;
    const std::string counter = begin_loop(node, body);
    if (counter.empty()) {
        return;
    }
    const std::string head = out_.new_label();
    const std::string end = out_.new_label();
    const std::string b = wish(p[2]);
    const bool wished = p[2] % 7 != 0;
    if (wished) {
        out_.line("BSSY {}, {}", b, end);
    }
    regions_.push_back({end, p[2], scopes_.size()});
    out_.place(head);
    const bool test_first = p[3] % 2 == 0;
    if (test_first) {
        out_.line("ISETP.LE.AND P4, PT, {}, RZ, PT", counter);
        jump(end, "@P4 ", "", p[4]);
    }
    block(node.blocks[0], body);
    out_.line("IADD3 {0}, {0}, -0x1, RZ", counter);
    if (test_first) {
        jump(head, "", "", p[5]);
    } else {
        out_.line("ISETP.GT.AND P4, PT, {}, RZ, PT", counter);
        jump(head, "@P4 ", "", p[5]);
    }
    regions_.pop_back();
    out_.place(end);
    if (wished) {
        out_.line("BSYNC {}", b);
    }
}

void Emitter::jump_table(const Node &node) {
    const auto &p = node.p;
    const unsigned cases = static_cast<unsigned>(node.blocks.size());
    if (cases == 0) {
        return;
    }
    Scope scope = here();
    scope.exact = false;
    ++scope.depth;
    const std::string end = out_.new_label();
    const std::string b = wish(p[0]);
    std::vector<std::string> labels;
    const std::string behind = out_.new_label();
    unsigned first = 0;
    for (unsigned i = 0; i < 4; ++i) {
        if (i < cases) {
            labels.push_back(out_.new_label());
        }
        const unsigned offset = out_.constant32_offset(labels[i % cases] + " - " + behind);
        first = i == 0 ? offset : first;
    }
    out_.line("BSSY {}, {}", b, end);
    out_.line("LOP3 R24, {}, 0x3, RZ, 0xc0", source(p[1]));
    out_.line("SHL R24, R24, 0x2");
    out_.line("LDC R24, c[0x3][R24+{:#x}]", first);
    out_.instruction(p[2] % 4 == 0 ? "@" + predicate(p[2] >> 4) + " " : "",
                     fmt::format("BRX {}R24, 0x0", second(p[3])));
    out_.place(behind);
    regions_.push_back({end, p[0], scopes_.size()});
    for (unsigned i = 0; i < cases; ++i) {
        // Threads that do not jump go through the cases one after another.
        out_.place(labels[i]);
        block(node.blocks[i], scope);
        if ((p[4] >> i) % 4 != 0) {
            jump(end, "", "", p[5] >> i);
        }
    }
    regions_.pop_back();
    out_.place(end);
    out_.line("BSYNC {}", b);
}

void Emitter::call(const Node &node) {
    const auto &p = node.p;
    const unsigned count = static_cast<unsigned>(tree_.functions.size());
    if (function_ >= count || in_lock_) {
        return;
    }
    const unsigned index = function_ + p[0] % (count - function_);
    called_[index] = true;
    const std::string back = out_.new_label();
    // Puts the return address where this function looks for it.
    out_.line("LEPC R[{}:{}], `({} - .)", 26 + 2 * index, 27 + 2 * index, back);
    const std::string b = wish(p[1]);
    const bool wished = p[1] % 3 != 0;
    if (wished) {
        out_.line("BSSY {}, {}", b, back);
    }
    const std::string name = fmt::format("function{}", index);
    jump(name, p[2] % 4 == 0 ? "@" + predicate(p[2] >> 4) + " " : "", second(p[3]), p[4]);
    out_.place(back);
    if (wished) {
        out_.line("BSYNC {}", b);
    }
}

void Emitter::function(unsigned index) {
    in_function_ = true;
    function_ = index + 1;
    Scope scope;
    scope.exact = false;
    scope.once = false;
    scope.loops = kBodyLoops + index; // the callers' counters are in use
    scope.depth = 2;
    out_.place(fmt::format("function{}", index));
    block(tree_.functions[index], scope);
    return_to_caller(index);
    in_function_ = false;
}

/// Returns to the address that the caller has left for function `index`.
void Emitter::return_to_caller(unsigned index) {
    const unsigned low = 26 + 2 * index;
    if (tree_.data_seed % 3 == 0) {
        const std::string behind = out_.new_label();
        out_.line("LEPC R[38:39], `({} - .)", behind);
        out_.line("IADD3 R38, P6, R{}, -R38, RZ", low);
        out_.line("IADD3.X R39, PT, R{}, -R39, RZ, P6", low + 1);
        out_.line("RET.REL R[38:39], 0x0");
        out_.place(behind);
    } else {
        out_.line("RET.ABS R[{}:{}], 0x0", low, low + 1);
    }
}

void Emitter::break_out(const Node &node) {
    const auto &p = node.p;
    if (regions_.empty() || in_lock_) {
        return;
    }
    const std::size_t target = regions_.size() - 1 - p[0] % regions_.size();
    const std::string condition = "@" + predicate(p[1]) + " ";
    const std::string also = second(p[3]);
    for (std::size_t i = regions_.size(); i-- > target;) {
        if ((p[2] >> i) % 8 != 0) {
            out_.instruction(condition, fmt::format("BREAK {}{}", also, wish(regions_[i].barrier)));
        }
    }
    jump(regions_[target].end, condition, also, p[4]);
    for (std::size_t i = regions_[target].scope; i < scopes_.size(); ++i) {
        scopes_[i].exact = false;
    }
}

/// A guard of the threads that end.
std::string Emitter::exit_condition(const Node &node) {
    const auto &p = node.p;
    std::string condition = "@" + predicate(p[1]) + " ";
    if (p[0] % 3 == 0) {
        lanes_to_p4(spread(p[1]) & spread(p[2]));
        condition = "@P4 ";
    } else if (p[0] % 7 == 1) {
        condition = "@!PT ";
    } else if (p[0] % 7 < 6 && warps() > 1) {
        // Whole warps end, perhaps while others already wait for them at a barrier.
        out_.line("ISETP.{}.U32.AND P4, PT, R9, {:#x}, PT", p[2] % 2 == 0 ? "GE" : "LT",
                  32 * (1 + (p[2] >> 1) % (warps() - 1)));
        condition = "@P4 ";
        if (p[4] % 2 == 0) {
            out_.instruction(condition, "NANOSLEEP 0x1000");
        }
    }
    return condition;
}

void Emitter::exit(const Node &node) {
    const auto &p = node.p;
    if (in_lock_ || in_function_) {
        return;
    }
    const std::string condition = exit_condition(node);
    out_.instruction(condition, p[3] % 3 == 0 ? "EXIT " + predicate(p[3] >> 4) : "EXIT");
    exits_ = true;
}

void Emitter::lock(const Node &node) {
    const auto &p = node.p;
    if (in_lock_ || here().loops > 1 || in_function_) {
        return;
    }
    const bool shared = p[0] % 2 == 0;
    // Few contenders: many would spend the time spinning and show nothing new.
    const std::uint32_t warps_in_all = warps() * (shared ? 1 : tree_.ctas);
    const unsigned per_warp = std::max(1U, kContenders / warps_in_all);
    std::uint32_t lanes = spread(p[2]);
    while (static_cast<unsigned>(std::popcount(lanes)) > per_warp) {
        lanes &= lanes - 1;
    }
    const std::string end = out_.new_label();
    const std::string spin = out_.new_label();
    const std::string skip = out_.new_label();
    const std::string b = wish(p[3]);
    const std::string inner = wish(p[3] >> 8);
    lanes_to_p4(lanes);
    out_.line("BSSY {}, {}", b, end);
    out_.line("@!P4 BRA {}", end);
    out_.line("MOV R36, 0x1");
    std::string lock = fmt::format("R[22:23]+{:#x}", kGlobalLock);
    std::string sum = fmt::format("R[22:23]+{:#x}", kGlobalLock + 4);
    std::string count = fmt::format("R[22:23]+{:#x}", kGlobalLock + 8);
    if (shared) {
        uses_shared_ = true;
        lock = fmt::format("{:#x}", kSharedLock);
        sum = fmt::format("{:#x}", kSharedLock + 4);
        count = fmt::format("{:#x}", kSharedLock + 8);
    }
    const char *space = shared ? "S" : "G";
    out_.place(spin);
    if (p[4] % 3 == 0) {
        out_.line("YIELD");
    }
    out_.line("ATOM{}.CAS R37, [{}], RZ, R36", space, lock);
    out_.line("ISETP.EQ.AND P5, PT, R37, RZ, PT");
    const bool wished = p[4] % 5 < 2;
    if (wished) {
        out_.line("BSSY {}, {}", inner, skip);
    }
    out_.line("@!P5 BRA {}", skip);
    out_.line("LD{} R32, [{}]", shared ? "S" : "G.CG", sum);
    out_.line("LD{} R33, [{}]", shared ? "S" : "G.CG", count);
    in_lock_ = true;
    Scope scope = here();
    scope.exact = false;
    if (!node.blocks.empty()) {
        block(node.blocks[0], scope);
    }
    in_lock_ = false;
    out_.line("IADD3 R32, R32, R9, {}", data(p[1]));
    out_.line("IADD3 R33, R33, 0x1, RZ");
    out_.line("ST{} [{}], R32", space, sum);
    out_.line("ST{} [{}], R33", space, count);
    out_.line("MEMBAR.{}", shared ? "CTA" : "GPU");
    if ((p[4] >> 8) % 2 == 0) {
        out_.line("ATOM{}.EXCH RZ, [{}], RZ", space, lock);
    } else {
        out_.line("ST{} [{}], RZ", space, lock);
    }
    out_.place(skip);
    if (wished) {
        out_.line("BSYNC {}", inner);
    }
    out_.line("ISETP.EQ.AND P5, PT, R37, RZ, PT");
    jump(end, "@P5 ", "", p[5]);
    let_others_run(p[4] >> 12, 10 + (p[5] >> 8) % 200);
    jump(spin, "", "", p[5] >> 5);
    out_.place(end);
    out_.line("BSYNC {}", b);
}

void Emitter::either(const Node &node) {
    const auto &p = node.p;
    if (node.blocks.empty()) {
        return;
    }
    Scope scope = here();
    scope.exact = false;
    ++scope.depth;
    const std::string other = out_.new_label();
    const std::string end = out_.new_label();
    const std::string b = wish(p[0]);
    static constexpr const char *kConditions[] = {"U", "DIV", "CONV"};
    out_.line("BSSY {}, {}", b, end);
    const unsigned condition = p[1] % 3;
    if (condition != 0 && p[2] % 2 == 0) {
        out_.line("UMOV UR4, {:#x}", spread(p[3]));
        out_.instruction(guard(p[4]), fmt::format("BRA.{} {}{}UR4, {}", kConditions[condition], second(p[5]),
                                                  p[2] % 4 == 0 ? "~" : "", other));
    } else {
        out_.instruction(guard(p[4]), fmt::format("BRA.{} {}{}", kConditions[condition], second(p[5]), other));
    }
    regions_.push_back({end, p[0], scopes_.size()});
    block(node.blocks[0], scope);
    jump(end, "", "", p[5] >> 8);
    out_.place(other);
    block(node.blocks[0], scope);
    regions_.pop_back();
    out_.place(end);
    out_.line("BSYNC {}", b);
}

} // namespace smsim::fuzz
