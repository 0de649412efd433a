// Meetings at one WARPSYNC of threads that are in different turns of a loop around it.
#include <bit>

#include "tb/fuzz/programs/emitter.h"

namespace smsim::fuzz {

/// Some lanes are at the WARPSYNC with a false guard while the others reach it with a true one: the former have not
/// arrived [D-15]. They store a value, return in the next turn of the loop, and only then may all continue and read
/// it.
void Emitter::late(const Node &node) {
    const auto &p = node.p;
    const std::uint32_t lanes = here().lanes;
    const std::uint32_t late_lanes = lanes & (p[0] | 1U << (p[1] % 32));
    if (!together_possible() || late_lanes == 0 || late_lanes == lanes) {
        return;
    }
    uses_shared_ = true;
    const std::string top = out_.new_label();
    const std::string sync = out_.new_label();
    const std::string end = out_.new_label();
    meet(lanes, p[2]);
    lanes_to_p4(late_lanes);
    out_.line("SEL R25, R11, RZ, P4"); // the turn in which the lane meets the others: 4 or 0
    out_.line("MOV R36, RZ");
    out_.place(top);
    out_.line("ISETP.EQ.AND P5, PT, R36, R25, PT");
    out_.line("@P4 BRA {}", sync);
    if (p[3] % 2 == 0) {
        out_.line("NOP");
    }
    out_.place(sync);
    meet(lanes, p[4] % 2 == 0 ? 3 : 1, "@P5 "); // an operand that needs no preceding instruction
    out_.line("@!P4 BRA {}", end);
    out_.line("ISETP.NE.AND P5, PT, R36, RZ, PT");
    out_.line("@P5 BRA {}", end);
    out_.line("STS [R15], {}", data(p[3] >> 4));
    out_.line("MOV R36, R11");
    out_.line("BRA {}", top);
    out_.place(end);
    out_.line("LOP3 R25, R9, {:#x}, RZ, 0xc0", ~std::uint32_t{31});
    out_.line("IADD3 R25, R25, {:#x}, RZ", std::countr_zero(late_lanes));
    load_exchanged(data(p[3] >> 8));
    meet(lanes, p[5]);
}

/// Sums over pairs of lanes whose numbers differ in one bit, a bit per turn: each pair meets with its own mask, and
/// lanes of other pairs are at the same WARPSYNC for another turn [D-16].
void Emitter::butterfly(const Node &node) {
    const auto &p = node.p;
    if (!together_possible() || std::popcount(here().lanes) < 2) {
        return;
    }
    uses_shared_ = true;
    const std::uint32_t lanes = here().lanes;
    const std::string value = data(p[0]);
    const std::string top = out_.new_label();
    meet(lanes, p[1]);
    out_.line("MOV R36, {:#x}", 1U << p[2] % 2);
    out_.place(top);
    out_.line("STS [R15], {}", value);
    out_.line("MOV R25, 0x1");
    out_.line("SHL R24, R25, R8");
    out_.line("LOP3 R26, R8, R36, RZ, 0x3c");
    out_.line("SHL R27, R25, R26");
    out_.line("LOP3 R27, R27, {:#x}, RZ, 0xc0", lanes);
    out_.line("LOP3 R24, R24, R27, RZ, 0xfc");
    if (p[3] % 3 == 0) {
        yield(p[4]);
    }
    out_.line("WARPSYNC R24");
    out_.line("ISETP.NE.AND P4, PT, R27, RZ, PT"); // the other lane of the pair also arrives here
    out_.line("LOP3 R25, R9, R36, RZ, 0x3c");
    out_.line("SEL R25, R25, R9, P4");
    load_exchanged("R26");
    out_.line("WARPSYNC R24");
    out_.line("IADD3 {0}, {0}, R26, R36", value);
    out_.line("SHL R36, R36, 0x1");
    out_.line("ISETP.LT.AND P5, PT, R36, {:#x}, PT", 1U << (2 + p[3] % 4));
    repeat(top);
    meet(lanes, p[5]);
}

void Emitter::repeat(const std::string &label) {
    out_.line("@P5 BRA {}", label);
}

/// Loads the value that thread R25 of the CTA stored for the others; the thread's own value if there is no such
/// thread.
void Emitter::load_exchanged(const std::string &to) {
    out_.line("ISETP.LT.AND P5, PT, R25, {:#x}, PT", tree_.threads);
    out_.line("SEL R25, R25, R9, P5");
    out_.line("LEA R25, R25, {:#x}, 0x2", kSharedExchange);
    out_.line("LDS {}, [R25]", to);
}

} // namespace smsim::fuzz
