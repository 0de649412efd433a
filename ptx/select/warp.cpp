// vote, match, shfl, redux, activemask: the members of the mask first meet at a WARPSYNC (lowering.md
// Synchronisation).
#include "ptx/select/synchronise.h"

namespace smsim::ptx::select {

using namespace machine;

namespace {

/// True for the mask of the whole warp, whose threads then all get the same result.
bool is_whole_warp(const ptx::Operand &mask) {
    return mask.kind == ptx::OperandKind::kInteger && (mask.value & 0xffffffff) == 0xffffffff;
}

void select_vote(Selector &selector, const Selection &selection) {
    meet(selector, selection.operand(2), Meeting::kLanes);
    const Operand value = selector.read_predicate(selection.operand(1));
    if (selection.has("ballot")) {
        const Operand to = selector.write(selection.operand(0), selection.type());
        over_lanes(selector, "VOTE.ANY", {to, always(), value}).warp_wide = is_whole_warp(selection.operand(2));
        return;
    }
    const std::string kind = selection.has("all") ? "VOTE.ALL" : (selection.has("any") ? "VOTE.ANY" : "VOTE.EQ");
    over_lanes(selector, kind, {zero(), selector.write_predicate(selection.operand(0)), value}).warp_wide =
        is_whole_warp(selection.operand(2));
}

void select_match(Selector &selector, const Selection &selection) {
    meet(selector, selection.operand(2), Meeting::kLanes);
    const Type type = selection.type();
    const ptx::Operand &to = selection.operand(0);
    const bool pair = to.kind == ptx::OperandKind::kPair;
    const ptx::Operand &result = pair ? to.elements[0] : to;
    const Operand value = selector.read_register(selection.operand(1), type);
    const std::string mnemonic =
        std::string(selection.has("all") ? "MATCH.ALL" : "MATCH.ANY") + (type.bits == 64 ? ".U64" : "");
    over_lanes(selector, mnemonic,
               {selector.write(result, *find_type("b32")),
                pair ? selector.write_predicate(to.elements[1]) : define_predicate(kNoRegister), value});
}

void select_redux(Selector &selector, const Selection &selection) {
    meet(selector, selection.operand(2), Meeting::kLanes);
    std::string mnemonic = "REDUX";
    for (const char *operation : {"add", "min", "max", "and", "or", "xor"}) {
        if (selection.has(operation)) {
            mnemonic += "." + upper_case(operation);
        }
    }
    const bool sign = selection.type().kind == TypeClass::kSigned && (selection.has("min") || selection.has("max"));
    const Operand value = selector.read_register(selection.operand(1), selection.type());
    over_lanes(selector, mnemonic + (sign ? ".S32" : ""),
               {selector.write(selection.operand(0), selection.type()), value})
        .warp_wide = is_whole_warp(selection.operand(2));
}

void select_shuffle(Selector &selector, const Selection &selection) {
    meet(selector, selection.operand(4), Meeting::kLanes);
    const Type u32 = *find_type("u32");
    const ptx::Operand &to = selection.operand(0);
    const bool pair = to.kind == ptx::OperandKind::kPair;
    const std::string mode = selection.has("up")     ? "SHFL.UP"
                             : selection.has("down") ? "SHFL.DOWN"
                             : selection.has("bfly") ? "SHFL.BFLY"
                                                     : "SHFL.IDX";
    const auto field = [&](const ptx::Operand &operand, std::int64_t mask) {
        Operand value = selector.read(operand, u32);
        if (value.kind == OperandKind::kInteger) {
            value.value &= mask; // other bits have no meaning, and no place in the instruction
        }
        return value;
    };
    const Operand predicate = pair ? selector.write_predicate(to.elements[1]) : define_predicate(kNoRegister);
    const Operand value = selector.read_register(selection.operand(1), selection.type());
    const Operand lane = field(selection.operand(2), 0x1f);
    const Operand clamp = field(selection.operand(3), 0x1f1f);
    over_lanes(selector, mode,
               {predicate, selector.write(pair ? to.elements[0] : to, selection.type()), value, lane, clamp});
}

} // namespace

void meet(Selector &selector, const ptx::Operand &mask, Meeting meeting) {
    Operand members = selector.read(mask, *find_type("b32"));
    Instruction &sync = selector.emit("WARPSYNC", {members});
    sync.removable = true;
    sync.meeting = meeting;
}

Instruction &over_lanes(Selector &selector, const std::string &mnemonic, std::vector<Operand> operands) {
    Instruction &made = selector.emit(mnemonic, std::move(operands));
    made.meeting = Meeting::kOfLanes;
    return made;
}

bool select_warp(Selector &selector, const Selection &selection) {
    const std::string &opcode = selection.instruction.opcode;
    if (opcode == "vote") {
        select_vote(selector, selection);
    } else if (opcode == "match") {
        select_match(selector, selection);
    } else if (opcode == "redux") {
        select_redux(selector, selection);
    } else if (opcode == "shfl") {
        select_shuffle(selector, selection);
    } else if (opcode == "activemask") {
        selector.emit("VOTE.ANY", {selector.write(selection.operand(0), selection.type()), always(), always()});
    } else {
        return false;
    }
    return true;
}

} // namespace smsim::ptx::select
