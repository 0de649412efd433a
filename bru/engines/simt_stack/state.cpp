// Presentation of the state.
#include "bru/engines/simt_stack/state.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "bru/engines/common/values.h"

namespace smsim::bru::simt_stack {
namespace {

using Kind = ControlField::Kind;

constexpr std::array<ControlField, 3> kColumns = {{{"rpc", Kind::kAddress}, {"pc", Kind::kAddress}, {"mask"}}};
constexpr std::array<ControlField, 4> kFields = {
    {{"pc", Kind::kAddress}, {"mask"}, {"rpc", Kind::kAddress}, {"stack", Kind::kEntries, {}, kColumns}}};
constexpr std::size_t kShownEntries = 8; // of a stack, in one line

} // namespace

State started(Pc entry, LaneMask valid) {
    State state;
    state.pc = entry;
    state.mask = valid;
    return state;
}

bool has_waiting_side(const State &state) {
    return std::ranges::any_of(state.stack, [](const Entry &entry) { return entry.pc != entry.rpc; });
}

std::span<const ControlField> control_fields() {
    return kFields;
}

ControlSnapshot snapshot_of(const State &state) {
    ControlSnapshot shown;
    shown.fields = kFields;
    shown.add(state.pc);
    shown.add(state.mask);
    shown.add(state.rpc);
    std::vector<std::uint64_t> columns;
    columns.reserve(state.stack.size() * kColumns.size());
    for (const Entry &entry : state.stack) {
        columns.insert(columns.end(), {entry.rpc, entry.pc, std::uint64_t{entry.mask.bits()}});
    }
    shown.add(state.stack.size(), columns);
    return shown;
}

std::string description_of(const State &state) {
    if (state.mask.none()) {
        return "no threads";
    }
    std::string text =
        fmt::format("threads {} at {}, rpc {}", text_of(state.mask), text_of_pc(state.pc), text_of_pc(state.rpc));
    if (state.stack.empty()) {
        return text + ", stack empty";
    }
    text += fmt::format("; stack of {}, top first:", state.stack.size());
    const std::size_t shown = std::min(state.stack.size(), kShownEntries);
    for (std::size_t i = 0; i < shown; ++i) {
        const Entry &entry = state.stack[state.stack.size() - 1 - i];
        text += fmt::format("{} {} at {} for the JOIN at {}", i == 0 ? "" : ",", text_of(entry.mask),
                            text_of_pc(entry.pc), text_of_pc(entry.rpc));
    }
    if (shown < state.stack.size()) {
        text += fmt::format(", and {} more", state.stack.size() - shown);
    }
    return text;
}

std::string held_back_in(const State &state) {
    LaneMask waiting;
    std::string text;
    std::size_t shown = 0;
    for (std::size_t i = state.stack.size(); i-- > 0;) {
        const Entry &entry = state.stack[i];
        // A thread that waits in an entry is in the entries below too: the uppermost one resumes it.
        const LaneMask here = entry.mask & ~state.mask & ~waiting;
        waiting |= here;
        if (here.none() || ++shown > kShownEntries) {
            continue;
        }
        text += fmt::format("{}{} in entry {} of the stack, {} {}", shown == 1 ? "" : ", ", text_of(here), i,
                            entry.pc == entry.rpc ? "at the JOIN at" : "to go on at", text_of_pc(entry.pc));
        text += entry.pc == entry.rpc ? "" : fmt::format(" when the JOIN at {} is reached", text_of_pc(entry.rpc));
    }
    if (waiting.none()) {
        return {};
    }
    text += shown > kShownEntries ? ", and more below" : "";
    return fmt::format("threads {} wait for {}, which run from {} on: {}; threads of one warp have no independent "
                       "progress under simt_stack: as long as these do not come to the JOIN at {}, no other runs",
                       text_of(waiting), text_of(state.mask), text_of_pc(state.pc), text,
                       text_of_pc(state.stack.back().rpc));
}

} // namespace smsim::bru::simt_stack
