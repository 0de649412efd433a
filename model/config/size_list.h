// Sizes in bytes, as a configuration lists them (`shared.carveouts`): "none", or sizes in ascending order with commas
// between.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace smsim {

class SizeList {
  public:
    /// No sizes.
    SizeList() = default;
    /// The sizes, in ascending order, that `text` lists.
    SizeList(std::string text, std::vector<std::uint64_t> sizes) : text_(std::move(text)), sizes_(std::move(sizes)) {}

    bool empty() const { return sizes_.empty(); }
    /// Precondition: not empty.
    std::uint64_t largest() const { return sizes_.back(); }
    /// The smallest of the sizes that is at least `bytes`; the largest if there is none. Precondition: not empty.
    std::uint64_t least_for(std::uint64_t bytes) const {
        for (const std::uint64_t size : sizes_) {
            if (size >= bytes) {
                return size;
            }
        }
        return largest();
    }
    /// As it was read.
    std::string_view text() const { return text_; }

    /// What stands for no sizes.
    static constexpr std::string_view kNone = "none";

  private:
    std::string text_{kNone};
    std::vector<std::uint64_t> sizes_;
};

} // namespace smsim
