#include "tb/oracle/step.h"

#include <algorithm>
#include <cstring>

namespace smsim::oracle {
namespace {

using isa::Form;
using isa::Instruction;
using isa::Op;

bool lane_dependent(const Instruction &insn) {
    using enum isa::SpecialRegister;
    switch (static_cast<isa::SpecialRegister>(insn.imm2)) {
    case kLaneId:
    case kTidX:
    case kTidY:
    case kTidZ:
    case kEqMask:
    case kLtMask:
    case kLeMask:
    case kGtMask:
    case kGeMask:
        return true;
    default:
        return false;
    }
}

/// Float modifiers that the host's plain arithmetic does not implement: rounding, .FTZ, .SAT.
bool plain_float(const Instruction &insn) {
    return insn.op == Op::kFsetp ? insn.mod[1] == 0 : insn.mod[0] == 0 && insn.mod[1] == 0 && insn.mod[2] == 0;
}

Subject subject_of(const Instruction &insn) {
    switch (insn.op) {
    case Op::kBra:
        return static_cast<isa::BraCondition>(insn.mod[0]) == isa::BraCondition::kNone ? Subject::kJump
                                                                                       : Subject::kSetBranch;
    case Op::kBrx:
    case Op::kCall:
    case Op::kRet:
        return Subject::kJump;
    case Op::kTrap:
    case Op::kRtt:
        return Subject::kTrap;
    case Op::kVbeq:
    case Op::kVbne:
    case Op::kVblt:
    case Op::kVbge:
    case Op::kVbltu:
    case Op::kVbgeu:
    case Op::kCal:
    case Op::kTokenBrx:
    case Op::kJmx:
        return Subject::kJump;
    case Op::kTokenBra:
    case Op::kJmp:
        return isa::is_unanimous(insn) ? Subject::kSetBranch : Subject::kJump;
    case Op::kSsy:
    case Op::kPbk:
    case Op::kPcnt:
    case Op::kPret:
    case Op::kSync:
    case Op::kBrk:
    case Op::kCont:
    case Op::kTokenRet:
        return Subject::kRegion;
    case Op::kExit:
    case Op::kEndprg:
        return Subject::kExit;
    case Op::kWarpsync:
        return Subject::kWarpsync;
    case Op::kBsync:
    case Op::kYield:
    case Op::kNanosleep:
        return Subject::kDissolve;
    case Op::kBssy:
    case Op::kBreak:
    case Op::kSyscall:
    case Op::kNop:
    case Op::kMembar:
    case Op::kSetrpc:
    case Op::kJoin:
        return Subject::kNothing;
    case Op::kBmov:
        return insn.form == Form::kX ? Subject::kSpecial : Subject::kNothing;
    case Op::kLepc:
    case Op::kS2r:
    case Op::kCs2r:
    case Op::kB2r:
    case Op::kB2rResult:
        return Subject::kSpecial;
    case Op::kS2ur:
        return lane_dependent(insn) ? Subject::kSet : Subject::kSpecial;
    case Op::kBar:
    case Op::kBarRed:
    case Op::kBarrier:
    case Op::kR2b:
    case Op::kR2ur:
    case Op::kVote:
    case Op::kMatch:
    case Op::kRedux:
    case Op::kShfl:
        return Subject::kSet;
    case Op::kFadd:
    case Op::kFmul:
    case Op::kFfma:
    case Op::kFsetp:
        return plain_float(insn) ? Subject::kFloat : Subject::kNotCovered;
    case Op::kHadd2:
    case Op::kHmul2:
    case Op::kHfma2:
        return Subject::kHalf;
    case Op::kFmnmx:
    case Op::kMufu:
    case Op::kF2i:
    case Op::kI2f:
    case Op::kF2f:
    case Op::kF2fp:
    case Op::kDadd:
    case Op::kDmul:
    case Op::kDfma:
    case Op::kDsetp:
        return Subject::kNotCovered;
    default:
        return insn.op >= Op::kLdc ? Subject::kMemory : Subject::kInteger;
    }
}

class Preparation {
  public:
    Preparation(const Launch &launch, Steps &steps) : launch_(launch), steps_(steps) {}

    Step step(const Instruction &insn) {
        Step step;
        step.op = insn.op;
        step.insn = &insn;
        step.subject = subject_of(insn);
        if (isa::sets_condition_flags(insn) && step.subject != Subject::kNotCovered) {
            step.subject = Subject::kFlags;
        }
        guards(step, insn);
        const bool uniform_result = insn.op == Op::kUmov || insn.op == Op::kR2ur || insn.op == Op::kS2ur;
        step.rd = uniform_result ? uniform(insn.rd, kUnread) : slot(insn.rd, kUnread);
        step.ra = slot(insn.ra, kZeros);
        step.rb = slot(insn.rb, kZeros);
        step.rc = slot(insn.rc, kZeros);
        other_source(step, insn);
        if (step.defect == Defect::kNone && beyond_registers(insn)) {
            step.defect = Defect::kRegister;
        }
        if (insn.op == Op::kBra || isa::is_vector_branch(insn.op)) {
            const std::int64_t index = static_cast<std::int64_t>(insn.pc / kInstructionBytes) + 1 + insn.imm;
            const bool inside = index >= 0 && index < static_cast<std::int64_t>(launch_.program->code.size());
            step.target = inside ? static_cast<std::uint32_t>(index) : Step::kNoTarget;
        }
        return step;
    }

    unsigned uniforms() const { return uniforms_; }

  private:
    static constexpr unsigned kZeros = 0;
    static constexpr unsigned kUnread = 4;

