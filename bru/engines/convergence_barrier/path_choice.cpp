#include "bru/engines/convergence_barrier/path_choice.h"

namespace smsim::bru::convergence_barrier {

std::unique_ptr<PathChoice> make_path_choice(const BruConfig &config, std::uint32_t warps) {
    if (!config.election.is_library()) {
        return nullptr;
    }
    return load_policy<PathChoice>("bru.election", config.election, "smsim_path_choice", {.warps = warps});
}

} // namespace smsim::bru::convergence_barrier
