#include "sm/datapath/operands.h"

#include <cstring>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "model/multiversion.h"
#include "model/state/launch_context.h"
#include "sm/datapath/compute/execute.h"
#include "sm/datapath/compute/matrix_move.h"

namespace smsim::sm {
namespace {

using isa::Instruction;
using isa::OperandSpec;
using isa::Place;

std::span<const OperandSpec> operands_of(const Instruction &insn) {
    return isa::find_form(insn.spec(), insn.form)->operands;
}

/// The general register that an operand reads, unless it is part of an address.
std::optional<std::uint8_t> vector_register(const Instruction &insn, const OperandSpec &operand) {
    switch (operand.place) {
    case Place::kRa:
    case Place::kBase24:
    case Place::kBase32:
        return insn.ra;
    case Place::kRb:
    case Place::kRbHigh:
        return insn.rb;
    case Place::kRc:
    case Place::kRcLow:
        return insn.rc;
    default:
        return std::nullopt;
    }
}

const OperandSpec *destination(const Instruction &insn) {
    for (const OperandSpec &operand : operands_of(insn)) {
        if (operand.place == Place::kRd) {
            return &operand;
        }
    }
    return nullptr;
}

void copy(const compute::Row &row, std::array<std::uint32_t, kLanes> &to) {
    std::memcpy(to.data(), row.lane, sizeof(to));
}

std::optional<std::uint64_t> constant(const Instruction &insn, const ConstantBanks &banks, bool pair) {
    if (pair) {
        return compute::read_constant64(banks, insn.const_bank, insn.const_offset);
    }
    return compute::read_constant32(banks, insn.const_bank, insn.const_offset);
}

} // namespace

std::optional<FaultReport> read_operands(const Instruction &insn, const compute::WarpRegisters &registers,
                                         const ConstantBanks &banks, isa::VectorOperands &vectors,
                                         std::uint64_t &scalar) {
    std::size_t next = 0;
    for (const OperandSpec &operand : operands_of(insn)) {
        const bool pair = isa::register_count(insn, operand) == 2;
        if (operand.kind == isa::Kind::kUreg) {
            scalar = pair ? registers.uniform_pair(insn.ur) : registers.uniform(insn.ur);
        } else if (operand.kind == isa::Kind::kConst) {
            const std::optional<std::uint64_t> value = constant(insn, banks, pair);
            if (!value) {
                return FaultReport{Fault::kIllegalAddress, fmt::format("constant c[{:#x}][{:#x}] is outside its bank",
                                                                       insn.const_bank, insn.const_offset)};
            }
            scalar = *value;
        } else if (const auto reg = vector_register(insn, operand)) {
            auto &vector = vectors[next++];
            for (unsigned lane = 0; lane < kLanes; ++lane) {
                vector[lane] = pair ? registers.pair(*reg, lane) : registers.value(*reg, lane);
            }
        }
    }
    return std::nullopt;
}

void read_operands(const Instruction &insn, const compute::WarpRegisters &registers,
                   isa::NarrowVectorOperands &vectors) {
    std::size_t next = 0;
    for (const OperandSpec &operand : operands_of(insn)) {
        if (const auto reg = vector_register(insn, operand)) {
            copy(registers.read(*reg), vectors[next++]);
        }
    }
}

BranchGuards branch_guards(const Instruction &insn, const compute::WarpRegisters &registers) {
    return {compute::guard(registers, insn.pg, insn.pg_not), compute::second_guard(registers, insn)};
}

LaneMask as_lowest(LaneMask active, LaneMask guard) {
    return guard.test(active.lowest()) ? LaneMask::all() : LaneMask{};
}

void as_lowest(const Instruction &insn, LaneMask active, isa::VectorOperands &vectors) {
    if (insn.spec().has(isa::kMayJump) && insn.op != isa::Op::kWarpsync) {
        for (auto &vector : vectors) {
            vector.fill(vector[active.lowest()]);
        }
    }
}

std::optional<FaultReport> arrival_fault(const Instruction &insn, LaneMask executed,
                                         const std::optional<ArrivalRefusal> &refusal) {
    if (refusal && executed.any() && insn.spec().has(isa::kArrives)) {
        return FaultReport{refusal->fault, std::string(refusal->reason)};
    }
    return std::nullopt;
}

void write_result(const Instruction &insn, compute::WarpRegisters &registers, LaneMask lanes, std::uint64_t value) {
    const OperandSpec *operand = destination(insn);
    if (operand == nullptr) {
        return;
    }
    const bool pair = isa::register_count(insn, *operand) == 2;
    for_each_lane(lanes, [&](unsigned lane) {
        if (pair) {
            registers.set_pair(insn.rd, lane, value);
        } else {
            registers.set(insn.rd, lane, static_cast<std::uint32_t>(value));
        }
    });
}

void write_predicate(const Instruction &insn, compute::WarpRegisters &registers, LaneMask lanes, bool value) {
    registers.set_predicate(insn.pu, value ? LaneMask::all() : LaneMask{}, lanes);
}

namespace {

SMSIM_MULTIVERSION void add_offset(const compute::Row &low, const compute::Row &high, std::uint64_t offset,
                                   std::uint64_t *address) {
    for (unsigned lane = 0; lane < kLanes; ++lane) {
        address[lane] = (low.lane[lane] | (std::uint64_t{high.lane[lane]} << 32)) + offset;
    }
}

SMSIM_MULTIVERSION void add_offset(const compute::Row &low, std::uint32_t offset, std::uint64_t *address) {
    for (unsigned lane = 0; lane < kLanes; ++lane) {
        address[lane] = low.lane[lane] + offset;
    }
}

} // namespace

void read_addresses(const Instruction &insn, const compute::WarpRegisters &registers,
                    std::array<std::uint64_t, kLanes> &address) {
    if (insn.form == isa::Form::kU) {
        const std::uint64_t base =
            insn.spec().has(isa::kGlobal) ? registers.uniform_pair(insn.ur) : registers.uniform(insn.ur);
        const std::uint64_t sum = base + static_cast<std::uint64_t>(insn.imm);
        address.fill(insn.spec().has(isa::kGlobal) ? sum : static_cast<std::uint32_t>(sum));
        return;
    }
    const compute::Row &low = registers.read(insn.ra);
    if (insn.spec().has(isa::kGlobal)) {
        add_offset(low, registers.read(compute::upper_half(insn.ra)), static_cast<std::uint64_t>(insn.imm),
                   address.data());
    } else {
        const auto offset =
            insn.spec().has(isa::kConstant) ? std::uint32_t{insn.const_offset} : static_cast<std::uint32_t>(insn.imm);
        add_offset(low, offset, address.data());
    }
}

void read_store_data(const Instruction &insn, const compute::WarpRegisters &registers, Words &data,
                     std::array<std::array<std::uint32_t, kLanes>, 2> &compare) {
    std::optional<std::uint8_t> compared;
    std::optional<std::uint8_t> stored;
    unsigned words = 0;
    for (const OperandSpec &operand : operands_of(insn)) {
        if (const auto reg = vector_register(insn, operand)) {
            compared = std::exchange(stored, reg);
            words = isa::register_count(insn, operand);
        }
    }
    for (unsigned word = 0; word < words; ++word) {
        copy(registers.read(compute::register_of(*stored, word)), data[word]);
        if (compared) {
            copy(registers.read(compute::register_of(*compared, word)), compare[word]);
        }
    }
}

namespace {

/// The threads that access rows of matrices, and what they store.
void read_rows(const Instruction &insn, const compute::WarpRegisters &registers, MemoryRequest &request) {
    request.lanes = compute::row_lanes(insn);
    if (insn.spec().has(isa::kWritesMemory)) {
        compute::take_matrices(insn, registers, request.data);
    }
}

} // namespace

void read_access(const Instruction &insn, LaneMask lanes, const compute::WarpRegisters &registers,
                 const WarpStart &start, std::uint64_t local_slot, MemoryRequest &request) {
    const isa::OpSpec &spec = insn.spec();
    request.warp = start.warp;
    request.insn = &insn;
    request.lanes = lanes;
    read_addresses(insn, registers, request.address);
    if (spec.has(isa::kShared)) {
        request.window_base = start.shared_base;
        request.window_bytes = start.shared_bytes;
    } else if (spec.has(isa::kLocal)) {
        request.window_base = start.launch->local_base + local_slot * start.launch->local_window();
        request.window_bytes = start.launch->local_bytes;
    }
    if (spec.has(isa::kMatrixRows)) [[unlikely]] {
        read_rows(insn, registers, request);
        return;
    }
    if (spec.has(isa::kWritesMemory)) {
        read_store_data(insn, registers, request.data, request.compare);
    }
}

void write_loaded(const Instruction &insn, compute::WarpRegisters &registers, LaneMask lanes, const Words &data) {
    const OperandSpec *operand = destination(insn);
    if (operand == nullptr || insn.rd == isa::kRz) {
        return;
    }
    if (operand->width == isa::Width::kMoved) [[unlikely]] {
        compute::put_matrices(insn, data, registers);
        return;
    }
    for (unsigned word = 0; word < isa::register_count(insn, *operand); ++word) {
        compute::Row &row = registers.write(compute::register_of(insn.rd, word));
        if (lanes == LaneMask::all()) {
            std::memcpy(row.lane, data[word].data(), sizeof(row.lane));
        } else {
            for_each_lane(lanes, [&](unsigned lane) { row.lane[lane] = data[word][lane]; });
        }
    }
}

} // namespace smsim::sm