    static void guards(Step &step, const Instruction &insn) {
        step.guard1 = insn.pg;
        step.flip1 = insn.pg_not ? 1 : 0;
        if (insn.spec().has(isa::kGuardPp)) {
            step.guard2 = insn.pp;
            step.flip2 = insn.pp_not ? 1 : 0;
        }
        step.limited = isa::obeys_call_limit(insn);
        step.tested = insn.test != ConditionTest::kT || step.limited;
        step.never = insn.test == ConditionTest::kF || (step.guard1 == isa::kPt && step.flip1 != 0) ||
                     (step.guard2 == isa::kPt && step.flip2 != 0);
        step.guarded =
            step.never || insn.test != ConditionTest::kT || step.guard1 != isa::kPt || step.guard2 != isa::kPt;
    }

    std::uint16_t slot(std::uint8_t reg, unsigned none) const {
        return static_cast<std::uint16_t>(reg == isa::kRz ? steps_.registers + none : reg);
    }

    std::uint16_t uniform(std::uint8_t reg, unsigned none) {
        if (reg == isa::kUrz) {
            return static_cast<std::uint16_t>(steps_.registers + none);
        }
        uniforms_ = std::max(uniforms_, reg + 2U);
        return static_cast<std::uint16_t>(steps_.registers + 8 + reg);
    }

    /// The source that is no register: an immediate, uniform register or constant in place of b or c.
    void other_source(Step &step, const Instruction &insn) {
        const bool is_c = insn.form == Form::kRri || insn.form == Form::kRrc || insn.form == Form::kRru;
        bool &fixed = is_c ? step.c_fixed : step.b_fixed;
        std::uint64_t &value = is_c ? step.c_value : step.b_value;
        switch (insn.form) {
        case Form::kU:
            if (insn.spec().accesses_memory()) {
                step.ra = uniform(insn.ur, kZeros);
                break;
            }
            [[fallthrough]];
        case Form::kRru:
            (is_c ? step.rc : step.rb) = uniform(insn.ur, kZeros);
            break;
        case Form::kC:
        case Form::kRrc:
            if (insn.op != Op::kLdc) {
                fixed = true;
                value = constant(step, insn);
            }
            break;
        case Form::kI:
        case Form::kRri:
        case Form::kRir:
            immediate(step, insn, fixed, value);
            break;
        default:
            break;
        }
    }

    static void immediate(Step &step, const Instruction &insn, bool &fixed, std::uint64_t &value) {
        if (insn.op == Op::kShfl) {
            step.b_fixed = insn.form != Form::kRri;
            step.b_value = static_cast<std::uint64_t>(insn.imm);
            step.c_fixed = insn.form != Form::kRir;
            step.c_value = insn.imm2;
            return;
        }
        fixed = true;
        // An immediate c of IMAD.WIDE is sign-extended, of IMAD.WIDE.U32 zero-extended (compute-set.md).
        const auto bits = static_cast<std::uint32_t>(insn.imm);
        const bool by_sign = insn.op == Op::kImad && insn.mod[1] == 0;
        value = by_sign ? static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(bits)}) : bits;
    }

    /// The constant operand, 32 or 64 bits.
    std::uint64_t constant(Step &step, const Instruction &insn) const {
        const bool wide = insn.op == Op::kCall || insn.op == Op::kRet ||
                          (insn.op == Op::kImad && insn.mod[0] == 2 && insn.form == Form::kRrc);
        const std::size_t bytes = wide ? 8 : 4;
        const std::vector<std::uint8_t> &bank = *steps_.banks[insn.const_bank];
        if (insn.const_offset + bytes > bank.size()) {
            step.defect = Defect::kConstant;
            return 0;
        }
        std::uint64_t value = 0;
        std::memcpy(&value, bank.data() + insn.const_offset, bytes);
        return value;
    }

    bool beyond_registers(const Instruction &insn) const {
        const auto high = [this](std::uint8_t reg) { return reg != isa::kRz && reg + 4U > steps_.registers; };
        if (!high(insn.rd) && !high(insn.ra) && !high(insn.rb) && !high(insn.rc)) {
            return false;
        }
        const isa::Dependences touched = isa::dependences_of(insn);
        bool beyond = touched.write.count != 0 && touched.write.first + touched.write.count > steps_.registers;
        for (unsigned i = 0; i < touched.read_count; ++i) {
            beyond |= static_cast<std::uint32_t>(touched.reads[i].first + touched.reads[i].count) > steps_.registers;
        }
        return beyond;
    }

    const Launch &launch_;
    Steps &steps_;
    unsigned uniforms_ = 0;
};

void choose_banks(const Launch &launch, Steps &steps) {
    static const std::vector<std::uint8_t> kEmpty;
    for (std::size_t i = 0; i < steps.banks.size(); ++i) {
        steps.banks[i] = launch.constants[i].empty() ? &kEmpty : &launch.constants[i];
    }
    for (const auto &[number, bytes] : launch.program->constants) {
        if (number < steps.banks.size() && steps.banks[number]->empty()) {
            steps.banks[number] = &bytes;
        }
    }
}

} // namespace

Steps prepare(const Launch &launch) {
    Steps steps;
    steps.registers = (launch.registers + 7) / 8 * 8;
    choose_banks(launch, steps);
    Preparation preparation(launch, steps);
    steps.steps.reserve(launch.program->code.size() + 1);
    for (const Instruction &insn : launch.program->code) {
        steps.steps.push_back(preparation.step(insn));
    }
    steps.steps.emplace_back();
    steps.row_words = steps.registers + 8 + preparation.uniforms();
    return steps;
}

} // namespace smsim::oracle
