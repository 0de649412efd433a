#include "tb/cosim/wild_barrier_program.h"

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace smsim::cosim {
namespace {

constexpr std::uint32_t kWatchdog = 4000;
constexpr const char *kReductions[] = {"AND", "OR", "POPC"};

/// Registers besides those of the frame: R24 to R27 for use within one place; P0 to P2 are guards and contributions.
class WildWriter {
  public:
    /// `full`: barriers have as many arrivals as their words can count, or nearly so.
    WildWriter(LockstepKernel &kernel, bool full)
        : kernel_(kernel), full_(full), random_(kernel.random), out_(kernel.out), barriers_(random_.of({1, 2, 4})),
          wild_percent_(random_.of({1, 5, 20})) {}

    void body() {
        for (std::uint32_t i = random_.between(4, 30); i > 0; --i) {
            kernel_.draw();
            out_.line("ISETP.LT.AND P0, PT, R12, RZ, PT"); // uniform within a warp
            out_.line("ISETP.LT.AND P1, PT, R13, RZ, PT");
            out_.line("ISETP.LT.AND P2, PT, R8, {:#x}, PT", random_.below(33));
            if (random_.chance(30)) {
                kernel_.delay();
            }
            statement();
        }
    }

  private:
    bool wild() { return random_.chance(wild_percent_); }
    std::uint32_t barrier() { return 1 + random_.below(barriers_); }
    /// Threads; 0: all warps of the CTA.
    std::uint32_t count() {
        if (wild()) {
            return random_.of({1, 33, 48, kLanes * 127, 0, kLanes});
        }
        return random_.chance(50) ? 0 : kLanes * random_.between(1, kernel_.warps());
    }
    std::string guard() {
        static constexpr const char *kGuards[] = {"@P0 ", "@!P0 ", "@P1 ", "@P2 ", "@!P2 "};
        return random_.chance(50) ? "" : kGuards[random_.below(5)];
    }
    std::string contribution() {
        static constexpr const char *kPredicates[] = {"P0", "P1", "P2", "PT"};
        const char *predicate = kPredicates[random_.below(4)];
        return fmt::format("{}{}", random_.chance(50) ? "!" : "", predicate);
    }
    void put(const std::string &text) { out_.instruction(guard(), text); }

    /// A register with `value`. Threads have different bits in those of `spare` or, sometimes, anywhere.
    std::string word(const char *name, std::uint32_t value, std::uint32_t spare) {
        out_.line("MOV {}, {:#x}", name, value);
        const std::uint32_t other =
            wild() ? 1U << random_.below(16) : spare & static_cast<std::uint32_t>(random_.next());
        if (other != 0) {
            out_.line("LOP3 R27, R13, {:#x}, RZ, 0xc0", other);
            out_.line("LOP3 {0}, {0}, R27, RZ, 0xfc", name); // or
        }
        return name;
    }

    void statement() {
        if (full_ && random_.chance(50)) {
            return arrive_at_full();
        }
        switch (random_.below(12)) {
        case 0: {
            const std::uint32_t threads = count();
            return put(fmt::format("BAR.SYNC {:#x}, {:#x}", barrier(), threads));
        }
        case 1: {
            const std::uint32_t threads = kLanes * random_.between(wild() ? 0 : 1, 3);
            return put(fmt::format("BAR.ARV {:#x}, {:#x}", barrier(), threads));
        }
        case 2:
            return by_registers();
        case 3:
        case 4:
            return reduction();
        case 5:
            return restore();
        case 6:
            put(fmt::format("B2R.BAR R24, {:#x}", barrier()));
            return kernel_.see("R24");
        case 7:
            put("B2R.WARP R24");
            return kernel_.see("R24");
        case 8:
            out_.line("MOV R24, RZ");
            put("B2R.RESULT R24, P4");
            kernel_.see("R24");
            return out_.line("@P4 IADD3 R20, R20, 0x5, RZ");
        case 9:
            return put(fmt::format("R2B.WARP {}", word("R24", state(), 0)));
        case 10:
            out_.line("ISETP.EQ.AND P3, PT, R10, {:#x}, PT", random_.below(kernel_.warps() + 2));
            return out_.instruction("@P3 ", "EXIT");
        default:
            return put(fmt::format("BAR.SYNC {:#x}", barrier()));
        }
    }

    void by_registers() {
        const char *kind = random_.chance(60) ? "SYNC" : "ARV";
        const std::uint32_t threads = count();
        switch (random_.below(3)) {
        case 0: {
            const std::string id = word("R24", barrier(), 0xfff0);
            return put(fmt::format("BAR.{} {}, {}", kind, id, word("R25", threads, 0xf000)));
        }
        case 1:
            return put(fmt::format("BAR.{} {}, {:#x}", kind, word("R24", barrier(), 0xfff0), threads));
        default: {
            const std::string of = word("R25", threads, 0xf000);
            return put(fmt::format("BAR.{} {:#x}, {}", kind, barrier(), of));
        }
        }
    }

    void reduction() {
        const char *name = kReductions[random_.below(3)];
        const std::uint32_t threads = count();
        const std::string pp = contribution();
        switch (random_.below(4)) {
        case 0:
            return put(fmt::format("BAR.RED.{} {}, {}", name, word("R24", barrier() | threads << 4, 0x10000), pp));
        case 1:
            return put(fmt::format("BAR.RED.{} {}, {:#x}, {}", name, word("R24", barrier(), 0xfff0), threads, pp));
        case 2: {
            const std::string of = word("R25", threads, 0xf000);
            return put(fmt::format("BAR.RED.{} {:#x}, {}, {}", name, barrier(), of, pp));
        }
        default:
            return put(fmt::format("BAR.RED.{} {:#x}, {:#x}, {}", name, barrier(), threads, pp));
        }
    }

    /// The approximate word of a barrier: bcu.md State.
    std::uint32_t state() {
        const std::uint32_t arrived = random_.of({0, 1, 2, 126, 127});
        const std::uint32_t expected = random_.of({0, 0, 1, 2, 3, 127});
        const std::uint32_t kind = wild() ? 3 : random_.below(3);
        const std::uint32_t reduction = wild() ? 3 : random_.below(3);
        const std::uint32_t result = random_.below(2);
        const std::uint32_t population = random_.of({0, 0, 7, 8159, 8160, 8170, 8191});
        return arrived | expected << 7 | kind << 14 | reduction << 16 | result << 18 | population << 19;
    }
    void restore() {
        const std::uint32_t id = barrier();
        const std::uint32_t spare = random_.chance(30) ? 0xffffffff : 0;
        put(fmt::format("R2B.BAR {:#x}, {}", id, word("R24", state(), spare)));
        put(fmt::format("B2R.BAR R25, {:#x}", id));
        kernel_.see("R25");
    }

    /// A warp invents the word of a barrier and arrives there: the last arrival, or one too many.
    void arrive_at_full() {
        const std::uint32_t id = 8 + random_.below(8); // no other warp has arrived
        const std::uint32_t warp = random_.below(kernel_.warps());
        const std::uint32_t expected = random_.of({0, 1, 2, 3, 127});
        const std::uint32_t more = random_.chance(25) ? 0 : 1; // arrivals
        const std::uint32_t arrived = expected == 0 ? random_.of({1, 126, 127}) : expected - more;
        const bool reduction = random_.chance(60);
        const std::uint32_t population = random_.of({8100, 8159, 8160, 8191});
        const std::uint32_t red = 2U << 14 | 2U << 16 | population << 19; // a population count
        out_.line("MOV R24, {:#x}", arrived | expected << 7 | (reduction ? red : 1U << 14));
        out_.line("ISETP.EQ.AND P3, PT, R10, {:#x}, PT", warp);
        out_.instruction("@P3 ", fmt::format("R2B.BAR {:#x}, R24", id));
        const std::string how = reduction
                                    ? fmt::format("RED.{}", kReductions[random_.chance(30) ? random_.below(2) : 2])
                                : random_.chance(50) || expected == 0 ? "SYNC"
                                                                      : "ARV";
        out_.instruction("@P3 ", fmt::format("BAR.{} {:#x}, {:#x}{}", how, id, kLanes * expected,
                                             reduction ? ", " + contribution() : ""));
    }

    LockstepKernel &kernel_;
    bool full_;
    fuzz::Random &random_;
    fuzz::Writer &out_;
    std::uint32_t barriers_;
    std::uint32_t wild_percent_;
};

} // namespace

LockstepProgram wild_barrier_program(std::uint64_t seed) {
    fuzz::Random random(seed ^ 0x3c6ef372fe94f82b);
    const std::uint32_t warps = random.of({1, 2, 2, 3, 4, 8});
    const std::uint32_t threads = kLanes * warps - (random.chance(50) ? random.below(kLanes) : 0);
    std::vector<std::string> settings = random_design(random, false);
    settings.push_back(fmt::format("sm.watchdog_cycles={}", kWatchdog));
    const std::uint32_t iterations = random.between(1, 3);
    const std::uint32_t ctas = random.between(1, 3);
    const std::uint64_t values = random.next();
    LockstepKernel kernel(values, ctas, threads, iterations);
    WildWriter writer(kernel, seed % 8 == 6);
    LockstepProgram program = kernel.build([] {}, [&] { writer.body(); }, 0, std::move(settings));
    program.may_fail = true;
    program.same_cycles = warps * ctas <= 8; // arrivals of more warps may be more than the unit holds
    return program;
}

} // namespace smsim::cosim
