#include <array>
#include <cstdio>
#include <variant>

#include "assembler/assembler.h"
#include "bcu/barrier.h"
#include "sm/datapath/compute/execute.h"

using namespace smsim;

int main() {
    const Program program =
        assemble(".kernel k\n BAR.SYNC 1;\n IADD3 R2, R0, 0x5, RZ;\n EXIT;\n", "k.sasm", timing::SchedulingModel());

    // Two warps arrive at barrier 1; the second one completes it and releases the first.
    bcu::CtaBarriers barriers(2);
    const std::array<std::uint32_t, kLanes> none{};
    const bcu::Operation sync{program.code[0], LaneMask::all(), LaneMask{}, none, none};
    for (const std::uint32_t warp : {0U, 1U}) {
        const auto effect = std::get<bcu::Effect>(barriers.execute(warp, sync));
        std::printf("warp %u: blocked %d, completes %d\n", warp, effect.blocked, effect.completion.has_value());
    }

    // R2 = R0 + 5 in the lower half of a warp.
    sm::compute::WarpRegisters registers(8);
    for (unsigned lane = 0; lane < kLanes; ++lane) {
        registers.set(0, lane, 100 + lane);
    }
    const sm::compute::WarpIdentity identity;
    const ConstantBanks banks{};
    if (const auto fault = sm::compute::execute(program.code[1], registers, LaneMask(0xffff), {identity, banks})) {
        std::printf("%s\n", fault->detail.c_str());
    }
    std::printf("R2 of lanes 0, 15, 16: %u %u %u\n", registers.value(2, 0), registers.value(2, 15),
                registers.value(2, 16));
}
