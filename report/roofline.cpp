// Operations by executing lanes, bytes by level, and the limits of both.
#include "report/roofline.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "model/config/config.h"
#include "model/config/row_bytes.h"
#include "model/isa/matrix/matrix_instruction.h"
#include "model/stats/utilisation.h"
#include "model/timing/pipes.h"
#include "report/summary.h"

namespace smsim {
namespace {

enum Kind : std::size_t { kSingle, kDouble, kHalf, kKinds };

struct Arithmetic {
    isa::Op op;
    Kind kind;
    unsigned operations; ///< of one lane
};

constexpr std::array kArithmetic = {
    Arithmetic{isa::Op::kFadd, kSingle, 1}, Arithmetic{isa::Op::kFmul, kSingle, 1},
    Arithmetic{isa::Op::kFfma, kSingle, 2}, Arithmetic{isa::Op::kDadd, kDouble, 1},
    Arithmetic{isa::Op::kDmul, kDouble, 1}, Arithmetic{isa::Op::kDfma, kDouble, 2},
    Arithmetic{isa::Op::kHadd2, kHalf, 2},  Arithmetic{isa::Op::kHmul2, kHalf, 2},
    Arithmetic{isa::Op::kHfma2, kHalf, 4},
};

/// In the order of isa::matrix::Rate.
constexpr std::array<std::string_view, isa::matrix::kRates> kMatrixNames = {
    "tensor_f16",        "tensor_f16_to_f32", "tensor_bf16", "tensor_tf32", "tensor_fp8",
    "tensor_fp8_to_f32", "tensor_s8",         "tensor_s4",   "tensor_b1",   "tensor_f64"};

/// Products of matrices by their rate. The peak is that of the fastest shape that the launch executed.
std::vector<RooflineWork> matrix_work(const RunStats &stats, const Config &config, const Program &program) {
    std::array<RooflineWork, isa::matrix::kRates> by_rate;
    const timing::Pipes pipes(config);
    for (std::size_t i = 0; i < std::min(stats.pcs.size(), program.code.size()); ++i) {
        const isa::Instruction &insn = program.code[i];
        if (insn.unit != isa::Unit::kTensor || stats.pcs[i].executed_lanes == 0) {
            continue;
        }
        const isa::matrix::MatrixOperation op = isa::matrix::operation_of(insn);
        const std::uint64_t operations = 2 * std::uint64_t{isa::matrix::multiply_adds(op)};
        RooflineWork &work = by_rate[static_cast<std::size_t>(isa::matrix::rate_of(op))];
        work.operations += stats.pcs[i].executed_lanes / kLanes * operations;
        work.peak = std::max(work.peak, static_cast<double>(operations) * config.sm.sub_partitions /
                                            std::max(1U, pipes.interval(insn)));
    }
    std::vector<RooflineWork> found;
    for (std::size_t i = 0; i < by_rate.size(); ++i) {
        if (by_rate[i].operations != 0) {
            found.push_back({kMatrixNames[i], by_rate[i].operations, by_rate[i].peak});
        }
    }
    return found;
}

/// Warp instructions per cycle that pipes with this interval take; each sub-partition issues at most one.
double rate(std::uint32_t interval, unsigned pipes) {
    return std::min(1.0, pipes / static_cast<double>(std::max(1U, interval)));
}

std::vector<RooflineWork> work_of(const RunStats &stats, const Config &config, const Program *program) {
    std::array<std::uint64_t, kKinds> operations{};
    for (std::size_t i = 0; program != nullptr && i < std::min(stats.pcs.size(), program->code.size()); ++i) {
        const auto row = std::ranges::find(kArithmetic, program->code[i].op, &Arithmetic::op);
        if (row != kArithmetic.end()) {
            operations[row->kind] += stats.pcs[i].executed_lanes * row->operations;
        }
    }
    const PipesConfig &pipes = config.pipes;
    const double parts = config.sm.sub_partitions;
    const double single = rate(pipes.fma.interval, pipes.second_fp32 == SecondFp32::kNone ? 1 : 2) * parts;
    const double fp64 =
        pipes.fp64_per_sm ? 1.0 / std::max(1U, pipes.fp64.interval) : rate(pipes.fp64.interval, 1) * parts;
    const double half = rate(pipes.half.interval, 1) * parts;
    std::vector<RooflineWork> work = {{"fp32", operations[kSingle], 2 * kLanes * single},
                                      {"fp64", operations[kDouble], 2 * kLanes * fp64},
                                      {"fp16", operations[kHalf], 4 * kLanes * half}};
    std::erase_if(work, [](const RooflineWork &one) { return one.operations == 0; });
    if (program != nullptr) {
        std::ranges::copy(matrix_work(stats, config, *program), std::back_inserter(work));
    }
    work.push_back({"lanes", stats.totals().thread_instructions, kLanes * parts * config.ibuffer.issue_width});
    return work;
}

std::vector<RooflineTraffic> traffic_of(const RunStats &stats, const Config &config) {
    // A transaction moves whole sectors.
    const double l1 = static_cast<double>(config.lsu.lines_per_cycle) * config.lsu.units *
                      std::max(global_row_bytes(config), config.lsu.sector_bytes);
    std::vector<RooflineTraffic> traffic;
    const auto add = [&](std::string_view name, UsedUnit unit, std::uint64_t bytes_each) {
        if (const UnitUse *use = find_use(stats.units, unit)) {
            traffic.push_back({name, use->busy() * bytes_each, static_cast<double>(use->possible(1) * bytes_each)});
        }
    };
    add("shared", UsedUnit::kSharedArray, std::uint64_t{config.shared.banks} * config.shared.bank_bytes);
    if (find_use(stats.units, UsedUnit::kL1Data) != nullptr) {
        add("l1", UsedUnit::kL1Data, config.l1.bytes_per_cycle);
    } else {
        traffic.push_back({"l1", stats.lsu.moved_global_bytes, l1});
    }
    add("global", UsedUnit::kGlobalPath, 1);
    add("dram", UsedUnit::kDramPath, 1);
    std::erase_if(traffic, [](const RooflineTraffic &one) { return one.bytes == 0; });
    return traffic;
}

} // namespace

Roofline roofline_of(const RunStats &stats, const Config &config, const Program *program) {
    Roofline roofline{work_of(stats, config, program), traffic_of(stats, config), {}};
    for (const RooflineWork &work : roofline.work) {
        for (const RooflineTraffic &traffic : roofline.traffic) {
            const double intensity = ratio(work.operations, traffic.bytes);
            roofline.points.push_back({work.name, traffic.name, intensity,
                                       std::min(work.peak, intensity * traffic.peak),
                                       ratio(work.operations, stats.cycles)});
        }
    }
    return roofline;
}

} // namespace smsim
