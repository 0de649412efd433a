// Replacement policies of the L1: which line of a full set makes room for another. Plain objects with one small
// interface; the model's own are in memory/l1/policies/, others come from shared libraries (model/policy_library.h).
//
// The default, least recently used, is not an object: the lines keep the order of their uses themselves
// (memory/l1/lines.h), so that a hit costs no virtual call.
#pragma once

#include <cstdint>
#include <memory>

#include "model/config/sections/l1.h"
#include "model/policy_library.h"

namespace smsim::memory::l1 {

/// A place of the cache and the line that has it.
struct LinePlace {
    std::uint32_t set;
    std::uint32_t way;
    std::uint64_t line; ///< address of its first byte
};

/// Strategy that picks the line to be replaced. Deterministic; keeps what it must remember itself. One object serves
/// one cache, which is empty at first. The calls are in the order in which the cache handles its requests and fills.
class Replacement {
  public:
    virtual ~Replacement() = default;
    /// A read has looked up a line and found some of it in `place`.
    virtual void used(const LinePlace &place) = 0;
    /// A line of which nothing was present takes `place`, which was free or that of the last victim.
    virtual void installed(const LinePlace &place) = 0;
    /// Further sectors of a line that has `place` have arrived. The read that fetched them has been `used` before if
    /// some of the line was there.
    virtual void extended(const LinePlace & /*place*/) {}
    /// `place` is free again without a victim having been asked for: a change or an invalidation has dropped the line.
    virtual void dropped(const LinePlace & /*place*/) {}
    /// All ways of `set` are taken: the way, below the associativity, whose line `line` replaces. `installed` follows.
    virtual std::uint32_t victim(std::uint32_t set, std::uint64_t line) = 0;
};

/// What a library exports as `smsim_l1_replacement`; `PolicyRequest::sets` and `ways` are those of the cache.
using ReplacementLibrary = PolicyLibrary<Replacement>;

/// The policy of the configuration (`l1.replacement`) for a cache of `sets` sets; null for the default, least recently
/// used. Throws InputError for a library that cannot be used.
std::unique_ptr<Replacement> make_replacement(const L1Config &config, std::uint64_t sets);

} // namespace smsim::memory::l1
