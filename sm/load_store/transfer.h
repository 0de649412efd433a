// What an access to memory does: which addresses are legal, which transactions it becomes, what their answers mean. One
// object per space (shared_transfer.h, global_transfer.h, local_transfer.h), so that the queue and the protocol of the
// load/store unit know none of them. Plain C++; the unit gives the transactions their time.
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
#include "sm/load_store/coalescer.h"
#include "sm/load_store/leg.h"

namespace smsim::sm {

/// An access on its way. The owner of a transfer keeps one for each access, and may use it again for another.
struct TransferState {
    MemoryRequest *request = nullptr;
    std::vector<Piece> pieces;  ///< of all threads, where they were made; else of whatever access was before
    bool bypass_l1 = false;     ///< a cache on the way does not answer
    bool alone = false;         ///< begins with `Transfer::resume`, when no other such access is between its legs
    std::size_t next_piece = 0; ///< alone: the piece that is read or written
    std::uint64_t new_value = 0;
    bool failed = false;
    unsigned failed_lane = 0; ///< of the refused legs' first threads the lowest
    FaultReport fault;        ///< failed: of that leg
};

/// What of an access that goes in phases a leg is, and for how many cycles the access takes its data path at least.
struct Phased {
    std::uint32_t phase = 0; ///< the first one
    std::uint32_t phases = 1;
    std::uint32_t path_cycles = 0;
};

class Transfer {
  public:
    /// What the check of a request leaves for later.
    struct Checked {
        AddressSpan span;     ///< of the threads' addresses, where the transfer may need it
        bool row = false;     ///< all threads together may be one leg that needs no list of pieces
        bool outside = false; ///< threads leave the regions of global memory, which is tolerated and to be noted
    };
    /// Transactions of an access, those that are still to come included.
    struct Started {
        std::size_t shared = 0;
        std::size_t global = 0;
    };
    /// Why a memory has refused a leg.
    enum class Refusal : std::uint8_t { kAddress, kCommand, kOther };

    virtual ~Transfer() = default;
    Transfer(const Transfer &) = delete;
    Transfer &operator=(const Transfer &) = delete;

    /// For the observer.
    observation::MemorySpace space() const { return space_; }
    /// It sends to global memory, and so needs room among the transactions there.
    bool uses_global() const { return uses_global_; }

    /// The fault of a request that must not start; it has then changed nothing. `checked.outside` comes
    /// false; what else `checked` holds before may be of another request.
    virtual std::optional<FaultReport> check(const MemoryRequest &request, Checked &checked) const = 0;
    /// Tells the account of tolerated accesses of those of `request`, which is served in cycle `now`.
    virtual void note_outside(const MemoryRequest &request, Cycle now) const;
    /// Starts the access of `state.request`, which has passed the check: sends its legs, or sets `alone`.
    virtual Started start(TransferState &state, const Checked &checked, Legs &legs) = 0;
    /// Sends the first leg of an access that is `alone`.
    virtual void resume(TransferState &state, Legs &legs) const;
    /// A leg has been performed: gives the threads their data, or sends what follows.
    virtual void answered(TransferState &state, const Leg &leg, Legs &legs) const;
    /// The memory has refused a leg with `answer`. Of several errors that of the lowest thread is kept, in whatever
    /// order they come.
    void refused(TransferState &state, const Leg &leg, Refusal why, const std::string &answer) const;

  protected:
    Transfer(observation::MemorySpace space, MemorySide to, std::uint32_t row_bytes)
        : space_(space), to_(to), uses_global_(to == MemorySide::kGlobal), row_bytes_(row_bytes) {}

    /// What a check begins with: the fault of addresses that the instruction itself decides (address_check.h), else the
    /// span of the threads' addresses, where a row needs it or the caller `wants_span`.
    static std::optional<FaultReport> check_addresses(const MemoryRequest &request, bool wants_span, Checked &checked);
    /// The common case: one leg for all threads, whose addresses are `offset` off, and for all phases. False: not such
    /// an access.
    bool start_row(TransferState &state, const Checked &checked, std::uint64_t offset, Legs &legs,
                   const Phased &all = {}) const;
    /// One transaction for the pieces of each row, all in one phase where the access goes in phases: a leg, or a row
    /// that is performed with the leg before. Returns how many.
    std::size_t start_pieces(TransferState &state, Legs &legs, const std::optional<Phased> &phase = {});
    /// The same with one atomic for each thread, which the memory performs.
    std::size_t start_atomics(TransferState &state, Legs &legs);
    /// A leg for one piece.
    Leg &leg_of(const Piece &piece, Leg::Kind kind, Leg::Part part, Legs &legs) const;
    /// Makes `state.pieces`: one for each of `lanes`, `offset` added to its address.
    static void make_pieces(TransferState &state, std::uint64_t offset, LaneMask lanes);

  private:
    struct OfferBytes {
        std::array<unsigned char, kRowBytes> data;
        std::array<unsigned char, kRowBytes> enables;
    };

    void fill_leg(Leg &leg, const Transaction &transaction, const MemoryRequest &request, bool write) const;
    bool pack(const Transaction &transaction, const MemoryRequest &request, bool write, unsigned char *data,
              unsigned char *enables) const;
    void make_offers(std::size_t count);
    void offer_transactions(MemoryRequest &request, bool write, std::span<const Transaction> transactions);
    void offer_atomics(TransferState &state);

    observation::MemorySpace space_;
    MemorySide to_;
    bool uses_global_;
    std::uint32_t row_bytes_;
    // Of `start_pieces` and `start_atomics`; kept for their storage.
    Coalescer coalescer_;
    std::vector<MemoryRow> offers_; ///< by transaction: the same for who takes several at once
    std::vector<OfferBytes> bytes_; ///< of those that the threads' registers do not have one behind the other
};

} // namespace smsim::sm
