#include "tb/fuzz/programs/simt_emitter.h"

namespace smsim::fuzz {
namespace {

constexpr const char *kVectorBranches[] = {"VBEQ", "VBNE", "VBLT", "VBGE", "VBLTU", "VBGEU"};
constexpr const char *kEnd = "program_end";

} // namespace

/// The next instruction jumps to one of `targets` or falls through.
void SimtEmitter::transfer(std::vector<std::string> targets, bool falls, bool parts) {
    transfers_.push_back({out_.starts().size(), std::move(targets), falls, parts});
}

/// Without `parts` the threads stay together, and there is no SETRPC.
void SimtEmitter::vector_branch(const std::string &label, const std::string &text, bool parts) {
    transfer({label}, true, parts);
    out_.line("{}, {}", text, label);
    out_.place(out_.new_label()); // where threads that jump back meet again
}

void SimtEmitter::note_jump(const std::string &label, bool conditional) {
    if (!calling_) { // a call returns
        transfer({label}, conditional, false);
    }
}

void SimtEmitter::end_kernel() {
    out_.place(kEnd);
    transfer({}, false, false);
    out_.line("ENDPRG");
}

void SimtEmitter::return_to_caller(unsigned index) {
    out_.place(fmt::format("function{}_end", index));
    transfer({}, false, false);
    Emitter::return_to_caller(index);
}

void SimtEmitter::leave_function(const Condition &condition) {
    branch(fmt::format("function{}_end", function_ - 1), condition, function_);
}

void SimtEmitter::arrive_all(std::uint32_t id, std::uint32_t raw) {
    if (id == 0) {
        return out_.line("BARRIER");
    }
    Emitter::arrive_all(id, raw);
}

void SimtEmitter::part_arrival(const Node &node) {
    if ((node.p[4] >> 4) % 8 == 1) {
        return out_.line("BARRIER");
    }
    Emitter::part_arrival(node);
}

void SimtEmitter::branch(const std::string &label, const Condition &condition, std::uint32_t raw) {
    if (!condition.known && raw % 3 == 0) {
        return vector_branch(
            label, fmt::format("{} {}, {}", kVectorBranches[(raw >> 4) % 6], data(raw >> 8), source(raw >> 12)));
    }
    // R25 is 0 or all ones, by the predicate or by its negation.
    static constexpr const char *kOnes[] = {"VBNE R25, RZ", "VBNE RZ, R25", "VBLT R25, RZ", "VBLTU RZ, R25"};
    static constexpr const char *kZeros[] = {"VBEQ R25, RZ", "VBGE R25, RZ", "VBGEU RZ, R25", "VBEQ RZ, R25"};
    const bool ones = (raw >> 4) % 2 == 0;
    out_.line("SEL R25, RZ, 0xffffffff, {}", ones ? inverse(condition.predicate) : condition.predicate);
    vector_branch(label, ones ? kOnes[(raw >> 5) % 4] : kZeros[(raw >> 5) % 4],
                  !condition.agreed || (raw >> 7) % 2 == 0);
}

void SimtEmitter::branch_while(const std::string &label, const std::string &counter, bool agreed, std::uint32_t raw) {
    const bool parts = !agreed || (raw >> 1) % 2 == 0;
    if (raw % 2 == 0) {
        return vector_branch(label, fmt::format("VBLT RZ, {}", counter), parts);
    }
    out_.line("MOV R25, 0x1");
    vector_branch(label, fmt::format("VBGE {}, R25", counter), parts);
}

void SimtEmitter::go(const std::string &label, std::uint32_t raw) {
    if ((raw >> 12) % 5 == 0) { // first one that no thread takes: BRX, CALL or RET, whose guards must agree
        jump(label, agreed_guard(false), "", (raw >> 5) % 9 + ((raw >> 20) % 2 == 0 ? 264 : 0));
    }
    const bool guarded = raw % 22 < 10 && (raw >> 9) % 3 == 0; // BRA takes no guard
    jump(label, guarded ? agreed_guard(true) : "", "", raw);
}

void SimtEmitter::unanimous(const std::string &label, const std::string &guard, const std::string &second,
                            std::uint32_t /*raw*/) {
    transfer({label}, true, false);
    out_.instruction(guard, fmt::format("BRA.U {}{}", second, label));
}

void SimtEmitter::leave(std::size_t index, const Condition &condition, bool for_next, std::uint32_t raw) {
    const std::string &to = for_next ? constructs_[index].next : constructs_[index].end;
    if (condition.predicate == "PT") {
        go(to, raw);
    } else {
        branch(to, condition, raw);
    }
}

void SimtEmitter::arrive_at_end(std::size_t index, std::uint32_t raw) {
    if (raw % 8 == 0) { // the end follows: no thread needs to jump
        go(constructs_[index].end, raw >> 3);
    }
}

void SimtEmitter::begin_turn(Construct &construct, std::uint32_t /*raw*/) {
    construct.turns = true;
}

void SimtEmitter::end_turn(Construct &construct) {
    out_.place(construct.next);
    construct.turns = false;
}

void SimtEmitter::table(const std::vector<std::string> &cases, const std::string &selector,
                        const std::string &predicate, const Node & /*node*/) {
    if (predicate != "PT") {
        branch(cases[0], {inverse(predicate)}, static_cast<std::uint32_t>(cases.size()));
    }
    if (selector != "R10" && selector != "RZ") {
        for (unsigned i = 1; i < 4; ++i) {
            out_.line("MOV R25, {:#x}", i);
            vector_branch(cases[i % cases.size()], "VBEQ R24, R25");
        }
        return;
    }
    // The whole warp takes the same path.
    const std::string behind = out_.new_label();
    unsigned first = 0;
    for (unsigned i = 0; i < 4; ++i) {
        const unsigned offset = out_.constant32_offset(cases[i % cases.size()] + " - " + behind);
        first = i == 0 ? offset : first;
    }
    out_.line("SHL R24, R24, 0x2");
    out_.line("LDC R24, c[0x3][R24+{:#x}]", first);
    transfer(cases, false, false);
    out_.line("BRX R24, 0x0");
    out_.place(behind);
}

void SimtEmitter::call_function(unsigned index, const std::string &predicate, const Node &node) {
    const auto &p = node.p;
    const std::string over = out_.new_label();
    const std::string back = out_.new_label();
    if (predicate != "PT") {
        branch(over, {inverse(predicate)}, p[5]);
    }
    out_.line("LEPC R[{}:{}], `({} - .)", 26 + 2 * index, 27 + 2 * index, back);
    calling_ = true;
    jump(fmt::format("function{}", index), p[4] % 22 < 10 && p[1] % 3 == 0 ? agreed_guard(true) : "", "", p[4]);
    calling_ = false;
    out_.place(back);
    out_.place(over);
}

/// A branch to the end that leaves enclosing constructs through their ends: otherwise the enclosing branches would
/// meet only at the end, and each side would reach the barriers before it alone.
void SimtEmitter::end_threads(const Condition &condition, const Node &node) {
    if (constructs_.empty() || free_exits_) {
        return branch(kEnd, condition, node.p[5]);
    }
    leave_on(kWayOut, condition, node.p[5]);
}

} // namespace smsim::fuzz
