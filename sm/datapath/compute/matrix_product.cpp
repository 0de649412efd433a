// HMMA, IMMA, BMMA, DMMA: the checks that all lanes take part and that the configuration has such a product; what it
// computes is in matrix/ (tensor.md 1, 2).
#include <array>
#include <utility>

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

/// The registers of the operands of a product.
struct Registers {
    unsigned a;
    unsigned b;
    unsigned c;
    unsigned d;

    explicit Registers(const MatrixOperation &product)
        : a(registers_of_a(product)), b(registers_of_b(product)), c(registers_of_c(product)),
          d(registers_of_d(product)) {}
};

/// Why the product cannot be executed; none if it can.
std::optional<FaultReport> fault_of(const Operation &op, const MatrixOperation &product, const Registers &count,
                                    const TensorConfig &tensor) {
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
    const auto beyond = [&](std::uint8_t first, unsigned registers) {
        return first != isa::kRz && first + registers > op.regs.count();
    };
    const isa::Instruction &insn = op.insn;
    if (beyond(insn.rd, count.d) || beyond(insn.ra, count.a) || beyond(insn.rb, count.b) || beyond(insn.rc, count.c) ||
        beyond(insn.re, 1)) {
        return FaultReport{Fault::kIllegalInstruction,
                           fmt::format("a group of registers is beyond the {} of the warp", op.regs.count())};
    }
    return std::nullopt;
}

} // namespace

void execute_matrix(const Operation &op) {
    const MatrixOperation product = isa::matrix::operation_of(op.insn);
    const Registers count(product);
    const TensorConfig &tensor = op.ctx.tensor != nullptr ? *op.ctx.tensor : kDefaultTensor;
    if (auto fault = fault_of(op, product, count, tensor)) [[unlikely]] {
        op.fault = std::move(fault);
        return;
    }
    const Row *sources[3 * kMostRegisters];
    const Row **next = sources;
    const auto add_rows = [&](std::uint8_t first, unsigned registers) {
        const Row *const *rows = next;
        for (unsigned i = 0; i < registers; ++i) {
            *next++ = &op.regs.read(register_of(first, i));
        }
        return rows;
    };
    const Row *const *a = add_rows(op.insn.ra, count.a);
    const Row *const *b = add_rows(op.insn.rb, count.b);
    const Row *const *c = add_rows(op.insn.rc, count.c);
    Row *d[kMostRegisters];
    for (unsigned i = 0; i < count.d; ++i) {
        d[i] = &op.regs.write(register_of(op.insn.rd, i));
    }
    matrix::multiply(product, tensor.arithmetic, tensor.zero_terms, a, b, c,
                     product.sparse ? &op.regs.read(op.insn.re) : nullptr, d);
}

} // namespace smsim::sm::compute
