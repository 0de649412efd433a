// Lines of control states.
#include "views/trace/control_log.h"

#include <iterator>
#include <optional>
#include <span>
#include <utility>

#include <fmt/format.h>

namespace smsim::views {
namespace {

using Kind = ControlField::Kind;

/// Adds `before` and the value.
void add_plain(std::string &text, const char *before, const ControlField &field, std::uint64_t value) {
    const auto out = std::back_inserter(text);
    if (field.kind == Kind::kMask) {
        fmt::format_to(out, "{}{:#010x}", before, value);
    } else if (field.kind == Kind::kAddress) {
        fmt::format_to(out, "{}{:#x}", before, value);
    } else if (value < field.names.size()) {
        fmt::format_to(out, "{}{}", before, field.names[value]);
    } else {
        fmt::format_to(out, "{}{}", before, value);
    }
}

void add_plain_entries(std::string &text, const ControlField &field, std::span<const std::uint64_t> values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::size_t column = i % field.columns.size();
        add_plain(text, column == 0 ? " {" : " ", field.columns[column], values[i]);
        text += column + 1 == field.columns.size() ? "}" : "";
    }
}

} // namespace

ControlLog::ControlLog(std::ostream &out, ControlStateOf state_of, bool cycles)
    : out_(out), state_of_(std::move(state_of)), cycles_(cycles) {}

ControlLog::~ControlLog() {
    flush();
}

void ControlLog::postponed(const sm::ExecutedInstruction &instruction) {
    if (instruction.insn.unit == isa::Unit::kBranch) {
        lines_.expect(instruction);
    }
}

void ControlLog::executed(const sm::ExecutedInstruction &instruction) {
    if (instruction.insn.unit != isa::Unit::kBranch) {
        return;
    }
    if (instruction.cycle > cycle_) {
        lines_.write(out_, instruction.cycle);
        cycle_ = instruction.cycle;
    }
    const WarpStart &start = instruction.start;
    const ControlSnapshot state = state_of_(start.warp, std::nullopt);
    std::string text;
    const auto out = std::back_inserter(text);
    if (launch_ != 0) {
        fmt::format_to(out, "launch {} ", launch_);
    }
    fmt::format_to(out, "cta {} warp {}", start.cta_number, start.warp_in_cta);
    for (std::size_t i = 0; i < state.fields.size(); ++i) {
        const ControlField &field = state.fields[i];
        if (field.kind == Kind::kThreadAddresses || !field.bank.empty()) {
            continue;
        }
        fmt::format_to(out, " {}", field.name);
        if (field.kind == Kind::kEntries) {
            add_plain_entries(text, field, state.list_of(i));
        } else {
            add_plain(text, " ", field, state.values[i]);
        }
    }
    if (cycles_) {
        fmt::format_to(out, " cycle {}", instruction.cycle);
    }
    lines_.add(instruction, std::move(text) + "\n");
}

void ControlLog::flush() {
    lines_.write_rest(out_);
}

} // namespace smsim::views
