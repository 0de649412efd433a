// The way of bytes between the registers of threads and memory transactions. Plain C++.
#pragma once

#include <cstdint>
#include <span>

#include "model/state/memory_request.h"
#include "sm/load_store/leg.h"

namespace smsim::sm {

/// Enables, of the `bytes` from `address` on, those of `pieces` only.
void enable_pieces(std::span<const Piece> pieces, std::uint64_t address, std::uint32_t bytes, unsigned char *enables);
/// Puts the bytes that the threads of `pieces` store into `data`, which begin with that of `address`, in lane order: of
/// several threads that write one byte the highest wins.
void gather(const MemoryRequest &request, std::span<const Piece> pieces, std::uint64_t address, unsigned char *data);
/// Puts the words that `request.lanes` store, one thread behind the other, into a write.
void gather_row(const MemoryRequest &request, Leg &leg);

/// Gives the threads of `pieces` the bytes that were read, of which the first is that of `address`, extended to 32 bits
/// as the access says.
void scatter(MemoryRequest &request, std::span<const Piece> pieces, std::uint64_t address, const unsigned char *data);
/// As `scatter`, for all threads of a kRow.
void scatter_row(MemoryRequest &request, const Leg &leg);
/// As `scatter`, for all threads of `request`, of bytes that begin with that of address `origin`.
void scatter_from(MemoryRequest &request, const unsigned char *data, std::uint64_t origin);
/// As `gather`, for all threads of `request`, into bytes that begin with that of address `origin`: those that nobody
/// stores stay as they are.
void gather_to(const MemoryRequest &request, unsigned char *data, std::uint64_t origin);

/// Operand and compare value of an atomic of 4 or 8 bytes by thread `lane`.
std::uint64_t atomic_operand(const MemoryRequest &request, unsigned lane, unsigned bytes);
std::uint64_t atomic_compare(const MemoryRequest &request, unsigned lane, unsigned bytes);
/// Gives the one thread of an atomic's leg the old value that was read.
void store_old_value(MemoryRequest &request, const Leg &leg);
/// Gives thread `lane` the old value of an atomic of 4 or 8 bytes.
void store_old_value(MemoryRequest &request, unsigned lane, unsigned bytes, const unsigned char *old);

/// Threads of a compare-and-swap that has been performed that found another value than the one they compare with.
unsigned failed_swaps(const MemoryRequest &request);
/// Gives the threads of an atomic what they find where every lock is free: what compare-and-swap asks for, and 0 for an
/// exchange (`ideal.locks`).
void find_unlocked(MemoryRequest &request);

} // namespace smsim::sm
