// The graph of control flow and the needs of each instruction.
#include "assembler/schedule_node.h"

#include "assembler/token_regions.h"

namespace smsim::assembler {
namespace {

using isa::Instruction;
using isa::Op;

bool always_true(const Instruction &insn) {
    return insn.pg == isa::kPt && !insn.pg_not &&
           (!insn.spec().has(isa::kGuardPp) || (insn.pp == isa::kPt && !insn.pp_not));
}

void take_control_fields(ScheduleNode &node) {
    const Instruction &insn = *node.insn;
    node.stall = insn.stall_cycles();
    node.wsb = insn.wsb == isa::kNoScoreboard ? kUnassigned : insn.wsb;
    node.rsb = insn.rsb == isa::kNoScoreboard ? kUnassigned : insn.rsb;
    for (unsigned s = 0; s < isa::kScoreboards; ++s) {
        if (((insn.req >> s) & 1U) != 0) {
            node.req.push_back(static_cast<int>(s));
        }
    }
}

/// Finds successors, and what the pass must settle because control may leave.
void follow_control(ScheduleNode &node, std::size_t index, std::size_t instructions,
                    std::optional<std::uint32_t> region_end) {
    const Instruction &insn = *node.insn;
    bool falls_through = true;
    const auto jump = [&] {
        const std::int64_t target = static_cast<std::int64_t>(index) + 1 + insn.imm;
        if (target >= 0 && target < static_cast<std::int64_t>(instructions)) {
            node.successors.push_back(static_cast<std::uint32_t>(target));
        }
    };
    switch (insn.op) {
    case Op::kBra: {
        const auto condition = static_cast<isa::BraCondition>(insn.mod[0]);
        const bool conditional = insn.form == isa::Form::kU || condition == isa::BraCondition::kDivergent ||
                                 condition == isa::BraCondition::kConvergent;
        falls_through = conditional || !always_true(insn);
        jump();
        break;
    }
    case Op::kVbeq:
    case Op::kVbne:
    case Op::kVblt:
    case Op::kVbge:
    case Op::kVbltu:
    case Op::kVbgeu:
        jump();
        break;
    case Op::kJoin: // another side of a branch may continue
        node.switches = true;
        break;
    case Op::kEndprg:
        falls_through = false;
        break;
    case Op::kTokenBra:
    case Op::kJmp:
    case Op::kCal:
        if (const auto address = isa::named_address(insn); !address) {
            node.settles = true;
        } else if (*address >= 0 && static_cast<std::size_t>(*address) / kInstructionBytes < instructions) {
            node.successors.push_back(static_cast<std::uint32_t>(*address / static_cast<int>(kInstructionBytes)));
        }
        falls_through = may_fall_through(insn);
        break;
    case Op::kSync:
    case Op::kBrk:
    case Op::kCont:
        if (region_end) {
            node.successors.push_back(*region_end);
        } else {
            node.settles = true;
        }
        node.switches = true;
        falls_through = may_fall_through(insn);
        break;
    case Op::kTokenBrx:
    case Op::kJmx:
    case Op::kTokenRet:
        node.settles = true;
        falls_through = may_fall_through(insn);
        break;
    case Op::kBrx:
    case Op::kCall:
    case Op::kRet:
    case Op::kRtt:
    case Op::kTrap:
        node.settles = true;
        break;
    case Op::kExit:
        node.switches = true;
        falls_through = !always_true(insn);
        break;
    case Op::kBsync:
    case Op::kWarpsync:
    case Op::kYield:
    case Op::kNanosleep:
        node.switches = true;
        break;
    default:
        break;
    }
    if (falls_through && index + 1 < instructions &&
        std::ranges::find(node.successors, index + 1) == node.successors.end()) {
        node.successors.push_back(static_cast<std::uint32_t>(index + 1));
    }
}

void list_registers(ScheduleNode &node) {
    const isa::Dependences &deps = node.deps;
    for (std::size_t i = 0; i < deps.read_count; ++i) {
        node.reads.add_general(deps.reads[i]);
    }
    for (std::size_t i = 0; i < deps.uniform_read_count; ++i) {
        node.reads.add_uniform(deps.uniform_reads[i]);
    }
    node.writes.add_general(deps.write);
    node.writes.add_uniform(deps.uniform_write);
    node.writes.predicates = deps.predicate_writes;
    node.touches = node.reads;
    node.touches.add(node.writes);
    node.touches.predicates = static_cast<std::uint8_t>(deps.predicate_reads | deps.predicate_writes);
}

} // namespace

ScheduleNode describe_instruction(const Program &program, std::size_t index, const timing::SchedulingModel &model,
                                  bool adjustable, std::optional<std::uint32_t> region_end) {
    ScheduleNode node;
    const Instruction &insn = program.code[index];
    node.insn = &insn;
    node.adjustable = adjustable;
    node.deps = isa::dependences_of(insn);
    node.settle = timing::settle_latency(model, insn);
    node.uniform_settle = timing::uniform_settle_latency(model, insn);
    node.has_result = timing::needs_write_scoreboard(insn);
    node.has_sources = timing::needs_read_scoreboard(insn);
    node.uniform_result = node.deps.uniform_write.count != 0;
    node.uniform_source = node.deps.uniform_read_count != 0;
    if (!adjustable) {
        take_control_fields(node);
    }
    node.least = timing::control_cycles(model, insn);
    follow_control(node, index, program.code.size(), region_end);
    list_registers(node);
    return node;
}

} // namespace smsim::assembler
