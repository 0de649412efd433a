// Takes any text as a launch file with one or several launches. An accepted file has the sizes it promises, refers to
// nothing that does not exist, and writes only into its output directory. A file accepted as one launch is also a plan
// of that launch.
#include <filesystem>

#include "model/error.h"
#include "model/launch/launch.h"
#include "model/launch/plan.h"
#include "model/text/utf8.h"
#include "tb/fuzz/hostile/target.h"

using namespace smsim;
namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kTried = 1U << 16; // larger buffers are not made here: they only take time

/// True if the contents come from a file outside the launch folder, which this target does not check.
template <typename Contents> bool reads_outside(const Contents &contents) {
    const auto *file = std::get_if<launch::FileData>(&contents);
    return file != nullptr && fs::path(file->path).parent_path() != fs::path(SMSIM_LAUNCH_FOLDER);
}

bool inside(std::uint64_t offset, std::uint64_t count, const launch::Argument &buffer) {
    return count != 0 && offset < buffer.count && count <= buffer.count - offset;
}

void hold_argument_block(const launch::Launch &launch) {
    const std::vector<std::uint64_t> addresses(launch.arguments.size(), ~std::uint64_t{0});
    hostile::hold(launch::parameter_bytes(launch, addresses).size() <= launch::kMaxParameterBytes,
                  "argument block within its limit");
    for (const launch::Argument &argument : launch.arguments) {
        hostile::hold(text::find_invalid_utf8(argument.name) == std::string_view::npos, "names in UTF-8");
    }
}

void hold_buffers(const std::vector<launch::Argument> &buffers) {
    for (const launch::Argument &buffer : buffers) {
        hostile::hold(buffer.is_buffer && buffer.count != 0, "buffers alone");
        hostile::hold(buffer.bytes() <= launch::kMaxBufferBytes, "buffer within its limit");
        hostile::hold(text::find_invalid_utf8(buffer.name) == std::string_view::npos, "names in UTF-8");
        if (buffer.bytes() <= kTried && !reads_outside(buffer.init)) {
            hostile::hold(launch::initial_bytes(buffer).size() == buffer.bytes(), "contents fill the buffer");
        }
    }
    hostile::hold(buffers.size() <= launch::kMaxPlanBuffers, "buffers within their limits");
}

void hold_check(const launch::Argument &buffer, const launch::Check &check) {
    hostile::hold(inside(check.offset, check.count, buffer), "check inside its buffer");
    if (buffer.bytes() <= kTried && !reads_outside(check.expected)) {
        const std::vector<std::uint8_t> zeros(buffer.bytes());
        hostile::hold(launch::check_buffer(buffer, check, zeros).compared == check.count, "all elements compared");
    }
}

void hold_dumps(const std::vector<launch::Dump> &dumps) {
    const fs::path output = "/output";
    for (const launch::Dump &dump : dumps) {
        const fs::path file = (output / dump.file).lexically_normal();
        hostile::hold(file.string().starts_with("/output/") && file.has_filename(), "dump inside the output directory");
    }
}

/// Checks the promises of each step and counts the steps.
class StepHolder {
  public:
    explicit StepHolder(const launch::Plan &plan) : plan_(plan) {}

    void hold(const std::vector<launch::Step> &steps, unsigned depth) {
        hostile::hold(!steps.empty() && depth <= launch::kMaxRepeatDepth, "steps within their depth");
        for (const launch::Step &step : steps) {
            hostile::hold(++count_ <= launch::kMaxSteps, "number of steps within its limit");
            hostile::hold(text::find_invalid_utf8(step.name) == std::string_view::npos, "names in UTF-8");
            depth_ = depth;
            std::visit([this](const auto &action) { hold(action); }, step.action);
        }
    }

  private:
    const launch::Argument &buffer(std::size_t index) const { return plan_.buffers.at(index); }

