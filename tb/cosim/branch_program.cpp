#include "tb/cosim/branch_program.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace smsim::cosim {
namespace {

constexpr std::uint32_t kHandler = 14; // instructions before the trap handler: those of the frame, and one jump
constexpr std::uint32_t kWatchdog = 6000;
constexpr std::uint32_t kTargets = 4; // of a jump whose threads have different targets

/// Registers besides those of the frame: R24 to R31 for use within one place, R[38:39] targets, R40 to R43 masks of
/// lanes that name each other: all, halves, quarters, pairs. P0 to P3 are guards.
class BranchWriter {
  public:
    /// `crowded`: threads jump directly to a WARPSYNC whatever their guards are, and many sleep at the same time.
    /// `sleepers_percent`: share of statements that are such sleeps.
    BranchWriter(LockstepKernel &kernel, bool faults, bool crowded, std::uint32_t sleepers_percent)
        : random_(kernel.random), out_(kernel.out), kernel_(kernel), faults_(faults), crowded_(crowded),
          sleepers_percent_(sleepers_percent), registers_(random_.of({1, 2, 3, 16})),
          statements_(random_.between(20, 90)) {}

    void prologue() {
        out_.line("BRA begin");
        // The trap handler.
        out_.line("NOP");
        if (random_.chance(30)) {
            out_.line("YIELD");
        }
        out_.line("@!PT RTT"); // no thread leaves
        out_.line("RTT");
        out_.place("begin");
        std::uint32_t number = 40;
        for (const auto &[lanes, mask] :
             {std::pair(0U, 0xffffffffU), std::pair(0x10U, 0xffffU), std::pair(0x18U, 0xffU), std::pair(0x1eU, 3U)}) {
            out_.line("LOP3 R30, R8, {:#x}, RZ, 0xc0", lanes);
            out_.line("MOV R31, {:#x}", mask);
            out_.line("SHL R{}, R31, R30", number++);
        }
        for (std::uint32_t i = 0; i < 4; ++i) {
            predicate(i);
        }
        out_.line("MOV R38, RZ");
        out_.line("MOV R39, RZ");
    }
    void body() {
        kernel_.draw();
        for (at_ = 0; at_ < statements_; ++at_) {
            out_.place(label(at_));
            placed_ = !crowded_;
            statement();
            place_directly();
        }
        out_.place(label(at_));
    }

  private:
    static std::string label(std::uint32_t statement) { return fmt::format("S{}", statement); }
    /// A place in the loop, usually a little further on.
    std::string target() {
        if (random_.chance(12)) {
            return label(random_.below(statements_ + 1));
        }
        const std::uint32_t next = std::min(statements_, at_ + random_.between(1, 8));
        return crowded_ && next < statements_ && random_.chance(40) ? fmt::format("T{}", next) : label(next);
    }
    std::string barrier() { return fmt::format("B{}", random_.below(registers_)); }
    /// One of the guards, or its negation.
    std::string some_predicate() {
        const std::uint32_t number = random_.below(4);
        return fmt::format("{}P{}", random_.chance(40) ? "!" : "", number);
    }
    std::string guard() { return random_.chance(40) ? "" : fmt::format("@{} ", some_predicate()); }
    std::string second() { return random_.chance(75) ? "" : fmt::format("{}, ", some_predicate()); }
    void put(const std::string &text) {
        place_directly();
        out_.instruction(guard(), text);
    }
    void place_directly() {
        if (!placed_) {
            out_.place(fmt::format("T{}", at_));
            placed_ = true;
        }
    }

    void predicate(std::uint32_t number) {
        static constexpr const char *kCompare[] = {"LT", "GE"};
        const char *compare = kCompare[random_.below(2)];
        switch (random_.below(6)) {
        case 0: // a range of lanes
            return out_.line("ISETP.{}.AND P{}, PT, R8, {:#x}, PT", compare, number, random_.below(34));
        case 1: // uniform within a warp
            return out_.line("ISETP.{}.AND P{}, PT, R12, RZ, PT", compare, number);
        case 2: // one lane, or all the others
            out_.line("LOP3 R30, R12, 0x1f, RZ, 0xc0");
            return out_.line("ISETP.{}.AND P{}, PT, R30, R8, PT", random_.chance(50) ? "EQ" : "NE", number);
        case 3: // nearly all, or almost none
            out_.line("LOP3 R30, R13, 0x70, RZ, 0xc0");
            return out_.line("ISETP.{}.AND P{}, PT, R30, RZ, PT", random_.chance(50) ? "EQ" : "NE", number);
        default:
            return out_.line("ISETP.{}.AND P{}, PT, R13, RZ, PT", compare, number);
        }
    }

