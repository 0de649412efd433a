#include "sm/dispatch/grid.h"

#include <algorithm>

#include "model/program/program.h"

namespace smsim::sm {

WarpStart start_of_cta(const Grid &grid, std::uint64_t cta, const CtaPlace &place, SmId sm) {
    WarpStart start;
    start.sm = sm;
    start.cta = place.cta;
    start.cta_number = cta;
    start.cta_id = {static_cast<std::uint32_t>(cta % grid.ctas[0]),
                    static_cast<std::uint32_t>(cta / grid.ctas[0] % grid.ctas[1]),
                    static_cast<std::uint32_t>(cta / grid.ctas[0] / grid.ctas[1])};
    start.warps_in_cta = grid.demand.warps();
    start.entry = grid.entry;
    start.registers = grid.demand.registers_per_thread;
    start.shared_base = place.shared_base;
    start.shared_bytes = grid.demand.shared_bytes;
    start.launch = grid.launch;
    if (grid.launch != nullptr) {
        start.code_base = grid.launch->code_base;
        start.code_bytes = grid.launch->program->size_bytes();
    }
    return start;
}

void start_warp(const Grid &grid, const CtaPlace &place, std::uint32_t warp, WarpStart &start) {
    start.warp = place.warps[warp];
    start.warp_in_cta = warp;
    start.valid = LaneMask::first(std::min(kLanes, grid.demand.threads - warp * kLanes));
}

} // namespace smsim::sm
