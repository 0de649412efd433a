#include "cosim/transactions/listing.h"

#include <algorithm>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "assembler/disassembler.h"

namespace smsim::transactions {
namespace {

std::string mask_text(LaneMask mask) {
    return fmt::format("{:#010x}", mask.bits());
}

/// The lanes of a vector; one value if all are equal.
template <typename Value> std::string vector_text(const std::array<Value, kLanes> &lanes) {
    const bool equal = std::ranges::all_of(lanes, [&](Value one) { return one == lanes[0]; });
    return equal ? fmt::format("{:#x}", lanes[0]) : fmt::format("[{:#x}]", fmt::join(lanes, " "));
}

/// Bytes by ascending address; those that are not enabled as dots.
std::string bytes_text(std::span<const std::uint8_t> bytes, const std::vector<bool> &enabled) {
    std::string text;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        text += enabled.empty() || enabled[i] ? fmt::format("{:02x}", bytes[i]) : "..";
    }
    return text;
}

std::string fault_text(Fault fault, const std::string &detail) {
    std::string plain = detail; // from a file: must not control a terminal, nor begin a line
    std::ranges::replace_if(
        plain, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, '?');
    return fmt::format("{}{}{}", fault_name(fault), plain.empty() ? "" : ": ", plain);
}

std::string head(const isa::Instruction &insn, Cycle at, WarpSlot warp) {
    return fmt::format("cycle {} warp {} {:#06x} {}", at, warp.value(), insn.pc, assembler::operation_text(insn));
}

template <typename Answer> std::string answer_text(const std::optional<Answer> &answer) {
    return answer ? fmt::format(" -> cycle {}: {}", answer->at, text_of(*answer)) : " -> no answer";
}

std::string one_text(const Event &event) {
    return fmt::format("cycle {} warp {} {}{}", event.at, event.warp.value(), event_name(event.kind),
                       event.kind == Event::Kind::kRequest ? fmt::format(" of {} cycles", event.cycles) : "");
}

std::string one_text(const Start &start) {
    return fmt::format("cycle {} warp {} starts at {:#06x} of {} bytes, threads {}, warp {} of {} of CTA {} in slot {}",
                       start.at, start.warp.value(), start.entry, start.code_bytes, mask_text(start.valid),
                       start.warp_in_cta, start.warps_in_cta, start.cta_number, start.cta.value());
}

std::string one_text(const Branch &branch) {
    const OperandUse use = operands_read(branch.insn);
    std::string text = fmt::format("{}: guard {}", head(branch.insn, branch.at, branch.warp), mask_text(branch.guard));
    if (branch.insn.pp != isa::kPt) {
        text += fmt::format(", Pp {}", mask_text(branch.guard_pp));
    }
    for (std::size_t i = 0; i < use.vectors; ++i) {
        text += fmt::format(", vector {}", vector_text(branch.vectors[i]));
    }
    if (use.scalar) {
        text += fmt::format(", scalar {:#x}", branch.scalar);
    }
    return text + answer_text(branch.answer);
}

std::string one_text(const Barrier &barrier) {
    const OperandUse use = operands_read(barrier.insn);
    std::string text =
        fmt::format("{}: threads {}", head(barrier.insn, barrier.at, barrier.warp), mask_text(barrier.pmask));
    if (barrier.insn.op == isa::Op::kBarRed) {
        text += fmt::format(", Pp {}", mask_text(barrier.contribution));
    }
    for (std::size_t i = 0; i < std::min(use.vectors, barrier.vectors.size()); ++i) {
        text += fmt::format(", vector {}", vector_text(barrier.vectors[i]));
    }
    return text + answer_text(barrier.answer);
}

std::string one_text(const Access &access) {
    constexpr const char *kKinds[] = {"read", "write", "atomic", "nothing"};
    constexpr const char *kOps[] = {"ADD", "MIN", "MAX", "INC", "DEC", "AND", "OR", "XOR", "EXCH", "CAS"};
    constexpr const char *kTypes[] = {"U32", "S32", "U64", "S64", "F32", "F64"};
    std::string text = fmt::format("cycle {} ", access.at);
    if (access.group) {
        text += fmt::format("access {} ", *access.group);
    }
    text += fmt::format("{} of {} bytes at {:#x}", kKinds[static_cast<std::size_t>(access.kind)], access.length,
                        access.address);
    if (access.width != access.length) {
        text += fmt::format(" in {}", access.width);
    }
    if (access.kind == Access::Kind::kAtomic) {
        text += fmt::format(": {}.{} {:#x}", kOps[access.op], kTypes[access.type], access.operand);
        if (access.op == static_cast<std::uint8_t>(isa::AtomicOp::kCas)) {
            text += fmt::format(", compare {:#x}", access.compare);
        }
    } else if (access.kind == Access::Kind::kWrite) {
        text += ": " + bytes_text(access.data, access.enabled);
    } else if (!access.enabled.empty()) {
        text += fmt::format(", enabled {}", std::ranges::count(access.enabled, true));
    }
    if (!access.answer) {
        return text + " -> no answer";
    }
    return text + fmt::format(" -> cycle {}: {}", access.answer->at, text_of(access, *access.answer));
}

} // namespace

const char *outcome_name(Outcome outcome) {
    constexpr const char *kNames[] = {"goes on", "sleeps", "blocked", "has exited"};
    return kNames[static_cast<std::size_t>(outcome)];
}

const char *event_name(Event::Kind kind) {
    constexpr const char *kNames[] = {"exit", "expiry", "stop", "timer request", "wake"};
    return kNames[static_cast<std::size_t>(kind)];
}

std::string status_name(int status) {
    constexpr const char *kNames[] = {
        "byte enable error", "burst error", "command error", "address error", "generic error", "no answer yet", "OK"};
    constexpr int kLowest = -5;
    const int index = status - kLowest;
    return index >= 0 && index < static_cast<int>(std::size(kNames)) ? kNames[index] : fmt::format("status {}", status);
}

std::string text_of(const BranchAnswer &answer) {
    if (answer.fault) {
        return fault_text(*answer.fault, answer.detail);
    }
    std::string text = outcome_name(answer.outcome);
    if (answer.outcome != Outcome::kExited) {
        text += fmt::format(", next {:#06x}, active {}", answer.next_pc, mask_text(answer.next_active));
    }
    if (answer.write_lanes.any()) {
        text += fmt::format(", Rd of {} is {:#x}", mask_text(answer.write_lanes), answer.value);
    }
    return text;
}

std::string text_of(const BarrierAnswer &answer) {
    if (answer.fault) {
        return fault_text(*answer.fault, answer.detail);
    }
    std::string text = outcome_name(answer.outcome);
    if (answer.writes) {
        text += fmt::format(", value {:#010x}, predicate {}", answer.value, answer.predicate);
    }
    return text;
}

std::string text_of(const Access &access, const AccessAnswer &answer) {
    std::string text = status_name(answer.status);
    if (answer.status == 1 && access.kind == Access::Kind::kAtomic && !answer.performed) {
        text += ", not performed";
    }
    if (!answer.bytes.empty()) {
        text += ", " + bytes_text(answer.bytes, access.enabled);
    }
    return text;
}

std::string text_of(const Record &record) {
    return std::visit([](const auto &one) { return one_text(one); }, record);
}

} // namespace smsim::transactions
