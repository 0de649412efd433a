// Recordings for tests: made by runs, then read, changed and replayed.
#pragma once

#include <functional>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "cosim/transactions/golden.h"
#include "cosim/transactions/replay.h"
#include "model/config/loader.h"
#include "model/transactions/file.h"
#include "tb/support/child_process.h"
#include "tb/support/kernel_launch.h"

namespace smsim::test {

using cosim::transactions::replay_into_golden;
using cosim::transactions::replay_into_parts;
using transactions::File;
using transactions::Part;
using transactions::Record;

inline constexpr Part kAllParts[] = {Part::kBru, Part::kBcu, Part::kTimer, Part::kShared};

/// The settings that select `implementation` for all four parts.
inline std::vector<std::string> all_parts(const std::string &implementation) {
    std::vector<std::string> settings;
    for (const Part part : kAllParts) {
        settings.push_back(std::string(part_name(part)) + ".implementation=" + implementation);
    }
    return settings;
}

inline std::string in_tree(const std::string &path) {
    return std::string(SMSIM_SOURCE_DIR) + "/" + path;
}

/// Runs a launch file of one launch in a separate process and records it to `file`.
inline void record(const std::string &launch, const std::vector<std::string> &settings, const std::string &file,
                   bool reverse_order = false) {
    ASSERT_TRUE(run_in_child([&] {
        KernelLaunch loaded;
        load(loaded, launch, settings);
        session::Options options;
        options.transactions = file;
        options.reverse_order = reverse_order;
        const session::SimulationResult result =
            session::simulate(loaded.config, loaded.program, *loaded.kernel, loaded.launch, options);
        if (!result.file_errors.empty()) {
            throw InputError(result.file_errors.front());
        }
    })) << launch;
}

/// A launch file in `folder` for a program given as text.
inline std::string launch_of(const TemporaryFolder &folder, const std::string &program,
                             const std::string &shape = "grid: 1\nblock: 32\n") {
    write_file(folder / "k.sasm", program);
    write_file(folder / "k.yaml", "program: k.sasm\n" + shape);
    return folder / "k.yaml";
}

/// All records of a part.
inline std::vector<Record> records_of(const File &file, Part part) {
    std::vector<Record> records;
    transactions::RecordStream stream = file.stream(part);
    while (auto one = stream.next()) {
        records.push_back(std::move(*one));
    }
    return records;
}

/// A recording in which the records of one part are changed.
inline File changed(const File &file, Part part, const std::function<void(std::vector<Record> &)> &change) {
    std::ostringstream stream;
    transactions::FileWriter writer(stream, file.config());
    for (const Part one : kAllParts) {
        std::vector<Record> records = records_of(file, one);
        if (one == part) {
            change(records);
        }
        for (const Record &record : records) {
            writer.add(one, record);
        }
    }
    writer.finish(file.last());
    const std::string bytes = stream.str();
    return {{bytes.begin(), bytes.end()}, file.name()};
}

/// The configuration of a recording, with `settings`.
inline Config config_of(const File &file, const std::vector<std::string> &settings = {}) {
    return parse_config(file.config(), file.name(), settings);
}

/// "bru 17: what differs"; empty if nothing differs.
inline std::string outcome(const cosim::transactions::ReplayResult &result) {
    return result.difference ? std::string(part_name(result.difference->part)) + " " +
                                   std::to_string(result.difference->number) + ": " + result.difference->text
                             : "";
}

inline std::string into_golden(const File &file) {
    return outcome(replay_into_golden(file, config_of(file), kAllParts));
}

/// Answers of a replay, and those that were not in their cycle.
inline std::pair<std::uint64_t, std::uint64_t> answers_of(const cosim::transactions::ReplayResult &result) {
    std::pair<std::uint64_t, std::uint64_t> count;
    for (const auto &part : result.parts) {
        for (const auto &[operation, apart] : part.cycles_apart) {
            const auto [answers, together] = count_answers(apart);
            count.first += answers;
            count.second += answers - together;
        }
    }
    return count;
}

} // namespace smsim::test
