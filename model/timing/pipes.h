// The execution pipes and the other units as one table: their names, the keys of the configuration that hold their
// figures, and the charge of a warp that waits for one. Issue stage, datapath, scheduler pass, hazard checker and
// report read it, so that a new pipe is a value of `isa::Unit`, a row of the table, and its keys.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "model/config/sections/pipes.h"
#include "model/isa/instruction.h"
#include "model/stats/stall.h"
#include "model/stats/utilisation.h"

namespace smsim {
struct Config;
}

namespace smsim::timing {

/// The properties common to all configurations.
struct PipeSpec {
    isa::Unit unit;
    std::string_view name;   ///< in messages, reports and keys ("alu" of "pipes.alu.interval"; "bru")
    StallReason throttle;    ///< charged to a warp while the unit does not accept its instruction
    bool reads_late = false; ///< reads register sources some time after issue, so that a read scoreboard protects them

    // Execution pipes only, which are the units with a `pipe`.
    PipeConfig PipesConfig::*pipe = nullptr;     ///< latency and interval
    UsedUnit used{};                             ///< row in reports of utilisation
    std::string_view keys{};                     ///< of the configuration that make it faster, with commas between
    std::string_view relief{};                   ///< what `--what-if` offers; empty: neither relief nor verdict
    bool PipesConfig::*per_sm = nullptr;         ///< key for one such pipe in the SM; null: each sub-partition has one
    std::uint32_t PipesConfig::*queue = nullptr; ///< with `per_sm`: entries of a sub-partition
};

/// The row of a unit.
const PipeSpec &pipe_spec(isa::Unit unit);

/// The rows of the execution pipes, in the order of reports.
const std::vector<PipeSpec> &execution_pipes();

/// Whether one pipe of this kind serves all sub-partitions of the SM (`pipes.fp64_per_sm`).
inline bool is_shared(const PipeSpec &pipe, const PipesConfig &config) {
    return pipe.per_sm != nullptr && config.*pipe.per_sm;
}

/// Input latches of the units, numbered like these, and that of the second FP32 pipe. One instruction of a
/// sub-partition holds a latch for an interval.
inline constexpr unsigned kLatches = kPipeLatches;
inline constexpr std::uint8_t kSecondFp32Latch = isa::kUnits;

/// The latches that an instruction may go into: `second` if that is free, otherwise `first`. If both are the same, it
/// has no choice.
struct LatchChoice {
    std::uint8_t first = 0;
    std::uint8_t second = 0;
};

/// The figures of one unit, cycles. Those over registers and predicates count from the issue of a producer of fixed
/// latency to that of a consumer, and are lower bounds in addition to the producer's own latency; if one pipe has a way
/// out and the other a way in, the longer one counts.
struct PipeTiming {
    std::uint32_t latency = 0;  ///< from issue to result: of compute pipes, and of the load/store unit's constant path
    std::uint32_t interval = 1; ///< between two instructions of that kind
    std::uint32_t register_in = 0;  ///< over a general register, from another pipe
    std::uint32_t register_out = 0; ///< over a general register, to another pipe
    std::uint32_t predicate_in = 0; ///< over a predicate that is read as data, apart from the producer's own latency
    std::uint32_t guard_in = 0;     ///< over the predicate of a guard, likewise
    std::uint32_t uniform_in = 0;   ///< over a uniform register
};

/// The table with the figures of a configuration.
class Pipes {
  public:
    /// The default configuration.
    Pipes();
    explicit Pipes(const Config &config);

