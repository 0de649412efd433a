#include "tb/cosim/token_stack_program.h"

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "tb/cosim/stack_writer.h"

namespace smsim::cosim {
namespace {

class TokenStackWriter final : public StackWriter {
  public:
    TokenStackWriter(std::uint64_t seed, std::uint32_t warps) : StackWriter(seed, "token_stack", warps) {}

  private:
    std::vector<std::string> design() override {
        const std::uint32_t depth = random_.of({2, 4, 8, 32, 32});
        const std::uint32_t cycles = random_.of({0, 0, 1, 30});
        const bool spill = random_.chance(70);
        same_run_ = !spill || cycles == 0;
        return {fmt::format("bru.token_stack.order={}", random_.chance(50) ? "fallthrough_first" : "taken_first"),
                fmt::format("bru.token_stack.depth={}", depth), fmt::format("bru.token_stack.spill={}", spill),
                fmt::format("bru.token_stack.spill_cycles={}", cycles),
                fmt::format("bru.token_stack.call_limit={}", random_.chance(60) ? 0 : random_.of({1, 2, 3}))};
    }
    void repeat() override { out_.line("@P6 BRA iteration"); }
    void end() override {
        out_.place("last");
        out_.line("EXIT");
        out_.place("first_function");
        see("R8");
        in_function_ = true;
        condition();
        out_.line("@P5 RET");
        depth_ = kDepth - 2;
        allow(4);
        block();
        out_.line("RET");
        out_.place("second_function"); // recursive
        out_.line("IADD3 R20, R20, 0x5, RZ");
        out_.line("IADD3 R49, R49, -0x1, RZ");
        out_.line("ISETP.LT.AND P4, PT, R49, RZ, PT");
        out_.line("@P4 RET");
        out_.instruction(random_.chance(50) ? "@P0 " : "", "CAL second_function");
        out_.line("RET");
    }

    void own_statement() override {
        const bool inside = depth_ < kDepth;
        const std::uint32_t kind = random_.below(100);
        if (faults_ && in_function_ && random_.chance(35)) { // out of a loop that encloses the call
            put(random_.chance(50) ? "BRK" : "CONT");
        } else if (random_.chance(wild_percent_)) {
            anything();
        } else if (kind < 30) {
            inside ? region() : see("R12");
        } else if (kind < 45) {
            inside ? loop() : see("R9");
        } else if (kind < 53) {
            inside ? cases() : see("R9");
        } else if (kind < 66) {
            in_function_ ? see("R9") : call();
        } else if (kind < 76) {
            jump();
        } else if (kind < 83 && !loops_.empty()) { // out of the loop or the round, from anywhere
            condition();
            out_.line("@P5 {}", random_.chance(50) ? "BRK" : "CONT");
        } else if (kind < 87 && in_function_) {
            put("RET");
        } else if (kind < 90) {
            condition();
            out_.line("LOP3 R30, R13, 0xf00, RZ, 0xc0");
            out_.line("@P5 ISETP.EQ.AND P5, PT, R30, RZ, PT");
            out_.line("@P5 EXIT");
        } else {
            out_.line("VOTE.ANY R24, P4, PT");
            out_.line("WARPSYNC R24");
        }
    }

    /// P5: some threads, or all, or none.
    void condition() { predicate(5); }

    std::string test() {
        static constexpr const char *kTests[] = {"LT",  "EQ",  "LE",  "GT",  "NE",  "GE",  "LTU", "EQU",
                                                 "LEU", "GTU", "NEU", "GEU", "NUM", "NAN", "OFF", "OFT",
                                                 "SFF", "SFT", "LO",  "HS",  "HI",  "LS",  "T",   "F"};
        return fmt::format("CC.{}, ", kTests[random_.below(24)]);
    }
    /// Some flags, and maybe a test of them.
    std::string flags() {
        switch (random_.below(4)) {
        case 0:
            out_.line("ISETP.LT.AND.CC PT, PT, R13, R12, PT");
            return test();
        case 1:
            out_.line("IADD3.CC R30, R13, R12, RZ");
            return test();
        case 2:
            out_.line("LOP3.CC R30, R13, {:#x}, RZ, 0xc0", random_.of({1, 3, 0x70}));
            return test();
        default:
            return "";
        }
    }
    /// Threads diverge: some go to `to`.
    void part(const std::string &to) {
        const std::string also = flags();
        const std::string behind = out_.new_label();
        const std::string with = also.empty() ? fmt::format("@P{} ", random_.below(4)) : guard();
        switch (random_.below(6)) {
        case 0:
            out_.instruction(with, fmt::format("JMP {}{}", also, to));
            break;
        case 1:
            choose("R38", {to, behind}, random_.chance(30));
            out_.instruction(with, fmt::format("JMX {}R38", also));
            break;
        case 2:
            choose("R38", {to + " - " + behind + " - 0x10", behind + " - " + behind + " - 0x10"}, false);
            out_.instruction(with, fmt::format("BRX {}R38+0x10", also));
            break;
        case 3:
            out_.instruction(with, fmt::format("BRA {}{}", also, out_.constant32(to + " - " + behind)));
            break;
        default:
            out_.instruction(with, fmt::format("BRA {}{}", also, to));
        }
        out_.place(behind);
    }

