// The shared memory of the golden model: its bytes, and the passes of an access.
#include <algorithm>
#include <memory>

#include "cosim/golden/handle.h"
#include "cosim/shared_memory_reference.h"
#include "memory/bank_conflicts.h"

using namespace smsim;
using cosim::SharedMemoryReference;

struct smsim_golden_shared {
    static constexpr golden::Kind kKind = golden::Kind::kShared;

    smsim_golden_shared(std::uint32_t size, std::uint32_t banks) : bytes(size), contents(size), conflicts(banks, 4) {}

    golden::Kind kind = kKind;
    std::uint32_t bytes;
    SharedMemoryReference contents;
    memory::BankConflicts conflicts;
};

namespace {

constexpr std::uint32_t kRow = 16;
constexpr std::uint32_t kMostBytes = std::uint32_t{1} << 31;
constexpr std::uint32_t kMostBanks = 1024;

bool is_float(isa::AtomicType type) {
    return type == isa::AtomicType::kF32 || type == isa::AtomicType::kF64;
}

/// Rejects an invalid request.
void check(const smsim_golden_shared_request &request) {
    using golden::require;
    require(request.kind <= SMSIM_GOLDEN_ATOMIC, SMSIM_GOLDEN_BAD_ARGUMENT, "kind {}: expected 0 to 2", request.kind);
    const bool atomic = request.kind == SMSIM_GOLDEN_ATOMIC;
    std::uint32_t unit = kRow;
    if (atomic) {
        const auto op = static_cast<isa::AtomicOp>(request.op);
        const auto type = static_cast<isa::AtomicType>(request.type);
        require(op <= isa::AtomicOp::kCas, SMSIM_GOLDEN_BAD_ARGUMENT, "op {}: expected 0 to 9", request.op);
        require(type <= isa::AtomicType::kF64, SMSIM_GOLDEN_BAD_ARGUMENT, "type {}: expected 0 to 5", request.type);
        require(!is_float(type) || op == isa::AtomicOp::kAdd || op == isa::AtomicOp::kExch, SMSIM_GOLDEN_BAD_ARGUMENT,
                "op {} of type {}: F32 and F64 know ADD and EXCH", request.op, request.type);
        unit = isa::atomic_bytes(type);
    }
    for_each_lane(LaneMask(request.slots), [&](unsigned slot) {
        require(request.address[slot] % unit == 0, SMSIM_GOLDEN_BAD_ARGUMENT,
                "slot {}: address {:#x} is not a multiple of {}", slot, request.address[slot], unit);
        require(atomic || (request.enable[slot] >= 1 && request.enable[slot] <= 0xffff), SMSIM_GOLDEN_BAD_ARGUMENT,
                "slot {}: enable {:#x}: expected 1 to 0xffff", slot, request.enable[slot]);
    });
}

/// Rejects a range that is not entirely in the memory.
void check_range(const smsim_golden_shared &memory, std::uint32_t address, std::uint32_t count) {
    golden::require(std::uint64_t{address} + count <= memory.bytes, SMSIM_GOLDEN_BAD_ARGUMENT,
                    "{} bytes at {:#x}: the memory has {}", count, address, memory.bytes);
}

} // namespace

int smsim_golden_shared_create(uint32_t bytes, uint32_t banks, smsim_golden_shared **memory) {
    return golden::create(memory, [&] {
        golden::require(bytes % kRow == 0 && bytes <= kMostBytes, SMSIM_GOLDEN_BAD_ARGUMENT,
                        "bytes {}: expected a multiple of 16, at most 2^31", bytes);
        golden::require(banks >= 1 && banks <= kMostBanks, SMSIM_GOLDEN_BAD_ARGUMENT, "banks {}: expected 1 to {}",
                        banks, kMostBanks);
        return std::make_unique<smsim_golden_shared>(bytes, banks);
    });
}

void smsim_golden_shared_destroy(smsim_golden_shared *memory) {
    golden::destroy(memory);
}

int smsim_golden_shared_access(smsim_golden_shared *memory, const smsim_golden_shared_request *request,
                               smsim_golden_shared_response *response) {
    return golden::guarded([&] {
        smsim_golden_shared &all = golden::checked(memory);
        golden::require_pointer(request, "request");
        golden::require_pointer(response, "response");
        check(*request);
        const bool atomic = request->kind == SMSIM_GOLDEN_ATOMIC;
        const auto op = static_cast<isa::AtomicOp>(request->op);
        const auto type = static_cast<isa::AtomicType>(request->type);
        smsim_golden_shared_response given{};
        all.conflicts.begin();
        for_each_lane(LaneMask(request->slots), [&](unsigned slot) {
            const std::uint32_t address = request->address[slot];
            const std::uint32_t enable =
                atomic ? (std::uint32_t{1} << isa::atomic_bytes(type)) - 1 : request->enable[slot];
            given.pass[slot] = cosim::place_slot(all.conflicts, atomic, address, enable);
            if (address >= all.bytes) {
                return;
            }
            SharedMemoryReference::Row row{};
            std::copy_n(request->data[slot], row.size(), row.begin());
            if (request->kind == SMSIM_GOLDEN_READ) {
                row = all.contents.read(address, enable);
                std::copy_n(row.begin(), row.size(), given.data[slot]);
            } else if (request->kind == SMSIM_GOLDEN_WRITE) {
                all.contents.write(address, enable, row);
            } else {
                const std::uint64_t old = all.contents.atomic(address, op, type, row);
                std::memcpy(given.data[slot], &old, sizeof old);
            }
        });
        given.passes = all.conflicts.passes();
        *response = given;
    });
}

int smsim_golden_shared_peek(const smsim_golden_shared *memory, uint32_t address, uint32_t count, void *bytes) {
    return golden::guarded([&] {
        const smsim_golden_shared &all = golden::checked(memory);
        golden::require_pointer(bytes, "bytes");
        check_range(all, address, count);
        std::copy_n(all.contents.bytes().begin() + address, count, static_cast<unsigned char *>(bytes));
    });
}

int smsim_golden_shared_poke(smsim_golden_shared *memory, uint32_t address, uint32_t count, const void *bytes) {
    return golden::guarded([&] {
        smsim_golden_shared &all = golden::checked(memory);
        golden::require_pointer(bytes, "bytes");
        check_range(all, address, count);
        std::copy_n(static_cast<const unsigned char *>(bytes), count, all.contents.bytes().begin() + address);
    });
}