    const PipeTiming &operator[](isa::Unit unit) const { return units_[static_cast<std::size_t>(unit)]; }
    /// Cycles from the issue of an instruction that the datapath executes to its result; `spec` is its row. Its types
    /// may select another pipe than that of its unit.
    std::uint32_t latency(const isa::Instruction &insn, const isa::OpSpec &spec) const {
        if (is_moved(insn)) {
            return i2f_on_alu_;
        }
        if (spec.latency == isa::LatencyClass::kUnit) [[likely]] {
            return (*this)[spec.unit].latency;
        }
        if (spec.unit == isa::Unit::kTensor) {
            return matrix_latency(insn);
        }
        return isa::takes_high_product(insn) ? imad_high_ : classes_[static_cast<std::size_t>(spec.latency)];
    }
    std::uint32_t latency(const isa::Instruction &insn) const { return latency(insn, insn.spec()); }
    /// Additional cycles of MATCH.ANY over lanes with `values` (at least 1) different values.
    std::uint32_t match_cycles(unsigned values) const { return match_value_ * (values - 1); }
    /// Cycles for which an instruction that the datapath executes holds its latch.
    std::uint32_t interval(const isa::Instruction &insn) const {
        if (insn.unit == isa::Unit::kTensor) [[unlikely]] {
            return matrix_interval(insn);
        }
        return (*this)[is_moved(insn) ? isa::Unit::kAlu : insn.unit].interval;
    }
    /// The latch of the pipe that executes an instruction without a choice.
    std::uint8_t latch(const isa::Instruction &insn) const {
        return static_cast<std::uint8_t>(is_moved(insn) ? isa::Unit::kAlu : insn.unit);
    }
    /// Number of the group of instructions that can be issued to the same latches as this one: that of its latch, or
    /// kSecondFp32Latch for those that have a choice: FP32 arithmetic, depending on `pipes.second_fp32`.
    std::uint8_t latch_group(const isa::Instruction &insn) const {
        return insn.unit == isa::Unit::kFma && has_second_fp32() && insn.spec().has(isa::kFp32) ? kSecondFp32Latch
                                                                                                : latch(insn);
    }
    /// The latches of a group.
    LatchChoice ways(std::uint8_t group) const {
        return group == kSecondFp32Latch ? LatchChoice{static_cast<std::uint8_t>(isa::Unit::kFma), second_fp32_}
                                         : LatchChoice{group, group};
    }
    /// The pipes of a sub-partition with their latches, as reports of utilisation name them.
    const std::vector<std::pair<UsedUnit, std::uint8_t>> &own_latches() const { return own_latches_; }
    /// Whether there is a second FP32 pipe.
    bool has_second_fp32() const { return second_fp32_ != static_cast<std::uint8_t>(isa::Unit::kFma); }
    /// For each of the three ways in, that of the slowest unit; no way out.
    const PipeTiming &slowest() const { return slowest_; }
    /// Cycles for which a MEMBAR of `scope` holds its warp once earlier accesses are performed, at least 1.
    std::uint32_t fence(isa::Scope scope) const { return fences_[static_cast<std::size_t>(scope)]; }

  private:
    /// Whether it is an I2F that `pipes.i2f_on_alu` moves to another pipe.
    bool is_moved(const isa::Instruction &insn) const { return insn.op == wordwise_i2f_ && isa::converts_word(insn); }
    /// Cycles for which a product of matrices takes its pipe, and those to its result (tensor.md 3).
    std::uint32_t matrix_interval(const isa::Instruction &insn) const;
    std::uint32_t matrix_latency(const isa::Instruction &insn) const;

    /// Figures of products of matrices (TensorConfig).
    struct MatrixTiming {
        std::array<std::uint32_t, 10> rates; ///< index: isa::matrix::Rate
        std::uint32_t sub_partitions;
        std::uint32_t step_latency;
        std::uint32_t m8_latency;
        std::uint32_t f64_latency;
        std::uint32_t sparse_interval;
    };

    std::array<PipeTiming, isa::kUnits> units_;
    PipeTiming slowest_;
    isa::Op wordwise_i2f_{};   ///< I2F if `pipes.i2f_on_alu` moves a part of it, otherwise no operation
    std::uint8_t second_fp32_; ///< the latch that FP32 arithmetic prefers; if it is that of its unit, there is no
                               ///< choice
    std::uint32_t i2f_on_alu_;
    std::uint32_t match_value_;
    std::uint32_t imad_high_;
    std::array<std::uint32_t, 9> classes_; ///< index: isa::LatencyClass; that of kUnit is not used
    std::array<std::uint32_t, 3> fences_;  ///< index: isa::Scope
    MatrixTiming matrix_{};
    std::vector<std::pair<UsedUnit, std::uint8_t>> own_latches_;
};

} // namespace smsim::timing
