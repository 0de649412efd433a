#include "sm/datapath/compute/matrix_move.h"

#include <fmt/format.h>

#include "sm/datapath/compute/matrix/exchange.h"
#include "sm/datapath/compute/operation.h"

namespace smsim::sm::compute {

using matrix::kExchangeRows;

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
        matrix::ExchangeWords words;
        for (unsigned row = 0; row < kExchangeRows; ++row) {
            for (unsigned word = 0; word < rows.size(); ++word) {
                words[row][word] = rows[word][matrix::address_lane(number, row)];
            }
        }
        matrix::put_matrix(words, transposed, registers.write(register_of(insn.rd, number)));
    }
}

void take_matrices(const isa::Instruction &insn, const WarpRegisters &registers, RowWords &rows) {
    const bool transposed = isa::moves_transposed(insn);
    for (unsigned number = 0; number < isa::matrices_moved(insn); ++number) {
        const matrix::ExchangeWords words =
            matrix::take_matrix(registers.read(register_of(insn.rb, number)), transposed);
        for (unsigned row = 0; row < kExchangeRows; ++row) {
            for (unsigned word = 0; word < rows.size(); ++word) {
                rows[word][matrix::address_lane(number, row)] = words[row][word];
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
