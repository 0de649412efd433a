#include "tb/fuzz/ptx/body_writer.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace smsim::ptx_fuzz {

bool leaves(const std::vector<Node> &nodes) {
    return std::ranges::any_of(nodes, [](const Node &node) {
        const bool itself = node.kind == NodeKind::kBreak || node.kind == NodeKind::kContinue ||
                            node.kind == NodeKind::kReturn || node.kind == NodeKind::kExit;
        return itself || std::ranges::any_of(node.children, leaves);
    });
}

void BodyWriter::line(const std::string &text) {
    body_ += text;
    body_ += '\n';
}

/// The mask as an operand: a number if all warps are full, otherwise a register.
std::string BodyWriter::mask_of(const Context &context) {
    const std::uint32_t mask = context.mask & live_;
    if (program_.tree.threads % 32 == 0) {
        return fmt::format("{:#x}", mask);
    }
    line(fmt::format("and.b32 %q9, %existing, {:#x};", mask));
    return "%q9";
}

/// A predicate from a register, in %p0.
std::string BodyWriter::condition(std::uint32_t random, std::uint32_t other) {
    switch (random >> 8 & 3) {
    case 0:
        line(fmt::format("and.b32 %q0, {}, {};\nsetp.ne.u32 %p0, %q0, 0;", value(random), 1U << (other % 5)));
        break;
    case 1:
        line(fmt::format("setp.lt.s32 %p0, {}, {};", value(random), value(other)));
        break;
    case 2:
        line(fmt::format("setp.gt.u32 %p0, {}, {:#x};", value(random), other));
        break;
    default:
        line(fmt::format("and.b32 %q0, {}, 7;\nsetp.eq.u32 %p0, %q0, {};", value(random), other % 8));
        break;
    }
    return "%p0";
}

void BodyWriter::arithmetic(const Node &node) {
    const std::string d = value(node.random[0]);
    const std::string a = value(node.random[1]);
    const std::string b = value(node.random[2]);
    const std::uint32_t k = node.random[4];
    switch (node.random[3] % 14) {
    case 0:
        return line(fmt::format("add.u32 {}, {}, {};", d, a, b));
    case 1:
        return line(fmt::format("sub.u32 {}, {}, {:#x};", d, a, k));
    case 2:
        return line(fmt::format("mad.lo.u32 {}, {}, {:#x}, {};", d, a, k, b));
    case 3:
        return line(fmt::format("xor.b32 {}, {}, {};", d, a, b));
    case 4:
        return line(fmt::format("shf.l.wrap.b32 {}, {}, {}, {};", d, a, b, k % 32));
    case 5:
        return line(fmt::format("mul.wide.s32 %d0, {}, {};\nmov.b64 {{%q0, {}}}, %d0;", a, b, d));
    case 6:
        return line(fmt::format("or.b32 %q0, {}, 1;\nrem.u32 {}, {}, %q0;", b, d, a));
    case 7:
        return line(fmt::format("min.s32 {}, {}, {};", d, a, b));
    case 8:
        return line(fmt::format("lop3.b32 {}, {}, {}, {}, {:#x};", d, a, b, d, k & 0xff));
    case 9:
        return floating(d, a, b, k);
    case 10:
        return line(fmt::format(
            "mov.b64 %d0, {{{}, {}}};\nadd.u64 %d0, %d0, {:#x};\nshr.u64 %d0, %d0, {};\ncvt.u32.u64 {}, %d0;", a, b, k,
            k % 33, d));
    case 11:
        return line(fmt::format("popc.b32 %q0, {};\nadd.u32 {}, %q0, {};", a, d, b));
    case 12:
        return line(fmt::format("prmt.b32 {}, {}, {}, {:#x};", d, a, b, k & 0xffff));
    default:
        return line(fmt::format("bfe.s32 {}, {}, {}, {};", d, a, k % 32, 1 + (k >> 8) % 16));
    }
}

