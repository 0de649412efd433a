// Timing values of the control instructions.
#include "bru/timing.h"

#include <string>
#include <utility>

#include "model/error.h"

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

void check_timing(const BruConfig &config) {
    const std::pair<const char *, std::uint32_t> values[] = {
        {"pipelines", config.pipelines},
        {"branch_latency", config.branch_latency},
        {"barrier_latency", config.barrier_latency},
        {"sync_latency", config.sync_latency},
        {"yield_latency", config.yield_latency},
        {"move_latency", config.move_latency},
        {"branch_interval", config.branch_interval},
        {"barrier_interval", config.barrier_interval},
        {"sync_interval", config.sync_interval},
        {"yield_interval", config.yield_interval},
        {"move_interval", config.move_interval},
    };
    for (const auto &[key, value] : values) {
        if (value == 0) {
            throw InputError(std::string("bru.") + key + ": 0 is not possible; expected at least 1");
        }
    }
}

} // namespace smsim::bru