    /// A word for R24: threads that are active now, threads that have equal values, or anything.
    void mask() {
        switch (random_.below(6)) {
        case 0:
            return out_.line("MATCH.ANY R24, R{}", 40 + random_.below(4));
        case 1:
            out_.line("LOP3 R24, R13, {:#x}, RZ, 0xc0", random_.of({1, 2, 3}));
            return out_.line("MATCH.ANY R24, R24");
        case 2:
            return out_.line("VOTE.ANY R24, P5, P{}", random_.below(4));
        case 3:
            return out_.line("MOV R24, R{}", faults_ ? random_.of({12, 13, 40}) : 40U);
        default:
            return out_.line("VOTE.ANY R24, P5, PT");
        }
    }

    void statement() {
        if (random_.chance(sleepers_percent_)) {
            return sleepers();
        }
        if (random_.chance(3)) {
            return meeting();
        }
        const std::uint32_t kind = random_.below(100);
        if (kind < 12) {
            predicate(random_.below(4));
        } else if (kind < 18) {
            kernel_.draw();
        } else if (kind < 24) {
            out_.line("IADD3 R20, R20, R13, RZ");
        } else if (kind < 40) {
            jump();
        } else if (kind < 46) {
            const std::string join = target();
            put(fmt::format("BSSY {}, {}", barrier(), join));
        } else if (kind < 50) {
            const std::string left = barrier();
            put(fmt::format("BREAK {}{}", second(), left));
        } else if (kind < 57) {
            move();
        } else if (kind < 67) {
            put(fmt::format("BSYNC {}", barrier()));
        } else if (kind < 75) {
            warpsync();
        } else if (kind < 80) {
            put("YIELD " + plain(second()));
        } else if (kind < 86) {
            nanosleep();
        } else if (kind < 88) {
            const std::string exit = "EXIT " + plain(second());
            out_.instruction(fmt::format("@P{} ", random_.below(4)), exit);
        } else if (kind < 90) {
            put(fmt::format("LEPC R[38:39], `({} - .)", target()));
            kernel_.see("R38");
        } else if (kind < 92) {
            trap();
        } else {
            region();
        }
    }
    /// A second guard as the only operand.
    static std::string plain(const std::string &second) { return second.substr(0, second.find(',')); }

    /// Sometimes not an instruction, or the first place past the program; otherwise `to`.
    std::string astray(const std::string &to) {
        if (!faults_ || !random_.chance(8)) {
            return to;
        }
        return random_.chance(40) ? "last + 0x10" : fmt::format("{} + {:#x}", to, random_.of({4, 8, 0x8000}));
    }

    void jump() {
        static constexpr const char *kConditions[] = {"", "", ".U", ".DIV", ".CONV"};
        const std::string to = target();
        const std::string also = second();
        const char *name = random_.chance(50) ? "CALL" : "RET";
        const std::string behind = out_.new_label();
        switch (random_.below(9)) {
        case 0:
            put(fmt::format("{}.REL {}{}", name, also, to));
            break;
        case 1:
            put(fmt::format("{}.ABS {}{}", name, also, out_.constant64(astray(to))));
            break;
        case 2:
            put(fmt::format("BRX {}{}", also, out_.constant32(astray(to) + " - " + behind)));
            break;
        case 3: {
            if (random_.chance(70)) {
                mask();
                out_.line("R2UR UR4, R24");
            } else {
                out_.line("UMOV UR4, {:#x}", random_.next() & 0xffffffff);
            }
            const char *inverted = random_.chance(40) ? "~" : "";
            put(fmt::format("BRA.{} {}{}UR4, {}", random_.chance(50) ? "DIV" : "CONV", also, inverted, to));
            break;
        }
        case 4: // a target for each thread, relative
        case 5: // and absolute
            each(name, also, behind);
            break;
        default:
            put(fmt::format("BRA{} {}{}", kConditions[random_.below(5)], also, to));
        }
        out_.place(behind);
    }
    /// A jump whose threads have up to four targets.
    void each(const char *name, const std::string &also, const std::string &behind) {
        const bool brx = random_.chance(40);
        const bool absolute = !brx && random_.chance(50);
        const std::string from = absolute ? "" : " - " + behind;
        std::uint32_t first = 0;
        for (std::uint32_t i = 0; i < kTargets; ++i) {
            const std::string to = (i == 2 ? astray(target()) : target()) + from;
            const std::uint32_t place = brx ? out_.constant32_offset(to) : out_.constant64_offset(to);
            first = i == 0 ? place : first;
        }
        out_.line("LOP3 R30, R13, {:#x}, RZ, 0xc0", random_.of({1, 3, 3}));
        out_.line("SHL R30, R30, {:#x}", brx ? 2 : 3);
        if (brx) {
            out_.line("LDC R38, c[0x3][R30+{:#x}]", first);
            put(fmt::format("BRX {}R38, 0x0", also));
        } else {
            out_.line("LDC.64 R[38:39], c[0x3][R30+{:#x}]", first);
            put(fmt::format("{}.{} {}R[38:39], 0x0", name, absolute ? "ABS" : "REL", also));
        }
    }

