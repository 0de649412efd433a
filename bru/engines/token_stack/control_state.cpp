// Token-stack state as named fields and as a line of text.
#include "bru/engines/token_stack/control_state.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "bru/engines/common/values.h"

namespace smsim::bru::token_stack {
namespace {

using Kind = ControlField::Kind;

constexpr std::array<std::string_view, kTokenKinds> kTokenNames = {"SYNC", "DIV", "RET", "BRK", "CONT"};
constexpr std::array<ControlField, 3> kTokenColumns = {
    {{.name = "kind", .kind = Kind::kNumber, .names = kTokenNames}, {"mask"}, {"pc", Kind::kAddress}}};
constexpr std::array<ControlField, 5> kFields = {
    {{"PC", Kind::kAddress},
     {"ActiveMask"},
     {"ValidMask"},
     {"LMT", Kind::kNumber},
     {.name = "tokens", .kind = Kind::kEntries, .columns = kTokenColumns}}};

constexpr std::size_t kShownTokens = 8; // the uppermost, in a line of text

std::string tokens_text(const ControlState &state) {
    std::string text;
    const std::size_t shown = std::min(state.stack.size(), kShownTokens);
    for (std::size_t i = 0; i < shown; ++i) {
        const Token &token = state.stack[state.stack.size() - 1 - i];
        text += fmt::format("{}{} {} at {}", i == 0 ? "" : ", ", token_name(token.kind), text_of(token.mask),
                            text_of_pc(token.pc));
    }
    if (shown < state.stack.size()) {
        text += fmt::format(" and {} more tokens", state.stack.size() - shown);
    }
    return text;
}

} // namespace

std::string_view token_name(TokenKind kind) {
    return kTokenNames.at(static_cast<std::size_t>(kind));
}

std::span<const ControlField> control_fields() {
    return kFields;
}

ControlSnapshot snapshot_of(const ControlState &state, Pc pc) {
    ControlSnapshot shown;
    shown.fields = kFields;
    shown.values.reserve(kFields.size());
    shown.add(pc);
    shown.add(state.active);
    shown.add(state.valid);
    shown.add(std::uint64_t{state.lmt});
    std::vector<std::uint64_t> columns;
    columns.reserve(state.stack.size() * kTokenColumns.size());
    for (const Token &token : state.stack) {
        columns.insert(columns.end(), {static_cast<std::uint64_t>(token.kind), token.mask.bits(), token.pc});
    }
    shown.add(state.stack.size(), columns);
    return shown;
}

std::string description_of(const ControlState &state) {
    if (state.valid.none()) {
        return "no threads";
    }
    return fmt::format("threads {} active at {}{}{}{}", text_of(state.active), text_of_pc(state.pc),
                       state.stack.empty() ? "" : "; when they have left: ", tokens_text(state),
                       state.lmt ? "; LMT is set" : "");
}

std::string held_back_in(const ControlState &state) {
    LaneMask waiting;
    std::string text;
    std::size_t shown = 0;
    for (std::size_t i = state.stack.size(); i-- > 0;) {
        const Token &token = state.stack[i];
        // A thread that waits in a token is in those below too: the topmost one resumes it.
        const LaneMask here = token.mask & state.valid & ~state.active & ~waiting;
        waiting |= here;
        if (here.any() && ++shown <= kShownTokens) {
            text += fmt::format("{}{} in token {} of the stack, {} to {}", shown == 1 ? "" : ", ", text_of(here), i,
                                token_name(token.kind), text_of_pc(token.pc));
        }
    }
    if (waiting.none()) {
        return {};
    }
    text += shown > kShownTokens ? ", and more below" : "";
    return fmt::format("threads {} wait for {}, which run from {} on: {}; threads of one warp have no independent "
                       "progress under token_stack: as long as these do not all leave, no other runs",
                       text_of(waiting), text_of(state.active), text_of_pc(state.pc), text);
}

} // namespace smsim::bru::token_stack
