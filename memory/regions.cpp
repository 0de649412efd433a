#include "memory/regions.h"

#include <algorithm>

#include <fmt/format.h>

#include "model/error.h"

namespace smsim::memory {

void Regions::map(std::uint64_t base, std::uint64_t bytes, const std::string &region_name) {
    if (bytes > window_ || base > window_ - bytes) {
        throw InputError(fmt::format("global memory: region '{}' of {} bytes at {:#x} leaves the address window; "
                                     "expected addresses below {:#x} (global.bytes)",
                                     region_name, bytes, base, window_));
    }
    map_anywhere(base, bytes, region_name);
}

void Regions::map_anywhere(std::uint64_t base, std::uint64_t bytes, const std::string &region_name) {
    if (bytes == 0) {
        throw InputError(fmt::format("global memory: region '{}' is empty; expected at least 1 byte", region_name));
    }
    if (base > ~std::uint64_t{0} - bytes) {
        throw InputError(
            fmt::format("global memory: region '{}' of {} bytes at {:#x} wraps", region_name, bytes, base));
    }
    const auto next = std::ranges::upper_bound(regions_, base, {}, &Region::base);
    const Region *clash = nullptr;
    if (next != regions_.end() && next->base - base < bytes) {
        clash = &*next;
    } else if (next != regions_.begin() && base - (next - 1)->base < (next - 1)->bytes) {
        clash = &*(next - 1);
    }
    if (clash != nullptr) {
        throw InputError(fmt::format("global memory: region '{}' of {} bytes at {:#x} overlaps region '{}' of {} bytes "
                                     "at {:#x}; expected disjoint regions",
                                     region_name, bytes, base, clash->name, clash->bytes, clash->base));
    }
    add_ranges(*regions_.insert(next, {base, bytes, region_name}));
}

void Regions::unmap(std::uint64_t base) {
    if (std::erase_if(regions_, [base](const Region &region) { return region.base == base; }) != 0) {
        exact_ = {};
        pages_ = {};
        std::ranges::for_each(regions_, [this](const Region &region) { add_ranges(region); });
    }
}

void Regions::add_ranges(const Region &region) {
    const std::uint64_t last = region.base + (region.bytes - 1);
    exact_.add(region.base, last);
    pages_.add(region.base & ~(page_bytes_ - 1), last | (page_bytes_ - 1));
}

void Regions::require(std::uint64_t address, std::uint64_t bytes) const {
    if (!holds(address, bytes)) {
        throw InputError(fmt::format("global memory: {} bytes at {:#x} are not mapped; expected one region around them",
                                     bytes, address));
    }
}

} // namespace smsim::memory
