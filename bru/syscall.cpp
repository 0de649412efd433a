#include "bru/syscall.h"

#include <spdlog/spdlog.h>

namespace smsim::bru {

void log_syscall(const Syscall &call) {
    spdlog::info("SYSCALL at {:#06x} by warp {} of CTA {}, threads {:#010x}", call.insn.pc, call.warp.warp_in_cta,
                 call.warp.cta_number, call.executed.bits());
}

} // namespace smsim::bru
