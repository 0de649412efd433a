#include "tb/cosim/barrier_program.h"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "model/types.h"
#include "tb/cosim/barrier_arrivals.h"

namespace smsim::cosim {
namespace {

constexpr std::uint32_t kMostArrivals = 127; // what the state word counts
constexpr const char *kReductions[] = {"AND", "OR", "POPC"};

/// A warp, or some of its threads, that ends early.
struct Exit {
    std::uint32_t warp, iteration, phase;
};

/// Registers besides those of arrivals: R32 to R34 hold a saved context; P0, P3, P4 are for use within one place.
class BarrierWriter : BarrierArrivals {
  public:
    BarrierWriter(LockstepKernel &kernel, std::vector<Exit> exits)
        : BarrierArrivals(kernel, exits.empty()), exits_(std::move(exits)) {}

    void prologue() {
        out_.line("MOV R14, {:#x}", everybody());
        out_.line("MOV R15, {:#x}", kLanes * warps());
        for (const char *name : {"R24", "R25", "R26", "R27", "R28", "R29", "R32", "R33", "R34"}) {
            out_.line("MOV {}, RZ", name);
        }
    }
    void body() {
        for (std::uint32_t phase = 0; phase < kPhases; ++phase) {
            kernel_.draw();
            leave(phase);
            one_phase();
        }
        fence(0); // barriers that are open now must be closed before the next iteration
    }
    /// Approximate number of operations of a warp in one iteration.
    static constexpr std::uint32_t kOperations = 90;
    static constexpr std::uint32_t kPhases = 30;

  private:
    // --- barriers in use. A barrier is open if some warps may still be at it while others go on: it is reused only
    // after a barrier of all warps.

    std::uint32_t closed_id(std::uint32_t but = 0) {
        std::uint32_t id = random_.below(kBarriers);
        while (((open_ | but) >> id & 1U) != 0) {
            id = (id + 1) % kBarriers;
        }
        return id;
    }
    /// All warps meet at a barrier that is not in the mask `but`.
    void fence(std::uint32_t but) {
        kernel_.delay();
        const Count count = random_.chance(50) ? Count(0) : all();
        arrive("BAR.SYNC", closed_id(but), count, "");
        open_ = 0;
    }
    void make_room() {
        if (std::popcount(open_) > 8) {
            fence(0);
        }
    }

    // --- reductions

    /// A predicate that is true in some threads: most or few.
    std::string contribution() {
        if (random_.chance(15)) {
            return random_.chance(50) ? "PT" : "!PT";
        }
        const auto bits = static_cast<std::uint32_t>(random_.next() & random_.next());
        out_.line("LOP3 R24, R13, {:#x}, RZ, 0xc0", bits & static_cast<std::uint32_t>(random_.next()));
        out_.line("ISETP.NE.AND P3, PT, R24, RZ, PT");
        return random_.chance(50) ? "P3" : "!P3";
    }
    static std::string red(std::uint32_t operation) { return fmt::format("BAR.RED.{}", kReductions[operation]); }
    void look_at_result() {
        if (random_.chance(70)) {
            const bool guarded = random_.chance(20);
            if (guarded) {
                random_lanes();
            }
            out_.instruction(guarded ? "@P1 " : "", "B2R.RESULT R27, P4");
            kernel_.see("R27");
            out_.line("@P4 IADD3 R20, R20, 0x1, RZ");
        }
        if (random_.chance(30)) {
            out_.line("B2R.WARP R27");
            kernel_.see("R27");
        }
    }

    // --- phases

    void one_phase() {
        make_room();
        kernel_.delay();
        switch (random_.below(12)) {
        case 0:
        case 1:
            return producers();
        case 2:
        case 3:
            return groups();
        case 4:
        case 5:
        case 6:
            return moves();
        case 7:
            return warps() > 1 ? restored() : moves();
        case 8:
            return warps() > 1 ? context() : full();
        default:
            return full();
        }
    }

    /// All warps arrive, at any barrier in any form.
    void full() {
        const bool rotate = open_ == 0 && random_.chance(30);
        const std::uint32_t id = rotate ? random_.below(kBarriers) : closed_id();
        const bool reduction = random_.chance(50);
        const std::string pp = reduction ? contribution() : "";
        const Count count = random_.chance(50) ? Count(0) : all();
        arrive(reduction ? red(random_.below(3)) : "BAR.SYNC", id, count, pp, rotate);
        open_ = 0;
        if (reduction) {
            look_at_result();
        }
    }

