#include "tb/oracle/lanes.h"

#include <algorithm>

#include "tb/oracle/special.h"

namespace smsim::oracle {
namespace {

using isa::Instruction;
using isa::Op;

/// One operation of a set; all sources are read before results are written.
struct Group {
    Machine &machine;
    std::uint32_t warp;
    std::uint32_t executing;
    const Step &step;

    const Instruction &insn() const { return *step.insn; }
    std::uint32_t *row(unsigned lane) const { return machine.row(warp * kLanes + lane); }
    std::uint8_t &predicates(unsigned lane) const { return machine.threads[warp * kLanes + lane].predicates; }
    template <typename Body> void each(Body &&body) const { for_each_lane(LaneMask(executing), body); }
    static std::uint32_t bit(unsigned lane) { return LaneMask::lane(lane).bits(); }
};

void vote(const Group &group) {
    const Instruction &insn = group.insn();
    std::uint32_t ballot = 0;
    group.each([&](unsigned lane) {
        ballot |= predicate(group.predicates(lane), insn.pp, insn.pp_not) ? Group::bit(lane) : 0;
    });
    bool result = false;
    switch (static_cast<isa::Vote>(insn.mod[0])) {
    case isa::Vote::kAll:
        result = ballot == group.executing;
        break;
    case isa::Vote::kAny:
        result = ballot != 0;
        break;
    case isa::Vote::kEq:
        result = ballot == 0 || ballot == group.executing;
        break;
    }
    group.each([&](unsigned lane) {
        group.row(lane)[group.step.rd] = ballot;
        set_predicate(group.predicates(lane), insn.pu, result);
    });
}

void match(const Group &group) {
    const Instruction &insn = group.insn();
    const bool wide = insn.mod[0] != 0;
    const bool all_mode = insn.mod[1] != 0;
    std::array<std::uint64_t, kLanes> values{};
    group.each(
        [&](unsigned lane) { values[lane] = wide ? group.step.a64(group.row(lane)) : group.step.a(group.row(lane)); });
    group.each([&](unsigned lane) {
        std::uint32_t same = 0;
        group.each([&](unsigned other) { same |= values[other] == values[lane] ? Group::bit(other) : 0; });
        const bool agree = same == group.executing;
        group.row(lane)[group.step.rd] = all_mode && !agree ? 0 : same;
        set_predicate(group.predicates(lane), insn.pu, agree);
    });
}

std::uint32_t reduced(isa::Redux op, bool is_signed, std::uint32_t a, std::uint32_t b) {
    const bool less = is_signed ? static_cast<std::int32_t>(a) < static_cast<std::int32_t>(b) : a < b;
    switch (op) {
    case isa::Redux::kAdd:
        return a + b;
    case isa::Redux::kMin:
        return less ? a : b;
    case isa::Redux::kMax:
        return less ? b : a;
    case isa::Redux::kAnd:
        return a & b;
    case isa::Redux::kOr:
        return a | b;
    case isa::Redux::kXor:
        break;
    }
    return a ^ b;
}

void redux(const Group &group) {
    const Instruction &insn = group.insn();
    const unsigned lowest = LaneMask(group.executing).lowest();
    std::uint32_t result = group.step.a(group.row(lowest));
    for_each_lane(LaneMask(group.executing & ~Group::bit(lowest)), [&](unsigned lane) {
        result = reduced(static_cast<isa::Redux>(insn.mod[0]), insn.mod[1] != 0, result, group.step.a(group.row(lane)));
    });
    group.each([&](unsigned lane) { group.row(lane)[group.step.rd] = result; });
}

/// The lane that a lane of SHFL reads, and whether it is in range (PTX shfl).
struct Source {
    int lane = 0;
    bool in_range = false;
};

Source shuffle_source(isa::Shuffle mode, int lane, std::uint32_t b, std::uint32_t c) {
    const auto value = static_cast<int>(b & 0x1f);
    const auto clamp = static_cast<int>(c & 0x1f);
    const auto segment = static_cast<int>((c >> 8) & 0x1f);
    const int first = lane & segment;
    const int limit = first | (clamp & ~segment);
    switch (mode) {
    case isa::Shuffle::kUp:
        return {lane - value, lane - value >= limit};
    case isa::Shuffle::kDown:
        return {lane + value, lane + value <= limit};
    case isa::Shuffle::kBfly:
        return {lane ^ value, (lane ^ value) <= limit};
    case isa::Shuffle::kIdx:
        break;
    }
    const int source = first | (value & ~segment & 0x1f);
    return {source, source <= limit};
}

void shfl(const Group &group) {
    const Instruction &insn = group.insn();
    std::array<std::uint32_t, kLanes> values{};
    group.each([&](unsigned lane) { values[lane] = group.step.a(group.row(lane)); });
    group.each([&](unsigned lane) {
        std::uint32_t *row = group.row(lane);
        const Source source = shuffle_source(static_cast<isa::Shuffle>(insn.mod[0]), static_cast<int>(lane),
                                             group.step.b(row), group.step.c(row));
        const auto from = static_cast<unsigned>(source.lane);
        const bool there = source.in_range && LaneMask(group.executing).test(from);
        row[group.step.rd] = values[there ? from : lane];
        set_predicate(group.predicates(lane), insn.pu, source.in_range);
    });
}

/// R2UR, S2UR: the value of the lowest executing thread, in every member's copy of the register.
void to_uniform(const Group &group, std::uint32_t members) {
    const unsigned lowest = LaneMask(group.executing).lowest();
    const std::uint32_t value = group.step.op == Op::kR2ur
                                    ? group.step.a(group.row(lowest))
                                    : special_register(group.machine, group.warp * kLanes + lowest,
                                                       static_cast<isa::SpecialRegister>(group.insn().imm2));
    for_each_lane(LaneMask(members), [&](unsigned lane) { group.row(lane)[group.step.rd] = value; });
}

} // namespace

void execute_lanes(Machine &machine, std::uint32_t warp, std::uint32_t members, std::uint32_t executing,
                   const Step &step) {
    if (executing == 0) {
        return;
    }
    const Group group{machine, warp, executing, step};
    switch (step.op) {
    case Op::kVote:
        vote(group);
        break;
    case Op::kMatch:
        match(group);
        break;
    case Op::kRedux:
        redux(group);
        break;
    case Op::kShfl:
        shfl(group);
        break;
    default:
        to_uniform(group, members);
        break;
    }
}

} // namespace smsim::oracle
