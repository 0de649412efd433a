// HMMA, IMMA, BMMA, DMMA: the checks that all lanes take part and that the configuration has such a product; what it
// computes is in matrix/ (tensor.md 1, 2).
#include <array>

#include <fmt/format.h>

#include "model/isa/matrix/matrix_instruction.h"
#include "sm/datapath/compute/matrix/multiply.h"
#include "sm/datapath/compute/operation.h"

namespace smsim::sm::compute {
namespace {

using isa::matrix::Element;
using isa::matrix::MatrixOperation;
using isa::matrix::Rate;

constexpr TensorConfig kDefaultTensor{};

/// The key of the configuration that gives a rate, and its value.
struct RateKey {
    std::string_view name;
    std::uint32_t TensorConfig::*value;
};
constexpr std::array<RateKey, isa::matrix::kRates> kRateKeys = {{{"f16", &TensorConfig::f16},
                                                                 {"f16_to_f32", &TensorConfig::f16_to_f32},
                                                                 {"bf16", &TensorConfig::bf16},
                                                                 {"tf32", &TensorConfig::tf32},
                                                                 {"fp8", &TensorConfig::fp8},
                                                                 {"fp8_to_f32", &TensorConfig::fp8_to_f32},
                                                                 {"s8", &TensorConfig::s8},
                                                                 {"s4", &TensorConfig::s4},
                                                                 {"b1", &TensorConfig::b1},
                                                                 {"f64", &TensorConfig::f64}}};

constexpr unsigned kMostRegisters = 16;

/// The rows of `count` registers from `first` on.
std::array<const Row *, kMostRegisters> rows_of(const Operation &op, std::uint8_t first, unsigned count) {
    std::array<const Row *, kMostRegisters> rows{};
    for (unsigned i = 0; i < count; ++i) {
        rows[i] = &op.regs.read(first == isa::kRz ? isa::kRz : static_cast<std::uint8_t>(first + i));
    }
    return rows;
}

/// Why the product cannot be executed; none if it can.
std::optional<FaultReport> fault_of(const Operation &op, const MatrixOperation &product, const TensorConfig &tensor) {
    if (op.executed != LaneMask::all()) {
        return FaultReport{Fault::kMatrixDiverged,
                           fmt::format("threads 0x{:08x} execute it; a product of matrices takes all 32 of a warp",
                                       op.executed.bits())};
    }
    const RateKey &key = kRateKeys[static_cast<std::size_t>(isa::matrix::rate_of(product))];
    if (tensor.*key.value == 0) {
        return FaultReport{
            Fault::kIllegalInstruction,
            fmt::format("the configuration has no such products of matrices (tensor.{} is 0)", key.name)};
    }
    if (product.sparse && !tensor.sparse) {
        return FaultReport{Fault::kIllegalInstruction,
                           "the configuration has no sparse products of matrices (tensor.sparse is false)"};
    }
    if (const unsigned steps = isa::matrix::steps_of(product); steps > tensor.steps && product.a != Element::kF64) {
        return FaultReport{Fault::kIllegalInstruction,
                           fmt::format("the configuration has no products of matrices of {} steps (tensor.steps is {})",
                                       steps, tensor.steps)};
    }
    const auto beyond = [&](std::uint8_t first, unsigned count) {
        return first != isa::kRz && first + count > op.regs.count();
    };
    const isa::Instruction &insn = op.insn;
    if (beyond(insn.rd, registers_of_d(product)) || beyond(insn.ra, registers_of_a(product)) ||
        beyond(insn.rb, registers_of_b(product)) || beyond(insn.rc, registers_of_c(product)) || beyond(insn.re, 1)) {
        return FaultReport{Fault::kIllegalInstruction,
                           fmt::format("a group of registers is beyond the {} of the warp", op.regs.count())};
    }
    return std::nullopt;
}

} // namespace

void execute_matrix(const Operation &op) {
    const MatrixOperation product = isa::matrix::operation_of(op.insn);
    const TensorConfig &tensor = op.ctx.tensor != nullptr ? *op.ctx.tensor : kDefaultTensor;
    if (op.fault = fault_of(op, product, tensor); op.fault) {
        return;
    }
    const auto a = rows_of(op, op.insn.ra, registers_of_a(product));
    const auto b = rows_of(op, op.insn.rb, registers_of_b(product));
    const auto c = rows_of(op, op.insn.rc, registers_of_c(product));
    std::array<Row *, kMostRegisters> d{};
    for (unsigned i = 0; i < registers_of_d(product); ++i) {
        d[i] = &op.regs.write(op.insn.rd == isa::kRz ? isa::kRz : static_cast<std::uint8_t>(op.insn.rd + i));
    }
    matrix::multiply(product, tensor.arithmetic, tensor.zero_terms, a.data(), b.data(), c.data(),
                     product.sparse ? &op.regs.read(op.insn.re) : nullptr, d.data());
}

} // namespace smsim::sm::compute