/// In both precisions; numbers that never become NaN.
void BodyWriter::floating(const std::string &d, const std::string &a, const std::string &b, std::uint32_t random) {
    if (random % 2 == 0) {
        const char *from = (random >> 1) % 2 == 0 ? "s32" : "u32";
        line(fmt::format("cvt.rn.f32.{} %f0, {};\nfma.rn.f32 %f0, %f0, 0f3FC00000, 0f40490FDB;", from, a));
        if ((random >> 2) % 2 == 0) {
            line("mul.rn.f32 %f0, %f0, 0f3F400000;\nadd.rn.f32 %f0, %f0, 0f40490FDB;");
        }
        return line(fmt::format("mov.b32 {}, %f0;", d));
    }
    line(fmt::format("cvt.rn.f64.s32 %e0, {};\ncvt.rn.f64.u32 %e1, {};", a, b));
    line("fma.rn.f64 %e0, %e0, 0d3FF8000000000000, %e1;\nmul.rn.f64 %e1, %e1, 0d3FE8000000000000;");
    line("setp.lt.f64 %p1, %e0, %e1;\nadd.rn.f64 %e0, %e0, %e1;");
    line(fmt::format("mov.b64 {{%q0, {0}}}, %e0;\n@%p1 add.u32 {0}, {0}, %q0;", d));
}

void BodyWriter::predicated(const Node &node) {
    condition(node.random[0], node.random[1]);
    line(fmt::format("@%p0 add.u32 {}, {}, {};", value(node.random[2]), value(node.random[3]), value(node.random[4])));
    line(fmt::format("@!%p0 xor.b32 {}, {}, {:#x};", value(node.random[3]), value(node.random[4]), node.random[5]));
    line(fmt::format("setp.lt.u32 %p1|%p2, {}, {};", value(node.random[4]), value(node.random[5])));
    line(fmt::format("@%p1 mov.u32 {}, {};", value(node.random[5]), value(node.random[1])));
    line(fmt::format("selp.u32 {}, {}, {}, %p2;", value(node.random[2]), value(node.random[2]), value(node.random[0])));
}

/// A word of the thread's own: its space for ld and st, and its address.
void BodyWriter::own_word(std::uint32_t random, std::string &space, std::string &address) {
    const std::uint32_t word = random >> 8 & 3;
    const bool generic = (random >> 12 & 1) != 0;
    const std::array<std::string, 3> spaces = {"global", "shared", "local"};
    const std::string &name = spaces[random % 3];
    if (name == "global") {
        line("add.u64 %d1, %own, 32;");
    } else if (name == "shared") {
        line("mov.u64 %d1, tile;\nmad.wide.u32 %d1, %thread, 16, %d1;");
    } else {
        line("mov.u64 %d1, stack;");
    }
    if (generic) {
        line(fmt::format("cvta.{}.u64 %d1, %d1;", name, name));
    }
    if ((random >> 13 & 1) != 0) { // an index from a register
        line(fmt::format("and.b32 %q1, {}, 3;\nmad.wide.u32 %d1, %q1, 4, %d1;", value(random >> 16)));
        address = "%d1";
    } else {
        address = fmt::format("%d1+{}", 4 * word);
    }
    space = generic ? "" : "." + name;
}

void BodyWriter::memory(const Node &node) {
    std::string space;
    std::string address;
    own_word(node.random[0], space, address);
    const std::string d = value(node.random[1]);
    const std::string a = value(node.random[2]);
    switch (node.random[3] % 6) {
    case 0:
        return line(fmt::format("st{}.u32 [{}], {};", space, address, a));
    case 1:
        return line(fmt::format("ld{}.u32 {}, [{}];", space, d, address));
    case 2:
        return line(fmt::format("st{}.u8 [{}], {};\nld{}.s16 {}, [{}];", space, address, a, space, d, address));
    case 3:
        return line(fmt::format("ld{}.u32 %q2, [{}];\nst{}.u32 [{}], {};\nadd.u32 {}, %q2, {};", space, address, space,
                                address, a, d, a));
    case 4:
        own_word(node.random[0] & ~0x2000U & ~0x300U, space, address);
        return line(fmt::format("st{}.v4.u32 [{}], {{{}, {}, {}, {}}};\nld{}.v2.u32 {{{}, %q2}}, [{}];", space, address,
                                a, d, a, d, space, d, address));
    default:
        return line(fmt::format("st{}.u16 [{}], {};\nld{}.s8 {}, [{}];", space, address, d, space, d, address));
    }
}

