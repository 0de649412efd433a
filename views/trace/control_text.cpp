// Fields of the control state as members of JSON.
#include "views/trace/control_text.h"

#include <iterator>
#include <span>
#include <utility>

#include <fmt/format.h>

namespace smsim::views {

namespace {

using Kind = ControlField::Kind;

} // namespace

void add_value(std::string &text, const ControlField &field, std::uint64_t value) {
    if (field.kind == Kind::kMask) {
        fmt::format_to(std::back_inserter(text), R"("{}":"{:#010x}")", field.name, value);
    } else if (value < field.names.size()) {
        fmt::format_to(std::back_inserter(text), R"("{}":"{}")", field.name, field.names[value]);
    } else {
        fmt::format_to(std::back_inserter(text), R"("{}":{})", field.name, value);
    }
}

namespace {

/// A list as an array of objects, whose members are the columns; `values` holds the entries one after the other.
void add_entries(std::string &text, const ControlField &field, std::span<const std::uint64_t> values,
                 std::size_t entries) {
    fmt::format_to(std::back_inserter(text), R"("{}":[)", field.name);
    for (std::size_t entry = 0; entry < entries; ++entry) {
        text += entry == 0 ? "{" : ",{";
        for (std::size_t column = 0; column < field.columns.size(); ++column) {
            text += column == 0 ? "" : ",";
            add_value(text, field.columns[column], values[entry * field.columns.size() + column]);
        }
        text += "}";
    }
    text += "]";
}

} // namespace

void add_fields(std::string &text, const ControlSnapshot &state) {
    bool first = true;
    for (std::size_t i = 0; i < state.fields.size(); ++i) {
        const ControlField &field = state.fields[i];
        if (field.kind == Kind::kThreadAddresses || !field.bank.empty()) {
            continue;
        }
        text += std::exchange(first, false) ? "" : ",";
        if (field.kind == Kind::kEntries) {
            add_entries(text, field, state.list_of(i), state.values[i]);
        } else {
            add_value(text, field, state.values[i]);
        }
    }
}

} // namespace smsim::views
