// Timing values of the control instructions.
#include "bru/timing.h"

namespace smsim::bru {

ClassTiming timing_of(const BruConfig &config, const isa::Instruction &insn) {
    using isa::Op;
    switch (insn.op) {
    case Op::kBssy:
    case Op::kBreak:
    case Op::kLepc:
    case Op::kSetrpc:
    case Op::kSsy:
    case Op::kPbk:
    case Op::kPcnt:
    case Op::kPret:
        return {config.barrier_latency, config.barrier_interval};
    case Op::kBsync:
    case Op::kWarpsync:
    case Op::kJoin:
    case Op::kSync:
        return {config.sync_latency, config.sync_interval};
    case Op::kYield:
    case Op::kNanosleep:
        return {config.yield_latency, config.yield_interval};
    case Op::kBmov:
        if (insn.form == isa::Form::kX) {
            return {config.move_latency, config.move_interval};
        }
        return {config.barrier_latency, config.barrier_interval};
    default:
        return {config.branch_latency, config.branch_interval};
    }
}

} // namespace smsim::bru
