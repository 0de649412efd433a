#include "sm/functional/memory_access.h"

#include <algorithm>
#include <cstring>

#include "model/config/config.h"
#include "model/isa/loaded.h"
#include "model/protocol/atomic.h"
#include "sm/load_store/lane_data.h"
#include "sm/load_store/memory_operation.h"

namespace smsim::sm::functional {
namespace {

constexpr std::uint64_t kPageBytes = GlobalPort::kPageBytes;

/// Performs the threads of an atomic, one after the other.
void perform_atomics(MemoryRequest &request, unsigned char *data, std::uint64_t origin) {
    const isa::AtomicOp op = atomic_op(*request.insn);
    const isa::AtomicType type = atomic_type(*request.insn);
    const unsigned bytes = bytes_per_thread(*request.insn);
    for_each_lane(request.lanes, [&](unsigned lane) {
        unsigned char *at = data + (request.address[lane] - origin);
        std::uint64_t old = 0;
        std::memcpy(&old, at, bytes);
        const std::uint64_t value = protocol::atomic_result(op, type, old, atomic_operand(request, lane, bytes),
                                                            atomic_compare(request, lane, bytes));
        store_old_value(request, lane, bytes, at);
        std::memcpy(at, &value, bytes);
    });
}

} // namespace

MemoryAccess::MemoryAccess(const Config &config, GlobalPort &global, GlobalBounds &bounds)
    : port_(global), ideal_locks_(config.ideal.locks), shared_space_(config.shared), global_space_(config),
      local_space_(config), shared_(config.shared.bytes) {
    global_space_.check_bounds(&bounds);
}

std::optional<FaultReport> MemoryAccess::check(const MemoryRequest &request) {
    const isa::OpSpec &spec = request.insn->spec();
    checked_ = {};
    return spec.has(isa::kShared)  ? shared_space_.check(request, checked_)
           : spec.has(isa::kLocal) ? local_space_.check(request, checked_)
                                   : global_space_.check(request, checked_);
}

std::optional<FaultReport> MemoryAccess::perform(MemoryRequest &request) {
    const isa::OpSpec &spec = request.insn->spec();
    std::optional<FaultReport> fault;
    if (spec.has(isa::kShared)) {
        perform_in(request, shared_.data() + request.window_base, 0);
    } else {
        fault = spec.has(isa::kLocal) ? perform_local(request) : perform_global(request);
    }
    if (!fault && ideal_locks_ && spec.has(isa::kAtomic)) {
        find_unlocked(request);
    }
    return fault;
}

void MemoryAccess::perform_in(MemoryRequest &request, unsigned char *data, std::uint64_t origin) {
    const isa::OpSpec &spec = request.insn->spec();
    if (spec.has(isa::kAtomic)) {
        perform_atomics(request, data, origin);
    } else if (spec.has(isa::kWritesMemory)) {
        gather_to(request, data, origin);
    } else {
        scatter_from(request, data, origin);
    }
}

inline unsigned char *MemoryAccess::page(std::uint64_t number) {
    KnownPage &known = pages_[number % pages_.size()];
    if (known.number != number) {
        unsigned char *bytes = port_.page(number);
        if (bytes == nullptr) {
            return nullptr;
        }
        known = {number, bytes};
    }
    return known.bytes;
}

std::optional<FaultReport> MemoryAccess::perform_global(MemoryRequest &request) {
    if (checked_.outside) {
        global_space_.note_outside(request, 0);
    }
    const std::uint64_t number = checked_.span.first / kPageBytes;
    if (number == checked_.span.last / kPageBytes) {
        if (unsigned char *bytes = page(number)) {
            perform_in(request, bytes, number * kPageBytes);
            return std::nullopt;
        }
    }
    const LaneMask lanes = request.lanes;
    std::optional<FaultReport> fault;
    try {
        perform_by_pages(request);
    } catch (const InputError &error) {
        fault =
            refusal(request, request.address[request.lanes.lowest()], bytes_per_thread(*request.insn), error.what());
    }
    request.lanes = lanes;
    return fault;
}

/// Performs neighbouring threads in one page together. Leaves in `request.lanes` the threads under way.
void MemoryAccess::perform_by_pages(MemoryRequest &request) {
    for (LaneMask rest = request.lanes; rest.any();) {
        const std::uint64_t number = request.address[rest.lowest()] / kPageBytes;
        LaneMask together;
        while (rest.any() && request.address[rest.lowest()] / kPageBytes == number) {
            together |= LaneMask::lane(rest.lowest());
            rest &= LaneMask(rest.bits() - 1);
        }
        request.lanes = together;
        if (unsigned char *bytes = page(number)) {
            perform_in(request, bytes, number * kPageBytes);
            continue;
        }
        for_each_lane(together, [&](unsigned lane) {
            request.lanes = LaneMask::lane(lane);
            perform_by_copy(request);
        });
    }
}

void MemoryAccess::perform_by_copy(MemoryRequest &request) {
    constexpr unsigned kMost = 16;
    const isa::OpSpec &spec = request.insn->spec();
    const std::uint64_t address = request.address[request.lanes.lowest()];
    std::array<std::uint8_t, kMost> bytes{};
    const auto part = std::span(bytes).first(bytes_per_thread(*request.insn));
    if (spec.has(isa::kAtomic) || spec.has(isa::kReadsMemory)) {
        port_.read(address, part);
    }
    perform_in(request, bytes.data(), address);
    if (spec.has(isa::kWritesMemory)) {
        port_.write(address, part);
    }
}

std::optional<FaultReport> MemoryAccess::perform_local(MemoryRequest &request) {
    const unsigned bytes = bytes_per_thread(*request.insn);
    const LaneMask lanes = request.lanes;
    std::optional<FaultReport> fault;
    unsigned offset = 0; // of the word being moved
    try {
        for_each_lane(lanes, [&](unsigned lane) {
            request.lanes = LaneMask::lane(lane);
            for (offset = 0; offset < bytes; offset += 4) {
                move_local_word(request, lane, offset, std::min(bytes, 4U));
            }
        });
    } catch (const InputError &error) {
        const unsigned lane = request.lanes.lowest();
        fault = refusal(request, local_place(request, lane, request.address[lane] + offset), std::min(bytes, 4U),
                        error.what());
    }
    request.lanes = lanes;
    return fault;
}

void MemoryAccess::move_local_word(MemoryRequest &request, unsigned lane, unsigned offset, unsigned bytes) {
    const std::uint64_t place = local_place(request, lane, request.address[lane] + offset);
    std::uint32_t &word = request.data[offset / 4][lane];
    unsigned char *in_page = page(place / kPageBytes);
    std::array<std::uint8_t, 4> copy{};
    unsigned char *at = in_page != nullptr ? in_page + place % kPageBytes : copy.data();
    if (request.insn->spec().has(isa::kWritesMemory)) {
        std::memcpy(at, &word, bytes);
        if (in_page == nullptr) {
            port_.write(place, std::span(copy).first(bytes));
        }
        return;
    }
    if (in_page == nullptr) {
        port_.read(place, std::span(copy).first(bytes));
    }
    std::uint32_t value = 0;
    std::memcpy(&value, at, bytes);
    word = bytes < 4 ? isa::loaded(value, static_cast<isa::Access>(request.insn->mod[0])) : value;
}

/// The fault of the lowest thread of `request` for which global memory has refused `bytes` at `address`.
FaultReport MemoryAccess::refusal(MemoryRequest &request, std::uint64_t address, unsigned bytes,
                                  const char *why) const {
    Chunk chunk;
    chunk.to = MemorySide::kGlobal;
    chunk.address = address;
    chunk.bytes = bytes;
    chunk.pieces.assign(
        1, {address, static_cast<std::uint8_t>(request.lanes.lowest()), static_cast<std::uint8_t>(bytes), 0});
    TransferState state;
    state.request = &request;
    global_space_.refused(state, chunk, Transfer::Refusal::kOther, why);
    return state.fault;
}

} // namespace smsim::sm::functional
