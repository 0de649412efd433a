// What a run of several launches executes: steps in their order on shared buffers, and what to keep afterwards. Read
// from a launch file (docs/launch-files.md); independent of the model that runs it. Every launch file is a plan: one of
// a single launch has one launch step, followed by its checks as steps.
//
// Code that runs a plan allocates `buffers` (layout.h) and writes `initial_bytes` of each; then, step by step, launches
// `launch_at` with `argument_addresses`, copies, writes `fill_bytes`, passes the bytes of a checked buffer to
// `check_buffer(plan.buffers[check.argument], ...)`, and repeats.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "model/launch/launch.h"

namespace smsim::launch {

/// Limits of a plan; a launch file beyond them is rejected.
inline constexpr std::size_t kMaxPlanBuffers = 4096;
inline constexpr std::size_t kMaxSteps = 4096;                ///< in the file, including those inside repeats
inline constexpr unsigned kMaxRepeatDepth = 4;                ///< depth of nested repeats
inline constexpr std::uint64_t kMaxExecutedSteps = 1'000'000; ///< when every repeat runs to its bound

/// What one argument of a launch step refers to.
struct Binding {
    std::optional<std::size_t> buffer; ///< index into Plan::buffers; none: a scalar
    std::uint64_t offset = 0;          ///< element of the buffer whose address the kernel gets
    std::optional<Value> step;         ///< of a scalar: added in each round of the innermost repeat
};

/// One launch. Its buffer arguments have their names in this launch, and the type and count of the plan's buffer, but
/// no contents; there are no checks and dumps. `launch.path` is the place of the step, for messages; in a file of a
/// single launch it is the file.
struct LaunchStep {
    Launch launch;
    std::vector<Binding> bindings; ///< one per argument
};

/// Copies elements between two buffers, or between two ranges of one that do not overlap. Elements have the same size
/// on both sides; their bits are copied.
struct CopyStep {
    std::size_t from = 0;          ///< index into Plan::buffers
    std::size_t to = 0;            ///< index into Plan::buffers
    std::uint64_t from_offset = 0; ///< elements
    std::uint64_t to_offset = 0;   ///< elements
    std::uint64_t count = 0;       ///< elements, at least 1
};

/// Overwrites elements of a buffer; element 0 of `init` goes to `offset`.
struct FillStep {
    std::size_t buffer = 0;   ///< index into Plan::buffers
    std::uint64_t offset = 0; ///< elements
    std::uint64_t count = 0;  ///< elements, at least 1
    Init init;
    std::string place;
};

/// Compares elements of a buffer; `check.argument` is an index into Plan::buffers.
struct CheckStep {
    Check check;
};

/// Holds while an element of a buffer is not zero.
struct Condition {
    std::size_t buffer = 0;    ///< index into Plan::buffers
    std::uint64_t element = 0; ///< read after each round
};

struct Step;

/// Runs `steps` once, and then repeats them: without a condition until they have run `times` times; with one, as long
/// as it holds after a round. A condition that still holds after `times` rounds is an error of the run.
struct RepeatStep {
    std::vector<Step> steps; ///< at least one
    std::uint64_t times = 1;
    std::optional<Condition> condition;
};

/// One step of a plan.
struct Step {
    std::string name; ///< for reports: unique among the steps; empty when the file gives none
    std::string place;
    std::variant<LaunchStep, CopyStep, FillStep, CheckStep, RepeatStep> action;
};

/// A plan as read and checked. Everything that it names exists, and every range is inside its buffer.
struct Plan {
    std::string path;              ///< the launch file, as given
    std::vector<Argument> buffers; ///< all with is_buffer
    std::vector<Step> steps;       ///< with at least one launch among them
    std::vector<Dump> dumps;       ///< `argument` is an index into `buffers`; after the last step
    std::vector<Setting> settings; ///< as those of a launch, for all launches
    CodeOptions code;              ///< likewise, for the programs that are compiled
    std::optional<Launch> single;  ///< for a file of a single launch: the result of load_launch
};

/// Reads a launch file, of one launch or of several. Throws InputError "file:line:column: cause" as load_launch does,
/// and for missing buffers, copies between elements of different sizes, ranges outside their buffer, repeats without a
/// bound, and plans beyond the limits above. `changes` are applied first (model/launch/changes.h).
Plan load_plan(const std::string &path, std::span<const std::string> changes = {});

/// As load_plan, from text; paths inside are resolved against the folder of `file`.
Plan parse_plan(std::string_view text, const std::string &file);

/// A single launch as a plan: its buffers in their order (so that their addresses are as for the launch alone), the
/// launch, its checks, its dumps.
Plan plan_of(Launch launch);

/// The launch steps in the order of the file, including those inside repeats; valid as long as `plan` lives unchanged.
std::vector<const LaunchStep *> launch_steps(const Plan &plan);

/// The data files that a run of the plan reads, each once: contents of buffers and of fills, expected contents.
std::vector<std::string> data_files(const Plan &plan);

/// Steps executed when every repeat runs to its bound; a repeat itself does not count, but its steps count once per
/// round.
std::uint64_t executed_steps(std::span<const Step> steps);
/// Launches among them.
std::uint64_t executed_launches(std::span<const Step> steps);

/// The launch as it is in round `round` (from 0) of the innermost repeat around it: scalars with a step become value +
/// step * round, integers modulo 2^bits, floats in double precision and then rounded to their type.
Launch launch_at(const LaunchStep &step, std::uint64_t round);

/// One address per argument of the launch, for parameter_bytes: those of its buffers, 0 for scalars. `buffers` has the
/// address of each buffer of the plan. Throws std::invalid_argument for a wrong length.
std::vector<std::uint64_t> argument_addresses(const Plan &plan, const LaunchStep &step,
                                              std::span<const std::uint64_t> buffers);

/// Bytes from the beginning of buffer `buffer` of the plan to its element `element`.
std::uint64_t byte_offset(const Plan &plan, std::size_t buffer, std::uint64_t element);

/// The bytes that the fill writes from its offset on. Throws InputError when its file cannot be read or its size has
/// changed since the launch file was read.
std::vector<std::uint8_t> fill_bytes(const Plan &plan, const FillStep &fill);

/// Whether the condition holds for the bytes of its element: an integer that is not 0, a float that is neither 0 nor
/// -0 (NaN is not zero). Throws std::invalid_argument when `element` does not have the size of one element.
bool holds(const Plan &plan, const Condition &condition, std::span<const std::uint8_t> element);

} // namespace smsim::launch
