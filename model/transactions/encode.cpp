// Converts records to bytes.
#include <algorithm>
#include <variant>

#include "model/transactions/codes.h"
#include "model/transactions/coding.h"

namespace smsim::transactions {
namespace {

void mask(ByteWriter &to, LaneMask value) {
    to.fixed(value.bits(), kMaskBytes);
}

template <typename Value> void vector(ByteWriter &to, const std::array<Value, kLanes> &lanes) {
    if (std::ranges::all_of(lanes, [&](Value one) { return one == lanes[0]; })) {
        to.byte(lanes[0] == 0 ? kAllZero : kAllEqual);
        if (lanes[0] != 0) {
            to.number(lanes[0]);
        }
        return;
    }
    to.byte(kEach);
    for (const Value one : lanes) {
        to.number(one);
    }
}

void instruction(ByteWriter &to, const isa::Instruction &insn) {
    const auto word = std::get<isa::Word>(isa::encode(insn));
    to.fixed(word.lo, 8);
    to.fixed(word.hi, 8);
    to.number(insn.pc);
}

/// Writes the beginning of an answer; an exception is complete with it. Returns whether more follows.
template <typename Answer> bool answer_begins(ByteWriter &to, Cycle request, const std::optional<Answer> &answer) {
    if (!answer) {
        to.byte(kNoAnswer);
        return false;
    }
    to.byte(answer->fault ? kException : kAnswer);
    to.number(answer->at - request);
    if (answer->fault) {
        to.text(fault_name(*answer->fault));
        to.text(answer->detail);
    }
    return !answer->fault;
}

void write(ByteWriter &to, const Event &event) {
    to.number(event.warp.value());
    if (event.kind == Event::Kind::kRequest) {
        to.number(event.cycles);
    }
}

void write(ByteWriter &to, const Start &start) {
    to.number(start.warp.value());
    to.number(start.entry);
    to.number(start.code_bytes);
    mask(to, start.valid);
    to.number(start.cta.value());
    to.number(start.cta_number);
    to.number(start.warp_in_cta);
    to.number(start.warps_in_cta);
}

void write(ByteWriter &to, const Branch &branch) {
    to.number(branch.warp.value());
    instruction(to, branch.insn);
    mask(to, branch.guard);
    mask(to, branch.guard_pp);
    for (std::size_t i = 0; i < vectors_of(branch.insn); ++i) {
        vector(to, branch.vectors[i]);
    }
    to.number(branch.scalar);
    if (!answer_begins(to, branch.at, branch.answer)) {
        return;
    }
    const BranchAnswer &answer = *branch.answer;
    to.byte(static_cast<std::uint8_t>(answer.outcome));
    to.number(answer.next_pc);
    mask(to, answer.next_active);
    mask(to, answer.write_lanes);
    to.number(answer.value);
    to.byte(answer.told ? 1 : 0);
    if (answer.told) {
        mask(to, answer.told->active);
        mask(to, answer.told->jumped);
        to.byte(answer.told->split ? 1 : 0);
        to.byte(answer.told->sync);
        to.byte(answer.told->release ? static_cast<std::uint8_t>(static_cast<unsigned>(*answer.told->release) + 1) : 0);
    }
}

void write(ByteWriter &to, const Barrier &barrier) {
    to.number(barrier.warp.value());
    instruction(to, barrier.insn);
    mask(to, barrier.pmask);
    mask(to, barrier.contribution);
    for (const auto &lanes : barrier.vectors) {
        vector(to, lanes);
    }
    if (!answer_begins(to, barrier.at, barrier.answer)) {
        return;
    }
    const BarrierAnswer &answer = *barrier.answer;
    to.byte(static_cast<std::uint8_t>(answer.outcome));
    to.byte(answer.writes ? 1 : 0);
    to.number(answer.value);
    to.byte(answer.predicate ? 1 : 0);
}

void write(ByteWriter &to, const Access &access) {
    to.byte(static_cast<std::uint8_t>(access.kind));
    to.byte(access.group ? 1 : 0);
    if (access.group) {
        to.number(*access.group);
    }
    to.number(access.address);
    to.number(access.length);
    to.number(access.width);
    to.byte(access.enabled.empty() ? 0 : 1);
    for (std::size_t i = 0; i < access.enabled.size(); i += 8) {
        std::uint8_t bits = 0;
        for (std::size_t k = i; k < std::min(i + 8, access.enabled.size()); ++k) {
            bits = static_cast<std::uint8_t>(bits | (access.enabled[k] ? 1U : 0U) << (k - i));
        }
        to.byte(bits);
    }
    if (access.kind == Access::Kind::kWrite) {
        to.raw(access.data);
    } else if (access.kind == Access::Kind::kAtomic) {
        to.byte(access.op);
        to.byte(access.type);
        to.number(access.operand);
        to.number(access.compare);
    }
    to.byte(access.answer ? 1 : 0);
    if (access.answer) {
        to.number(access.answer->at - access.at);
        to.byte(static_cast<std::uint8_t>(access.answer->status + kStatusZero));
        to.byte(access.answer->performed ? 1 : 0);
        to.byte(access.answer->bytes.empty() ? 0 : 1);
        to.raw(access.answer->bytes);
    }
}

} // namespace

void encode(const Record &record, Cycle previous, ByteWriter &to) {
    constexpr std::uint8_t kFirsts[] = {0, kStart, kBranch, kBarrier, kAccess};
    const auto *event = std::get_if<Event>(&record);
    to.byte(event != nullptr ? static_cast<std::uint8_t>(event->kind) : kFirsts[record.index()]);
    to.number(cycle_of(record) - previous);
    std::visit([&to](const auto &one) { write(to, one); }, record);
}

} // namespace smsim::transactions
