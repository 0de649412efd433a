// Steps the branch unit's core through an if/else, instruction word by instruction word.
#include <array>
#include <cstdio>
#include <variant>

#include "assembler/assembler.h"
#include "bru/engines/convergence_barrier/control_state.h"
#include "bru/reconvergence_engine.h"

using namespace smsim;

int main() {
    const Program program = assemble(".kernel k\n BSSY B0, join;\n @P0 BRA other;\n NOP;\n BRA join;\n"
                                     "other: NOP;\n join: BSYNC B0;\n EXIT;\n",
                                     "k.sasm", timing::SchedulingModel());
    const auto engine = bru::make_engine(BruConfig{}, 1);
    engine->start(WarpSlot(0), 0, LaneMask::all(), program.size_bytes());
    const isa::VectorOperands vectors{}; // no instruction here reads a vector register
    const LaneMask p0(0x0000ffff);       // the test bench's choice: these threads jump
    Pc pc = 0;
    LaneMask active = LaneMask::all();
    for (Outcome outcome = Outcome::kContinue; outcome != Outcome::kExited;) {
        // The contents of the device's instruction memory: the encoded word. The model decodes it again.
        const isa::Word word = std::get<isa::Word>(isa::encode(program.code.at(pc / kInstructionBytes)));
        const isa::Instruction insn = std::get<isa::Instruction>(isa::decode(word, pc));
        if (insn.unit != isa::Unit::kBranch) { // NOP: for another unit, so the warp continues after it
            pc += kInstructionBytes;
            continue;
        }
        const LaneMask guard = insn.pg == 0 ? p0 : LaneMask::all();
        const bru::StepResult result = engine->execute(WarpSlot(0), insn, {guard, LaneMask::all(), vectors});
        if (result.fault) {
            std::printf("%s: %s\n", fault_name(result.fault->fault), result.fault->detail.c_str());
            return 1;
        }
        // Compare this with the device.
        const auto state = bru::convergence_barrier::state_of(engine->snapshot(WarpSlot(0), {}));
        std::printf("0x%02x %-6s active %08x -> 0x%02x %08x  B0 %08x\n", static_cast<unsigned>(pc),
                    insn.spec().name.data(), active.bits(), static_cast<unsigned>(result.next_pc),
                    result.next_active.bits(), state.b[0].bits());
        pc = result.next_pc;
        active = result.next_active;
        outcome = result.outcome;
    }
}