    void move() {
        switch (random_.below(4)) {
        case 0:
            put(fmt::format("BMOV R25, {}", barrier()));
            return kernel_.see("R25");
        case 1:
            put(fmt::format("BMOV.CLEAR R25, {}", barrier()));
            return kernel_.see("R25");
        case 2:
            mask();
            return put(fmt::format("BMOV {}, R24", barrier()));
        default: { // some threads leave, or any thread enters
            const char *threads = random_.chance(70) ? "RZ" : "R13";
            return put(fmt::format("BMOV {}, {}", barrier(), threads));
        }
        }
    }

    void warpsync() {
        const std::string also = second();
        switch (random_.below(faults_ ? 6 : 3)) {
        case 0:
            if (!faults_ || random_.chance(30)) { // waits for no other thread
                out_.line("VOTE.ANY R24, P5, PT");
                return put(fmt::format("WARPSYNC {}R24", also));
            }
            return put(fmt::format("WARPSYNC {}0xffffffff", also));
        case 1:
            mask();
            out_.line("R2UR UR5, R24");
            return put(fmt::format("WARPSYNC {}UR5", also));
        case 2:
            mask();
            return put(fmt::format("WARPSYNC {}R24", also));
        case 3:
            mask();
            out_.line("LOP3 R24, R24, R24, RZ, 0x0f"); // not R24
            return put(fmt::format("WARPSYNC {}~R24", also));
        default:
            return put(fmt::format("WARPSYNC {}R{}", also, 40 + random_.below(4)));
        }
    }

    void nanosleep() {
        const std::string also = second();
        switch (random_.below(4)) {
        case 0:
            return put(fmt::format("NANOSLEEP {}{:#x}", also, random_.of({0, 1, 20, 100})));
        case 1:
            out_.line("LOP3 R25, R12, 0x7f, RZ, 0xc0");
            out_.line("R2UR UR6, R25");
            return put(fmt::format("NANOSLEEP {}UR6", also));
        default:
            out_.line("LOP3 R25, R13, {:#x}, RZ, 0xc0", random_.of({3, 0x1f, 0xff}));
            if (random_.chance(15)) { // two seconds and more, in some threads
                out_.line("@P{} LOP3 R25, R25, 0x80000000, RZ, 0xfc", random_.below(4));
            }
            return put(fmt::format("NANOSLEEP {}R25", also));
        }
    }

    /// Threads diverge; those that jump are directly at a WARPSYNC that waits for them, usually with false guards.
    void meeting() {
        const std::string there = out_.new_label();
        const std::uint32_t number = random_.below(4);
        const bool negated = random_.chance(50);
        out_.line("VOTE.ANY R24, P5, PT");
        out_.line("@{}P{} BRA {}", negated ? "!" : "", number, there);
        if (random_.chance(50)) {
            out_.line("IADD3 R20, R20, R13, RZ");
        }
        out_.place(there);
        const std::string with = random_.chance(70) ? fmt::format("@{}P{} ", negated ? "" : "!", number) : guard();
        out_.instruction(with, "WARPSYNC R24");
    }

