#include "sm/load_store/transfer.h"

#include <fmt/format.h>

#include "model/config/row_bytes.h"
#include "sm/load_store/address_check.h"
#include "sm/load_store/lane_data.h"
#include "sm/load_store/memory_operation.h"

namespace smsim::sm {
namespace {

const char *name_of(MemorySide side) {
    return side == MemorySide::kGlobal ? "global" : "shared";
}
/// Appended to the message of an atomic that a memory does not perform.
const char *hint_of(MemorySide side) {
    return side == MemorySide::kGlobal
               ? "; a memory that does not perform atomics itself needs global.atomics=read_write"
               : "";
}

/// Whether no address is misaligned or outside its window.
bool is_legal(const AddressSpan &span, const isa::OpSpec &spec, std::uint64_t window_bytes) {
    const bool has_window = spec.has(isa::kShared) || spec.has(isa::kLocal);
    return span.is_aligned && (!has_window || span.last < window_bytes);
}

} // namespace

void Transfer::note_outside(const MemoryRequest &, Cycle) const {}

void Transfer::resume(TransferState &, ChunkSink &) const {}

std::optional<FaultReport> Transfer::check_addresses(const MemoryRequest &request, bool wants_span, Checked &checked) {
    const isa::Instruction &insn = *request.insn;
    const unsigned bytes = bytes_per_thread(insn);
    checked.row = !is_atomic(insn) && (!insn.spec().has(isa::kWritesMemory) || bytes == 4);
    if (wants_span || checked.row) {
        checked.span.cover(request.address, request.lanes, bytes);
        if (is_legal(checked.span, insn.spec(), request.window_bytes)) [[likely]] {
            return std::nullopt;
        }
    }
    return address_fault(insn.spec(), bytes, request.lanes, request.address, request.window_bytes);
}

Transfer::Transfer(observation::MemorySpace space, const Config &config)
    : space_(space), to_(MemorySide::kGlobal), uses_global_(true), row_bytes_(global_row_bytes(config)),
      tags_(config.lsu.lines_per_cycle, row_bytes_), conflict_free_(config.l1.enabled && config.l1.conflict_free) {}

bool Transfer::start_row(TransferState &state, const Checked &checked, std::uint64_t offset, ChunkSink &chunks,
                         const Phased &all) const {
    const MemoryRequest &request = *state.request;
    const AddressSpan &span = checked.span;
    const bool write = request.insn->spec().has(isa::kWritesMemory);
    if (!checked.row || !in_one_row(span, offset, row_bytes_) || (write && !span.in_lane_order)) {
        return false;
    }
    Chunk &chunk = chunks.next();
    chunk.to = to_;
    chunk.kind = write ? Chunk::Kind::kWrite : Chunk::Kind::kRead;
    chunk.part = Chunk::Part::kRow;
    chunk.phased = all.phases > 1;
    chunk.phase = all.phase;
    chunk.phases = all.phases;
    chunk.path_cycles = all.path_cycles;
    chunk.full_passes = all.full_passes;
    chunk.address = span.first + offset;
    chunk.bytes = static_cast<std::uint32_t>(span.bytes());
    chunk.origin = span.first;
    chunk.in_lane_order = span.in_lane_order;
    chunk.is_uniform = span.is_uniform;
    if (write) {
        gather_row(request, chunk);
    }
    chunks.send(chunk);
    return true;
}

std::size_t Transfer::start_pieces(TransferState &state, ChunkSink &chunks, const std::optional<Phased> &phase,
                                   std::uint32_t data_phases) {
    MemoryRequest &request = *state.request;
    const bool write = request.insn->spec().has(isa::kWritesMemory);
    const std::span<const Transaction> transactions = coalescer_.merge(state.pieces, row_bytes_, 1);
    const std::size_t count = transactions.size();
    const bool offers = count > 1;
    if (uses_global_) {
        state.wavefronts = wavefronts_of(transactions, data_phases, tags_);
        if (conflict_free_) [[unlikely]] {
            state.wavefronts.data = state.wavefronts.ideal;
        }
    }
    if (offers) {
        offer_transactions(request, write, transactions);
    }
    for (std::size_t i = 0; i < count; ++i) {
        Chunk &chunk = chunks.next();
        chunk.phased = phase.has_value();
        chunk.phase = phase ? phase->phase : 0;
        chunk.phases = 1;
        chunk.path_cycles = phase ? phase->path_cycles : 0;
        chunk.full_passes = phase && phase->full_passes;
        chunk.transactions = static_cast<std::uint32_t>(count);
        fill_chunk(chunk, transactions[i], request, write);
        if (!offers) {
            chunks.send(chunk);
            continue;
        }
        for (std::size_t taken = chunks.send(chunk, std::span(offers_).first(count).subspan(i + 1)); taken > 0;
             --taken) {
            const Transaction &row = transactions[++i];
            if (!write && offers_[i].data == bytes_[i].data.data()) {
                scatter(request, row.pieces, row.address, offers_[i].data);
            }
        }
    }
    return count;
}

void Transfer::fill_chunk(Chunk &chunk, const Transaction &transaction, const MemoryRequest &request,
                          bool write) const {
    chunk.to = to_;
    chunk.kind = write ? Chunk::Kind::kWrite : Chunk::Kind::kRead;
    chunk.part = Chunk::Part::kPieces;
    chunk.address = transaction.address;
    chunk.bytes = transaction.bytes;
    chunk.pieces.assign(transaction.pieces.begin(), transaction.pieces.end());
    chunk.sparse = pack(transaction, request, write, chunk.data.data(), chunk.enables.data());
}

/// Puts what a transaction writes into `data`. Returns whether it writes only some of its bytes, which are then listed
/// in `enables`.
bool Transfer::pack(const Transaction &transaction, const MemoryRequest &request, bool write, unsigned char *data,
                    unsigned char *enables) const {
    if (write) {
        gather(request, transaction.pieces, transaction.address, data);
    }
    // In shared memory, words that no thread reads take no pass of their bank.
    const bool sparse = !transaction.dense && (write || to_ == MemorySide::kShared);
    if (sparse) {
        enable_pieces(transaction.pieces, transaction.address, transaction.bytes, enables);
    }
    return sparse;
}

/// Makes room for `count` offers.
void Transfer::make_offers(std::size_t count) {
    if (offers_.size() < count) {
        offers_.resize(count);
        bytes_.resize(count);
    }
}

/// Describes all transactions except the first, which is always a chunk.
void Transfer::offer_transactions(MemoryRequest &request, bool write, std::span<const Transaction> transactions) {
    const std::size_t count = transactions.size();
    make_offers(count);
    MemoryRow *const offers = offers_.data();
    for (std::size_t i = 1; i < count; ++i) {
        const Transaction &row = transactions[i];
        MemoryRow &offer = offers[i];
        offer.address = row.address;
        offer.bytes = row.bytes;
        offer.cache_hit = false;
        if (row.pieces.size() == 1 && row.bytes == 4) {
            offer.enables = nullptr;
            const Piece &piece = row.pieces.front();
            offer.data = reinterpret_cast<unsigned char *>(&request.data[piece.word][piece.lane]);
            continue;
        }
        OfferBytes &bytes = bytes_[i];
        offer.data = bytes.data.data();
        offer.enables =
            pack(row, request, write, bytes.data.data(), bytes.enables.data()) ? bytes.enables.data() : nullptr;
    }
}

Chunk &Transfer::chunk_of(const Piece &piece, Chunk::Kind kind, Chunk::Part part, ChunkSink &chunks) const {
    Chunk &chunk = chunks.next();
    chunk.to = to_;
    chunk.kind = kind;
    chunk.part = part;
    chunk.address = piece.address;
    chunk.bytes = piece.bytes;
    chunk.pieces.assign(1, piece);
    return chunk;
}

std::size_t Transfer::start_atomics(TransferState &state, ChunkSink &chunks) {
    MemoryRequest &request = *state.request;
    const std::size_t count = state.pieces.size();
    const bool offers = uses_global_ && count > 1;
    if (offers) {
        offer_atomics(state);
    }
    for (std::size_t i = 0; i < count; ++i) {
        const Piece &first = state.pieces[i];
        Chunk &chunk = chunk_of(first, Chunk::Kind::kAtomic, Chunk::Part::kAtomic, chunks);
        chunk.op = atomic_op(*request.insn);
        chunk.type = atomic_type(*request.insn);
        chunk.operand = atomic_operand(request, first.lane, first.bytes);
        chunk.compare = atomic_compare(request, first.lane, first.bytes);
        if (!offers) {
            chunks.send(chunk);
            continue;
        }
        for (std::size_t taken = chunks.send(chunk, std::span(offers_).first(count).subspan(i + 1)); taken > 0;
             --taken) {
            const Piece &piece = state.pieces[++i];
            store_old_value(request, piece.lane, piece.bytes, offers_[i].data);
        }
    }
    return count;
}

/// Describes all atomics except the first, which is always a chunk.
void Transfer::offer_atomics(TransferState &state) {
    const MemoryRequest &request = *state.request;
    const std::size_t count = state.pieces.size();
    make_offers(count);
    for (std::size_t i = 1; i < count; ++i) {
        const Piece &piece = state.pieces[i];
        offers_[i] = {.address = piece.address,
                      .bytes = piece.bytes,
                      .data = bytes_[i].data.data(),
                      .operand = atomic_operand(request, piece.lane, piece.bytes),
                      .compare = atomic_compare(request, piece.lane, piece.bytes)};
    }
}

void Transfer::make_pieces(TransferState &state, std::uint64_t offset, LaneMask lanes) {
    const MemoryRequest &request = *state.request;
    const auto bytes = static_cast<std::uint8_t>(bytes_per_thread(*request.insn));
    state.pieces.resize(lanes.count());
    Piece *next = state.pieces.data();
    for_each_lane(lanes, [&](unsigned lane) {
        *next++ = {request.address[lane] + offset, static_cast<std::uint8_t>(lane), bytes, 0};
    });
}

void Transfer::answered(TransferState &state, const Chunk &chunk, ChunkSink &) const {
    MemoryRequest &request = *state.request;
    switch (chunk.part) {
    case Chunk::Part::kPieces:
        if (chunk.kind == Chunk::Kind::kRead) {
            scatter(request, chunk.pieces, chunk.address, chunk.data.data());
        }
        break;
    case Chunk::Part::kRow:
        if (chunk.kind == Chunk::Kind::kRead) {
            scatter_row(request, chunk);
        }
        break;
    case Chunk::Part::kAtomic:
        if (chunk.performed) {
            store_old_value(request, chunk);
        } else {
            refused(state, chunk, Refusal::kCommand, "it answered an atomic without performing it");
        }
        break;
    case Chunk::Part::kModifyRead:
    case Chunk::Part::kModifyWrite:
        break;
    }
}

void Transfer::refused(TransferState &state, const Chunk &chunk, Refusal why, const std::string &answer) const {
    const unsigned lane = chunk.part == Chunk::Part::kRow ? state.request->lanes.lowest() : chunk.pieces.front().lane;
    if (state.failed && lane >= state.failed_lane) {
        return;
    }
    state.failed = true;
    state.failed_lane = lane;
    const bool needs_hint = chunk.part == Chunk::Part::kAtomic && why == Refusal::kCommand;
    state.fault.fault = why == Refusal::kAddress ? Fault::kIllegalAddress : Fault::kMemoryError;
    state.fault.address = chunk.address;
    state.fault.bytes = chunk.to == MemorySide::kGlobal ? chunk.bytes : 0;
    state.fault.detail = fmt::format("{} memory refused {} bytes at {:#x} (first thread {}): {}{}", name_of(chunk.to),
                                     chunk.bytes, chunk.address, lane, answer, needs_hint ? hint_of(chunk.to) : "");
}

} // namespace smsim::sm
