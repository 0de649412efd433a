// Control flow of random PTX programs.
#include <algorithm>

#include <fmt/format.h>

#include "tb/fuzz/ptx/body_writer.h"

namespace smsim::ptx_fuzz {

namespace {

const std::vector<Node> &child(const Node &node, std::size_t index) {
    static const std::vector<Node> kNone;
    return index < node.children.size() ? node.children[index] : kNone;
}

} // namespace

void BodyWriter::control(const Node &node, Context &context) {
    switch (node.kind) {
    case NodeKind::kIf:
        return branch(node, context);
    case NodeKind::kLaneIf:
        return lane_branch(node, context);
    case NodeKind::kLoop:
    case NodeKind::kUniformLoop:
        return loop(node, context);
    case NodeKind::kBreak:
    case NodeKind::kContinue:
        return leave_loop(node);
    case NodeKind::kSwitch:
        return select(node, context);
    case NodeKind::kReturn:
    case NodeKind::kExit:
        return leave_early(node, context);
    default:
        return wild(node, context);
    }
}

void BodyWriter::branch(const Node &node, const Context &context) {
    Context inner = context;
    inner.together = false;
    const std::string otherwise = label();
    const std::string end = label();
    condition(node.random[0], node.random[1]);
    line(fmt::format("@!%p0 bra {};", otherwise));
    sequence(child(node, 0), inner);
    if (node.children.size() > 1) {
        line(fmt::format("bra {};\n{}:", end, otherwise));
        sequence(child(node, 1), inner);
        return line(end + ":");
    }
    line(otherwise + ":");
}

void BodyWriter::lane_branch(const Node &node, Context &context) {
    // Selects lanes by a pattern: the members of both sides are known.
    const std::uint32_t pattern = node.random[0] % 2 == 0 ? node.random[1] : 0x5555'5555U << (node.random[1] % 2);
    const std::string otherwise = label();
    const std::string end = label();
    line(fmt::format("shr.u32 %q0, {:#x}, %lane;\nand.b32 %q0, %q0, 1;\nsetp.ne.u32 %p0, %q0, 0;", pattern));
    line(fmt::format("@!%p0 bra {};", otherwise));
    Context inner = context;
    inner.whole_cta = false;
    inner.depth += 1;
    inner.mask = context.mask & pattern;
    sequence(child(node, 0), inner);
    line(fmt::format("bra {};\n{}:", end, otherwise));
    inner.together = context.together;
    inner.mask = context.mask & ~pattern;
    sequence(child(node, 1), inner);
    line(end + ":");
}

void BodyWriter::loop(const Node &node, const Context &context) {
    const bool uniform = node.kind == NodeKind::kUniformLoop;
    const std::string counter = fmt::format("%c{}", counters_.size());
    const std::string trips = fmt::format("%t{}", counters_.size());
    counters_.push_back(counter);
    counters_.push_back(trips);
    const std::string head = label();
    const Loop here{label(), label()};
    line(fmt::format("mov.u32 {}, 0;", counter));
    if (uniform) {
        line(fmt::format("mov.u32 {}, {};", trips, 1 + node.random[0] % 3));
    } else {
        line(fmt::format("and.b32 {}, {}, {};", trips, value(node.random[0]), node.random[1] % 2 == 0 ? 3 : 7));
    }
    line(fmt::format("{}:\nsetp.ge.u32 %p0, {}, {};\n@%p0 bra {};\nadd.u32 {}, {}, 1;", head, counter, trips, here.out,
                     counter, counter));
    if (!uniform) { // the total number of loop iterations is bounded
        line(fmt::format("sub.s32 %fuel, %fuel, 1;\nsetp.lt.s32 %p0, %fuel, 0;\n@%p0 bra {};", here.out));
    }
    Context inner = context;
    inner.together = context.together && uniform && !leaves(child(node, 0));
    loops_.push_back(here);
    sequence(child(node, 0), inner);
    loops_.pop_back();
    line(fmt::format("{}:\nbra {};\n{}:", here.next, head, here.out));
}

void BodyWriter::leave_loop(const Node &node) {
    if (loops_.empty()) {
        return;
    }
    const std::size_t levels = node.random[2] % loops_.size();
    const Loop &target = loops_[loops_.size() - 1 - levels];
    condition(node.random[0], node.random[1]);
    line(fmt::format("@%p0 bra {};", node.kind == NodeKind::kBreak ? target.out : target.next));
}

void BodyWriter::select(const Node &node, const Context &context) {
    if (node.children.empty()) {
        return;
    }
    Context inner = context;
    inner.together = false;
    const std::string table = label();
    const std::string end = label();
    std::vector<std::string> cases;
    std::string names;
    for (std::size_t i = 0; i < node.children.size(); ++i) {
        cases.push_back(label());
        names += (i == 0 ? "" : ", ") + cases.back();
    }
    line(fmt::format("{}: .branchtargets {};", table, names));
    line(fmt::format("rem.u32 %q0, {}, {};\nbrx.idx %q0, {};", value(node.random[0]), cases.size(), table));
    for (std::size_t i = 0; i < node.children.size(); ++i) {
        line(cases[i] + ":");
        sequence(node.children[i], inner);
        if ((node.random[1] >> i & 3) != 0) { // otherwise it falls into the next case
            line(fmt::format("bra {};", end));
        }
    }
    line(end + ":");
}

void BodyWriter::leave_early(const Node &node, Context &context) {
    const std::string way = node.kind == NodeKind::kExit ? "exit" : in_kernel() ? "ret" : "bra END";
    const bool ends_thread = in_kernel() || node.kind == NodeKind::kExit;
    if (in_kernel() && context.together && context.depth > 0 && loops_.empty()) {
        live_ &= ~context.mask; // all lanes of a known side
        all_live_ = false;
        context.together = false;
        return line("st.global.u32 [%own], 77;\n" + way + ";");
    }
    if (node.kind == NodeKind::kExit && !in_kernel()) {
        return; // callers would have to know
    }
    condition(node.random[0], node.random[1]);
    if (ends_thread) {
        exited_ = true;
        context.together = false;
        line(fmt::format("@%p0 st.global.u32 [%own], {};", value(node.random[2])));
    }
    line(fmt::format("@%p0 {};", way));
}

/// Pieces that can each be entered at two places, the second within a loop, with jumps among them.
void BodyWriter::wild(const Node &node, const Context &context) {
    Context inner = context;
    inner.together = false;
    const std::string end = label();
    std::vector<std::string> entries;
    for (std::size_t i = 0; i < 2 * node.children.size(); ++i) {
        entries.push_back(label());
    }
    const auto jump = [&](std::uint32_t random) {
        line("sub.s32 %fuel, %fuel, 1;\nsetp.lt.s32 %p0, %fuel, 0;");
        line(fmt::format("@%p0 bra {};", end));
        condition(random >> 3, random >> 9);
        line(fmt::format("@%p0 bra {};", entries[(random >> 20) % entries.size()]));
    };
    for (std::size_t i = 0; i < node.children.size(); ++i) {
        const std::uint32_t random = node.random[i % 6] * 0x9e37'79b9U + static_cast<std::uint32_t>(i);
        line(entries[2 * i] + ":");
        line(fmt::format("add.u32 {}, {}, {};", value(random), value(random >> 3), i + 1));
        if ((random >> 6 & 1) != 0) {
            jump(random * 5 + 1);
        }
        line(entries[2 * i + 1] + ":");
        sequence(node.children[i], inner);
        if ((random >> 7 & 1) != 0) { // back to the start of the piece: a loop with two entries
            line("sub.s32 %fuel, %fuel, 1;\nsetp.lt.s32 %p0, %fuel, 0;");
            line(fmt::format("@%p0 bra {};", end));
            condition(random >> 8, random >> 11);
            line(fmt::format("@%p0 bra {};", entries[2 * i]));
        }
        jump(random * 13 + 3);
    }
    line(end + ":");
}

} // namespace smsim::ptx_fuzz
