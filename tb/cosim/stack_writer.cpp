#include "tb/cosim/stack_writer.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace smsim::cosim {
namespace {

constexpr std::uint32_t kWatchdog = 20000;

} // namespace

StackWriter::StackWriter(std::uint64_t seed, std::string_view engine, std::uint32_t warps)
    : random_(seed), faults_(random_.chance(50)), wild_percent_(faults_ ? random_.of({8, 30, 30}) : 0), engine_(engine),
      ctas_(random_.between(1, 3)), threads_(threads_of_a_cta(warps)), statements_(random_.between(10, 45)),
      total_(statements_) {}

std::uint32_t StackWriter::threads_of_a_cta(std::uint32_t warps) {
    const std::uint32_t all = kLanes * random_.between(1, warps);
    return all - (random_.chance(40) ? random_.below(kLanes) : 0);
}

LockstepProgram StackWriter::program() {
    settings_ = random_design(random_, false);
    for (const auto &[name, most] : {std::pair("branch", 8U), std::pair("barrier", 8U), std::pair("sync", 20U),
                                     std::pair("yield", 20U), std::pair("move", 20U)}) {
        set(fmt::format("bru.{}_latency", name).c_str(), random_.of({1, 1, 2, random_.between(1, most)}));
        set(fmt::format("bru.{}_interval", name).c_str(), random_.of({1, 1, random_.between(1, 6)}));
    }
    set("sm.watchdog_cycles", kWatchdog);
    settings_.push_back(fmt::format("bru.engine={}", engine_));
    for (std::string &one : design()) {
        settings_.push_back(std::move(one));
    }

    out_.line("MOV R3, {:#x}", 1 + (random_.next() & 0xffff'fffe));
    out_.line("S2R R8, SR_LANEID");
    out_.line("S2R R9, SR_TID.X");
    out_.line("S2R R24, SR_CTAID.X");
    out_.line("SHR R10, R9, 0x5");
    out_.line("IMAD R25, R24, {:#x}, R9", threads_);
    out_.line("MOV R26, 0x4");
    out_.line("IMAD.WIDE.U32 R[50:51], R25, R26, c[0x0][0x160]");
    out_.line("IMAD R12, R24, 0x3f, R10");
    out_.line("IMAD R12, R12, 0x9e3779b1, R3");
    out_.line("IMAD R13, R25, 0x85ebca6b, R3");
    out_.line("MOV R20, R13");
    out_.line("MOV R11, RZ");
    for (std::uint32_t i = 0; i < 4; ++i) {
        predicate(i);
    }
    const std::uint32_t iterations = random_.between(1, 3);
    out_.place("iteration");
    draw();
    while (statements_ > 0) {
        statement();
    }
    out_.place(fmt::format("S{}", at_++));
    out_.line("IADD3 R11, R11, 0x1, RZ");
    out_.line("ISETP.LT.AND P6, PT, R11, {:#x}, PT", iterations);
    repeat();
    out_.line("STG [R[50:51]], R20");
    end();

    LockstepProgram program;
    program.text = fmt::format(".engine {}\n.kernel random\n.registers 64\n{}", engine_, out_.code());
    if (!out_.constants().empty()) {
        program.text += ".const 3\n" + out_.constants();
    }
    program.ctas = ctas_;
    program.threads = threads_;
    program.settings = std::move(settings_);
    program.may_fail = true;
    program.same_run = same_run_;
    return program;
}

void StackWriter::set(const char *key, std::uint32_t value) {
    settings_.push_back(fmt::format("{}={}", key, value));
}

void StackWriter::block() {
    ++depth_;
    for (std::uint32_t i = random_.below(4); i > 0 && statements_ > 0; --i) {
        statement();
    }
    --depth_;
}

void StackWriter::statement() {
    --statements_;
    out_.place(fmt::format("S{}", at_++));
    if (random_.chance(70)) {
        own_statement();
    } else {
        nothing_of_the_engine();
    }
}

void StackWriter::nothing_of_the_engine() {
    switch (random_.below(9)) {
    case 0:
        return draw();
    case 1:
    case 2:
        return predicate(random_.below(4));
    case 3:
        return nanosleep();
    case 4:
        return put("SYSCALL");
    case 5:
        put(fmt::format("LEPC R[38:39], `({} - .)", somewhere()));
        return see("R38");
    case 6:
        if (faults_ && random_.chance(20)) {
            return put(random_.chance(50) ? "TRAP R13" : "RTT");
        }
        return out_.line("IADD3 R20, R20, R13, RZ");
    case 7:
        if (depth_ == 0 && random_.chance(40)) {
            return out_.line("BAR.SYNC 0x0");
        }
        return out_.line("IADD3 R13, R13, R8, RZ");
    default:
        return see("R13");
    }
}

void StackWriter::draw() {
    for (const char *name : {"R12", "R13"}) {
        out_.line("IMAD {0}, {0}, 0x19660d, R3", name);
        out_.line("SHF.L.W {0}, {0}, 0xd, {0}", name);
    }
}

void StackWriter::see(const std::string &name) {
    out_.line("IMAD R20, R20, 0x1003f, {}", name);
}

std::string StackWriter::compare() {
    static constexpr const char *kNames[] = {"LT", "GE", "EQ", "NE", "LE", "GT"};
    return kNames[random_.below(6)];
}

void StackWriter::predicate(std::uint32_t number) {
    switch (random_.below(5)) {
    case 0: { // a range of lanes
        const std::uint32_t lane = random_.below(34);
        return out_.line("ISETP.{}.AND P{}, PT, R8, {:#x}, PT", compare(), number, lane);
    }
    case 1: // uniform within a warp
        return out_.line("ISETP.{}.AND P{}, PT, R12, RZ, PT", compare(), number);
    case 2: // nearly all, or almost none
        out_.line("LOP3 R30, R13, 0x70, RZ, 0xc0");
        return out_.line("ISETP.{}.AND P{}, PT, R30, RZ, PT", random_.chance(50) ? "EQ" : "NE", number);
    default:
        return out_.line("ISETP.{}.AND P{}, PT, R13, RZ, PT", random_.chance(50) ? "LT" : "GE", number);
    }
}

void StackWriter::uniform_predicate() {
    out_.line("LOP3 R30, R12, {:#x}, RZ, 0xc0", 1U << random_.below(30));
    out_.line("ISETP.EQ.AND P6, PT, R30, RZ, PT");
}

std::string StackWriter::guard() {
    if (random_.chance(40)) {
        return "";
    }
    const std::uint32_t number = random_.below(4);
    return fmt::format("@{}P{} ", random_.chance(40) ? "!" : "", number);
}

std::string StackWriter::somewhere() {
    return fmt::format("S{}",
                       random_.chance(20) ? random_.below(total_ + 1) : std::min(total_, at_ + random_.below(6)));
}

void StackWriter::choose(const std::string &destination, const std::vector<std::string> &expressions, bool uniform) {
    std::uint32_t table = 0;
    for (std::size_t i = 0; i < 4; ++i) {
        const std::uint32_t place = out_.constant32_offset(expressions[i % expressions.size()]);
        table = i == 0 ? place : table;
    }
    out_.line("LOP3 R30, {}, 0x3, RZ, 0xc0", uniform ? "R12" : "R13");
    out_.line("SHL R30, R30, 0x2");
    out_.line("LDC {}, c[0x3][R30+{:#x}]", destination, table);
}

void StackWriter::nanosleep() {
    switch (random_.below(3)) {
    case 0:
        return put(fmt::format("NANOSLEEP {:#x}", random_.of({0, 1, 20, 60})));
    case 1:
        out_.line("LOP3 R25, R12, 0x3f, RZ, 0xc0");
        out_.line("R2UR UR6, R25");
        return put("NANOSLEEP UR6");
    default:
        out_.line("LOP3 R25, R13, {:#x}, RZ, 0xc0", random_.of({3, 0x1f, 0x7f}));
        return put("NANOSLEEP R25");
    }
}

} // namespace smsim::cosim
