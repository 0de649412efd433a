// What threads do together in random PTX programs: exchange within the warp and the CTA, atomics, locks, waits.
#include <array>
#include <bit>

#include <fmt/format.h>

#include "tb/fuzz/ptx/body_writer.h"
#include "tb/fuzz/ptx/program_writer.h"

namespace smsim::ptx_fuzz {

namespace {

/// Lanes that every warp of the CTA has.
std::uint32_t lanes_of_all_warps(std::uint32_t threads) {
    return threads % 32 == 0 ? ~0U : (1U << (threads % 32)) - 1;
}

/// One lane of a nonempty mask.
unsigned pick(std::uint32_t mask, std::uint32_t random) {
    for (unsigned skip = random % static_cast<unsigned>(std::popcount(mask)); skip > 0; --skip) {
        mask &= mask - 1;
    }
    return static_cast<unsigned>(std::countr_zero(mask));
}

} // namespace

void BodyWriter::team(const Node &node, const Context &context) {
    const bool warp = node.kind <= NodeKind::kWarpBarrier;
    if (warp ? !usable(context) || (context.mask & live_) == 0 : !context.whole_cta) {
        return;
    }
    switch (node.kind) {
    case NodeKind::kVote:
        return vote(node, context);
    case NodeKind::kShuffle:
        return shuffle(node, context);
    case NodeKind::kMatch: {
        const std::string mask = mask_of(context);
        line(fmt::format("and.b32 %q0, {}, {};", value(node.random[0]), node.random[1] % 2 == 0 ? 3 : 0));
        if (node.random[2] % 2 == 0) {
            return line(fmt::format("match.any.sync.b32 {}, %q0, {};", value(node.random[3]), mask));
        }
        line(fmt::format("match.all.sync.b32 %q1|%p0, %q0, {};", mask));
        return line(fmt::format("selp.u32 {}, %q1, {}, %p0;", value(node.random[3]), value(node.random[4])));
    }
    case NodeKind::kReduce: {
        constexpr std::array<const char *, 7> kOperations = {"add.u32", "min.s32", "max.u32", "and.b32",
                                                             "or.b32",  "xor.b32", "add.s32"};
        const std::string mask = mask_of(context);
        return line(fmt::format("redux.sync.{} {}, {}, {};", kOperations[node.random[0] % 7], value(node.random[1]),
                                value(node.random[2]), mask));
    }
    case NodeKind::kMatrix:
        return matrix(node, context);
    case NodeKind::kWarpBarrier: {
        const std::string mask = mask_of(context);
        return line(fmt::format("bar.warp.sync {};", mask));
    }
    case NodeKind::kExchange:
        return exchange(node);
    case NodeKind::kBarrierReduce:
        return barrier_reduce(node);
    case NodeKind::kSplitBarrier:
        return program_.tree.beyond_compiler ? split_barrier(node) : barrier_reduce(node);
    default:
        return hand_over(node);
    }
}

void BodyWriter::vote(const Node &node, const Context &context) {
    constexpr std::array<const char *, 3> kModes = {"all", "any", "uni"};
    condition(node.random[0], node.random[1]);
    const std::string mask = mask_of(context);
    const std::string d = value(node.random[2]);
    if (node.random[3] % 2 == 0) {
        return line(fmt::format("vote.sync.ballot.b32 {}, %p0, {};", d, mask));
    }
    line(fmt::format("vote.sync.{}.pred %p1, {}%p0, {};", kModes[node.random[3] / 2 % 3],
                     node.random[4] % 2 == 0 ? "" : "!", mask));
    line(fmt::format("selp.u32 {}, {}, {:#x}, %p1;", d, d, node.random[5]));
}

void BodyWriter::shuffle(const Node &node, const Context &context) {
    const std::uint32_t all = lanes_of_all_warps(program_.tree.threads);
    const std::uint32_t candidates = context.mask & live_ & all;
    const std::string d = value(node.random[0]);
    const std::string a = value(node.random[1]);
    if (context.mask == ~0U && all == ~0U && all_live_ && node.random[2] % 2 == 0) {
        constexpr std::array<const char *, 3> kModes = {"up", "down", "bfly"};
        const unsigned mode = node.random[3] % 3;
        constexpr std::array<unsigned, 3> kSegments = {0x00, 0x10, 0x18};
        const unsigned c = kSegments[node.random[4] % 3] << 8 | (mode == 0 ? 0U : 31U);
        line(fmt::format("shfl.sync.{}.b32 %q0|%p0, {}, {}, {:#x}, 0xffffffff;", kModes[mode], a, node.random[5] % 32,
                         c));
        return line(fmt::format("selp.u32 {}, %q0, {}, %p0;", d, d));
    }
    if (candidates == 0) {
        return;
    }
    const std::string mask = mask_of(context);
    line(fmt::format("shfl.sync.idx.b32 {}, {}, {}, 31, {};", d, a, pick(candidates, node.random[2]), mask));
}

void BodyWriter::exchange(const Node &node) {
    const std::uint32_t threads = program_.tree.threads;
    const bool numbered = node.random[3] % 2 == 0 && threads % 32 == 0;
    const std::string barrier =
        numbered ? fmt::format("bar.sync {}, {};", node.random[4] % 16, threads) : std::string("bar.sync 0;");
    line("mov.u64 %d1, exchange;\nmad.wide.u32 %d2, %thread, 4, %d1;");
    line(fmt::format("st.shared.u32 [%d2], {};\n{}", value(node.random[0]), barrier));
    line(fmt::format("add.u32 %q0, %thread, {};\nrem.u32 %q0, %q0, {};\nmad.wide.u32 %d2, %q0, 4, %d1;",
                     node.random[1] % threads, threads));
    line(fmt::format("ld.shared.u32 {}, [%d2];\nbar.sync 0;", value(node.random[2])));
}

void BodyWriter::barrier_reduce(const Node &node) {
    const std::string d = value(node.random[2]);
    condition(node.random[0], node.random[1]);
    if (node.random[3] % 3 == 0) {
        return line(fmt::format("barrier.red.popc.u32 {}, {}, %p0;", d, node.random[4] % 16));
    }
    line(fmt::format("barrier.red.{}.pred %p1, {}, {}%p0;", node.random[3] % 3 == 1 ? "and" : "or", node.random[4] % 16,
                     node.random[5] % 2 == 0 ? "" : "!"));
    line(fmt::format("selp.u32 {}, {}, 3, %p1;", d, d));
}

void BodyWriter::split_barrier(const Node &node) {
    const std::string other = label();
    const std::string end = label();
    const unsigned number = node.random[2] % 16;
    condition(node.random[0], node.random[1]);
    line(fmt::format("@%p0 bra {};\nadd.u32 {}, {}, 1;\nbarrier.sync {};\nbra {};", other, value(node.random[3]),
                     value(node.random[3]), number, end));
    line(fmt::format("{}:\nbarrier.sync {};\nxor.b32 {}, {}, 5;\n{}:", other, number, value(node.random[4]),
                     value(node.random[4]), end));
}

void BodyWriter::hand_over(const Node &node) {
    const std::uint32_t threads = program_.tree.threads;
    if (threads % 64 != 0) {
        return;
    }
    const std::string consumers = label();
    const std::string end = label();
    const unsigned number = 1 + node.random[0] % 15;
    line("mov.u64 %d1, exchange;\nmad.wide.u32 %d2, %thread, 4, %d1;\nand.b32 %q0, %thread, 32;\nsetp.eq.u32 %p0, %q0, "
         "0;");
    line(fmt::format("@%p0 bra {};\nst.shared.u32 [%d2], {};\nmembar.cta;\nbar.arrive {}, {};\nbra {};", consumers,
                     value(node.random[1]), number, threads, end));
    line(fmt::format("{}:\nbar.sync {}, {};\nld.shared.u32 {}, [%d2+128];\n{}:\nbar.sync 0;", consumers, number,
                     threads, value(node.random[2]), end));
}

void BodyWriter::shared_state(const Node &node, const Context &context) {
    switch (node.kind) {
    case NodeKind::kAtomic:
        return atomic(node);
    case NodeKind::kOwnAtomic:
        return own_atomic(node);
    case NodeKind::kLock:
        return is_independent() ? lock(node) : atomic(node);
    case NodeKind::kPeerWait:
        return is_independent() ? peer_wait(node, context) : atomic(node);
    default:
        if (is_independent() && context.whole_cta && loops_.empty() && program_.tree.threads <= 64) {
            chain(node);
        }
    }
}

void BodyWriter::atomic(const Node &node) {
    constexpr std::array<const char *, 7> kOperations = {"add.u32", "max.s32", "min.u32", "or.b32",
                                                         "and.b32", "xor.b32", "add.u64"};
    const unsigned which = node.random[0] % 7;
    const std::string a = value(node.random[1]);
    const bool wide = which == 6; // words 6 and 7 as one number
    if (wide) {
        line(fmt::format("mul.wide.u32 %d0, {}, {};", a, value(node.random[2])));
    }
    const bool red = node.random[3] % 2 == 0;
    line(fmt::format("{}.global.{} {}[%common+{}], {};", red ? "red" : "atom", kOperations[which], red ? "" : "_, ",
                     4 * which, wide ? "%d0" : a));
}

void BodyWriter::own_atomic(const Node &node) {
    constexpr std::array<const char *, 6> kOperations = {"add.u32", "exch.b32", "max.s32",
                                                         "inc.u32", "xor.b32",  "dec.u32"};
    std::string space;
    std::string address;
    own_word(node.random[0] % 3 == 2 ? node.random[0] + 1 : node.random[0], space, address); // none in local memory
    const std::string d = value(node.random[1]);
    if (node.random[2] % 4 == 0) {
        return line(fmt::format("atom{}.cas.b32 {}, [{}], {}, {};", space, d, address, value(node.random[3]),
                                value(node.random[4])));
    }
    line(fmt::format("atom{}.{} {}, [{}], {};", space, kOperations[node.random[3] % 6], d, address,
                     value(node.random[4])));
}

void BodyWriter::lock(const Node &node) {
    const unsigned number = node.random[0] % kLocks;
    const unsigned word = 4 * (kCounters + number);
    const unsigned guarded = 4 * (8 + number);
    const std::string critical = fmt::format(
        "membar.gl;\nld.volatile.global.u32 %q3, [%common+{}];\nadd.u32 %q3, %q3, {};\nst.volatile.global.u32 "
        "[%common+{}], %q3;\nmembar.gl;\natom.global.exch.b32 %q3, [%common+{}], 0;",
        guarded, value(node.random[1]), guarded, word);
    const std::string take = fmt::format("atom.global.cas.b32 %q2, [%common+{}], 0, 1;", word);
    const std::string spin = label();
    const std::string wait = label();
    if (node.random[2] % 2 == 0) { // spin, then work
        line(fmt::format("{}:\n{}\nsetp.ne.u32 %p0, %q2, 0;\n@%p0 bra {};\n{}", spin, take, spin, critical));
        return;
    }
    // Work within the loop.
    line(fmt::format("{}:\n{}\nsetp.ne.u32 %p0, %q2, 0;\n@%p0 bra {};\n{}", spin, take, wait, critical));
    line(fmt::format("{}:\n{}setp.ne.u32 %p0, %q2, 0;\n@%p0 bra {};", wait,
                     node.random[3] % 2 == 0 ? "nanosleep.u32 20;\n" : "", spin));
}

/// The lowest lane waits for the highest one; all others wait for the lowest one.
void BodyWriter::peer_wait(const Node &node, const Context &context) {
    const std::uint32_t candidates = context.mask & live_ & lanes_of_all_warps(program_.tree.threads);
    if (!usable(context) || std::popcount(candidates) < 2 || program_.flag_sites >= kMostFlagSites) {
        return;
    }
    const auto low = static_cast<unsigned>(std::countr_zero(candidates));
    const auto high = 31 - static_cast<unsigned>(std::countl_zero(candidates));
    const unsigned total = program_.tree.threads * program_.tree.ctas;
    const unsigned row =
        4 * (kCounters + kLocks + kMostChainSites * 2 * program_.tree.ctas + program_.flag_sites++ * total);
    const std::string first = label();
    const std::string spin = label();
    const std::string end = label();
    // %d1: the flag of lane 0; %d2: the thread's own flag; %d3: the awaited flag.
    line("sub.u32 %q0, %gtid, %lane;\nmad.wide.u32 %d1, %q0, 4, %common;\nmad.wide.u32 %d2, %gtid, 4, %common;");
    line(fmt::format("setp.eq.u32 %p0, %lane, {};\nselp.u32 %q0, {}, {}, %p0;\nmad.wide.u32 %d3, %q0, 4, %d1;", low,
                     4 * 0 + high, low));
    line(fmt::format("setp.eq.u32 %p1, %lane, {};\n@%p1 st.volatile.global.u32 [%d2+{}], 1;", high, row));
    line(fmt::format("{}:\nld.volatile.global.u32 %q2, [%d3+{}];\nsetp.eq.u32 %p1, %q2, 0;", spin, row));
    line(fmt::format("{}@%p1 bra {};", node.random[0] % 2 == 0 ? "" : "nanosleep.u32 10;\n", spin));
    line(fmt::format("st.volatile.global.u32 [%d2+{}], 1;\nmembar.gl;", row));
}

/// Threads of the CTA run one after another; each uses what the previous one left.
void BodyWriter::chain(const Node &node) {
    if (program_.chain_sites >= kMostChainSites) {
        return;
    }
    const unsigned word = 4 * (kCounters + kLocks + program_.chain_sites++ * 2 * program_.tree.ctas);
    const std::string spin = label();
    line("mad.wide.u32 %d1, %cta, 8, %common;");
    line(fmt::format("{}:\nld.volatile.global.u32 %q0, [%d1+{}];\nsetp.ne.u32 %p0, %q0, %thread;\n@%p0 bra {};", spin,
                     word, spin));
    line(fmt::format("membar.gl;\nld.volatile.global.u32 %q1, [%d1+{}];\nmad.lo.u32 %q1, %q1, 31, {};", word + 4,
                     value(node.random[0])));
    line(fmt::format("st.volatile.global.u32 [%d1+{}], %q1;\nmembar.gl;", word + 4));
    line(fmt::format("add.u32 %q0, %thread, 1;\nst.volatile.global.u32 [%d1+{}], %q0;\nmov.u32 {}, %q1;", word,
                     value(node.random[1])));
}

} // namespace smsim::ptx_fuzz
