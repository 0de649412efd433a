#include <bit>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#include <systemc>

#include "assembler/assembler.h"
#include "ibuffer/issue_policy.h"
#include "model/config/loader.h"
#include "session/session.h"
#include "sm/part_factory.h"

namespace {

/// Chooses the warp with the highest number of those that may issue.
class HighestFirst final : public smsim::ibuffer::IssuePolicy {
  public:
    unsigned select(const smsim::ibuffer::PolicyView &view) override {
        return static_cast<unsigned>(std::bit_width(view.ready)) - 1;
    }
};

/// Each warp stores the cycle in which it ends. All warps of a sub-partition have the same work.
constexpr const char *kKernel = ".kernel race\n"
                                "    S2R R0, SR_WARPID;\n"
                                "    MOV R1, 0x4;\n"
                                "    IMAD.WIDE.U32 R[2:3], R0, R1, c[0x0][0x160];\n"
                                "    IADD3 R4, R0, 0x1, RZ;\n"
                                "    IADD3 R4, R4, 0x1, RZ;\n"
                                "    IADD3 R4, R4, 0x1, RZ;\n"
                                "    CS2R.32 R5, SR_CLOCKLO;\n"
                                "    STG [R[2:3]], R5;\n"
                                "    EXIT;\n";

} // namespace

int sc_main(int, char **) {
    smsim::Config config = smsim::load_config(std::nullopt, {});
    config.sm.sub_partitions = 1;
    config.bru.pipelines = 1;
    const smsim::Program program = smsim::assemble(kKernel, "race.sasm", smsim::timing::SchedulingModel(config));

    smsim::sm::PartFactory factory = smsim::sm::PartFactory::standard();
    factory.instruction_buffers.add("highest_first", [](const char *name, const smsim::Config &of, unsigned index) {
        return smsim::sm::make_instruction_buffer(name, of, index, std::make_unique<HighestFirst>());
    });
    factory.instruction_buffers.choose("highest_first");
    smsim::session::Options options;
    options.factory = &factory;

    smsim::session::Session session(config, options);
    constexpr std::uint64_t kCycles = 0x10000000;
    session.map(kCycles, 16 * 4, "cycles");
    smsim::launch::Launch what;
    what.block = {16 * 32, 1, 1};
    what.arguments.resize(1);
    what.arguments[0].is_buffer = true;
    const std::vector<std::uint64_t> addresses = {kCycles};
    const smsim::session::LaunchResult result = session.launch(program, program.kernels.at(0), what, addresses);
    if (!result.completed()) {
        std::printf("%s\n", result.exception.c_str());
        return 1;
    }
    std::vector<std::uint8_t> bytes(16 * 4);
    session.read(kCycles, bytes);
    std::uint32_t first = 0;
    std::uint32_t last = 0;
    std::memcpy(&first, bytes.data(), 4);
    std::memcpy(&last, bytes.data() + 15 * 4, 4);
    std::printf("warp 0 in cycle %u, warp 15 in cycle %u\n", first, last);
    return last < first ? 0 : 1;
}
