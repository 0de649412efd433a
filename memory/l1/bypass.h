// Bypass policies of the L1: which reads that would fetch something are forwarded to the memory instead, so that they
// take no line and no MSHR. Plain objects with one small interface; the model's own are in memory/l1/policies/,
// others come from shared libraries (model/policy_library.h). Loads with .CG bypass the L1 whatever the policy.
#pragma once

#include <cstdint>
#include <memory>

#include "memory/l1/line_size.h"
#include "model/config/sections/l1.h"
#include "model/policy_library.h"

namespace smsim::memory::l1 {

/// A read of bytes of one line that misses.
struct Read {
    std::uint64_t address = 0;      ///< of its first byte
    std::uint64_t bytes = 0;        ///< at least 1
    std::uint64_t line = 0;         ///< address of its line
    Sectors touched = 0;            ///< sectors of the line that it reads
    Sectors fetched = 0;            ///< those of them that are neither present nor under way; not empty
    bool stalls = false;            ///< it would wait for an MSHR
    std::uint32_t transactions = 0; ///< of the access of the warp that it belongs to, itself included; 0: not known
    std::uint32_t port = 0;         ///< sub-partition of the warp; 0 also when it is not known
};

/// Strategy that picks the reads. Deterministic; may keep state of its own. One object serves one cache.
class Bypass {
  public:
    virtual ~Bypass() = default;
    /// Whether `read` is forwarded. Called once for each read that misses and would fetch something, in the order in
    /// which the cache handles them. A forwarded read leaves lines and fills as they are.
    virtual bool bypasses(const Read &read) = 0;
};

/// What a library exports as `smsim_l1_bypass`; `PolicyRequest::sets` and `ways` are those of the cache.
using BypassLibrary = PolicyLibrary<Bypass>;

/// The policy of the configuration (`l1.bypass`) for a cache of `sets` sets; null when no read but those with .CG
/// bypasses. Throws InputError for a library that cannot be used.
std::unique_ptr<Bypass> make_bypass(const L1Config &config, std::uint64_t sets);

} // namespace smsim::memory::l1
