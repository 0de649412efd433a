#include "tb/cosim/exit_barrier_program.h"

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace smsim::cosim {
namespace {

constexpr std::uint32_t kWatchdog = 4000;
constexpr std::uint32_t kReads = 12; // that a warp has under way at a time
constexpr const char *kReductions[] = {"AND", "OR", "POPC"};

/// Registers besides those of the frame: R24 a word, R30 a time, R32 and up the words read; P0.
class ExitWriter {
  public:
    explicit ExitWriter(LockstepKernel &kernel)
        : kernel_(kernel), random_(kernel.random), out_(kernel.out), first_(random_.below(kernel.warps())) {}

    /// The first two warps wait, each at its own barrier; the third one reads these; the others exit.
    void body() {
        kernel_.draw();
        for (std::uint32_t role = 0; role < 3; ++role) {
            out_.line("ISETP.EQ.AND P0, PT, R10, {:#x}, PT", (first_ + role) % kernel_.warps());
            out_.line("@P0 BRA role{}", role);
        }
        exits();
        for (std::uint32_t role = 0; role < 2; ++role) {
            out_.place(fmt::format("role{}", role));
            waits(role + 1);
        }
        out_.place("role2");
        reads();
    }

  private:
    void end() {
        kernel_.store("");
        out_.line("EXIT");
    }
    /// The same time for all warps of the CTA, and sometimes an end in the same cycle.
    void exits() {
        out_.line("S2R R30, SR_CTAID.X");
        out_.line("IMAD R30, R30, 0x9e3779b1, R3");
        out_.line("SHR R30, R30, {:#x}", random_.between(24, 27));
        out_.line("IADD3 R30, R30, {:#x}, RZ", random_.between(20, 100));
        out_.line("NANOSLEEP R30");
        for (std::uint32_t i = random_.below(12); i > 0; --i) {
            out_.line("NOP");
        }
        out_.line("EXIT");
    }
    /// The word of barrier `id` lacks some arrivals, including that of this warp.
    void waits(std::uint32_t id) {
        const std::uint32_t lack = random_.of({2, 2, 2, 3, 4});
        const std::uint32_t arrived = kernel_.warps() > lack ? kernel_.warps() - lack : 1;
        const std::uint32_t reduction = random_.below(3);
        const bool red = random_.chance(40);
        out_.line("MOV R24, {:#x}", arrived | (red ? 2U << 14 | reduction << 16 : 1U << 14));
        out_.line("R2B.BAR {:#x}, R24", id);
        if (red) {
            out_.line("BAR.RED.{} {:#x}, 0x0, PT", kReductions[reduction], id);
        } else {
            out_.line("BAR.SYNC {:#x}", id);
        }
        out_.line("B2R.WARP R24");
        kernel_.see("R24");
        end();
    }
    void reads() {
        const std::uint32_t reads = kReads * random_.between(5, 15);
        for (std::uint32_t i = 0; i < reads; ++i) {
            out_.line("B2R.BAR R{}, {:#x}", 32 + i % kReads, random_.between(1, 2));
        }
        for (std::uint32_t i = 0; i < kReads; ++i) {
            kernel_.see(fmt::format("R{}", 32 + i));
        }
        end();
    }

    LockstepKernel &kernel_;
    fuzz::Random &random_;
    fuzz::Writer &out_;
    std::uint32_t first_; ///< warp
};

} // namespace

LockstepProgram exit_barrier_program(std::uint64_t seed) {
    fuzz::Random random(seed ^ 0xa54ff53a5f1d36f1);
    const std::uint32_t warps = random.of({4, 5, 5, 6, 8});
    std::vector<std::string> settings = random_design(random, false);
    const auto set = [&](const char *key, std::uint32_t value) {
        settings.push_back(fmt::format("{}={}", key, value));
    };
    set("sm.watchdog_cycles", kWatchdog);
    // Sleepers wake in the same cycle, and the unit serves something in most cycles.
    set("timer.granularity", random.of({1, 16, 64}));
    set("bcu.arrival_latency", random.between(1, 6));
    set("bcu.interval", random.of({1, 1, 2}));
    set("bcu.move_latency", random.between(1, 8));
    const std::uint32_t ctas = random.between(1, 2);
    LockstepKernel kernel(random.next(), ctas, kLanes * warps, 1);
    ExitWriter writer(kernel);
    LockstepProgram program = kernel.build([] {}, [&] { writer.body(); }, 0, std::move(settings));
    program.may_fail = true;
    return program;
}

} // namespace smsim::cosim