    void hold(const launch::LaunchStep &step) const {
        hostile::hold(step.bindings.size() == step.launch.arguments.size(), "one binding per argument");
        for (std::size_t i = 0; i < step.bindings.size(); ++i) {
            const launch::Binding &binding = step.bindings[i];
            hostile::hold(binding.buffer.has_value() == step.launch.arguments[i].is_buffer, "buffers are bound");
            hostile::hold(!binding.buffer || inside(binding.offset, 1, buffer(*binding.buffer)),
                          "argument inside its buffer");
            hostile::hold(!binding.step || depth_ != 0, "steps of scalars inside repeats");
        }
        for (const std::uint64_t round : {std::uint64_t{0}, launch::kMaxExecutedSteps}) {
            hold_argument_block(launch::launch_at(step, round));
        }
        const std::vector<std::uint64_t> addresses(plan_.buffers.size(), 1);
        hostile::hold(launch::argument_addresses(plan_, step, addresses).size() == step.bindings.size(),
                      "one address per argument");
    }
    void hold(const launch::CopyStep &copy) const {
        const launch::Argument &from = buffer(copy.from);
        const launch::Argument &to = buffer(copy.to);
        hostile::hold(inside(copy.from_offset, copy.count, from) && inside(copy.to_offset, copy.count, to),
                      "copy inside its buffers");
        hostile::hold(launch::element_bytes(from.type) == launch::element_bytes(to.type), "elements of one size");
        hostile::hold(copy.from != copy.to || copy.from_offset + copy.count <= copy.to_offset ||
                          copy.to_offset + copy.count <= copy.from_offset,
                      "copied ranges apart");
    }
    void hold(const launch::FillStep &fill) const {
        hostile::hold(inside(fill.offset, fill.count, buffer(fill.buffer)), "fill inside its buffer");
        const std::uint64_t bytes = launch::byte_offset(plan_, fill.buffer, fill.count);
        if (bytes <= kTried && !reads_outside(fill.init)) {
            hostile::hold(launch::fill_bytes(plan_, fill).size() == bytes, "contents fill the range");
        }
    }
    void hold(const launch::CheckStep &step) const { hold_check(buffer(step.check.argument), step.check); }
    void hold(const launch::RepeatStep &repeat) {
        hostile::hold(repeat.times >= 1, "repeats run");
        if (repeat.condition) {
            hostile::hold(inside(repeat.condition->element, 1, buffer(repeat.condition->buffer)),
                          "condition inside its buffer");
        }
        hold(repeat.steps, depth_ + 1);
    }

    const launch::Plan &plan_;
    std::size_t count_ = 0;
    unsigned depth_ = 0; ///< of the step being checked
};

void hold_plan(const launch::Plan &plan) {
    hold_buffers(plan.buffers);
    StepHolder(plan).hold(plan.steps, 0);
    hostile::hold(launch::executed_steps(plan.steps) <= launch::kMaxExecutedSteps, "executions within their limit");
    hostile::hold(!launch::launch_steps(plan).empty(), "a plan launches");
    for (const launch::Dump &dump : plan.dumps) {
        hostile::hold(dump.argument < plan.buffers.size(), "dump of a buffer");
    }
    hold_dumps(plan.dumps);
}

/// Checks one launch and the plan made of it.
bool is_launch(const std::string &text, const std::string &file) {
    try {
        const launch::Launch launch = launch::parse_launch(text, file);
        hold_argument_block(launch);
        for (const launch::Check &check : launch.checks) {
            hold_check(launch.arguments.at(check.argument), check);
        }
        hold_dumps(launch.dumps);
    } catch (const InputError &) {
        return false;
    }
    return true;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    const std::string text(hostile::text_of(data, size));
    const std::string file = SMSIM_LAUNCH_FOLDER "/launch.yaml";
    const bool one = is_launch(text, file);
    launch::Plan plan;
    try {
        plan = launch::parse_plan(text, file);
    } catch (const InputError &) {
        hostile::hold(!one, "a launch is a plan");
        return 0;
    }
    hold_plan(plan);
    return 0;
}
