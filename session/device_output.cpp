#include "session/device_output.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "model/program/device_output.h"

namespace smsim::session {

void take_output(MemoryBackend &memory, const Program &program, LaunchResult &result) {
    const auto header = device_output::header_of(program);
    if (!header) {
        return;
    }
    std::array<std::uint64_t, device_output::kHeaderBytes / 8> words{};
    const auto bytes_of = [](auto &values) {
        return std::span(reinterpret_cast<std::uint8_t *>(values.data()), values.size() * sizeof values[0]);
    };
    memory.read(*header, bytes_of(words));
    const std::uint64_t area = words[device_output::kAreaOffset / 8];
    const std::uint64_t used =
        std::min(words[device_output::kUsedOffset / 8], words[device_output::kCapacityOffset / 8]);
    const std::uint64_t end = kGlobalDataBase + program.global_data_bytes;
    device_output::Output output;
    if (area < kGlobalDataBase || area > end || used > end - area) {
        output.broken = true;
    } else if (used != 0) {
        std::vector<std::uint8_t> records(used);
        memory.read(area, records);
        output = device_output::read_records(records, used);
        std::ranges::fill(records, std::uint8_t{0});
        memory.write(area, records);
        std::array<std::uint64_t, 2> counters{};
        output.lost = words[device_output::kLostOffset / 8];
        memory.write(*header + device_output::kUsedOffset, bytes_of(counters));
    }
    result.printed = std::move(output.text);
    if (output.lost != 0) {
        result.printed += fmt::format("({} more texts or assertions found no room)\n", output.lost);
    }
    if (output.broken) {
        result.printed += "(the program has written over what it printed)\n";
    }
    if (result.fault == Fault::kTrap && !output.assertions.empty()) {
        result.exception += "\n  " + output.assertions.front().text();
        if (output.assertions.size() > 1) {
            result.exception += fmt::format("; {} threads more", output.assertions.size() - 1);
        }
    }
}

} // namespace smsim::session
