// An exception as reported to the CTA dispatch.
#pragma once

#include "model/error.h"
#include "model/protocol/links.h"
#include "model/state/warp_life.h"
#include "model/types.h"

namespace smsim::sm {

/// The exception that ended a run, as it was raised: the top level adds kernel and text.
struct RaisedFault {
    FaultReport report;
    WarpSlot warp;
    WarpStart start;
    protocol::RaisedAt at;
    Cycle cycle = 0; ///< in which it was found
};

} // namespace smsim::sm
