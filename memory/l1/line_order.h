// Orders reads and changes of bytes so that each read sees all earlier changes of its initiator and no later one,
// whenever the memory below answers. Plain C++.
//
// The memory executes overlapping requests in the order in which they are passed down. Given that, it is enough that
// - a change waits while an older read of the same bytes may still have to read them from memory (after a refused
//   fill);
// - a change that is passed down closes its sectors that are under way: their fills serve older reads only;
// - a write updates present sectors as it is passed down, and drops them if it is refused: from then on its bytes
//   are those of the memory. A change whose result is not known here (an atomic) drops them as it is passed down.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "memory/l1/lines.h"
#include "memory/l1/mshrs.h"

namespace smsim::memory::l1 {

/// `Request` represents a write of the owner; it is stored, never examined.
template <typename Request> class LineOrder {
  public:
    /// Keeps `lines` and `mshrs` consistent; both must outlive it.
    LineOrder(Lines &lines, Mshrs<Request> &mshrs) : lines_(lines), mshrs_(mshrs) {}

    /// Whether a change of the `span` bytes from `address` on must not be passed down yet. It may be when a fill has
    /// ended.
    bool must_wait(std::uint64_t address, std::uint64_t span) const { return mshrs_.awaits(address, span); }

    /// A write of these bytes takes effect after every read so far. Its owner then updates `lines`.
    void write(std::uint64_t address, std::uint64_t span) {
        ++changes_;
        mshrs_.detach(address, span);
    }
    /// As `write`, for a change whose resulting bytes only the memory knows.
    void change_unseen(std::uint64_t address, std::uint64_t span) {
        write(address, span);
        lines_.drop(address, span);
    }
    /// Everything below may have changed.
    void change_all() {
        ++changes_;
        lines_.drop_all();
        mshrs_.detach_all();
    }
    /// Number of changes so far: a read can find out whether there was one while it waited.
    std::uint64_t changes() const { return changes_; }

    /// The write `request` is passed down with `address`; its answer may have another address.
    void sent(const Request &request, std::uint64_t address) { below_.push_back({&request, address}); }
    /// The write `request` has been answered: returns the address with which it was passed down; none when it has not
    /// been `sent`. If it was refused, its owner calls `change_unseen` for its bytes when the answer takes effect.
    std::optional<std::uint64_t> ended(const Request &request) {
        // The newest is the most likely: a memory that completes on the call leaves no other.
        for (std::size_t at = below_.size(); at-- > 0;) {
            if (below_[at].request == &request) {
                const std::uint64_t address = below_[at].address;
                below_[at] = below_.back();
                below_.pop_back();
                return address;
            }
        }
        return std::nullopt;
    }

  private:
    struct Write {
        const Request *request;
        std::uint64_t address;
    };

    Lines &lines_;
    Mshrs<Request> &mshrs_;
    std::vector<Write> below_; ///< on their way
    std::uint64_t changes_ = 0;
};

} // namespace smsim::memory::l1
