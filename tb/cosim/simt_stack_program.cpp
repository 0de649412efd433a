#include "tb/cosim/simt_stack_program.h"

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "tb/cosim/stack_writer.h"

namespace smsim::cosim {
namespace {

class SimtStackWriter final : public StackWriter {
  public:
    SimtStackWriter(std::uint64_t seed, std::uint32_t warps) : StackWriter(seed, "simt_stack", warps) {}

  private:
    std::vector<std::string> design() override {
        static constexpr const char *kOrders[] = {"minority_first", "fallthrough_first", "taken_first"};
        return {
            fmt::format("bru.simt_stack.order={}", kOrders[random_.below(3)]),
            fmt::format("bru.simt_stack.depth={}", random_.chance(70) ? -1 : std::int64_t{random_.of({2, 4, 7, 64})}),
            fmt::format("bru.simt_stack.barrier_check={}", random_.chance(80))};
    }
    void repeat() override { out_.line("@P6 BRA.U iteration"); }
    void end() override {
        out_.place("last");
        out_.line("JOIN");
        out_.line("ENDPRG");
        out_.place("first_function");
        see("R8");
        branch("R13, RZ");
        out_.line("RET.ABS R[36:37], 0x0");
        out_.place("second_function");
        out_.line("IADD3 R20, R20, 0x5, RZ");
        out_.line("RET.ABS R[36:37], 0x0");
    }

    void own_statement() override {
        const bool inside = depth_ < kDepth;
        const std::uint32_t kind = random_.below(100);
        if (random_.chance(wild_percent_)) {
            anything();
        } else if (kind < 40) {
            inside ? branch(operands()) : see("R12");
        } else if (kind < 60) {
            inside ? loop() : see("R9");
        } else if (kind < 70) {
            call();
        } else if (kind < 85) {
            jump();
        } else if (kind < 93) {
            put(fmt::format("WARPSYNC {:#x}", random_.of({0xffffffff, 1, 0xff})));
        } else if (depth_ == 0) {
            out_.line("BARRIER");
        } else {
            out_.line("JOIN"); // no thread waits for it
        }
    }

    std::string mnemonic() {
        static constexpr const char *kNames[] = {"VBEQ", "VBNE", "VBLT", "VBGE", "VBLTU", "VBGEU"};
        return kNames[random_.below(6)];
    }
    /// Two registers to compare.
    std::string operands() {
        switch (random_.below(6)) {
        case 0:
            out_.line("MOV R30, {:#x}", random_.below(34));
            return "R8, R30";
        case 1:
            out_.line("LOP3 R30, R13, {:#x}, RZ, 0xc0", random_.of({1, 3, 0x70}));
            return "R30, RZ";
        case 2: // uniform within a warp
            return random_.chance(50) ? "R12, RZ" : "R12, R12";
        case 3:
            return "R13, R12";
        default:
            return random_.chance(50) ? "R13, RZ" : "RZ, R13";
        }
    }
    /// A branch from which all sides return, with or without an else.
    void branch(const std::string &compared) {
        const std::string join = out_.new_label();
        const std::string other = random_.chance(60) ? out_.new_label() : join;
        out_.line("SETRPC {}", faults_ && random_.chance(4) ? somewhere() : join);
        out_.line("{} {}, {}", mnemonic(), compared, other);
        block();
        if (other != join) {
            out_.line("BRA {}", join);
            out_.place(other);
            block();
        }
        out_.place(join);
        out_.line("JOIN");
    }
    /// Up to 7 rounds, left at the head, at the end or in the middle.
    void loop() {
        const std::string round = fmt::format("R{}", 40 + depth_);
        const std::string limit = fmt::format("R{}", 44 + depth_);
        const std::string again = out_.new_label();
        const std::string out = out_.new_label();
        out_.line("MOV {}, RZ", round);
        const std::uint32_t most = random_.of({1, 3, 7});
        out_.line("LOP3 {}, {}, {:#x}, RZ, 0xc0", limit, random_.chance(80) ? "R13" : "R8", most);
        const bool at_the_head = random_.chance(50);
        out_.place(again);
        if (at_the_head) {
            out_.line("SETRPC {}", out);
            out_.line("VBGE {}, {}, {}", round, limit, out);
        }
        block();
        if (random_.chance(40)) {
            const std::string compared = operands();
            out_.line("SETRPC {}", out);
            out_.line("{} {}, {}", mnemonic(), compared, out);
            block();
        }
        out_.line("IADD3 {0}, {0}, 0x1, RZ", round);
        if (at_the_head) {
            out_.line("BRA {}", again);
        } else {
            out_.line("SETRPC {}", out);
            out_.line("VBLT {}, {}, {}", round, limit, again);
        }
        out_.place(out);
        out_.line("JOIN");
    }
    void call() {
        const std::string behind = out_.new_label();
        out_.line("LEPC R[36:37], `({} - .)", behind);
        if (random_.chance(50)) {
            out_.line("CALL.REL {}", random_.chance(50) ? "first_function" : "second_function");
        } else {
            out_.line("MOV R39, RZ");
            choose("R38", {"first_function", "second_function"}, true);
            out_.line("CALL.ABS R[38:39], 0x0");
        }
        out_.place(behind);
    }
    /// Skips some statements, with all threads or none.
    void jump() {
        const std::string over = out_.new_label();
        const std::string from = out_.new_label();
        switch (random_.below(5)) {
        case 0:
            out_.line("BRA {}", over);
            break;
        case 1: // or none, if the threads disagree
            put("BRA.U " + over);
            break;
        case 2:
            uniform_predicate();
            out_.line("@P6 BRX {}", out_.constant32(over + " - " + from));
            break;
        case 3:
            uniform_predicate();
            out_.line("@!P6 RET.ABS {}", out_.constant64(over));
            break;
        default:
            choose("R38", {over + " - " + from}, true);
            out_.line("BRX R38, 0x0");
        }
        out_.place(from);
        block();
        out_.place(over);
    }
    /// A statement that need not match anything.
    void anything() {
        switch (random_.below(12)) {
        case 0:
        case 1: { // its reconvergence point is usually no JOIN, or the JOIN of another branch
            if (random_.chance(60)) {
                out_.line("SETRPC {}", somewhere());
            }
            const std::string to = somewhere();
            return out_.line("{} R13, RZ, {}", mnemonic(), to);
        }
        case 2:
            return out_.line("BRA {}", somewhere());
        case 3:
            return random_.chance(60) ? out_.line("ENDPRG") : out_.line("JOIN");
        case 4:
        case 9:
            return out_.line("BARRIER");
        case 5:
            return put("CALL.REL " + somewhere());
        case 6: { // each thread has its own target
            const std::string from = out_.new_label();
            const bool uniform = random_.chance(40);
            choose("R38", {somewhere() + " - " + from, somewhere() + " - " + from}, uniform);
            put("BRX R38, 0x0");
            return out_.place(from);
        }
        case 7:
            return put(fmt::format("CALL.ABS {}", out_.constant64(somewhere() + " + 0x4")));
        case 8:
            return put(fmt::format("RET.ABS {}", out_.constant64("second_function + 0x400")));
        default:
            return out_.line("JOIN");
        }
    }
};

} // namespace

LockstepProgram simt_stack_program(std::uint64_t seed, std::uint32_t warps) {
    return SimtStackWriter(seed, warps).program();
}

} // namespace smsim::cosim
