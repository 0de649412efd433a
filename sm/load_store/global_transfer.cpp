#include "sm/load_store/global_transfer.h"

#include <algorithm>
#include <cstring>

#include "model/protocol/atomic.h"
#include "sm/load_store/lane_data.h"
#include "sm/load_store/memory_operation.h"

namespace smsim::sm {

std::optional<FaultReport> GlobalTransfer::check(const MemoryRequest &request, Checked &checked) const {
    if (auto fault = check_addresses(request, bounds_ != nullptr, checked)) {
        return fault;
    }
    const AddressSpan &span = checked.span;
    if (bounds_ == nullptr) {
        return std::nullopt;
    }
    if (span.bytes() != 0 && bounds_->judge(span.first, span.bytes()) == GlobalBounds::Verdict::kInside) [[likely]] {
        bounds_->expect(span.first, span.bytes());
        return std::nullopt;
    }
    // The span may have gaps that no thread accesses: each thread is judged individually.
    checked.outside = true;
    return bounds_->fault_of(request.lanes, request.address, bytes_per_thread(*request.insn));
}

void GlobalTransfer::note_outside(const MemoryRequest &request, Cycle now) const {
    const unsigned bytes = bytes_per_thread(*request.insn);
    for_each_lane(request.lanes, [&](unsigned lane) {
        if (bounds_->judge(request.address[lane], bytes) == GlobalBounds::Verdict::kPadding) {
            bounds_->note({request.insn->pc, request.warp, lane, request.address[lane], bytes, now});
        }
    });
}

Transfer::Started GlobalTransfer::start(TransferState &state, const Checked &checked, ChunkSink &chunks) {
    const isa::Instruction &insn = *state.request->insn;
    const bool atomic = is_atomic(insn);
    state.alone = atomic && atomics_ == GlobalAtomics::kReadWrite;
    // An atomic made of a read and a write must see what other masters have written.
    state.bypass_l1 = state.alone || (!atomic && insn.mod[1] != 0);
    const std::uint32_t phases = data_phases_of(bytes_per_thread(insn));
    if (!atomic) {
        state.wavefronts = wavefronts_of_row(state.request->lanes, phases); // sent with the chunk of the row
    }
    if (start_row(state, checked, 0, chunks)) {
        return {.global = 1};
    }
    make_pieces(state, 0, state.request->lanes);
    if (state.alone) {
        return {.global = 2 * state.pieces.size()};
    }
    return {.global = atomic ? start_atomics(state, chunks) : start_pieces(state, chunks, {}, phases)};
}

void GlobalTransfer::resume(TransferState &state, ChunkSink &chunks) const {
    state.next_piece = 0;
    send_modify(state, Chunk::Part::kModifyRead, chunks);
}

void GlobalTransfer::answered(TransferState &state, const Chunk &chunk, ChunkSink &chunks) const {
    MemoryRequest &request = *state.request;
    if (chunk.part == Chunk::Part::kModifyRead) {
        const Piece &piece = chunk.pieces.front();
        std::uint64_t old = 0;
        std::memcpy(&old, chunk.data.data(), piece.bytes);
        state.new_value = protocol::atomic_result(atomic_op(*request.insn), atomic_type(*request.insn), old,
                                                  atomic_operand(request, piece.lane, piece.bytes),
                                                  atomic_compare(request, piece.lane, piece.bytes));
        store_old_value(request, chunk);
        send_modify(state, Chunk::Part::kModifyWrite, chunks);
    } else if (chunk.part == Chunk::Part::kModifyWrite) {
        if (++state.next_piece < state.pieces.size()) {
            send_modify(state, Chunk::Part::kModifyRead, chunks);
        }
    } else {
        Transfer::answered(state, chunk, chunks);
    }
}

void GlobalTransfer::send_modify(TransferState &state, Chunk::Part part, ChunkSink &chunks) const {
    const bool write = part == Chunk::Part::kModifyWrite;
    Chunk &chunk =
        chunk_of(state.pieces[state.next_piece], write ? Chunk::Kind::kWrite : Chunk::Kind::kRead, part, chunks);
    if (write) {
        std::memcpy(chunk.data.data(), &state.new_value, chunk.bytes);
    }
    // The write follows the read.
    chunk.after_answers = true;
    chunks.send(chunk);
}

} // namespace smsim::sm