    void region() {
        const std::string join = out_.new_label();
        const std::string other = out_.new_label();
        out_.line("SSY {}", join);
        part(other);
        block();
        if (random_.chance(50)) {
            out_.line("SYNC");
        }
        out_.place(other);
        block();
        if (random_.chance(30)) { // some earlier than the others
            out_.line("@P{} SYNC", random_.below(4));
            see("R9");
        }
        out_.line("SYNC");
        out_.place(join);
    }
    void loop() {
        const std::string round = fmt::format("R{}", 40 + depth_);
        const std::string limit = fmt::format("R{}", 44 + depth_);
        const std::string again = out_.new_label();
        const std::string next = out_.new_label();
        const std::string out = out_.new_label();
        out_.line("MOV {}, RZ", round);
        const std::uint32_t most = random_.of({1, 1, 3, 7});
        out_.line("LOP3 {}, {}, {:#x}, RZ, 0xc0", limit, random_.chance(80) ? "R13" : "R8", most);
        out_.line("PBK {}", out);
        out_.place(again);
        out_.line("PCNT {}", next);
        loops_.push_back(out);
        block();
        loops_.pop_back();
        out_.line("CONT");
        out_.place(next);
        out_.line("IADD3 {0}, {0}, 0x1, RZ", round);
        out_.line("ISETP.GT.AND P4, PT, {}, {}, PT", round, limit);
        out_.line("@P4 BRK");
        out_.line("BRA {}", again);
        out_.place(out);
    }
    /// A switch, whose cases end or run into the next one.
    void cases() {
        const std::string join = out_.new_label();
        const std::string from = out_.new_label();
        std::vector<std::string> labels;
        std::vector<std::string> targets;
        const bool relative = random_.chance(50);
        for (std::uint32_t i = random_.between(2, 4); i > 0; --i) {
            labels.push_back(out_.new_label());
            targets.push_back(labels.back() + (relative ? " - " + from : ""));
        }
        choose("R38", targets, random_.chance(15));
        out_.line("SSY {}", join);
        put(relative ? "BRX R38" : "JMX R38");
        out_.place(from);
        for (const std::string &label : labels) {
            out_.place(label);
            block();
            if (random_.chance(60)) {
                out_.line("SYNC");
            }
        }
        out_.line("SYNC");
        out_.place(join);
    }
    void call() {
        const std::string function = random_.chance(50) ? "first_function" : "second_function";
        const std::string behind = out_.new_label();
        out_.line("LOP3 R49, {}, 0x3, RZ, 0xc0", random_.chance(50) ? "R12" : "R13");
        switch (random_.below(5)) {
        case 0:
            choose("R39", {"first_function", "second_function"}, false);
            put("CAL R39");
            break;
        case 1:
            choose("R39", {"first_function", "second_function"}, random_.chance(50));
            out_.line("PRET {}", behind);
            out_.line("JMX.LMT R39");
            break;
        case 2:
            out_.line("PRET {}", behind);
            out_.line("BRA.LMT {}", function);
            break;
        default:
            put("CAL " + function);
        }
        out_.place(behind);
    }
    /// Skips some statements, with all threads or none.
    void jump() {
        const std::string over = out_.new_label();
        switch (random_.below(4)) {
        case 0:
            out_.line("BRA {}", over);
            break;
        case 1:
            put("BRA.U " + over);
            break;
        case 2:
            put("JMP.U " + out_.constant32(over));
            break;
        default:
            uniform_predicate();
            out_.line("@P6 BRA {}", over);
        }
        block();
        out_.place(over);
    }
    /// A statement that need not match anything.
    void anything() {
        static constexpr const char *kLeave[] = {"SYNC", "BRK", "CONT", "RET"};
        static constexpr const char *kPush[] = {"SSY", "PBK", "PCNT", "PRET"};
        switch (random_.below(10)) {
        case 0:
        case 1: {
            const std::string to = somewhere();
            return out_.line("{} {}", kPush[random_.below(4)], to);
        }
        case 2:
        case 3:
            return put(kLeave[random_.below(4)]);
        case 4:
            return put("BRA " + somewhere());
        case 5:
            return put("CAL " + somewhere());
        case 6:
            choose("R38", {somewhere(), somewhere(), somewhere(), "last + 0x4000"}, false);
            return put(random_.chance(50) ? "JMX R38" : "JMX R38+0x10");
        case 7:
            choose("R38", {somewhere(), somewhere(), somewhere() + " + 0x4"}, false);
            return put("CAL R38");
        case 8: {
            static constexpr const char *kMasks[] = {"R13", "R12", "0xffffffff", "0xf", "~R13"};
            return put(fmt::format("WARPSYNC {}", kMasks[random_.below(5)]));
        }
        default:
            return put("BRX R13");
        }
    }

    std::vector<std::string> loops_; ///< enclosing ones in this function
    bool in_function_ = false;
};

} // namespace

LockstepProgram token_stack_program(std::uint64_t seed, std::uint32_t warps) {
    return TokenStackWriter(seed, warps).program();
}

} // namespace smsim::cosim
