// Reads that would wait for an MSHR bypass, so that they do not hold up those that follow. After the bypass on stalls
// of Jia et al., "MRPB: Memory Request Prioritization for Massively Parallel Processors", HPCA 2014. Their other causes
// of a stall do not exist here: a miss takes its line when the data arrives.
#pragma once

#include "memory/l1/bypass.h"

namespace smsim::memory::l1::policies {

class Stalled final : public Bypass {
  public:
    bool bypasses(const Read &read) override { return read.stalls; }
};

} // namespace smsim::memory::l1::policies
