// The rows: one per unit, in the order of `isa::Unit`.
#include "model/timing/pipes.h"

#include "model/config/config.h"
#include "model/isa/matrix/matrix_instruction.h"

#include <algorithm>

namespace smsim::timing {
namespace {

using isa::Unit;
using Figure = std::uint32_t PipesConfig::*;

struct UnitRow {
    PipeSpec spec;
    Figure register_in;            ///< null: no more than the producer's latency
    Figure predicate_in;           ///< likewise
    Figure uniform_in = nullptr;   ///< likewise
    Figure register_out = nullptr; ///< likewise
};

constexpr UnitRow control(Unit unit, std::string_view name) {
    return {{unit, name, StallReason::kDispatch, false},
            &PipesConfig::to_branch,
            &PipesConfig::predicate_to_branch,
            &PipesConfig::uniform_to_branch};
}

constexpr StallReason kMath = StallReason::kMathPipeThrottle;

constexpr UnitRow kRows[] = {
    {{Unit::kNone, "none", kMath, false}, &PipesConfig::to_memory, &PipesConfig::predicate_to_alu},
    {{.unit = Unit::kAlu,
      .name = "alu",
      .throttle = kMath,
      .pipe = &PipesConfig::alu,
      .used = UsedUnit::kAlu,
      .keys = "pipes.alu.interval",
      .relief = "integer and logic pipe twice as wide"},
     &PipesConfig::fma_to_alu,
     &PipesConfig::predicate_to_alu},
    {{.unit = Unit::kFma,
      .name = "fma",
      .throttle = kMath,
      .pipe = &PipesConfig::fma,
      .used = UsedUnit::kFma,
      .keys = "pipes.fma.interval, pipes.second_fp32",
      .relief = "FP32 pipe twice as wide"},
     &PipesConfig::alu_to_fma,
     &PipesConfig::predicate_to_fma},
    {{.unit = Unit::kXu,
      .name = "xu",
      .throttle = kMath,
      .pipe = &PipesConfig::xu,
      .used = UsedUnit::kXu,
      .keys = "pipes.xu.interval",
      .relief = "special functions and conversions twice as wide"},
     &PipesConfig::to_memory,
     &PipesConfig::predicate_to_alu},
    {{.unit = Unit::kFp64,
      .name = "fp64",
      .throttle = kMath,
      .pipe = &PipesConfig::fp64,
      .used = UsedUnit::kFp64,
      .keys = "pipes.fp64.interval, pipes.fp64_per_sm",
      .relief = "FP64 pipe twice as wide",
      .per_sm = &PipesConfig::fp64_per_sm,
      .queue = &PipesConfig::fp64_queue},
     &PipesConfig::to_memory,
     &PipesConfig::predicate_to_alu},
    {{.unit = Unit::kHalf,
      .name = "half",
      .throttle = kMath,
      .pipe = &PipesConfig::half,
      .used = UsedUnit::kHalf,
      .keys = "pipes.half.interval",
      .relief = "pipe of 16-bit floats twice as wide"},
     &PipesConfig::to_half,
     &PipesConfig::predicate_to_alu,
     nullptr,
     &PipesConfig::half_to_others},
    {{.unit = Unit::kTensor,
      .name = "tensor",
      .throttle = kMath,
      .pipe = &PipesConfig::tensor,
      .used = UsedUnit::kTensor,
      .keys = "tensor.f16, tensor.f16_to_f32, tensor.s8, pipes.tensor.interval",
      .relief = "tensor pipe twice as fast"},
     &PipesConfig::to_tensor,
     &PipesConfig::predicate_to_alu},
    {{.unit = Unit::kUniform,
      .name = "uniform",
      .throttle = kMath,
      .pipe = &PipesConfig::uniform,
      .used = UsedUnit::kUniform,
      .keys = "pipes.uniform.interval"},
     &PipesConfig::to_memory,
     &PipesConfig::predicate_to_alu},
    {{Unit::kLoadStore, "lsu", StallReason::kMioThrottle, true},
     &PipesConfig::to_memory,
     &PipesConfig::predicate_to_alu,
     &PipesConfig::uniform_to_memory},
    control(Unit::kBranch, "bru"),
    control(Unit::kBarrier, "bcu"),
};

/// Whether the unit executes control instructions, whose guard and predicate operand are read alike.
bool is_control(Unit unit) {
    return unit == Unit::kBranch || unit == Unit::kBarrier;
}

/// The latch that FP32 arithmetic prefers.
std::uint8_t second_latch(SecondFp32 second) {
    switch (second) {
    case SecondFp32::kNone:
        break;
    case SecondFp32::kOwn:
        return kSecondFp32Latch;
    case SecondFp32::kAlu:
        return static_cast<std::uint8_t>(Unit::kAlu);
    }
    return static_cast<std::uint8_t>(Unit::kFma);
}

constexpr bool is_complete() {
    for (std::size_t i = 0; i < std::size(kRows); ++i) {
        if (static_cast<std::size_t>(kRows[i].spec.unit) != i) {
            return false;
        }
    }
    return std::size(kRows) == isa::kUnits;
}
static_assert(is_complete(), "one row per unit, in the order of isa::Unit");

} // namespace

const PipeSpec &pipe_spec(Unit unit) {
    return kRows[static_cast<std::size_t>(unit)].spec;
}

const std::vector<PipeSpec> &execution_pipes() {
    static const std::vector<PipeSpec> kPipes = [] {
        std::vector<PipeSpec> pipes;
        for (const UnitRow &row : kRows) {
            if (row.spec.pipe != nullptr) {
                pipes.push_back(row.spec);
            }
        }
        std::ranges::sort(pipes, {}, &PipeSpec::used);
        return pipes;
    }();
    return kPipes;
}

Pipes::Pipes() : Pipes(Config{}) {}

Pipes::Pipes(const Config &config)
    : wordwise_i2f_(config.pipes.i2f_on_alu != 0 ? isa::Op::kI2f : isa::Op{}),
      second_fp32_(second_latch(config.pipes.second_fp32)), i2f_on_alu_(config.pipes.i2f_on_alu),
      match_value_(config.pipes.match_value),
      imad_high_(config.pipes.imad_high != 0 ? config.pipes.imad_high : config.pipes.fma.latency),
      classes_{0,
               config.pipes.special_register,
               config.pipes.shuffle,
               config.pipes.fp64.latency + config.pipes.fp64_fma,
               config.pipes.vote != 0 ? config.pipes.vote : config.pipes.alu.latency,
               config.pipes.match,
               config.pipes.redux,
               config.pipes.fma.latency,
               config.pipes.tensor.latency},
      fences_{std::max(1U, config.lsu.membar_cta), std::max(1U, config.lsu.membar_gpu),
              std::max(1U, config.lsu.membar_sys)} {
    const auto figure = [&](Figure member) { return member == nullptr ? 0 : config.pipes.*member; };
    for (std::size_t i = 0; i < isa::kUnits; ++i) {
        const UnitRow &row = kRows[i];
        PipeTiming &unit = units_[i];
        if (row.spec.pipe != nullptr) {
            const PipeConfig &own = config.pipes.*row.spec.pipe;
            unit.latency = own.latency;
            unit.interval = own.interval;
        }
        unit.register_in = figure(row.register_in);
        unit.register_out = figure(row.register_out);
        unit.predicate_in = figure(row.predicate_in);
        unit.guard_in = is_control(row.spec.unit) ? unit.predicate_in : config.pipes.predicate_to_guard;
        unit.uniform_in = figure(row.uniform_in);
        slowest_.register_in = std::max(slowest_.register_in, unit.register_in);
        slowest_.predicate_in = std::max({slowest_.predicate_in, unit.predicate_in, unit.guard_in});
        slowest_.uniform_in = std::max(slowest_.uniform_in, unit.uniform_in);
        if (row.spec.pipe != nullptr && !is_shared(row.spec, config.pipes)) {
            own_latches_.emplace_back(row.spec.used, static_cast<std::uint8_t>(i));
        }
    }
    const TensorConfig &tensor = config.tensor;
    matrix_ = {{tensor.f16, tensor.f16_to_f32, tensor.bf16, tensor.tf32, tensor.fp8, tensor.fp8_to_f32, tensor.s8,
                tensor.s4, tensor.b1, tensor.f64},
               config.sm.sub_partitions,
               tensor.step_latency,
               tensor.m8_latency,
               tensor.f64_latency,
               tensor.sparse_interval};
    units_[static_cast<std::size_t>(Unit::kLoadStore)].latency = config.lsu.constant_latency;
    if (second_fp32_ == kSecondFp32Latch) {
        own_latches_.emplace_back(UsedUnit::kSecondFp32, kSecondFp32Latch);
    }
    std::ranges::sort(own_latches_);
}

std::uint32_t Pipes::matrix_interval(const isa::Instruction &insn) const {
    const isa::matrix::MatrixOperation op = isa::matrix::operation_of(insn);
    const std::uint64_t rate = matrix_.rates[static_cast<std::size_t>(isa::matrix::rate_of(op))];
    const std::uint32_t least =
        (*this)[isa::Unit::kTensor].interval + (op.sparse ? matrix_.sparse_interval * isa::matrix::steps_of(op) : 0);
    if (rate == 0) {
        return least;
    }
    const std::uint64_t work = std::uint64_t{isa::matrix::multiply_adds(op)} * matrix_.sub_partitions;
    return std::max(least, static_cast<std::uint32_t>((work + rate / 2) / rate));
}

std::uint32_t Pipes::matrix_latency(const isa::Instruction &insn) const {
    const isa::matrix::MatrixOperation op = isa::matrix::operation_of(insn);
    if (op.a == isa::matrix::Element::kF64) {
        return matrix_.f64_latency + matrix_interval(insn);
    }
    if (op.m == 8 && !isa::matrix::is_quad_pair(op)) {
        return matrix_.m8_latency;
    }
    return (*this)[isa::Unit::kTensor].latency + matrix_.step_latency * (isa::matrix::steps_of(op) - 1);
}

} // namespace smsim::timing
