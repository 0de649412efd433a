// One memory transaction of an access, and the interface that sends it. Plain C++.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "model/config/row_bytes.h"
#include "model/isa/instruction.h"
#include "model/state/memory_row.h"
#include "sm/load_store/coalescer.h"

namespace smsim::sm {

/// The memories of an SM.
enum class MemorySide : std::uint8_t { kShared, kGlobal };

struct Chunk {
    enum class Kind : std::uint8_t { kRead, kWrite, kAtomic };
    /// The part of its access that the chunk covers.
    enum class Part : std::uint8_t {
        kPieces, ///< the accesses of `pieces`
        kRow,    ///< the accesses of all threads together
        kAtomic, ///< the atomic of one thread, which the memory performs
        kModifyRead,
        kModifyWrite,
    };
    static constexpr unsigned char kEnabled = 0xff; ///< as in a generic payload

    MemorySide to = MemorySide::kShared;
    Kind kind = Kind::kRead;
    Part part = Part::kPieces;
    bool sparse = false;        ///< only the bytes whose `enables` are kEnabled
    bool after_answers = false; ///< starts when the previous answers of its access are valid
    bool phased = false;        ///< the access has phases; the chunk is the one of number `phase`
    bool full_passes = false;   ///< phased: the first pass of a phase takes the data path as long as any other
    std::uint32_t phase = 0;
    std::uint32_t phases = 1; ///< phases that the chunk covers, from that one on
    /// The least number of cycles for which an access with phases takes the data path of its sub-partition.
    std::uint32_t path_cycles = 0;
    std::uint32_t transactions = 1; ///< of the access to this memory, this one included
    std::uint64_t address = 0;
    std::uint32_t bytes = 0;
    std::uint64_t origin = 0;   ///< kRow: the threads' address of the first byte
    bool in_lane_order = false; ///< kRow: each thread's bytes follow those of the thread before
    bool is_uniform = false;    ///< kRow: all threads access the same bytes
    std::array<unsigned char, kRowBytes> data{};
    std::array<unsigned char, kRowBytes> enables{};
    std::vector<Piece> pieces; ///< unused in a kRow
    // kAtomic
    isa::AtomicOp op = isa::AtomicOp::kAdd;
    isa::AtomicType type = isa::AtomicType::kU32;
    std::uint64_t operand = 0;
    std::uint64_t compare = 0;
    bool performed = false; ///< in the answer: the old value is in `data`
};

/// Receives the chunks of one access.
class ChunkSink {
  public:
    virtual ~ChunkSink() = default;
    /// A chunk to fill in. `sparse` and `after_answers` are false, `transactions` is 1, `pieces` is empty, the other
    /// members may be those of an older chunk.
    virtual Chunk &next() = 0;
    /// Sends the chunk that `next` returned. Its answer may arrive before this returns.
    void send(Chunk &chunk) { send(chunk, {}); }
    /// The same, and offers the transactions that follow it, all of the same kind and memory. Returns how many of them
    /// have been performed, from the first on: these have no chunk and no further answer.
    virtual std::size_t send(Chunk &chunk, std::span<MemoryRow> following) = 0;
};

} // namespace smsim::sm