    /// Some warps arrive and go on, once or several times, while the others wait for them; or no warp waits.
    void producers() {
        const std::uint32_t id = closed_id();
        const auto mask = random_.chance(15) ? everybody() : static_cast<std::uint32_t>(random_.next()) & everybody();
        const std::uint32_t often = random_.between(1, std::min(3U, kMostArrivals / warps()));
        these_warps(mask);
        const Count count = some(mask, often, true);
        for (std::uint32_t i = 0; i < often; ++i) {
            arrive_if("P2", "BAR.ARV", id, count);
            if (random_.chance(30)) {
                kernel_.delay();
            }
        }
        arrive_if("!P2", "BAR.SYNC", id, count);
        open_ |= 1U << id;
    }

    /// Two groups of warps, each at its own barrier; or one group, and the other warps pass by.
    void groups() {
        const auto mask = static_cast<std::uint32_t>(random_.next()) & everybody();
        these_warps(mask);
        const std::uint32_t first = closed_id();
        const std::uint32_t second = closed_id(1U << first);
        const bool reduction = random_.chance(50);
        const std::string pp = reduction ? contribution() : "";
        arrive_if("P2", reduction ? red(random_.below(3)) : "BAR.SYNC", first, some(mask, 1, false), pp);
        open_ |= 1U << first;
        if (random_.chance(70)) {
            kernel_.delay();
            const std::string other = random_.chance(50) ? contribution() : "";
            arrive_if("!P2", other.empty() ? "BAR.SYNC" : red(random_.below(3)), second, some(~mask, 1, false), other);
            open_ |= 1U << second;
        }
        look_at_result();
    }

    /// Words are read and written, with several moves in flight.
    void moves() {
        if (random_.chance(10)) {
            for (std::uint32_t id = 0; id < kBarriers; ++id) {
                out_.line("B2R.BAR R27, {:#x}", id);
                kernel_.see("R27");
            }
            return;
        }
        for (std::uint32_t i = random_.between(1, 6); i > 0; --i) {
            const std::uint32_t guarded = random_.below(4);
            if (guarded == 0) {
                random_lanes();
            }
            const std::string guard = guarded == 0 ? "@P1 " : guarded == 1 ? "@!PT " : "";
            switch (random_.below(5)) {
            case 0:
                out_.instruction(guard, "R2B.WARP R13"); // any word; the word of the lowest thread counts
                break;
            case 1:
                out_.instruction(guard, "B2R.RESULT R27, P4");
                out_.line("@P4 IADD3 R20, R20, 0x3, RZ");
                break;
            case 2:
                out_.instruction(guard, "B2R.WARP R27");
                break;
            default:
                out_.instruction(guard, fmt::format("B2R.BAR R27, {:#x}", random_.below(kBarriers)));
                break;
            }
            if (random_.chance(50)) {
                kernel_.see("R27");
            }
        }
    }

    /// R2B.BAR by warp 0; threads above the lowest have different words.
    void restore(std::uint32_t id, const std::string &word) {
        out_.line("ISETP.EQ.AND P0, PT, R8, RZ, PT");
        out_.line("SEL R25, {}, R13, P0", word);
        warp_zero();
        if (random_.chance(50)) {
            random_lanes();
            out_.line("PSETP.AND.AND P1, PT, P1, P2, PT");
            return out_.line("@P1 R2B.BAR {:#x}, R25", id);
        }
        out_.line("@P2 R2B.BAR {:#x}, R25", id);
    }

    /// A barrier is given a state that no warp has caused, and is completed from there.
    void restored() {
        fence(0);
        const std::uint32_t id = closed_id();
        const std::uint32_t before = random_.below(std::min(20U, kMostArrivals - warps()) + 1);
        const std::uint32_t kind = random_.between(1, 2);
        const std::uint32_t operation = random_.below(3);
        const std::uint32_t population = random_.between(0, 8191 - kLanes * warps());
        const auto noise = static_cast<std::uint32_t>(random_.next());
        const bool alive = random_.chance(30); // expects all alive warps: warp 0 has arrived
        std::uint32_t word = kind << 14;
        if (kind == 1) {
            word |= noise & 0xffff0000;
        } else if (operation == 2) {
            word |= operation << 16 | (noise & 1U << 18) | population << 19;
        } else {
            word |= operation << 16 | (noise & 0xfffc0000);
        }
        out_.line("IADD3 R24, R15, {:#x}, RZ", kLanes * before);
        out_.line("SHL R24, R24, 0x2");
        out_.line("LOP3 R24, {}, {:#x}, RZ, 0xfc", alive ? "RZ" : "R24", word | (alive ? 1 : before));
        restore(id, "R24");
        out_.line("@P2 B2R.BAR R27, {:#x}", id);
        kernel_.see("R27");
        fence(1U << id);
        const std::string pp = kind == 2 ? contribution() : "";
        const std::string with = kind == 2 ? red(operation) : "BAR.SYNC";
        if (alive) {
            warp_zero();
            arrive_if("!P2", with, id, 0, pp);
            open_ |= 1U << id;
        } else {
            arrive(with, id, all(before), pp);
        }
        if (kind == 2) {
            look_at_result();
        }
    }

