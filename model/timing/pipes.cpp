// The rows: one per unit, in the order of `isa::Unit`.
#include "model/timing/pipes.h"

#include <algorithm>

namespace smsim::timing {
namespace {

using isa::Unit;
using Figure = std::uint32_t PipesConfig::*;

struct UnitRow {
    PipeSpec spec;
    PipeConfig (*own)(const Config &); ///< latency and interval; null: the unit itself decides how long it takes
    Figure register_in;                ///< null: no more than the producer's latency
    Figure predicate_in;
    Figure uniform_in;             ///< null: no more than the producer's latency
    Figure register_out = nullptr; ///< likewise
};

constexpr Figure kNoMore = nullptr;

template <PipeConfig PipesConfig::*pipe> PipeConfig own(const Config &config) {
    return config.pipes.*pipe;
}

PipeConfig constant_path(const Config &config) {
    return {config.lsu.constant_latency, 1};
}

constexpr UnitRow math(Unit unit, std::string_view name, PipeConfig (*own_timing)(const Config &), Figure register_in,
                       Figure register_out = kNoMore) {
    return {{unit, name, StallReason::kMathPipeThrottle, false},
            own_timing,
            register_in,
            &PipesConfig::predicate_to_alu,
            kNoMore,
            register_out};
}

constexpr UnitRow control(Unit unit, std::string_view name) {
    return {{unit, name, StallReason::kDispatch, false},
            nullptr,
            &PipesConfig::to_branch,
            &PipesConfig::predicate_to_branch,
            &PipesConfig::uniform_to_branch};
}

constexpr UnitRow kRows[] = {
    math(Unit::kNone, "none", nullptr, &PipesConfig::to_memory),
    math(Unit::kAlu, "alu", own<&PipesConfig::alu>, &PipesConfig::fma_to_alu),
    math(Unit::kFma, "fma", own<&PipesConfig::fma>, &PipesConfig::alu_to_fma),
    math(Unit::kXu, "xu", own<&PipesConfig::xu>, &PipesConfig::to_memory),
    math(Unit::kFp64, "fp64", own<&PipesConfig::fp64>, &PipesConfig::to_memory),
    math(Unit::kHalf, "half", own<&PipesConfig::half>, &PipesConfig::to_half, &PipesConfig::half_to_others),
    math(Unit::kUniform, "uniform", own<&PipesConfig::uniform>, &PipesConfig::to_memory),
    {{Unit::kLoadStore, "lsu", StallReason::kMioThrottle, true},
     constant_path,
     &PipesConfig::to_memory,
     &PipesConfig::predicate_to_alu,
     &PipesConfig::uniform_to_memory},
    control(Unit::kBranch, "bru"),
    control(Unit::kBarrier, "bcu"),
};

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

Pipes::Pipes(const Config &config)
    : wordwise_i2f_(config.pipes.i2f_on_alu != 0 ? isa::Op::kI2f : isa::Op{}),
      fp64_elsewhere_(config.pipes.fp64_per_sm), second_fp32_(second_latch(config.pipes.second_fp32)),
      i2f_on_alu_(config.pipes.i2f_on_alu), classes_{0, config.pipes.special_register, config.pipes.shuffle,
                                                     config.pipes.fp64.latency + config.pipes.fp64_fma},
      fences_{std::max(1U, config.lsu.membar_cta), std::max(1U, config.lsu.membar_gpu),
              std::max(1U, config.lsu.membar_sys)} {
    const auto figure = [&](Figure member) { return member == kNoMore ? 0 : config.pipes.*member; };
    for (std::size_t i = 0; i < isa::kUnits; ++i) {
        const UnitRow &row = kRows[i];
        PipeTiming &unit = units_[i];
        if (row.own != nullptr) {
            const PipeConfig own = row.own(config);
            unit.latency = own.latency;
            unit.interval = own.interval;
        }
        unit.register_in = figure(row.register_in);
        unit.register_out = figure(row.register_out);
        unit.predicate_in = figure(row.predicate_in);
        unit.uniform_in = figure(row.uniform_in);
        slowest_.register_in = std::max(slowest_.register_in, unit.register_in);
        slowest_.predicate_in = std::max(slowest_.predicate_in, unit.predicate_in);
        slowest_.uniform_in = std::max(slowest_.uniform_in, unit.uniform_in);
    }
}

std::vector<std::pair<UsedUnit, std::uint8_t>> Pipes::own_latches() const {
    std::vector<std::pair<UsedUnit, std::uint8_t>> own;
    const auto add = [&own](UsedUnit unit, Unit of) { own.emplace_back(unit, static_cast<std::uint8_t>(of)); };
    add(UsedUnit::kAlu, Unit::kAlu);
    add(UsedUnit::kFma, Unit::kFma);
    if (second_fp32_ == kSecondFp32Latch) {
        own.emplace_back(UsedUnit::kSecondFp32, kSecondFp32Latch);
    }
    add(UsedUnit::kXu, Unit::kXu);
    if (!fp64_elsewhere_) {
        add(UsedUnit::kFp64, Unit::kFp64);
    }
    add(UsedUnit::kHalf, Unit::kHalf);
    add(UsedUnit::kUniform, Unit::kUniform);
    return own;
}

} // namespace smsim::timing
