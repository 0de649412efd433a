// Reads a control state by the field names that traces use.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "model/state/control_snapshot.h"

namespace smsim::fuzz {

class SnapshotFields {
  public:
    explicit SnapshotFields(const ControlSnapshot &snapshot) : snapshot_(snapshot) {}

    /// Address, mask or number.
    std::uint64_t value(std::string_view name) const { return snapshot_.values[index(snapshot_.fields, name)]; }

    /// Calls `visit` for each entry of a list, oldest first, with a function that returns the column of a name.
    template <typename Visit> void each_entry(std::string_view name, Visit &&visit) const {
        const std::size_t field = index(snapshot_.fields, name);
        const std::span<const ControlField> columns = snapshot_.fields[field].columns;
        std::span<const std::uint64_t> rest = snapshot_.list_of(field);
        for (; !rest.empty(); rest = rest.subspan(columns.size())) {
            visit([&](std::string_view column) { return rest[index(columns, column)]; });
        }
    }

  private:
    static std::size_t index(std::span<const ControlField> fields, std::string_view name) {
        const auto found = std::ranges::find(fields, name, &ControlField::name);
        if (found == fields.end()) {
            throw std::logic_error("no field '" + std::string(name) + "' in the control state");
        }
        return static_cast<std::size_t>(found - fields.begin());
    }

    const ControlSnapshot &snapshot_;
};

} // namespace smsim::fuzz
