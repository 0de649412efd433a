// Barriers of the CTA, fences and sleep (lowering.md Synchronisation).
#include "ptx/select/synchronise.h"

#include <algorithm>

namespace smsim::ptx::select {

using namespace machine;

namespace {

/// The barrier unit counts warps: the whole warp arrives at once.
void meet_all(Selector &selector) {
    Instruction &sync = selector.emit("WARPSYNC", {number(0xffffffff)});
    sync.removable = true;
    sync.meeting = Meeting::kArrival;
}

void fence(Selector &selector, const Selection &selection) {
    const bool cta = selection.has("cta");
    const bool gpu = selection.has("gl") || selection.has("gpu");
    selector.emit(cta ? "MEMBAR.CTA" : (gpu ? "MEMBAR.GPU" : "MEMBAR.SYS"), {});
}

/// Id and count of BAR.RED in one register: there is no form with two registers.
Operand packed(Selector &selector, const Operand &id, const Operand &count) {
    const Register low_bits = selector.temporary();
    const Register both = selector.temporary();
    selector.emit("LOP3", {define(low_bits), id, number(0xf), zero(), number(0xc0)});
    selector.emit("LEA", {define(both), count, use(low_bits), number(4)});
    return use(both);
}

/// A barrier's number or count of threads; constants must fit its field.
Operand field(Selector &selector, const Selection &selection, std::size_t index, std::int64_t most) {
    Operand value = selector.read(selection.operand(index), *find_type("u32"));
    if (value.kind == OperandKind::kInteger && value.value > most) {
        selector.refuse(selection.instruction,
                        "has " + std::to_string(value.value) + "; expected at most " + std::to_string(most));
    }
    return value;
}
constexpr std::int64_t kLastBarrier = 15;
constexpr std::int64_t kMostThreads = 4095;

void arrive(Selector &selector, const Selection &selection, bool wait) {
    meet_all(selector);
    std::vector<Operand> operands = {field(selector, selection, 0, kLastBarrier)};
    if (selection.operands() > 1) {
        operands.push_back(field(selector, selection, 1, kMostThreads));
    } else if (operands[0].kind == OperandKind::kRegister) {
        operands.push_back(number(0));
    }
    if (!wait) {
        selector.emit("MEMBAR.CTA", {});
    }
    selector.emit(wait ? "BAR.SYNC" : "BAR.ARV", std::move(operands));
}

void reduce(Selector &selector, const Selection &selection) {
    meet_all(selector);
    const bool counted = selection.operands() > 3;
    const Operand id = field(selector, selection, 1, kLastBarrier);
    const Operand count = counted ? field(selector, selection, 2, kMostThreads) : number(0);
    const Operand vote = selector.read_predicate(selection.operand(counted ? 3 : 2));
    const bool popc = selection.has("popc");
    const std::string mnemonic = popc ? "BAR.RED.POPC" : (selection.has("and") ? "BAR.RED.AND" : "BAR.RED.OR");
    if (id.kind == OperandKind::kRegister && count.kind == OperandKind::kRegister) {
        selector.emit(mnemonic, {packed(selector, id, count), vote});
    } else {
        selector.emit(mnemonic, {id, count, vote});
    }
    const ptx::Operand &to = selection.operand(0);
    if (popc) {
        selector.emit("B2R.RESULT", {selector.write(to, selection.type()), define_predicate(kNoRegister)}).warp_wide =
            true;
    } else {
        selector.emit("B2R.RESULT", {zero(), selector.write_predicate(to)}).warp_wide = true;
    }
}

/// PTX lets a thread sleep for at most a millisecond; NANOSLEEP has no such limit.
void sleep(Selector &selector, const Selection &selection) {
    constexpr std::int64_t kMostNanoseconds = 1'000'000;
    Operand time = selector.read(selection.operand(0), *find_type("u32"));
    if (time.kind == OperandKind::kInteger) {
        time.value = std::min(time.value & 0xffffffff, kMostNanoseconds);
    } else if (time.kind != OperandKind::kZero) {
        const Register most = selector.temporary();
        selector.emit("IMNMX.U32", {define(most), selector.in_register(time), number(kMostNanoseconds), always()});
        time = use(most);
    }
    selector.emit("NANOSLEEP", {time}).spins = true;
}

void select_bar(Selector &selector, const Selection &selection) {
    if (selection.has("warp")) { // accesses of one warp are in the order of the program for all its threads
        meet(selector, selection.operand(0), Meeting::kAlone);
    } else if (selection.has("red")) {
        reduce(selector, selection);
    } else {
        arrive(selector, selection, selection.has("sync"));
    }
}

} // namespace

bool select_barrier(Selector &selector, const Selection &selection) {
    const std::string &opcode = selection.instruction.opcode;
    if (opcode == "bar" || opcode == "barrier") {
        select_bar(selector, selection);
    } else if (opcode == "membar" || opcode == "fence") {
        fence(selector, selection);
    } else if (opcode == "nanosleep") {
        sleep(selector, selection);
    } else {
        return false;
    }
    return true;
}

} // namespace smsim::ptx::select
