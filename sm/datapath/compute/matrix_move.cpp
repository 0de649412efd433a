#include "sm/datapath/compute/matrix_move.h"

#include <cstring>

#include <fmt/format.h>

#include "sm/datapath/compute/matrix/exchange.h"
#include "sm/datapath/compute/operation.h"

namespace smsim::sm::compute {
namespace {

using matrix::kExchangeRows;
using RowBytes = std::array<std::uint8_t, matrix::kExchangeRowBytes>;

/// Register `number` of the group that begins with `first`.
std::uint8_t member(std::uint8_t first, unsigned number) {
    return first == isa::kRz ? first : static_cast<std::uint8_t>(first + number);
}

} // namespace

FaultReport move_fault(LaneMask executed) {
    return {Fault::kMatrixDiverged,
            fmt::format("threads 0x{:08x} execute it; a move of matrices takes all 32 of a warp", executed.bits())};
}

LaneMask row_lanes(const isa::Instruction &insn) {
    const unsigned rows = kExchangeRows * isa::matrices_moved(insn);
    return LaneMask(~std::uint32_t{0} >> (kLanes - rows));
}

void put_matrices(const isa::Instruction &insn, const RowWords &rows, WarpRegisters &registers) {
    const bool transposed = isa::moves_transposed(insn);
    for (unsigned number = 0; number < isa::matrices_moved(insn); ++number) {
        Row &destination = registers.write(member(insn.rd, number));
        for (unsigned row = 0; row < kExchangeRows; ++row) {
            RowBytes bytes;
            for (unsigned word = 0; word < rows.size(); ++word) {
                std::memcpy(&bytes[4 * word], &rows[word][matrix::address_lane(number, row)], 4);
            }
            matrix::put_row(bytes.data(), row, transposed, destination);
        }
    }
}

void take_matrices(const isa::Instruction &insn, const WarpRegisters &registers, RowWords &rows) {
    const bool transposed = isa::moves_transposed(insn);
    for (unsigned number = 0; number < isa::matrices_moved(insn); ++number) {
        const Row &source = registers.read(member(insn.rb, number));
        for (unsigned row = 0; row < kExchangeRows; ++row) {
            RowBytes bytes;
            matrix::take_row(source, row, transposed, bytes.data());
            for (unsigned word = 0; word < rows.size(); ++word) {
                std::memcpy(&rows[word][matrix::address_lane(number, row)], &bytes[4 * word], 4);
            }
        }
    }
}

void execute_movm(const Operation &op) {
    if (op.executed != LaneMask::all()) {
        op.fault = move_fault(op.executed);
        return;
    }
    matrix::transpose8x8(op.regs.read(op.insn.ra), op.regs.write(op.insn.rd));
}

} // namespace smsim::sm::compute
