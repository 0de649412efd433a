// Assembly text after parsing, before labels have addresses.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assembler/instruction_builder.h"

namespace smsim::assembler {

/// Whether the scheduler pass sets the control fields of a stretch of code (directive `.schedule`).
enum class ScheduleMode : std::uint8_t {
    kUnsaid, ///< it does if no control field is written there
    kAuto,   ///< it does; control fields must not be written
    kManual, ///< it does not; control fields are as written
    kDone,   ///< it does not, because it has set the written ones
};

/// A stretch of code from one `.kernel` or `.endkernel` to the next.
struct Region {
    std::size_t first = 0; ///< index of its first instruction
    std::size_t last = 0;  ///< index after its last instruction
    Place place;
    ScheduleMode schedule = ScheduleMode::kUnsaid;
    bool is_kernel = false;
    std::string_view name;
    std::optional<std::uint32_t> registers;
    std::uint32_t shared_bytes = 0;
    std::uint32_t local_bytes = 0;
    std::optional<std::uint32_t> parameter_bytes;
    std::uint32_t most_threads = 0;
    std::array<std::uint32_t, 3> block{};
};

struct Label {
    std::string_view name;
    std::size_t instruction = 0; ///< index of the instruction after it
};

/// A number in a data section whose value waits for labels.
struct DataItem {
    std::optional<std::uint8_t> bank; ///< constant bank; none: the global data
    std::size_t offset = 0;
    unsigned bytes = 0;
    Expression expression;
};

struct Source {
    std::optional<std::string_view> engine; ///< `.engine`
    std::vector<ParsedInstruction> code;
    std::vector<Region> regions;
    std::vector<Label> labels;                             ///< code labels in the order of the text
    std::map<std::string_view, std::size_t> label_index;   ///< name to instruction index
    std::map<std::string_view, std::uint64_t> data_labels; ///< name to byte offset in its bank, or global address
    std::map<std::string_view, Expression> constants;      ///< `.equ`
    std::map<std::uint8_t, std::vector<std::uint8_t>> banks;
    std::vector<std::uint8_t> global_data; ///< up to the last byte written as a number
    std::uint64_t global_data_bytes = 0;
    std::vector<DataItem> data;
};

/// Parses tokens into `Source`; errors go to `diagnostics`.
Source parse_source(const std::vector<Token> &tokens, Diagnostics &diagnostics);

} // namespace smsim::assembler
