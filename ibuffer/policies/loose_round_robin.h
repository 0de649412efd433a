// Cyclic order, skipping warps that are not ready.
#pragma once

#include "ibuffer/policies/choice.h"

namespace smsim::ibuffer::policies {

class LooseRoundRobin final : public IssuePolicy {
  public:
    unsigned select(const PolicyView &view) override { return next_of(willing(view.ready, view), view.last); }
};

} // namespace smsim::ibuffer::policies