void BodyWriter::pass_arguments(const Node &node, std::string_view depth) {
    line("{\n.param .b32 a; .param .b32 b; .param .b64 c; .param .b64 d; .param .b32 e; .param .b32 result;");
    line(fmt::format(
        "st.param.b32 [a], {};\nst.param.b32 [b], {};\nst.param.b64 [c], %own;\nst.param.b64 [d], %common;\n"
        "st.param.b32 [e], {};",
        value(node.random[0]), value(node.random[1]), depth));
}

/// A recursive call, so often that a thread is in up to eight functions for each call from outside. A stack of masks
/// cannot hold it.
void BodyWriter::recurse(const Node &node) {
    if (in_kernel() || program_.tree.engine == ReconvergenceEngineKind::kSimtStack) {
        return;
    }
    const std::string end = label();
    line(fmt::format("setp.eq.u32 %p0, %depth, 0;\n@%p0 bra {};\nsub.u32 %depth, %depth, 1;", end));
    pass_arguments(node, "%depth");
    line(fmt::format("call (result), f{}, (a, b, c, d, e);", node.random[2] % static_cast<unsigned>(function_ + 1)));
    line(fmt::format("ld.param.b32 {}, [result];\n}}\n{}:", value(node.random[3]), end));
}

void BodyWriter::call(const Node &node) {
    const int count = static_cast<int>(program_.tree.functions.size());
    const int first = function_ + 1;
    if (first >= count) {
        return;
    }
    const auto choices = static_cast<std::uint32_t>(count - first);
    pass_arguments(node, "%depth");
    if (node.kind == NodeKind::kCall) {
        line(fmt::format("call (result), f{}, (a, b, c, d, e);", first + static_cast<int>(node.random[2] % choices)));
    } else {
        line(fmt::format("rem.u32 %q0, {}, {};\nadd.u32 %q0, %q0, {};", value(node.random[2]), choices, first));
        line("mov.u64 %d1, functions;\nmad.wide.u32 %d1, %q0, 8, %d1;\nld.global.u64 %d1, [%d1];");
        // A function lists the functions that it may call: others could lead back to it endlessly.
        std::string targets = "SIGNATURE";
        if (!in_kernel()) {
            std::string names;
            for (int i = first; i < count; ++i) {
                names += (i == first ? "f" : ", f") + std::to_string(i);
            }
            targets = label();
            line(fmt::format("{}: .calltargets {};", targets, names));
        }
        line(fmt::format("call (result), %d1, (a, b, c, d, e), {};", targets));
    }
    line(fmt::format("ld.param.b32 {}, [result];\n}}", value(node.random[3])));
}

void BodyWriter::sequence(const std::vector<Node> &nodes, Context context) {
    for (const Node &node : nodes) {
        one(node, context);
    }
}

void BodyWriter::one(const Node &node, Context &context) {
    if (exited_) {
        context.together = false;
    }
    context.whole_cta = context.whole_cta && context.together && all_live_;
    switch (node.kind) {
    case NodeKind::kArithmetic:
        return arithmetic(node);
    case NodeKind::kPredicated:
        return predicated(node);
    case NodeKind::kMemory:
        return memory(node);
    case NodeKind::kCall:
    case NodeKind::kTableCall:
        return call(node);
    case NodeKind::kRecurse:
        return recurse(node);
    case NodeKind::kSleep:
        return line(fmt::format("nanosleep.u32 {};", node.random[0] % 200));
    case NodeKind::kAtomic:
    case NodeKind::kOwnAtomic:
    case NodeKind::kLock:
    case NodeKind::kPeerWait:
    case NodeKind::kChain:
        return shared_state(node, context);
    default:
        break;
    }
    if (node.kind >= NodeKind::kVote && node.kind <= NodeKind::kHandOver) {
        team(node, context);
    } else {
        control(node, context);
    }
}

std::string BodyWriter::write(const std::vector<Node> &nodes) {
    Context context;
    context.together = in_kernel();
    context.whole_cta = in_kernel();
    sequence(nodes, context);
    std::string text = declarations_;
    for (const std::string &counter : counters_) {
        text += fmt::format(".reg .b32 {};\nmov.u32 {}, 0;\n", counter, counter);
    }
    return text + body_;
}

} // namespace smsim::ptx_fuzz
