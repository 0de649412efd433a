// Reads of accesses that spread over many rows of memory bypass: each takes a line and an MSHR for a few bytes, and
// takes them away from accesses that use whole lines. No publication proposes it alone; it shows a policy that looks at
// the access of the warp.
#pragma once

#include "memory/l1/bypass.h"

namespace smsim::memory::l1::policies {

class Divergent final : public Bypass {
  public:
    bool bypasses(const Read &read) override { return read.transactions > kMost; }

  private:
    static constexpr std::uint32_t kMost = 8; ///< transactions of an access whose reads take lines
};

} // namespace smsim::memory::l1::policies
