#include "session/poll_watch.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "model/error.h"
#include "sm/load_store/lane_data.h"
#include "sm/load_store/memory_operation.h"

namespace smsim::session {
namespace {

/// Longer loops are not followed.
constexpr std::size_t kMostSteps = 20'000;

bool are_same(const sm::compute::WarpRegisters &a, const sm::compute::WarpRegisters &b) {
    if (a.count() != b.count()) {
        return false;
    }
    for (unsigned reg = 0; reg < a.count(); ++reg) {
        const auto number = static_cast<std::uint8_t>(reg);
        if (std::memcmp(&a.read(number), &b.read(number), sizeof(sm::compute::Row)) != 0) {
            return false;
        }
    }
    for (std::uint8_t p = 0; p < isa::kPt; ++p) {
        if (a.predicate(p) != b.predicate(p)) {
            return false;
        }
    }
    for (std::uint8_t reg = 0; reg < isa::kUrz; ++reg) {
        if (a.uniform(reg) != b.uniform(reg)) {
            return false;
        }
    }
    const ConditionFlags &x = a.flags();
    const ConditionFlags &y = b.flags();
    return x.zero == y.zero && x.sign == y.sign && x.carry == y.carry && x.overflow == y.overflow;
}

/// Also as the upper half of a pair.
bool reads_a_clock(const isa::Instruction &insn) {
    return insn.spec().has(isa::kSpecialRegister) &&
           insn.imm2 + 1U >= static_cast<unsigned>(isa::SpecialRegister::kClockLo);
}

/// The threads that run next; nothing where the engine has no such field.
std::optional<LaneMask> active_of(const ControlSnapshot &control) {
    const auto field = std::ranges::find_if(
        control.fields, [](const ControlField &one) { return one.name == "ActiveMask" || one.name == "mask"; });
    if (field == control.fields.end()) {
        return std::nullopt;
    }
    return LaneMask(
        static_cast<std::uint32_t>(control.values[static_cast<std::size_t>(field - control.fields.begin())]));
}

/// Whether an atomic leaves memory unchanged whatever its contents: the usual ways to read with an atomic.
bool changes_nothing(const protocol::LoadStoreExtension &access) {
    const isa::AtomicType type = sm::atomic_type(*access.insn);
    if (type == isa::AtomicType::kF32 || type == isa::AtomicType::kF64) {
        return false; // adding 0 changes the sign of -0
    }
    const unsigned bytes = sm::bytes_per_thread(*access.insn);
    const std::uint64_t ones = bytes == 8 ? ~std::uint64_t{0} : 0xffff'ffffU;
    bool nothing = true;
    for_each_lane(access.lanes, [&](unsigned lane) {
        const std::uint64_t operand = sm::atomic_operand(access, lane, bytes);
        switch (sm::atomic_op(*access.insn)) {
        case isa::AtomicOp::kAdd:
        case isa::AtomicOp::kOr:
        case isa::AtomicOp::kXor:
            nothing = nothing && operand == 0;
            break;
        case isa::AtomicOp::kAnd:
            nothing = nothing && operand == ones;
            break;
        default:
            nothing = false;
            break;
        }
    });
    return nothing;
}

bool is_swap(const isa::Instruction &insn) {
    return sm::is_atomic(insn) && sm::atomic_op(insn) == isa::AtomicOp::kCas && insn.spec().has(isa::kReadsMemory);
}

} // namespace

PollWatch::PollWatch(ControlStateOf state_of, RegistersOf registers_of, ReadMemory read)
    : state_of_(std::move(state_of)), registers_of_(std::move(registers_of)), read_(std::move(read)) {}

void PollWatch::restart() {
    warps_.clear();
    addresses_.clear();
    disturbed_ = false;
}

bool PollWatch::repeats(const WarpStart &start) const {
    const std::size_t slot = start.warp.value();
    return slot < warps_.size() && warps_[slot].age == start.age && warps_[slot].repeats;
}

PollWatch::Warp &PollWatch::warp_of(const WarpStart &start) {
    const std::size_t slot = start.warp.value();
    if (slot >= warps_.size()) {
        warps_.resize(slot + 1);
    }
    if (warps_[slot].age != start.age) {
        warps_[slot] = Warp{};
        warps_[slot].age = start.age;
    }
    return warps_[slot];
}

void PollWatch::accesses(const protocol::LoadStoreExtension &access) {
    if (disturbed_) {
        return;
    }
    const isa::Instruction &insn = *access.insn;
    if (insn.spec().has(isa::kWritesMemory) || sm::is_atomic(insn)) {
        // The effect of a compare-and-swap is known with its answer.
        disturbed_ = !sm::is_atomic(insn) || !(is_swap(insn) || changes_nothing(access));
    }
    addresses_.clear();
    for_each_lane(access.lanes, [&](unsigned lane) { addresses_.push_back(access.address[lane]); });
}

void PollWatch::executed(const sm::ExecutedInstruction &instruction) {
    if (disturbed_) {
        return;
    }
    const isa::Instruction &insn = instruction.insn;
    const bool of_barrier = insn.unit == isa::Unit::kBarrier && instruction.executed.any();
    if (of_barrier || insn.op == isa::Op::kSyscall || reads_a_clock(insn)) {
        disturbed_ = true;
        return;
    }
    Warp &warp = warp_of(instruction.start);
    if (warp.repeats) {
        addresses_.clear();
        return;
    }
    warp.steps.push_back(insn.pc);
    warp.steps.push_back(std::uint64_t{instruction.active.bits()} << 32U | instruction.executed.bits());
    warp.loads = warp.loads || !addresses_.empty();
    warp.steps.insert(warp.steps.end(), addresses_.begin(), addresses_.end());
    addresses_.clear();
    if (warp.steps.size() > kMostSteps) {
        warp = Warp{};
        warp.age = instruction.start.age;
    }
    if (insn.unit == isa::Unit::kBranch && insn.spec().has(isa::kMayJump)) {
        visit(warp, instruction);
    }
}

void PollWatch::visit(Warp &warp, const sm::ExecutedInstruction &instruction) {
    const WarpSlot slot = instruction.start.warp;
    const isa::Instruction &insn = instruction.insn;
    // A state that the warp only passed on its way into the loop never recurs. So later states are tried, each for
    // twice as long as the one before.
    const bool tries_another = std::has_single_bit(++warp.visits);
    const bool may_be_back = warp.anchor && warp.anchor->pc == insn.pc;
    if (!tries_another && !may_be_back && insn.op != isa::Op::kNanosleep) {
        return;
    }
    ControlSnapshot control = state_of_(slot, std::nullopt);
    if (insn.op == isa::Op::kNanosleep && active_of(control) != instruction.active) {
        disturbed_ = true; // which thread runs while others sleep depends on time
        return;
    }
    const sm::compute::WarpRegisters &registers = registers_of_(slot);
    if (may_be_back && control.values == warp.anchor->control.values && control.lists == warp.anchor->control.lists &&
        are_same(registers, warp.anchor->registers)) {
        warp.repeats = warp.loads && warp.steps == warp.period;
        warp.period = std::exchange(warp.steps, {});
        warp.loads = false;
    } else if (tries_another) {
        warp.anchor.emplace(State{insn.pc, registers.copy(), std::move(control)});
        warp.steps.clear();
        warp.period.clear();
        warp.loads = false;
    }
}

void PollWatch::completed(const sm::CompletedInstruction &instruction) {
    if (disturbed_ || instruction.access == nullptr || !instruction.insn.spec().has(isa::kReadsMemory)) {
        return;
    }
    const protocol::LoadStoreExtension &access = *instruction.access;
    disturbed_ =
        (is_swap(instruction.insn) && sm::failed_swaps(access) != access.lanes.count()) || !is_as_memory(access);
}

/// Whether a load of global memory has read the current contents: a cache may hold old contents for some time.
bool PollWatch::is_as_memory(const protocol::LoadStoreExtension &access) const {
    const isa::Instruction &insn = *access.insn;
    if (insn.spec().has(isa::kShared) || insn.spec().has(isa::kLocal)) {
        return true;
    }
    const unsigned bytes = sm::bytes_per_thread(insn);
    bool same = true;
    for_each_lane(access.lanes, [&](unsigned lane) {
        std::array<std::uint8_t, 16> there{};
        std::array<std::uint8_t, 16> read{};
        for (unsigned byte = 0; byte < bytes; ++byte) {
            read[byte] = static_cast<std::uint8_t>(access.data[byte / 4][lane] >> (8 * (byte % 4)));
        }
        try {
            read_(access.address[lane], std::span(there).first(bytes));
        } catch (const InputError &) { // outside every buffer
            same = false;
        }
        same = same && there == read;
    });
    return same;
}

void PollWatch::ended(const WarpStart &, const sm::compute::WarpRegisters &) {
    disturbed_ = true;
}

} // namespace smsim::session
