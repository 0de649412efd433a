// The instructions of each engine, one block per engine.
#include "model/isa/engine_operations.h"

#include <algorithm>
#include <span>

namespace smsim::isa {
namespace {

/// An operation that has no meaning under an engine.
struct Lacking {
    Op op;
    std::string_view reason;
};

/// The instructions of one engine.
struct EngineOperations {
    std::string_view engine;
    std::string_view belongs;  ///< what programs for other engines say of its instructions
    std::span<const Op> alone; ///< only this engine has them
    std::span<const Lacking> lacks;
    std::string_view (*refused_form)(
        const Instruction &insn); ///< reason for rejecting an operation in this form; empty: none
};

std::string_view any_form(const Instruction &) {
    return {};
}

// --- simt_stack --------------------------------------------------------------------------------------------------

constexpr Op kSimtStackAlone[] = {Op::kVbeq,  Op::kVbne,   Op::kVblt, Op::kVbge,    Op::kVbltu,
                                  Op::kVbgeu, Op::kSetrpc, Op::kJoin, Op::kBarrier, Op::kEndprg};
constexpr Lacking kSimtStackLacks[] = {
    {Op::kExit, "threads do not end one by one; expected a branch to its one ENDPRG"},
    {Op::kYield, "paths run one after the other and have no turn to give"},
    {Op::kBssy, "there are no convergence barriers; expected SETRPC"},
    {Op::kBsync, "there are no convergence barriers; expected JOIN"},
    {Op::kBreak, "there are no convergence barriers to leave"},
    {Op::kBmov, "there are no convergence barriers to move"},
};

std::string_view simt_stack_form(const Instruction &insn) {
    if (insn.op != Op::kBra) {
        return {};
    }
    const auto condition = static_cast<BraCondition>(insn.mod[0]);
    if (condition == BraCondition::kDivergent || condition == BraCondition::kConvergent) {
        return "no branch tests whether the warp is diverged; expected BRA or BRA.U";
    }
    const bool guarded = insn.pg != kPt || insn.pg_not || insn.pp != kPt || insn.pp_not;
    if (guarded && condition != BraCondition::kUniform) {
        return "a branch that threads may leave in different ways is one of VBEQ to VBGEU; expected no guard, or BRA.U";
    }
    return {};
}

// --- token_stack -------------------------------------------------------------------------------------------------

constexpr std::string_view kTokenStack = "token_stack";
constexpr Op kTokenStackAlone[] = {Op::kTokenBra, Op::kTokenBrx, Op::kJmp,  Op::kJmx,  Op::kSsy,
                                   Op::kPbk,      Op::kPcnt,     Op::kPret, Op::kSync, Op::kBrk,
                                   Op::kCont,     Op::kTokenRet, Op::kCal};
constexpr std::string_view kOtherEncoding = "it has the encoding of other engines";
constexpr Lacking kTokenStackLacks[] = {
    {Op::kBra, kOtherEncoding},
    {Op::kBrx, kOtherEncoding},
    {Op::kRet, kOtherEncoding},
    {Op::kCall, "return addresses are in tokens; expected CAL, or PRET and a jump"},
    {Op::kYield, "paths run one after the other and have no turn to give"},
    {Op::kBssy, "there are no convergence barriers; expected SSY"},
    {Op::kBsync, "there are no convergence barriers; expected SYNC"},
    {Op::kBreak, "there are no convergence barriers; expected BRK"},
    {Op::kBmov, "there are no convergence barriers to move"},
};

// --- all -----------------------------------------------------------------------------------------------------------

constexpr EngineOperations kEngines[] = {
    {"convergence_barrier", {}, {}, {}, any_form},
    {"simt_stack", "it belongs to the engine simt_stack", kSimtStackAlone, kSimtStackLacks, simt_stack_form},
    {kTokenStack, "it belongs to the engine token_stack", kTokenStackAlone, kTokenStackLacks, any_form},
};

/// The reason for rejecting `op` in any form; empty: none.
std::string_view reason_against(Op op, std::string_view engine) {
    for (const EngineOperations &one : kEngines) {
        if (one.engine != engine && std::ranges::find(one.alone, op) != one.alone.end()) {
            return one.belongs;
        }
        const auto lacking = std::ranges::find(one.lacks, op, &Lacking::op);
        if (one.engine == engine && lacking != one.lacks.end()) {
            return lacking->reason;
        }
    }
    return {};
}

} // namespace

bool engine_has(std::string_view engine, Op op) {
    return reason_against(op, engine).empty();
}

std::optional<std::string> engine_refusal(const Instruction &insn, std::string_view engine) {
    std::string_view reason = reason_against(insn.op, engine);
    const auto own = std::ranges::find(kEngines, engine, &EngineOperations::engine);
    if (reason.empty() && own != std::end(kEngines)) {
        reason = own->refused_form(insn);
    }
    if (reason.empty() && engine != kTokenStack && sets_condition_flags(insn)) {
        reason = "condition flags (.CC) belong to the engine token_stack";
    }
    if (reason.empty()) {
        return std::nullopt;
    }
    return std::string(insn.spec().name).append(" in a program for ").append(engine).append(": ").append(reason);
}

} // namespace smsim::isa
