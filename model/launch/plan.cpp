// The semantics of the steps of a plan: everything about a plan except reading its file.
#include "model/launch/plan.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <set>
#include <stdexcept>
#include <utility>

namespace smsim::launch {

namespace {

void collect(const std::vector<Step> &steps, std::vector<const LaunchStep *> &found) {
    for (const Step &step : steps) {
        if (const auto *launch = std::get_if<LaunchStep>(&step.action)) {
            found.push_back(launch);
        } else if (const auto *repeat = std::get_if<RepeatStep>(&step.action)) {
            collect(repeat->steps, found);
        }
    }
}

/// Files in the order in which the plan names them.
class FileList {
  public:
    template <typename Contents> void add(const Contents &contents) {
        const auto *file = std::get_if<FileData>(&contents);
        if (file != nullptr && known_.insert(file->path).second) {
            paths_.push_back(file->path);
        }
    }

    void add_steps(const std::vector<Step> &steps) {
        for (const Step &step : steps) {
            if (const auto *fill = std::get_if<FillStep>(&step.action)) {
                add(fill->init);
            } else if (const auto *check = std::get_if<CheckStep>(&step.action)) {
                add(check->check.expected);
            } else if (const auto *repeat = std::get_if<RepeatStep>(&step.action)) {
                add_steps(repeat->steps);
            }
        }
    }

    std::vector<std::string> take() { return std::move(paths_); }

  private:
    std::set<std::string> known_;
    std::vector<std::string> paths_;
};

} // namespace

Plan plan_of(Launch launch) {
    Plan plan;
    plan.path = launch.path;
    plan.settings = launch.settings;
    plan.code = launch.code;
    plan.single = launch;
    std::vector<Check> checks = std::exchange(launch.checks, {});
    std::vector<Dump> dumps = std::exchange(launch.dumps, {});
    LaunchStep step;
    for (Argument &argument : launch.arguments) {
        Binding binding;
        if (argument.is_buffer) {
            binding.buffer = plan.buffers.size();
            Init init = std::exchange(argument.init, Zeros{});
            plan.buffers.push_back(argument);
            plan.buffers.back().init = std::move(init);
        }
        step.bindings.push_back(binding);
    }
    const auto buffer_of = [&step](std::size_t argument) { return step.bindings.at(argument).buffer.value(); };
    std::vector<Step> behind;
    for (Check &check : checks) {
        check.argument = buffer_of(check.argument);
        std::string place = check.place;
        behind.push_back(Step{"", std::move(place), CheckStep{std::move(check)}});
    }
    for (Dump &dump : dumps) {
        dump.argument = buffer_of(dump.argument);
    }
    plan.dumps = std::move(dumps);
    step.launch = std::move(launch);
    plan.steps.push_back(Step{"", plan.path, std::move(step)});
    std::ranges::move(behind, std::back_inserter(plan.steps));
    return plan;
}

std::vector<const LaunchStep *> launch_steps(const Plan &plan) {
    std::vector<const LaunchStep *> found;
    collect(plan.steps, found);
    return found;
}

std::vector<std::string> data_files(const Plan &plan) {
    FileList files;
    for (const Argument &buffer : plan.buffers) {
        files.add(buffer.init);
    }
    files.add_steps(plan.steps);
    return files.take();
}

std::uint64_t executed_steps(std::span<const Step> steps) {
    std::uint64_t executed = 0;
    for (const Step &step : steps) {
        const auto *repeat = std::get_if<RepeatStep>(&step.action);
        executed += repeat == nullptr ? 1 : repeat->times * executed_steps(repeat->steps);
    }
    return executed;
}

std::uint64_t executed_launches(std::span<const Step> steps) {
    std::uint64_t executed = 0;
    for (const Step &step : steps) {
        if (const auto *repeat = std::get_if<RepeatStep>(&step.action)) {
            executed += repeat->times * executed_launches(repeat->steps);
        } else {
            executed += std::holds_alternative<LaunchStep>(step.action) ? 1 : 0;
        }
    }
    return executed;
}

Launch launch_at(const LaunchStep &step, std::uint64_t round) {
    Launch launch = step.launch;
    for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
        if (const std::optional<Value> &added = step.bindings.at(i).step) {
            Argument &argument = launch.arguments[i];
            argument.value = pattern_value(argument.type, Pattern{argument.value, *added, 0}, round);
        }
    }
    return launch;
}

std::vector<std::uint64_t> argument_addresses(const Plan &plan, const LaunchStep &step,
                                              std::span<const std::uint64_t> buffers) {
    if (buffers.size() != plan.buffers.size()) {
        throw std::invalid_argument("argument_addresses: one address per buffer is needed");
    }
    std::vector<std::uint64_t> addresses;
    for (const Binding &binding : step.bindings) {
        addresses.push_back(
            binding.buffer ? buffers[*binding.buffer] + byte_offset(plan, *binding.buffer, binding.offset) : 0);
    }
    return addresses;
}

std::uint64_t byte_offset(const Plan &plan, std::size_t buffer, std::uint64_t element) {
    return element * element_bytes(plan.buffers.at(buffer).type);
}

std::vector<std::uint8_t> fill_bytes(const Plan &plan, const FillStep &fill) {
    return contents(plan.buffers.at(fill.buffer).type, fill.count, fill.init, fill.place);
}

bool holds(const Plan &plan, const Condition &condition, std::span<const std::uint8_t> element) {
    const ElementType type = plan.buffers.at(condition.buffer).type;
    if (element.size() != element_bytes(type)) {
        throw std::invalid_argument("holds: the bytes of one element are needed");
    }
    std::uint64_t bits = 0;
    std::memcpy(&bits, element.data(), element.size());
    if (is_float(type)) {
        bits &= ~(std::uint64_t{1} << (8 * element.size() - 1)); // -0 is zero
    }
    return bits != 0;
}

} // namespace smsim::launch
