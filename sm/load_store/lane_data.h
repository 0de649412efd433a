// Moves bytes between the registers of threads and memory transactions. Plain C++.
#pragma once

#include <cstdint>
#include <span>

#include "model/state/memory_request.h"
#include "sm/load_store/access_chunk.h"

namespace smsim::sm {

/// Enables only the bytes of `pieces` among the `bytes` from `address` on.
void enable_pieces(std::span<const Piece> pieces, std::uint64_t address, std::uint32_t bytes, unsigned char *enables);
/// Puts the bytes that the threads of `pieces` store into `data`, which begins at `address`, in lane order: if several
/// threads write one byte, the highest wins.
void gather(const MemoryRequest &request, std::span<const Piece> pieces, std::uint64_t address, unsigned char *data);
/// Puts the words that `request.lanes` store, one thread after the other, into a write.
void gather_row(const MemoryRequest &request, Chunk &chunk);

/// Copies the bytes that were read, which begin at `address`, to the threads of `pieces`, extended to 32 bits as the
/// access says.
void scatter(MemoryRequest &request, std::span<const Piece> pieces, std::uint64_t address, const unsigned char *data);
/// As `scatter`, for all threads of a kRow.
void scatter_row(MemoryRequest &request, const Chunk &chunk);
/// As `scatter`, for all threads of `request`, from bytes that begin at address `origin`.
void scatter_from(MemoryRequest &request, const unsigned char *data, std::uint64_t origin);
/// As `gather`, for all threads of `request`, into bytes that begin at address `origin`: bytes that no thread stores do
/// not change.
void gather_to(const MemoryRequest &request, unsigned char *data, std::uint64_t origin);

/// Operand and compare value of an atomic of 4 or 8 bytes by thread `lane`.
std::uint64_t atomic_operand(const MemoryRequest &request, unsigned lane, unsigned bytes);
std::uint64_t atomic_compare(const MemoryRequest &request, unsigned lane, unsigned bytes);
/// Returns the old value that was read to the one thread of an atomic's chunk.
void store_old_value(MemoryRequest &request, const Chunk &chunk);
/// Returns the old value of an atomic of 4 or 8 bytes to thread `lane`.
void store_old_value(MemoryRequest &request, unsigned lane, unsigned bytes, const unsigned char *old);

/// The number of threads of a performed compare-and-swap that found a value other than their compare value.
unsigned failed_swaps(const MemoryRequest &request);
/// Returns to the threads of an atomic what they find where every lock is free: the compare value for a
/// compare-and-swap, and 0 for an exchange (`ideal.locks`).
void find_unlocked(MemoryRequest &request);

} // namespace smsim::sm
