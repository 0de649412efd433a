// How many cycles must pass between an instruction with fixed result latency and one that uses its result. The
// scheduler pass sets `stall` by these numbers and the hazard checker uses them, too, so that both always agree.
#pragma once

#include <cstdint>

#include "model/isa/instruction.h"
#include "model/timing/pipes.h"

namespace smsim {
struct Config;
}

namespace smsim::timing {

/// What carries the value from the producer to the consumer.
enum class Carrier : std::uint8_t {
    kRegister,        ///< general register
    kUniform,         ///< uniform register
    kGuard,           ///< predicate that decides whether a thread executes (pg, and pp of the BRU)
    kPredicateSource, ///< predicate read as data
};

/// The latencies of a configuration from which dependences are computed.
struct SchedulingModel {
    Pipes pipes;
    /// The least number of cycles from the issue of BRA, and of BSYNC and WARPSYNC, to that of the warp's next
    /// instruction: bru.branch_latency and bru.sync_latency.
    std::uint32_t branch_cycles = 1;
    std::uint32_t sync_cycles = 1;

    SchedulingModel() = default;
    explicit SchedulingModel(const Config &config);
};

/// The least number of cycles from the issue of `insn` to that of the warp's next instruction, whatever its stall is.
unsigned control_cycles(const SchedulingModel &model, const isa::Instruction &insn);

/// Cycles after which a request for a scoreboard sees an increment: a waiter that issues earlier does not wait.
inline constexpr unsigned kScoreboardVisible = 2;

/// Whether the result of `insn` is written at a time that is not known at issue, so that it needs a write scoreboard
/// (sm.md Control fields): it has variable latency and writes a register or predicate.
bool needs_write_scoreboard(const isa::Instruction &insn);

/// Whether `insn` reads its source registers some time after issue, so that overwriting them needs a read scoreboard:
/// every instruction with a register source whose unit reads late (`PipeSpec::reads_late`).
bool needs_read_scoreboard(const isa::Instruction &insn);

/// Cycles from the issue of `producer` (fixed latency) to the earliest issue at which `consumer` reads the value that
/// travels over `carrier`. 0 when the producer has variable latency: its scoreboard protects the value.
unsigned dependence_latency(const SchedulingModel &model, const isa::Instruction &producer,
                            const isa::Instruction &consumer, Carrier carrier);

/// Cycles from the issue of `producer` (fixed latency) to the earliest issue at which `writer` may write the same
/// register or predicate without its result arriving first; 0 when any distance is correct.
unsigned overwrite_latency(const SchedulingModel &model, const isa::Instruction &producer,
                           const isa::Instruction &writer);

/// The longest time, in cycles, that any consumer may have to wait for a result of `producer`; 0 for variable latency
/// and for instructions without a result.
unsigned settle_latency(const SchedulingModel &model, const isa::Instruction &producer);

/// Cycles after which the uniform result of `producer` can be read by every consumer; 0 when it writes none.
unsigned uniform_settle_latency(const SchedulingModel &model, const isa::Instruction &producer);

/// The least distance, in cycles, at which `later` may issue after `earlier` (fixed latency) given everything the two
/// have in common: reads of results and overwritten results; 0 when they are independent.
unsigned required_distance(const SchedulingModel &model, const isa::Instruction &earlier,
                           const isa::Instruction &later);

/// Whether `later` reads or writes a register or predicate that `earlier` writes.
bool touches_result(const isa::Instruction &earlier, const isa::Instruction &later);

/// Whether `later` writes a register, general or uniform, that `earlier` reads.
bool overwrites_source(const isa::Instruction &earlier, const isa::Instruction &later);

// The same three for callers that ask often and keep the result of `dependences_of` for each instruction.
unsigned required_distance(const SchedulingModel &model, const isa::Instruction &earlier,
                           const isa::Dependences &earlier_deps, const isa::Instruction &later,
                           const isa::Dependences &later_deps);
bool touches_result(const isa::Dependences &earlier, const isa::Dependences &later);
bool overwrites_source(const isa::Dependences &earlier, const isa::Dependences &later);

} // namespace smsim::timing
