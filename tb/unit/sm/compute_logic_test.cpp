// LOP3, shifts, PRMT, POPC, FLO, BREV, PSETP and PLOP3 compared with bit-by-bit definitions.
#include "tb/unit/sm/compute_support.h"

namespace smsim::sm::compute::test {
namespace {

bool bit(std::uint64_t value, unsigned i) {
    return ((value >> i) & 1U) != 0;
}

TEST(ComputeLop3, EveryTruthTable) {
    for (unsigned table = 0; table < 256; ++table) {
        Instruction insn = make(Op::kLop3, Form::kR);
        insn.imm2 = table;
        check(
            insn, {}, integers(),
            [table](const In &in) -> Out {
                std::uint64_t result = 0;
                for (unsigned i = 0; i < 32; ++i) {
                    const unsigned entry = 4U * bit(in.a, i) + 2U * bit(in.b, i) + 1U * bit(in.c, i);
                    result |= std::uint64_t{bit(table, entry)} << i;
                }
                return {result};
            },
            2);
    }
}

TEST(ComputeShf, LeftAndRightClampAt32OrWrap) {
    for (const bool right : {false, true}) {
        for (const bool wrap : {false, true}) {
            Instruction insn = make(Op::kShf, Form::kR);
            insn.mod = {right, wrap};
            check(insn, {}, integers(), [=](const In &in) -> Out {
                const std::uint64_t count = wrap ? in.b % 32 : std::min<std::uint64_t>(in.b, 32);
                const unsigned __int128 joined = (static_cast<unsigned __int128>(in.c) << 32) | in.a;
                return {static_cast<std::uint32_t>(right ? joined >> count : (joined << count) >> 32)};
            });
        }
    }
}

TEST(ComputeShl, By32OrMoreGivesZero) {
    check(make(Op::kShl, Form::kR), {}, integers(),
          [](const In &in) -> Out { return {in.b >= 32 ? 0 : static_cast<std::uint32_t>(in.a << in.b)}; });
}

TEST(ComputeShr, LogicalGivesZeroAndSignedTheSign) {
    Instruction insn = make(Op::kShr, Form::kR);
    check(insn, {}, integers(), [](const In &in) -> Out { return {in.b >= 32 ? 0 : in.a >> in.b}; });
    insn.mod[0] = 1;
    check(insn, {}, integers(), [](const In &in) -> Out {
        std::uint64_t result = 0;
        for (unsigned i = 0; i < 32; ++i) {
            result |= std::uint64_t{bit(in.a, static_cast<unsigned>(std::min<std::uint64_t>(i + in.b, 31)))} << i;
        }
        return {result};
    });
}

TEST(ComputePrmt, SelectsBytesAndReplicatesSigns) {
    const Source selectors = pick({0x3210, 0x7654, 0x0123, 0xba98, 0xfedc, 0x8888, 0x80ff00ff, 0x7f80017f});
    check(
        make(Op::kPrmt, Form::kR), {}, selectors,
        [](const In &in) -> Out {
            const std::uint8_t bytes[] = {static_cast<std::uint8_t>(in.a),       static_cast<std::uint8_t>(in.a >> 8),
                                          static_cast<std::uint8_t>(in.a >> 16), static_cast<std::uint8_t>(in.a >> 24),
                                          static_cast<std::uint8_t>(in.c),       static_cast<std::uint8_t>(in.c >> 8),
                                          static_cast<std::uint8_t>(in.c >> 16), static_cast<std::uint8_t>(in.c >> 24)};
            std::uint64_t result = 0;
            for (unsigned i = 0; i < 4; ++i) {
                const unsigned nibble = (in.b32() >> (4 * i)) & 15U;
                const int byte = bytes[nibble % 8];
                result |= static_cast<std::uint64_t>(nibble < 8 ? byte : byte >= 128 ? 255 : 0) << (8 * i);
            }
            return {result};
        },
        40);
}

TEST(ComputePopc, CountsOnes) {
    check(make(Op::kPopc, Form::kR), {}, integers(), [](const In &in) -> Out {
        std::uint64_t count = 0;
        for (unsigned i = 0; i < 32; ++i) {
            count += bit(in.b, i);
        }
        return {count};
    });
}

TEST(ComputeFlo, FindsTheLeadingOneOrTheFirstBitUnlikeTheSign) {
    for (const bool is_signed : {false, true}) {
        for (const bool as_shift : {false, true}) {
            Instruction insn = make(Op::kFlo, Form::kR);
            insn.mod = {is_signed, as_shift};
            check(insn, {}, integers(), [=](const In &in) -> Out {
                const bool searched = !(is_signed && bit(in.b, 31));
                for (unsigned i = 32; i-- > 0;) {
                    if (bit(in.b, i) == searched) {
                        return {as_shift ? 31 - i : i};
                    }
                }
                return {0xffffffff};
            });
        }
    }
}

TEST(ComputeBrev, ReversesTheBits) {
    check(make(Op::kBrev, Form::kR), {}, integers(), [](const In &in) -> Out {
        std::uint64_t result = 0;
        for (unsigned i = 0; i < 32; ++i) {
            result |= std::uint64_t{bit(in.b, i)} << (31 - i);
        }
        return {result};
    });
}

bool join(unsigned how, bool x, bool y) {
    return how == 0 ? x && y : how == 1 ? x || y : x != y;
}

TEST(ComputePsetp, CombinesThreePredicatesInTwoSteps) {
    for (unsigned first = 0; first < 3; ++first) {
        for (unsigned second = 0; second < 3; ++second) {
            for (unsigned negations = 0; negations < 8; ++negations) {
                Instruction insn = make(Op::kPsetp, Form::kX);
                insn.mod = {static_cast<std::uint8_t>(first), static_cast<std::uint8_t>(second)};
                insn.pu = 2;
                insn.pv = 3;
                insn.pa_not = (negations & 1U) != 0;
                insn.pb_not = (negations & 2U) != 0;
                insn.pp_not = (negations & 4U) != 0;
                check(
                    insn, {.writes_rd = false}, integers(),
                    [=](const In &in) -> Out {
                        const bool condition = join(first, in.pa, in.pb);
                        return {0, join(second, condition, in.pp), join(second, !condition, in.pp)};
                    },
                    5);
            }
        }
    }
}

TEST(ComputePlop3, TwoTruthTables) {
    for (unsigned table = 0; table < 256; ++table) {
        Instruction insn = make(Op::kPlop3, Form::kX);
        insn.imm2 = table;
        insn.imm = 255 - ((table * 7) & 255U);
        insn.pu = 2;
        insn.pv = 3;
        insn.pb_not = (table & 1U) != 0;
        check(
            insn, {.writes_rd = false}, integers(),
            [table](const In &in) -> Out {
                const unsigned entry = 4U * in.pa + 2U * in.pb + 1U * in.pp;
                return {0, bit(table, entry), bit(255 - ((table * 7) & 255U), entry)};
            },
            3);
    }
}

} // namespace
} // namespace smsim::sm::compute::test
