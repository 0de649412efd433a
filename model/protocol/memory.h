// Ignorable extensions on the memory sockets. Those sockets speak the TLM-2.0 base protocol; a target that knows none
// of these still works, and an initiator may omit them.
#pragma once

#include <cstdint>
#include <span>

#include <tlm>

#include "model/isa/instruction.h"
#include "model/protocol/atomic.h"
#include "model/protocol/payload_pool.h"
#include "model/stats/fetch_cause.h"

namespace smsim::protocol {

using MemoryLink = tlm::tlm_base_protocol_types;

/// Transactions that belong to one warp access share a group number, so that a banked memory can serve different banks
/// of one access in the same pass. Without it each transaction is a separate access.
struct AccessGroupExtension final : PooledExtension<AccessGroupExtension> {
    std::uint64_t group = 0;
    bool bypass_l1 = false;        ///< .CG
    std::uint32_t port = 0;        ///< the data path that the access uses: the sub-partition
    bool phased = false;           ///< the access has phases; this transaction is in the one of number `phase`
    std::uint32_t phase = 0;       ///< transactions with different numbers share no pass
    std::uint32_t phases = 1;      ///< phases that the transaction covers, from that number on
    bool full_passes = false;      ///< with phases: the first pass of each takes the data path as long as any other
    std::uint32_t path_cycles = 0; ///< least number of cycles for which the data of the access takes its data path
    /// Answer of a banked memory that knows it when the transaction is completed on the call: the absolute time at
    /// which its first pass begins.
    sc_core::sc_time begins;
    /// Likewise: passes of all transactions of the access up to this one; 0: not known.
    std::uint32_t passes = 0;
    /// Those of these passes that the same words would not take if they were spread evenly over the banks.
    std::uint32_t conflicts = 0;
    /// A cache has answered it from its lines.
    bool cache_hit = false;
    /// A cache has delayed it: it is under way up to and including the cycle of its answer, whenever the answer is
    /// reported.
    bool waited = false;
    std::uint32_t transactions = 0; ///< of the access on this memory, this one included; 0: not known
    /// Cycles that the data of the whole access takes the banks of an L1, one row of 128 bytes each; 0: not known.
    std::uint32_t wavefronts = 0;
    std::uint32_t ideal_wavefronts = 0; ///< those of these that as many words take without conflicts
};

/// An atomic read-modify-write of 4 or 8 bytes, sent with TLM_IGNORE_COMMAND if the configuration says that the target
/// supports it (`global.atomics: native`): the target performs the operation, stores the old value at the data pointer
/// and sets `performed`. A target that leaves `performed` false has done nothing; the load/store unit treats that as an
/// error.
struct AtomicExtension final : PooledExtension<AtomicExtension> {
    bool active = false; ///< this transaction is an atomic
    isa::AtomicOp op = isa::AtomicOp::kAdd;
    isa::AtomicType type = isa::AtomicType::kU32;
    std::uint64_t operand = 0;
    std::uint64_t compare = 0; ///< CAS
    bool performed = false;
};

/// On an instruction fetch of 16 bytes: a target that has already decoded the word stores the result here; otherwise
/// the initiator decodes the bytes. A target with caches also reports where the fetch is served from, by the time it
/// answers.
///
/// On a request for direct memory it also requests the instructions. The grant is then a cache line, for as long as it
/// stays in the cache; fetches from it take the read latency and need no transaction. The order in which a cache evicts
/// lines depends on them, so the next transaction lists these lines.
struct DecodedExtension final : PooledExtension<DecodedExtension> {
    const isa::Instruction *insn = nullptr;
    FetchCause cause = FetchCause::kFetch;
    /// From the initiator: the lines that it has fetched from without a transaction since the last one, each once, in
    /// the order of their last uses, by the address of their first byte. Valid during the call that carries BEGIN_REQ.
    std::span<const std::uint64_t> read_directly;
    /// Answer to a request for direct memory: the instruction at the start address of the grant, followed by the
    /// others; null when the target has not decoded them.
    const isa::Instruction *direct = nullptr;
};

} // namespace smsim::protocol
