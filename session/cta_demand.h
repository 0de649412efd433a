// What a CTA of a launch needs from the SM.
#pragma once

#include <algorithm>

#include "model/launch/launch.h"
#include "model/launch/layout.h"
#include "model/program/program.h"
#include "sm/dispatch/cta_allocator.h"

namespace smsim::session {

/// The demand of a CTA of the launch `what` of `kernel`.
inline sm::CtaDemand cta_demand(const Kernel &kernel, const launch::Launch &what) {
    return {what.block[0] * what.block[1] * what.block[2], std::max<std::uint32_t>(kernel.registers, 1),
            launch::shared_bytes(what, kernel)};
}

} // namespace smsim::session
