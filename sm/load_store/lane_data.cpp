#include "sm/load_store/lane_data.h"

#include <algorithm>
#include <cstring>

#include "model/isa/loaded.h"
#include "sm/load_store/memory_operation.h"

namespace smsim::sm {
namespace {

template <std::size_t Words>
std::uint64_t lane_value(const std::array<std::array<std::uint32_t, kLanes>, Words> &data, unsigned lane,
                         unsigned bytes) {
    return bytes == 8 ? data[0][lane] | (static_cast<std::uint64_t>(data[1][lane]) << 32) : data[0][lane];
}

/// Copies 4, 8 or 16 bytes of a lane, from word `word` on, to consecutive bytes.
inline void take_words(const MemoryRequest &request, unsigned word, unsigned lane, unsigned bytes, unsigned char *to) {
    std::memcpy(to, &request.data[word][lane], 4);
    if (bytes > 4) {
        std::memcpy(to + 4, &request.data[word + 1][lane], 4);
    }
    if (bytes > 8) {
        std::memcpy(to + 8, &request.data[word + 2][lane], 4);
        std::memcpy(to + 12, &request.data[word + 3][lane], 4);
    }
}

/// The other way round.
inline void put_words(const unsigned char *from, unsigned bytes, unsigned word, unsigned lane, MemoryRequest &request) {
    std::memcpy(&request.data[word][lane], from, 4);
    if (bytes > 4) {
        std::memcpy(&request.data[word + 1][lane], from + 4, 4);
    }
    if (bytes > 8) {
        std::memcpy(&request.data[word + 2][lane], from + 8, 4);
        std::memcpy(&request.data[word + 3][lane], from + 12, 4);
    }
}

} // namespace

void enable_pieces(std::span<const Piece> pieces, std::uint64_t address, std::uint32_t bytes, unsigned char *enables) {
    std::memset(enables, 0, bytes);
    for (const Piece &piece : pieces) {
        std::memset(enables + (piece.address - address), Chunk::kEnabled, piece.bytes);
    }
}

void gather(const MemoryRequest &request, std::span<const Piece> pieces, std::uint64_t address, unsigned char *data) {
    for (const Piece &piece : pieces) {
        unsigned char *to = data + (piece.address - address);
        if (piece.bytes < 4) {
            std::memcpy(to, &request.data[piece.word][piece.lane], piece.bytes);
            continue;
        }
        take_words(request, piece.word, piece.lane, piece.bytes, to);
    }
}

void gather_row(const MemoryRequest &request, Chunk &chunk) {
    unsigned char *to = chunk.data.data();
    if (request.lanes == LaneMask::all()) {
        std::memcpy(to, request.data[0].data(), std::size_t{4} * kLanes);
        return;
    }
    for_each_lane(request.lanes, [&](unsigned lane) {
        std::memcpy(to, &request.data[0][lane], 4);
        to += 4;
    });
}

void gather_to(const MemoryRequest &request, unsigned char *data, std::uint64_t origin) {
    const unsigned bytes = bytes_per_thread(*request.insn);
    for_each_lane(request.lanes, [&](unsigned lane) {
        unsigned char *to = data + (request.address[lane] - origin);
        if (bytes < 4) {
            std::memcpy(to, &request.data[0][lane], bytes);
            return;
        }
        take_words(request, 0, lane, bytes, to);
    });
}

void scatter(MemoryRequest &request, std::span<const Piece> pieces, std::uint64_t address, const unsigned char *data) {
    const auto size = static_cast<isa::Access>(request.insn->mod[0]);
    for (const Piece &piece : pieces) {
        const unsigned char *from = data + (piece.address - address);
        if (piece.bytes >= 4) {
            put_words(from, piece.bytes, piece.word, piece.lane, request);
        } else {
            std::uint32_t value = 0;
            std::memcpy(&value, from, piece.bytes);
            request.data[piece.word][piece.lane] = isa::loaded(value, size);
        }
    }
}

void scatter_row(MemoryRequest &request, const Chunk &chunk) {
    const bool at_once = bytes_per_thread(*request.insn) == 4 && request.lanes == LaneMask::all();
    if (at_once && chunk.in_lane_order) {
        std::memcpy(request.data[0].data(), chunk.data.data(), std::size_t{4} * kLanes);
    } else if (at_once && chunk.is_uniform) {
        std::uint32_t value = 0;
        std::memcpy(&value, chunk.data.data(), 4);
        request.data[0].fill(value);
    } else {
        scatter_from(request, chunk.data.data(), chunk.origin);
    }
}

void scatter_from(MemoryRequest &request, const unsigned char *data, std::uint64_t origin) {
    const unsigned bytes = bytes_per_thread(*request.insn);
    if (bytes < 4) {
        const auto size = static_cast<isa::Access>(request.insn->mod[0]);
        for_each_lane(request.lanes, [&](unsigned lane) {
            std::uint32_t value = 0;
            std::memcpy(&value, data + (request.address[lane] - origin), bytes);
            request.data[0][lane] = isa::loaded(value, size);
        });
        return;
    }
    // Copies of what the loops read: the compiler must assume that the written bytes alias anything.
    const LaneMask lanes = request.lanes;
    const std::uint64_t *address = request.address.data();
    for (unsigned word = 0; word < bytes / 4; ++word) {
        const unsigned char *from = data + std::size_t{word} * 4;
        std::uint32_t *to = request.data[word].data();
        const auto copy = [=](unsigned lane) { std::memcpy(to + lane, from + (address[lane] - origin), 4); };
        if (lanes == LaneMask::all()) {
            for (unsigned lane = 0; lane < kLanes; lane += 4) { // four per iteration, which costs as much as one
                copy(lane);
                copy(lane + 1);
                copy(lane + 2);
                copy(lane + 3);
            }
        } else {
            for_each_lane(lanes, copy);
        }
    }
}

std::uint64_t atomic_operand(const MemoryRequest &request, unsigned lane, unsigned bytes) {
    return lane_value(request.data, lane, bytes);
}

std::uint64_t atomic_compare(const MemoryRequest &request, unsigned lane, unsigned bytes) {
    return lane_value(request.compare, lane, bytes);
}

void store_old_value(MemoryRequest &request, const Chunk &chunk) {
    const Piece &piece = chunk.pieces.front();
    store_old_value(request, piece.lane, piece.bytes, chunk.data.data());
}

void store_old_value(MemoryRequest &request, unsigned lane, unsigned bytes, const unsigned char *old) {
    std::memcpy(&request.data[0][lane], old, 4);
    if (bytes == 8) {
        std::memcpy(&request.data[1][lane], old + 4, 4);
    }
}

unsigned failed_swaps(const MemoryRequest &request) {
    const unsigned words = bytes_per_thread(*request.insn) / 4;
    unsigned failed = 0;
    for_each_lane(request.lanes, [&](unsigned lane) {
        for (unsigned word = 0; word < words; ++word) {
            if (request.data[word][lane] != request.compare[word][lane]) {
                ++failed;
                return;
            }
        }
    });
    return failed;
}

void find_unlocked(MemoryRequest &request) {
    switch (atomic_op(*request.insn)) {
    case isa::AtomicOp::kCas:
        std::ranges::copy(request.compare, request.data.begin());
        break;
    case isa::AtomicOp::kExch:
        request.data = {};
        break;
    default:
        break;
    }
}

} // namespace smsim::sm