    /// Two barriers at which warps have arrived are saved, used for something else, restored and completed.
    void context() {
        fence(0);
        const std::uint32_t first = closed_id();
        const std::uint32_t second = closed_id(1U << first);
        const std::uint32_t both = 1U << first | 1U << second;
        warp_zero();
        arrive_if("P2", "BAR.ARV", first, all());
        arrive_if("P2", "BAR.ARV", second, all(1));
        arrive_if("P2", "BAR.ARV", second, all(1));
        fence(both);
        out_.line("B2R.BAR R32, {:#x}", first);
        out_.line("B2R.BAR R33, {:#x}", second);
        out_.line("B2R.WARP R34");
        fence(both);
        out_.line("R2B.BAR {:#x}, {}", first, random_.chance(50) ? "RZ" : "R8"); // both: kind idle
        restore(second, "RZ");
        fence(both);
        full();
        arrive("BAR.SYNC", first, 0, "");
        const std::string pp = contribution();
        const Count count = all();
        arrive(red(random_.below(3)), second, count, pp);
        look_at_result();
        fence(both);
        restore(first, "R32");
        restore(second, "R33");
        out_.line("R2B.WARP R34");
        fence(both);
        warp_zero();
        arrive_if("!P2", "BAR.SYNC", first, all());
        arrive_if("!P2", "BAR.SYNC", second, all(1));
        look_at_result();
        open_ |= both;
    }

    /// Warps end here while others wait for all alive warps; or some threads of a warp end, which no barrier notices.
    void leave(std::uint32_t phase) {
        for (const Exit &exit : exits_) {
            if (exit.phase != phase) {
                continue;
            }
            out_.line("ISETP.EQ.AND P0, PT, R11, {:#x}, PT", exit.iteration);
            if (exit.warp % 4 == 3) {
                out_.line("LOP3 R24, R13, {:#x}, RZ, 0xc0", 1U << random_.below(32));
                out_.line("ISETP.NE.AND P0, PT, R24, RZ, P0");
                out_.line("ISETP.NE.AND P0, PT, R8, RZ, P0");
            } else {
                out_.line("@P0 LOP3 R14, R14, {:#x}, RZ, 0xc0", ~(1U << exit.warp));
                out_.line("@P0 IADD3 R15, R15, {:#x}, RZ", 0U - kLanes);
                out_.line("ISETP.EQ.AND P0, PT, R10, {:#x}, P0", exit.warp);
            }
            kernel_.delay();
            kernel_.store("@P0 ");
            out_.line("@P0 EXIT");
        }
    }

    std::vector<Exit> exits_;
    std::uint32_t open_ = 0; ///< mask of barriers
};

} // namespace

LockstepProgram barrier_program(std::uint64_t seed, std::uint32_t operations) {
    fuzz::Random random(seed ^ 0x6a09e667f3bcc908);
    const std::uint32_t warps = random.of({1, 2, 3, 4, 5, 8, 13, 16, 27, 32});
    const std::uint32_t threads = kLanes * warps - (random.chance(50) ? random.below(kLanes) : 0);
    const bool slow = random.chance(20);
    std::vector<std::string> settings = random_design(random, slow);
    // Warps that do not wait have several operations in the unit. With eight warps in total its queues have room for
    // all.
    const bool few = warps <= 8 && random.chance(70);
    const std::uint32_t together = (few ? 8 : 64) / warps;
    settings.push_back(fmt::format("sm.max_ctas={}", together));
    // Occasionally more than fit, so that slots are reused.
    const std::uint32_t ctas = random.chance(30) ? 2 * together : together - random.below(std::min(3U, together));
    const std::uint32_t iterations = std::max(1U, operations / (BarrierWriter::kOperations * warps * ctas));
    LockstepKernel kernel(random.next(), ctas, threads, iterations);
    std::vector<Exit> exits;
    if (random.chance(60)) {
        for (std::uint32_t warp = 2; warp < warps; ++warp) {
            if (random.chance(40)) {
                exits.push_back({warp, random.between(1, iterations + 2), random.below(BarrierWriter::kPhases)});
            }
        }
    }
    BarrierWriter writer(kernel, std::move(exits));
    LockstepProgram program = kernel.build([&] { writer.prologue(); }, [&] { writer.body(); }, 0, std::move(settings));
    program.same_cycles = few && !slow;
    return program;
}

} // namespace smsim::cosim