    /// Up to four paths that sleep one after another: so long that all of them sleep at once, or so briefly that the
    /// first one has finished, or the last one finishes before the first; and all of this again.
    void sleepers() {
        const std::string first = out_.new_label();
        std::uint32_t table = 0;
        for (std::uint32_t i = 0; i < kTargets; ++i) {
            const std::uint32_t place = out_.constant64_offset(fmt::format("{} + {:#x}", first, i * kInstructionBytes));
            table = i == 0 ? place : table;
        }
        out_.line("LOP3 R30, R13, 0x3, RZ, 0xc0");
        out_.line("SHL R30, R30, 0x3");
        out_.line("LDC.64 R[38:39], c[0x3][R30+{:#x}]", table);
        out_.line("CALL.ABS R[38:39], 0x0");
        out_.place(first);
        const bool brief = random_.chance(50);
        for (std::uint32_t i = 0; i < kTargets; ++i) {
            out_.line("NANOSLEEP {:#x}", brief ? random_.between(1, 80U >> i) : random_.of({200, 1000}));
        }
        if (brief) {
            out_.line("NANOSLEEP {:#x}", random_.of({100, 400}));
        }
    }

    void trap() {
        switch (random_.below(faults_ ? 5 : 2)) {
        case 0:
            return put("SYSCALL");
        case 1:
            return out_.line("BMOV R25, {}", barrier());
        case 2:
            return put("TRAP R13");
        case 3:
            return put(fmt::format("TRAP {:#x}", random_.below(1000)));
        default:
            return random_.chance(20) ? put("RTT") : put("TRAP R8");
        }
    }

    /// Two paths and their meeting point, as a compiler writes them; their contents are as arbitrary as the rest.
    void region() {
        const std::string b = barrier();
        const std::string other = out_.new_label();
        const std::string join = out_.new_label();
        out_.line("BSSY {}, {}", b, join);
        out_.line("@P{} BRA {}", random_.below(4), other);
        inside();
        out_.line("BRA {}", join);
        out_.place(other);
        inside();
        out_.place(join);
        out_.line("BSYNC {}", b);
    }
    void inside() {
        if (++depth_ < 3) {
            statement();
            statement();
        }
        --depth_;
    }

    fuzz::Random &random_;
    fuzz::Writer &out_;
    LockstepKernel &kernel_;
    bool faults_;
    bool crowded_;
    std::uint32_t sleepers_percent_;
    bool placed_ = false;     ///< the label directly before an instruction of this statement
    std::uint32_t registers_; ///< barrier registers in use
    std::uint32_t statements_;
    std::uint32_t at_ = 0;
    std::uint32_t depth_ = 0;
};

} // namespace

LockstepProgram branch_program(std::uint64_t seed, std::uint32_t warps) {
    fuzz::Random random(seed);
    const std::uint32_t of_a_cta = random.between(1, warps);
    const std::uint32_t threads = kLanes * of_a_cta - (random.chance(40) ? random.below(kLanes) : 0);
    std::vector<std::string> settings = random_design(random, false);
    const auto set = [&](const char *key, std::uint32_t value) {
        settings.push_back(fmt::format("{}={}", key, value));
    };
    // A warp waits for responses, except for some of the first two classes; a small block has room for eight of these.
    for (const auto &[name, most] : {std::pair("branch", 8U), std::pair("barrier", 8U), std::pair("sync", 20U),
                                     std::pair("yield", 20U), std::pair("move", 20U)}) {
        set(fmt::format("bru.{}_latency", name).c_str(), random.of({1, 1, 2, random.between(1, most)}));
        set(fmt::format("bru.{}_interval", name).c_str(), random.of({1, 1, random.between(1, 6)}));
    }
    static constexpr const char *kClocks[] = {"1.0", "0.5", "1.41", "3.0"};
    settings.push_back(fmt::format("sm.clock_ghz={}", kClocks[random.below(4)]));
    settings.push_back(fmt::format("bru.nanosleep_sets_yield={}", random.chance(60) ? "true" : "false"));
    const bool crowded = seed % 16 == 15;
    const bool sleepy = seed % 16 == 5;
    const bool faults = !sleepy && random.chance(50);
    if (faults && random.chance(60)) {
        set("bru.trap_handler", kHandler * static_cast<std::uint32_t>(kInstructionBytes));
    }
    set("sm.watchdog_cycles", sleepy ? 4 * kWatchdog : kWatchdog);
    const std::uint32_t iterations = random.between(1, 4);
    const std::uint32_t ctas = random.between(1, 3);
    LockstepKernel kernel(random.next(), ctas, threads, iterations);
    BranchWriter writer(kernel, faults, crowded, sleepy ? 80 : crowded ? 12 : 1);
    LockstepProgram program = kernel.build([&] { writer.prologue(); }, [&] { writer.body(); }, 0, std::move(settings));
    program.may_fail = true;
    if (sleepy) { // a late request to the timer affects the following sleeps
        program.stall_percent = random.of({60, 80, 90, 90});
    }
    return program;
}

} // namespace smsim::cosim
