// What an access to memory does: which addresses are legal, which transactions it makes, what their answers mean. One
// object per space (shared_transfer.h, global_transfer.h, local_transfer.h), so that the queue and the protocol of the
// load/store unit need not know the spaces. Plain C++; the unit decides the timing of the transactions.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/error.h"
#include "model/observation/observer.h"
#include "model/state/memory_request.h"
#include "sm/load_store/access_chunk.h"
#include "sm/load_store/coalescer.h"
#include "sm/load_store/wavefronts.h"

namespace smsim {
struct Config;
}

namespace smsim::sm {

/// An access under way. The owner of a transfer keeps one for each access, and may reuse it for another.
struct TransferState {
    MemoryRequest *request = nullptr;
    std::vector<Piece> pieces;  ///< of all threads, if they were made; otherwise those of an earlier access
    bool bypass_l1 = false;     ///< caches on the way must not answer
    Wavefronts wavefronts;      ///< on global memory: cycles of the stages of an L1
    bool alone = false;         ///< begins with `Transfer::resume`, when no other such access can intervene between its
                                ///< chunks
    std::size_t next_piece = 0; ///< alone: the piece being read or written
    std::uint64_t new_value = 0;
    bool failed = false;
    unsigned failed_lane = 0; ///< the lowest first thread of the refused chunks
    FaultReport fault;        ///< failed: of that chunk
};

/// The phase of a chunk in an access with phases, and the least number of cycles for which the access takes its data
/// path.
struct Phased {
    std::uint32_t phase = 0; ///< the first one
    std::uint32_t phases = 1;
    std::uint32_t path_cycles = 0;
    bool full_passes = false; ///< the first pass of a phase takes the data path as long as any other
};

class Transfer {
  public:
    /// Results of a request's check for later use.
    struct Checked {
        AddressSpan span;     ///< of the threads' addresses, if the transfer may need it
        bool row = false;     ///< all threads together may be one chunk that needs no list of pieces
        bool outside = false; ///< threads leave the regions of global memory, which is tolerated and must be noted
    };
    /// Transactions of an access, including those not sent yet.
    struct Started {
        std::size_t shared = 0;
        std::size_t global = 0;
    };
    /// Why a memory has refused a chunk.
    enum class Refusal : std::uint8_t { kAddress, kCommand, kOther };

    virtual ~Transfer() = default;
    Transfer(const Transfer &) = delete;
    Transfer &operator=(const Transfer &) = delete;

    /// For the observer.
    observation::MemorySpace space() const { return space_; }
    /// Whether it sends to global memory, and so needs room among the transactions there.
    bool uses_global() const { return uses_global_; }

    /// The fault of a request that must not start; nothing has changed then. `checked.outside` must be false; the rest
    /// of `checked` may be left from another request.
    virtual std::optional<FaultReport> check(const MemoryRequest &request, Checked &checked) const = 0;
    /// Reports tolerated accesses of `request`, which is served in cycle `now`, to the record of them.
    virtual void note_outside(const MemoryRequest &request, Cycle now) const;
    /// Starts the access of `state.request`, which has passed the check: sends its chunks, or sets `alone`.
    virtual Started start(TransferState &state, const Checked &checked, ChunkSink &chunks) = 0;
    /// Sends the first chunk of an access that is `alone`.
    virtual void resume(TransferState &state, ChunkSink &chunks) const;
    /// A chunk has been performed: returns the data to the threads, or sends what follows.
    virtual void answered(TransferState &state, const Chunk &chunk, ChunkSink &chunks) const;
    /// The memory has refused a chunk with `answer`. If there are several errors, that of the lowest thread is kept,
    /// whatever the order of their arrival.
    void refused(TransferState &state, const Chunk &chunk, Refusal why, const std::string &answer) const;

  protected:
    /// For a space in global memory.
    Transfer(observation::MemorySpace space, const Config &config);
    /// For shared memory.
    Transfer(observation::MemorySpace space, MemorySide to, std::uint32_t row_bytes)
        : space_(space), to_(to), uses_global_(to == MemorySide::kGlobal), row_bytes_(row_bytes), tags_(1, row_bytes) {}

    /// The first part of a check: the fault of addresses that the instruction itself decides (address_check.h),
    /// otherwise the span of the threads' addresses, if a row needs it or the caller `wants_span`.
    static std::optional<FaultReport> check_addresses(const MemoryRequest &request, bool wants_span, Checked &checked);
    /// The common case: one chunk for all threads, with `offset` added to their addresses, and for all phases. False:
    /// not such an access.
    bool start_row(TransferState &state, const Checked &checked, std::uint64_t offset, ChunkSink &chunks,
                   const Phased &all = {}) const;
    /// One transaction for the pieces of each row, all in one phase if the access has phases: a chunk, or a row that is
    /// performed with the previous chunk. Returns their number. On global memory it counts the wavefronts, with
    /// `data_phases` phases.
    std::size_t start_pieces(TransferState &state, ChunkSink &chunks, const std::optional<Phased> &phase = {},
                             std::uint32_t data_phases = 1);
    /// The same with one atomic for each thread, which the memory performs.
    std::size_t start_atomics(TransferState &state, ChunkSink &chunks);
    /// A chunk for one piece.
    Chunk &chunk_of(const Piece &piece, Chunk::Kind kind, Chunk::Part part, ChunkSink &chunks) const;
    /// Makes `state.pieces`: one for each of `lanes`, `offset` added to its address.
    static void make_pieces(TransferState &state, std::uint64_t offset, LaneMask lanes);

  private:
    struct OfferBytes {
        std::array<unsigned char, kRowBytes> data;
        std::array<unsigned char, kRowBytes> enables;
    };

    void fill_chunk(Chunk &chunk, const Transaction &transaction, const MemoryRequest &request, bool write) const;
    bool pack(const Transaction &transaction, const MemoryRequest &request, bool write, unsigned char *data,
              unsigned char *enables) const;
    void make_offers(std::size_t count);
    void offer_transactions(MemoryRequest &request, bool write, std::span<const Transaction> transactions);
    void offer_atomics(TransferState &state);

    observation::MemorySpace space_;
    MemorySide to_;
    bool uses_global_;
    std::uint32_t row_bytes_;
    TagBanks tags_;
    bool conflict_free_ = false; ///< the data of an L1
    // For `start_pieces` and `start_atomics`; kept for their storage.
    Coalescer coalescer_;
    std::vector<MemoryRow> offers_; ///< by transaction: the same, for memories that take several at once
    std::vector<OfferBytes> bytes_; ///< of those that are not contiguous in the threads' registers
};

} // namespace smsim::sm
