#include "sm/load_store/transfer.h"

#include <fmt/format.h>

#include "sm/load_store/address_check.h"
#include "sm/load_store/lane_data.h"
#include "sm/load_store/memory_operation.h"

namespace smsim::sm {
namespace {

const char *name_of(MemorySide side) {
    return side == MemorySide::kGlobal ? "global" : "shared";
}
/// Added to the message of an atomic that a memory does not perform.
const char *hint_of(MemorySide side) {
    return side == MemorySide::kGlobal
               ? "; a memory that does not perform atomics itself needs global.atomics=read_write"
               : "";
}

/// Whether that is known of all addresses from the first and the last one: that none is misaligned or outside of its
/// window.
bool is_legal(const AddressSpan &span, std::uint32_t bytes, const isa::OpSpec &spec, std::uint64_t window_bytes) {
    const bool has_window = spec.has(isa::kShared) || spec.has(isa::kLocal);
    return (span.in_lane_order || span.is_uniform) && (span.first & (bytes - 1)) == 0 && span.first <= span.last &&
           (!has_window || span.last < window_bytes);
}

} // namespace

void Transfer::note_outside(const MemoryRequest &, Cycle) const {}

void Transfer::resume(TransferState &, Legs &) const {}

std::optional<FaultReport> Transfer::check_addresses(const MemoryRequest &request, bool wants_span, Checked &checked) {
    const isa::Instruction &insn = *request.insn;
    const unsigned bytes = bytes_per_thread(insn);
    if (wants_span || may_be_row(insn)) {
        checked.span = span_of(request.address, request.lanes, bytes);
        if (is_legal(checked.span, bytes, insn.spec(), request.window_bytes)) [[likely]] {
            return std::nullopt;
        }
    }
    return address_fault(insn.spec(), bytes, request.lanes, request.address, request.window_bytes);
}

bool Transfer::may_be_row(const isa::Instruction &insn) {
    return !is_atomic(insn) && (!insn.spec().has(isa::kWritesMemory) || bytes_per_thread(insn) == 4);
}

bool Transfer::start_row(TransferState &state, const AddressSpan &span, std::uint64_t offset, Legs &legs,
                         std::uint32_t phases) const {
    const MemoryRequest &request = *state.request;
    const bool write = request.insn->spec().has(isa::kWritesMemory);
    if (!may_be_row(*request.insn) || !in_one_row(span, offset, row_bytes_) || (write && !span.in_lane_order)) {
        return false;
    }
    Leg &leg = legs.next();
    leg.to = to_;
    leg.kind = write ? Leg::Kind::kWrite : Leg::Kind::kRead;
    leg.part = Leg::Part::kRow;
    leg.phased = phases > 1;
    leg.phase = 0;
    leg.phases = phases;
    leg.address = span.first + offset;
    leg.bytes = static_cast<std::uint32_t>(span.bytes());
    leg.origin = span.first;
    leg.in_lane_order = span.in_lane_order;
    leg.is_uniform = span.is_uniform;
    if (write) {
        gather_row(request, leg);
    }
    legs.send(leg);
    return true;
}

std::size_t Transfer::start_pieces(TransferState &state, Legs &legs, std::optional<std::uint32_t> phase) {
    const bool write = state.request->insn->spec().has(isa::kWritesMemory);
    const std::size_t count = coalesce(state.pieces, row_bytes_, 1, rows_);
    for (std::size_t i = 0; i < count; ++i) {
        Transaction &row = rows_[i];
        Leg &leg = legs.next();
        leg.to = to_;
        leg.kind = write ? Leg::Kind::kWrite : Leg::Kind::kRead;
        leg.part = Leg::Part::kPieces;
        leg.phased = phase.has_value();
        leg.phase = phase.value_or(0);
        leg.phases = 1;
        leg.address = row.address;
        leg.bytes = row.bytes;
        leg.pieces.swap(row.pieces);
        if (write) {
            gather(*state.request, leg, row.dense);
        } else if (to_ == MemorySide::kShared && !row.dense) {
            enable_pieces(leg); // words that nobody wants take no pass of their bank
        }
        legs.send(leg);
    }
    return count;
}

Leg &Transfer::leg_of(const Piece &piece, Leg::Kind kind, Leg::Part part, Legs &legs) const {
    Leg &leg = legs.next();
    leg.to = to_;
    leg.kind = kind;
    leg.part = part;
    leg.address = piece.address;
    leg.bytes = piece.bytes;
    leg.pieces.assign(1, piece);
    return leg;
}

std::size_t Transfer::start_atomics(TransferState &state, Legs &legs) const {
    const MemoryRequest &request = *state.request;
    for (const Piece &piece : state.pieces) {
        Leg &leg = leg_of(piece, Leg::Kind::kAtomic, Leg::Part::kAtomic, legs);
        leg.op = atomic_op(*request.insn);
        leg.type = atomic_type(*request.insn);
        leg.operand = atomic_operand(request, piece.lane, piece.bytes);
        leg.compare = atomic_compare(request, piece.lane, piece.bytes);
        legs.send(leg);
    }
    return state.pieces.size();
}

void Transfer::make_pieces(TransferState &state, std::uint64_t offset, LaneMask lanes) {
    const MemoryRequest &request = *state.request;
    const auto bytes = static_cast<std::uint8_t>(bytes_per_thread(*request.insn));
    state.pieces.clear();
    for_each_lane(lanes, [&](unsigned lane) {
        state.pieces.push_back({request.address[lane] + offset, static_cast<std::uint8_t>(lane), bytes, 0});
    });
}

void Transfer::answered(TransferState &state, const Leg &leg, Legs &) const {
    MemoryRequest &request = *state.request;
    switch (leg.part) {
    case Leg::Part::kPieces:
        if (leg.kind == Leg::Kind::kRead) {
            scatter(request, leg);
        }
        break;
    case Leg::Part::kRow:
        if (leg.kind == Leg::Kind::kRead) {
            scatter_row(request, leg);
        }
        break;
    case Leg::Part::kAtomic:
        if (leg.performed) {
            store_old_value(request, leg);
        } else {
            refused(state, leg, Refusal::kCommand, "it answered an atomic without performing it");
        }
        break;
    case Leg::Part::kModifyRead:
    case Leg::Part::kModifyWrite:
        break;
    }
}

void Transfer::refused(TransferState &state, const Leg &leg, Refusal why, const std::string &answer) const {
    const unsigned lane = leg.part == Leg::Part::kRow ? state.request->lanes.lowest() : leg.pieces.front().lane;
    if (state.failed && lane >= state.failed_lane) {
        return;
    }
    state.failed = true;
    state.failed_lane = lane;
    const bool needs_hint = leg.part == Leg::Part::kAtomic && why == Refusal::kCommand;
    state.fault.fault = why == Refusal::kAddress ? Fault::kIllegalAddress : Fault::kMemoryError;
    state.fault.address = leg.address;
    state.fault.bytes = leg.to == MemorySide::kGlobal ? leg.bytes : 0;
    state.fault.detail = fmt::format("{} memory refused {} bytes at {:#x} (first thread {}): {}{}", name_of(leg.to),
                                     leg.bytes, leg.address, lane, answer, needs_hint ? hint_of(leg.to) : "");
}

} // namespace smsim::sm
