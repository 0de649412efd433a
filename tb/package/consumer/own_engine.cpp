#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <vector>

#include <systemc>

#include "assembler/assembler.h"
#include "bru/reconvergence_engine.h"
#include "model/config/loader.h"
#include "session/session.h"
#include "sm/part_factory.h"

namespace {

using smsim::kLanes;
using smsim::LaneMask;
using smsim::Pc;
using smsim::WarpSlot;
using smsim::isa::Op;

/// Runs the threads of a warp at the lowest address: there are no stack and no barriers; threads meet because those
/// that are ahead wait. It handles every control instruction; BSSY, BSYNC and BREAK do nothing else.
class LowestAddressFirst final : public smsim::bru::ReconvergenceEngine {
  public:
    explicit LowestAddressFirst(std::uint32_t warps) : warps_(warps) {}

    void start(WarpSlot warp, Pc entry, LaneMask valid, Pc program_bytes) override {
        Warp &started = warps_.at(warp.value());
        started.pc.fill(entry);
        started.valid = valid;
        started.active = valid;
        started.program_bytes = program_bytes;
    }

    smsim::bru::StepResult execute(WarpSlot slot, const smsim::isa::Instruction &insn,
                                   const smsim::bru::Operands &operands) override {
        using Event = smsim::bru::StepEvent::Kind;
        Warp &warp = warps_[slot.value()];
        smsim::bru::StepResult result;
        result.event.active = warp.active;
        result.executed = warp.active & operands.guard;
        if (insn.spec().has(smsim::isa::kGuardPp)) {
            result.executed &= operands.guard_pp;
        }
        const Pc next = insn.pc + smsim::kInstructionBytes;
        const Pc target = next + static_cast<Pc>(insn.imm) * smsim::kInstructionBytes;
        switch (insn.op) {
        case Op::kBra:
            if (target >= warp.program_bytes) {
                result.fault = {smsim::Fault::kIllegalTarget, "the target lies outside the program"};
                return result;
            }
            result.event.kind = Event::kBranch;
            result.event.jumped = result.executed;
            break;
        case Op::kExit:
            result.event.kind = Event::kExit;
            break;
        case Op::kBssy:
        case Op::kBsync:
        case Op::kBreak:
            break;
        default:
            result.fault = {smsim::Fault::kIllegalInstruction, "this engine does not know the instruction"};
            return result;
        }
        const LaneMask before = warp.active;
        smsim::for_each_lane(before, [&](unsigned lane) {
            warp.pc[lane] = insn.op == Op::kBra && result.executed.test(lane) ? target : next;
        });
        if (insn.op == Op::kExit) {
            warp.valid &= ~result.executed;
        }
        choose(warp);
        result.event.split = insn.op == Op::kBra && (before & ~warp.active).any() && (before & warp.active).any();
        if (warp.valid.none()) {
            result.outcome = smsim::Outcome::kExited;
        } else {
            result.next_pc = warp.pc[warp.active.lowest()];
            result.next_active = warp.active;
        }
        return result;
    }

    void timer_expired(WarpSlot) override {} // it has no NANOSLEEP

    smsim::ControlSnapshot snapshot(WarpSlot slot, const smsim::bru::Untold &untold) const override {
        const Warp &warp = warps_.at(slot.value());
        smsim::ControlSnapshot shown;
        shown.fields = kFields;
        shown.add(untold.next ? *untold.next : warp.active.any() ? warp.pc[warp.active.lowest()] : 0);
        shown.add(warp.active);
        shown.add(warp.valid);
        shown.add(warp.valid & ~warp.active, warp.pc);
        return shown;
    }

    std::string describe(WarpSlot slot) const override {
        const Warp &warp = warps_.at(slot.value());
        return std::to_string(warp.active.count()) + " of " + std::to_string(warp.valid.count()) + " threads run";
    }

  private:
    using Kind = smsim::ControlField::Kind;
    static constexpr std::array<smsim::ControlField, 4> kFields = {
        {{"PC", Kind::kAddress}, {"Active"}, {"Valid"}, {"others", Kind::kThreadAddresses}}};

    struct Warp {
        std::array<Pc, kLanes> pc{};
        LaneMask valid;
        LaneMask active;
        Pc program_bytes = 0;
    };

    static void choose(Warp &warp) {
        Pc lowest = ~Pc{0};
        smsim::for_each_lane(warp.valid, [&](unsigned lane) { lowest = std::min(lowest, warp.pc[lane]); });
        warp.active = LaneMask();
        smsim::for_each_lane(warp.valid, [&](unsigned lane) {
            if (warp.pc[lane] == lowest) {
                warp.active |= LaneMask::lane(lane);
            }
        });
    }

    std::vector<Warp> warps_; // by slot
};

/// Odd threads add 1, even ones 2, all 10.
constexpr const char *kKernel = ".kernel parts\n"
                                "    S2R R0, SR_TID.X;\n"
                                "    LOP3 R1, R0, 0x1, RZ, 0xc0;\n"
                                "    ISETP.EQ.AND P0, PT, R1, RZ, PT;\n"
                                "    MOV R2, 0x0;\n"
                                "    BSSY B0, join;\n"
                                "@P0 BRA even;\n"
                                "    IADD3 R2, R2, 0x1, RZ;\n"
                                "    BRA join;\n"
                                "even:\n"
                                "    IADD3 R2, R2, 0x2, RZ;\n"
                                "join:\n"
                                "    BSYNC B0;\n"
                                "    IADD3 R2, R2, 0xa, RZ;\n"
                                "    MOV R3, 0x4;\n"
                                "    IMAD.WIDE.U32 R[4:5], R0, R3, c[0x0][0x160];\n"
                                "    STG [R[4:5]], R2;\n"
                                "    EXIT;\n";

} // namespace

int sc_main(int, char **) {
    const smsim::Config config = smsim::load_config(std::nullopt, {});
    const smsim::Program program = smsim::assemble(kKernel, "parts.sasm", smsim::timing::SchedulingModel(config));

    smsim::sm::PartFactory factory = smsim::sm::PartFactory::standard();
    factory.branch_units.add("lowest_address_first", [](const char *name, const smsim::Config &of) {
        return smsim::sm::make_branch_unit(name, of, std::make_unique<LowestAddressFirst>(of.warps()));
    });
    factory.branch_units.choose("lowest_address_first");
    smsim::session::Options options;
    options.factory = &factory;

    smsim::session::Session session(config, options);
    constexpr std::uint64_t kNumbers = 0x10000000;
    session.map(kNumbers, 32 * 4, "numbers");
    smsim::launch::Launch what;
    what.block = {32, 1, 1};
    what.arguments.resize(1);
    what.arguments[0].is_buffer = true;
    const std::vector<std::uint64_t> addresses = {kNumbers};
    const smsim::session::LaunchResult result = session.launch(program, program.kernels.at(0), what, addresses);
    if (!result.completed()) {
        std::printf("%s\n", result.exception.c_str());
        return 1;
    }
    std::vector<std::uint8_t> bytes(32 * 4);
    session.read(kNumbers, bytes);
    std::printf("thread 0: %d, thread 1: %d, %llu divergences\n", bytes[0], bytes[4],
                static_cast<unsigned long long>(result.stats.bru.branches.begin()->second.diverged));
    return bytes[0] == 12 && bytes[4] == 11 ? 0 : 1;
}
