// The control state of one warp in a form for display: named fields, which the reconvergence engine declares. Traces
// and test benches read it without knowing the mechanism.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "model/types.h"

namespace smsim {

/// One field of the control state, as an engine declares it.
struct ControlField {
    enum class Kind : std::uint8_t {
        kAddress,         ///< a byte address
        kMask,            ///< a set of threads
        kNumber,          ///< a count, a flag, or one of `names`
        kThreadAddresses, ///< a byte address for each thread that has one
        kEntries,         ///< a list of entries with `columns`; in a stack the top is the last
    };
    std::string_view name; ///< as written in the engine's documentation
    Kind kind = Kind::kMask;
    /// The common name of a set of similar registers. They are initially 0, and only changes are of interest.
    std::string_view bank{};
    std::span<const ControlField> columns{};   ///< kEntries: of the kinds kAddress, kMask and kNumber
    std::span<const std::string_view> names{}; ///< kNumber: names of its values; empty: a plain number
};

/// The values of all fields of one warp at one point of time. An engine adds them in the order of `fields`.
struct ControlSnapshot {
    std::span<const ControlField> fields;
    /// One for each field: the address, bits of the mask, or number; for kThreadAddresses the mask of the threads that
    /// have one; for kEntries the number of entries.
    std::vector<std::uint64_t> values;
    /// Further values, field after field: for kThreadAddresses 32 addresses, by lane; for kEntries the columns of entry
    /// after entry.
    std::vector<std::uint64_t> lists;

    /// The part of `lists` for field number `field`; empty for a field of another kind.
    std::span<const std::uint64_t> list_of(std::size_t field) const {
        std::size_t begin = 0;
        for (std::size_t before = 0; before < field; ++before) {
            begin += list_length(before);
        }
        return std::span(lists).subspan(begin, list_length(field));
    }

    /// The value of a field of the kinds kAddress and kNumber.
    void add(std::uint64_t value) { values.push_back(value); }
    /// The value of a field of kind kMask.
    void add(LaneMask mask) { values.push_back(mask.bits()); }
    /// The value of a field of kind kThreadAddresses; those of threads outside `having` are meaningless.
    void add(LaneMask having, const std::array<Pc, kLanes> &addresses) {
        values.push_back(having.bits());
        lists.insert(lists.end(), addresses.begin(), addresses.end());
    }
    /// The value of a field of kind kEntries: `columns` of all entries.
    void add(std::size_t entries, std::span<const std::uint64_t> columns) {
        values.push_back(entries);
        lists.insert(lists.end(), columns.begin(), columns.end());
    }

  private:
    std::size_t list_length(std::size_t field) const {
        switch (fields[field].kind) {
        case ControlField::Kind::kThreadAddresses:
            return kLanes;
        case ControlField::Kind::kEntries:
            return values[field] * fields[field].columns.size();
        default:
            return 0;
        }
    }
};

/// Returns the present control state of a warp as its branch unit holds it. With an address: as it is once the unit is
/// notified that the warp has executed instructions of other units, up to the one before that address.
using ControlStateOf = std::function<ControlSnapshot(WarpSlot warp, std::optional<Pc> next)>;

} // namespace smsim
