// Operations between the lanes of a warp. They see only the executed lanes: a lane whose guard is false takes no part.
#include <algorithm>

#include "sm/datapath/compute/operation.h"

namespace smsim::sm::compute {

void execute_vote(const Operation &op) {
    const LaneMask votes = predicate_pp(op) & op.executed;
    bool outcome = false;
    switch (modifier<isa::Vote>(op, 0)) {
    case isa::Vote::kAll:
        outcome = votes == op.executed;
        break;
    case isa::Vote::kAny:
        outcome = votes.any();
        break;
    case isa::Vote::kEq:
        outcome = votes == op.executed || votes.none();
        break;
    }
    Row ballot;
    spread(ballot, votes.bits());
    write_rd(op, ballot);
    op.regs.set_predicate(op.insn.pu, outcome ? LaneMask::all() : LaneMask(), op.executed);
}

SMSIM_MULTIVERSION void execute_match(const Operation &op) {
    const bool wide = op.insn.mod[0] != 0;
    const bool match_all = op.insn.mod[1] != 0;
    const PairRows value = pair_a(op);
    const std::uint32_t *low = value.low;
    const std::uint32_t *high = wide ? value.high : value.low;
    const auto equal_to = [low, high](unsigned lane) {
        const std::uint32_t l = low[lane];
        const std::uint32_t h = high[lane];
        return lanes_where([=](unsigned i) { return low[i] == l && high[i] == h; });
    };
    const LaneMask first = equal_to(op.executed.lowest()) & op.executed;
    const bool all_equal = first == op.executed;
    Row result;
    if (match_all) {
        spread(result, all_equal ? op.executed.bits() : 0);
    } else {
        spread(result, first.bits());
        for (LaneMask rest = op.executed & ~first; rest.any();) {
            const LaneMask group = equal_to(rest.lowest()) & rest;
            for_each_lane(group, [&](unsigned lane) { result.lane[lane] = group.bits(); });
            rest &= ~group;
        }
    }
    write_rd(op, result);
    op.regs.set_predicate(op.insn.pu, all_equal ? LaneMask::all() : LaneMask(), op.executed);
}

unsigned match_values(const isa::Instruction &insn, const WarpRegisters &regs, LaneMask executed) {
    const bool match_all = insn.mod[1] != 0;
    if (match_all || insn.rd == isa::kRz) {
        return 1;
    }
    unsigned values = 0;
    for_each_lane(executed, [&](unsigned lane) {
        const std::uint32_t group = regs.value(insn.rd, lane);
        values += (group & ((1U << lane) - 1)) == 0 ? 1 : 0; // the first lane of its group
    });
    return std::max(values, 1U);
}

void execute_redux(const Operation &op) {
    const bool is_signed = op.insn.mod[1] != 0;
    const std::uint32_t flip = is_signed ? 0x80000000U : 0U;
    const auto how = modifier<isa::Redux>(op, 0);
    const std::uint32_t *a = source_a(op);
    std::uint32_t total = a[op.executed.lowest()];
    for_each_lane(op.executed & ~LaneMask::lane(op.executed.lowest()), [&](unsigned lane) {
        const std::uint32_t value = a[lane];
        switch (how) {
        case isa::Redux::kAdd:
            total += value;
            break;
        case isa::Redux::kMin:
            total = std::min(total ^ flip, value ^ flip) ^ flip;
            break;
        case isa::Redux::kMax:
            total = std::max(total ^ flip, value ^ flip) ^ flip;
            break;
        case isa::Redux::kAnd:
            total &= value;
            break;
        case isa::Redux::kOr:
            total |= value;
            break;
        case isa::Redux::kXor:
            total ^= value;
            break;
        }
    });
    Row result;
    spread(result, total);
    write_rd(op, result);
}

SMSIM_MULTIVERSION void execute_shfl(const Operation &op) {
    const auto mode = modifier<isa::Shuffle>(op, 0);
    const bool clamp_is_immediate = op.insn.form == isa::Form::kI || op.insn.form == isa::Form::kRri;
    Row buffer_b;
    Row buffer_c;
    Row result;
    const std::uint32_t *a = source_a(op);
    // In form RRI the immediate is c, and source_b gives the register.
    const std::uint32_t *b = source_b(op, buffer_b);
    const std::uint32_t *c = clamp_is_immediate ? spread(buffer_c, op.insn.imm2) : op.regs.read(op.insn.rc).lane;
    const std::uint32_t executed = op.executed.bits();
    std::uint32_t in_range = 0;
    for (unsigned i = 0; i < kLanes; ++i) {
        const auto lane = static_cast<std::int32_t>(i);
        const auto offset = static_cast<std::int32_t>(b[i] & 31U);
        const auto segment = static_cast<std::int32_t>((c[i] >> 8) & 31U);
        const auto clamp = static_cast<std::int32_t>(c[i] & 31U);
        const std::int32_t first = lane & segment;
        const std::int32_t last = first | (clamp & ~segment);
        std::int32_t from = 0;
        bool inside = false;
        switch (mode) {
        case isa::Shuffle::kIdx:
            from = first | (offset & ~segment);
            inside = from <= last;
            break;
        case isa::Shuffle::kUp:
            from = lane - offset;
            inside = from >= last;
            break;
        case isa::Shuffle::kDown:
            from = lane + offset;
            inside = from <= last;
            break;
        case isa::Shuffle::kBfly:
            from = lane ^ offset;
            inside = from <= last;
            break;
        }
        // `last` is 0..31, so a lane inside the segment is a lane of the warp.
        const bool readable = inside && ((executed >> (from & 31)) & 1U) != 0;
        result.lane[i] = a[readable ? from & 31 : lane];
        in_range |= static_cast<std::uint32_t>(inside) << i;
    }
    write_rd(op, result);
    op.regs.set_predicate(op.insn.pu, LaneMask(in_range), op.executed);
}

} // namespace smsim::sm::compute
