// Backing bytes of the memories: a flat store (shared memory) and a sparse store of pages (global memory).
//
// Both start as zeros and have the same interface, so that the transfer of a payload is written once. Bounds are the
// caller's duty (`contains`), because only the memory knows which error an address outside of it means. Plain C++.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <unordered_map>
#include <vector>

#include "model/copy_bytes.h"

namespace smsim::memory {

/// `bytes` contiguous bytes, starting at address 0.
class ByteStore {
  public:
    explicit ByteStore(std::uint64_t bytes) : bytes_(bytes) {}

    std::uint64_t size() const { return bytes_.size(); }
    /// Whether `address .. address + count - 1` lies inside; never overflows.
    bool contains(std::uint64_t address, std::uint64_t count) const {
        return count <= bytes_.size() && address <= bytes_.size() - count;
    }
    /// Copies `count` bytes out; the range must be inside.
    void read(std::uint64_t address, std::uint8_t *to, std::uint64_t count) const {
        copy_bytes(to, bytes_.data() + address, count);
    }
    /// Copies `count` bytes in; the range must be inside.
    void write(std::uint64_t address, const std::uint8_t *from, std::uint64_t count) {
        copy_bytes(bytes_.data() + address, from, count);
    }
    std::uint8_t *data() { return bytes_.data(); }

  private:
    std::vector<std::uint8_t> bytes_;
};

/// A 64-bit address space whose pages are created by their first write; a page never written reads as zeros. A page
/// never moves: a pointer to it stays valid as long as the store.
class PagedStore {
  public:
    static constexpr std::uint64_t kPageBytes = 16384;

    /// Copies `count` bytes out; `address + count` does not wrap.
    void read(std::uint64_t address, std::uint8_t *to, std::uint64_t count) const {
        while (count != 0) {
            const std::uint64_t offset = address % kPageBytes;
            const std::uint64_t part = count < kPageBytes - offset ? count : kPageBytes - offset;
            if (const std::uint8_t *page = find(address / kPageBytes)) {
                copy_bytes(to, page + offset, part);
            } else {
                std::memset(to, 0, part);
            }
            address += part;
            to += part;
            count -= part;
        }
    }
    /// Copies `count` bytes in; `address + count` does not wrap.
    void write(std::uint64_t address, const std::uint8_t *from, std::uint64_t count) {
        while (count != 0) {
            const std::uint64_t offset = address % kPageBytes;
            const std::uint64_t part = count < kPageBytes - offset ? count : kPageBytes - offset;
            copy_bytes(page_at(address) + offset, from, part);
            address += part;
            from += part;
            count -= part;
        }
    }
    /// As `write`, but zeros do not create a page: for filling a memory.
    void fill(std::uint64_t address, const std::uint8_t *from, std::uint64_t count) {
        while (count != 0) {
            const std::uint64_t offset = address % kPageBytes;
            const std::uint64_t part = count < kPageBytes - offset ? count : kPageBytes - offset;
            const bool zeros = from[0] == 0 && std::memcmp(from, from + 1, part - 1) == 0;
            if (!zeros || find(address / kPageBytes) != nullptr) {
                copy_bytes(page_at(address) + offset, from, part);
            }
            address += part;
            from += part;
            count -= part;
        }
    }
    /// Prefetches up to 128 bytes around `address` into the host's cache, if their page exists.
    void prefetch(std::uint64_t address) const {
        if (const std::uint8_t *page = find(address / kPageBytes)) {
            __builtin_prefetch(page + address % kPageBytes / kHostLine * kHostLine);
            __builtin_prefetch(page + (address % kPageBytes | kHostLine) / kHostLine * kHostLine);
        }
    }
    /// The first byte of the page that holds `address`; creates the page if needed.
    std::uint8_t *page_at(std::uint64_t address) {
        const std::uint64_t number = address / kPageBytes;
        if (std::uint8_t *page = find(number)) {
            return page;
        }
        auto &page = pages_[number];
        page = std::make_unique<std::uint8_t[]>(kPageBytes);
        recent_[number % recent_.size()] = {number, page.get()};
        return page.get();
    }
    /// Pages that exist.
    std::size_t pages() const { return pages_.size(); }

  private:
    static constexpr std::uint64_t kHostLine = 64; ///< as in the caches of nearly all hosts

    struct Recent {
        std::uint64_t number = ~std::uint64_t{0};
        std::uint8_t *page = nullptr;
    };

    std::uint8_t *find(std::uint64_t number) const {
        Recent &recent = recent_[number % recent_.size()];
        if (recent.number == number) {
            return recent.page;
        }
        const auto found = pages_.find(number);
        if (found == pages_.end()) {
            return nullptr;
        }
        recent = {number, found->second.get()};
        return recent.page;
    }

    std::unordered_map<std::uint64_t, std::unique_ptr<std::uint8_t[]>> pages_;
    mutable std::array<Recent, 64> recent_{}; ///< direct-mapped look-aside of page pointers
};

} // namespace smsim::memory
