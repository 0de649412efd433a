// The bypass policies by name: the place where one is added.
#include "memory/l1/bypass.h"

#include "memory/l1/policies/divergent.h"
#include "memory/l1/policies/low_reuse.h"
#include "memory/l1/policies/stalled.h"

namespace smsim::memory::l1 {

std::unique_ptr<Bypass> make_bypass(const L1Config &config, std::uint64_t sets) {
    using namespace policies;
    if (config.bypass.is_library()) {
        return load_policy<Bypass>("l1.bypass", config.bypass, "smsim_l1_bypass",
                                   {.sets = static_cast<std::uint32_t>(sets), .ways = config.ways});
    }
    switch (config.bypass.own()) {
    case L1BypassKind::kNone:
        return nullptr;
    case L1BypassKind::kDivergent:
        return std::make_unique<Divergent>();
    case L1BypassKind::kStalled:
        return std::make_unique<Stalled>();
    case L1BypassKind::kLowReuse:
        return std::make_unique<LowReuse>(sets * config.ways, config.line_bytes);
    }
    return nullptr;
}

} // namespace smsim::memory::l1
