// What is known of configurations in comparison with silicon: how closely the model matches published measurements, and
// how a run's configuration and instructions compare with what was measured (docs/accuracy.md "What a report says").
// The record is configs/validation.json, which the build embeds.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/config/config.h"
#include "model/program/program.h"
#include "model/stats/statistics.h"

namespace smsim::validation {

/// Errors of the model against published points, as absolute values in percent. Without points nothing is known.
struct PointFigures {
    std::uint64_t points = 0;
    double median = 0;
    double p90 = 0; ///< nine tenths of the errors are no larger
};

/// A configuration with which points of its generation were measured.
struct ValidatedConfiguration {
    std::string file;                 ///< its name in configs/
    std::string generation;           ///< compute capability
    std::vector<std::string> devices; ///< the devices of the points
    PointFigures all;
    std::vector<PointFigures> kinds; ///< index: kind of instructions
    std::uint64_t ctas = 0;          ///< maximum on the SM at a time in the programs of its points
    std::uint64_t warps = 0;         ///< likewise
    bool diverged = false;           ///< some of these programs have branches that diverge
    Config config;
};

/// Everything that is known.
struct Record {
    std::vector<std::string> kinds;         ///< names of the kinds of instructions
    std::array<std::size_t, 256> kind_of{}; ///< by operation number
    std::vector<ValidatedConfiguration> configurations;
};

/// Reads a record. Throws InputError when it is not JSON of the expected layout, names an unknown operation or key, or
/// leaves an operation without a kind.
Record parse_record(std::string_view json);

/// The record embedded in this build. Read once.
const Record &embedded_record();

/// A key that was validated with another value.
struct DifferingKey {
    std::string_view key;
    std::string value;
    std::string validated;
};

/// How a configuration relates to the validated ones.
enum class Standing : std::uint8_t {
    kValidated, ///< all values that time depends on equal those of a validated one, whatever its file is called
    kChanged,   ///< its file has the name of a validated one, and values differ
    kNot,
};

struct Comparison {
    Standing standing = Standing::kNot;
    /// The equal one, the one of that name, or the one with the fewest differing keys; null: nothing is validated.
    const ValidatedConfiguration *nearest = nullptr;
    std::vector<DifferingKey> keys; ///< compared with `nearest`, in the order of `Config`
};

/// Compares all keys except those without influence on time (watchdog and hazard checker). `file` is the path from
/// which the configuration was read, empty for the defaults. The result refers to `record`.
Comparison compare(const Record &record, const Config &config, const std::string &file);

/// What a run did, as far as validation needs it.
struct Usage {
    std::vector<std::uint64_t> issued; ///< warp instructions by kind; empty without a program
    std::uint64_t ctas = 0;            ///< maximum on the SM at a time
    std::uint64_t warps = 0;           ///< likewise
    std::uint64_t beyond_l1 = 0;       ///< reads and atomics of global memory
    std::uint64_t diverged = 0;        ///< executions of branches that split their warp

    /// Adds what a further launch did.
    void add(const Usage &other);
};

/// The usage of a run of `program`; null: its instructions are unknown.
Usage usage_of(const Record &record, const RunStats &stats, const Program *program);

} // namespace smsim::validation
