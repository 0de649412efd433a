#include "tb/oracle/special.h"

#include "tb/oracle/barriers.h"

namespace smsim::oracle {
namespace {

using isa::Op;
using isa::SpecialRegister;

/// Coordinate `axis` of linear number `number` in a box of `size`, x fastest.
std::uint32_t coordinate(std::uint32_t number, const std::array<std::uint32_t, 3> &size, unsigned axis) {
    for (unsigned i = 0; i < axis; ++i) {
        number /= size[i];
    }
    return axis < 2 ? number % size[axis] : number;
}

unsigned distance(SpecialRegister which, SpecialRegister from) {
    return static_cast<unsigned>(which) - static_cast<unsigned>(from);
}

void cs2r(Machine &machine, std::uint32_t thread, const Step &step, std::uint32_t *row) {
    const auto which = static_cast<SpecialRegister>(step.insn->imm2);
    row[step.rd] = special_register(machine, thread, which);
    if (step.insn->mod[0] == 0) {
        const bool clock = which == SpecialRegister::kClockLo || which == SpecialRegister::kGlobalTimerLo;
        row[step.rd + 1] = clock ? static_cast<std::uint32_t>(machine.random.next()) : 0;
    }
}

} // namespace

std::uint32_t special_register(Machine &machine, std::uint32_t thread, SpecialRegister which) {
    using enum isa::SpecialRegister;
    const std::uint32_t lane = thread % kLanes;
    const std::uint32_t own = LaneMask::lane(lane).bits();
    switch (which) {
    case kLaneId:
        return lane;
    case kWarpId:
        return machine.warp_of(thread).number;
    case kTidX:
    case kTidY:
    case kTidZ:
        return coordinate(machine.number_of(thread), machine.launch.block, distance(which, kTidX));
    case kCtaIdX:
    case kCtaIdY:
    case kCtaIdZ:
        return coordinate(machine.cta_of(thread).number, machine.launch.grid, distance(which, kCtaIdX));
    case kNtidX:
    case kNtidY:
    case kNtidZ:
        return machine.launch.block[distance(which, kNtidX)];
    case kNctaIdX:
    case kNctaIdY:
    case kNctaIdZ:
        return machine.launch.grid[distance(which, kNctaIdX)];
    case kSmId:
        return 0;
    case kEqMask:
        return own;
    case kLtMask:
        return own - 1;
    case kLeMask:
        return own | (own - 1);
    case kGtMask:
        return ~(own | (own - 1));
    case kGeMask:
        return ~(own - 1);
    case kClockLo:
    case kClockHi:
    case kGlobalTimerLo:
    case kGlobalTimerHi:
        break;
    }
    return static_cast<std::uint32_t>(machine.random.next());
}

void execute_special(Machine &machine, std::uint32_t thread, const Step &step, std::uint32_t *row) {
    const isa::Instruction &insn = *step.insn;
    switch (step.op) {
    case Op::kS2r:
    case Op::kS2ur:
        row[step.rd] = special_register(machine, thread, static_cast<SpecialRegister>(insn.imm2));
        break;
    case Op::kCs2r:
        cs2r(machine, thread, step, row);
        break;
    case Op::kLepc: {
        const Pc pc = insn.pc + static_cast<Pc>(insn.imm) * kInstructionBytes;
        row[step.rd] = static_cast<std::uint32_t>(pc);
        row[step.rd + 1] = static_cast<std::uint32_t>(pc >> 32);
        break;
    }
    case Op::kB2r:
        row[step.rd] = insn.mod[0] == 0 ? machine.warp_of(thread).barrier_state
                                        : barrier_word(machine.cta_of(thread).barriers[insn.barid]);
        break;
    case Op::kB2rResult:
        read_result(machine.warp_of(thread).barrier_state, row[step.rd], machine.threads[thread].predicates, insn.pu);
        break;
    default: // BMOV from a convergence barrier: which threads have yet to arrive depends on the warp's path
        row[step.rd] = static_cast<std::uint32_t>(machine.random.next());
        break;
    }
}

} // namespace smsim::oracle
