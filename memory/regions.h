// The regions of global memory: which bytes a program may touch, and which an access may reach because memory is mapped
// in whole pages. Plain C++.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "memory/address_ranges.h"

namespace smsim::memory {

class Regions {
  public:
    /// A stretch of addresses that may be accessed.
    struct Region {
        std::uint64_t base = 0;
        std::uint64_t bytes = 0;
        std::string name;
    };

    /// `window` is the end of the address window, `page_bytes` (a power of two) the size of the mapped pages; 1 maps
    /// exactly the regions.
    Regions(std::uint64_t window, std::uint64_t page_bytes) : window_(window), page_bytes_(page_bytes) {}

    /// Makes `base .. base + bytes - 1`, with the rest of their pages, accessible. InputError when the region is empty,
    /// leaves the address window or overlaps another; the message names both.
    void map(std::uint64_t base, std::uint64_t bytes, const std::string &name);
    /// As `map`, for a region that may lie outside the address window: the data of the program have fixed addresses.
    void map_anywhere(std::uint64_t base, std::uint64_t bytes, const std::string &name);
    /// Makes the region that begins at `base` inaccessible again; does nothing if there is none.
    void unmap(std::uint64_t base);

    /// In order of address.
    const std::vector<Region> &all() const { return regions_; }
    /// Whether `bytes` (at least 1) from `address` on lie inside one region.
    bool holds(std::uint64_t address, std::uint64_t bytes) const { return exact_.holds(address, bytes); }
    /// Whether they lie inside the pages of one region, or of several that share pages: what an access may touch.
    bool is_mapped(std::uint64_t address, std::uint64_t bytes) const { return pages_.holds(address, bytes); }
    /// The pages around `address`, or null.
    const AddressRanges::Range *pages_of(std::uint64_t address) const { return pages_.find(address); }
    /// InputError when `bytes` from `address` on are not in one region: for host accesses.
    void require(std::uint64_t address, std::uint64_t bytes) const;

  private:
    void add_ranges(const Region &region);

    std::uint64_t window_;
    std::uint64_t page_bytes_;
    std::vector<Region> regions_;
    AddressRanges exact_; ///< the regions
    AddressRanges pages_; ///< the pages that they lie in
};

} // namespace smsim::memory
