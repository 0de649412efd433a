// The replacement policies by name: the place where one is added.
#include "memory/l1/replacement.h"

#include "memory/l1/policies/fifo.h"
#include "memory/l1/policies/random.h"
#include "memory/l1/policies/rrip.h"

namespace smsim::memory::l1 {

std::unique_ptr<Replacement> make_replacement(const L1Config &config, std::uint64_t sets) {
    using namespace policies;
    const auto count = static_cast<std::uint32_t>(sets);
    if (config.replacement.is_library()) {
        return load_policy<Replacement>("l1.replacement", config.replacement, "smsim_l1_replacement",
                                        {.sets = count, .ways = config.ways});
    }
    switch (config.replacement.own()) {
    case L1ReplacementKind::kLru:
        return nullptr;
    case L1ReplacementKind::kFifo:
        return std::make_unique<Fifo>(count, config.ways);
    case L1ReplacementKind::kRandom:
        return std::make_unique<Random>(config.ways);
    case L1ReplacementKind::kSrrip:
        return std::make_unique<Rrip>(count, config.ways, Rrip::Insertion::kLong);
    case L1ReplacementKind::kBrrip:
        return std::make_unique<Rrip>(count, config.ways, Rrip::Insertion::kMostlyDistant);
    }
    return nullptr;
}

} // namespace smsim::memory::l1
