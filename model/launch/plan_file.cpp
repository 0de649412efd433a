// Reads a launch file into a Plan and rejects what cannot be run, with the place in the file.
#include "model/launch/plan.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "model/launch/changes.h"
#include "model/launch/launch_file.h"
#include "model/launch/read_compile.h"
#include "model/launch/read_contents.h"
#include "model/launch/read_launch.h"
#include "model/launch/read_values.h"
#include "model/text/yaml.h"

namespace smsim::launch {

namespace {

/// Reads one file of several launches; holds what its steps refer to.
class PlanReader {
  public:
    explicit PlanReader(const std::string &file) : folder_(file) { plan_.path = file; }

    Plan read(const yaml::Node &root) {
        static constexpr std::array<std::string_view, 6> kKeys = {"program", "buffers", "steps",
                                                                  "dump",    "set",     "compile"};
        yaml::require_keys(root, kKeys, "a launch file with steps");
        if (const yaml::Node *program = root.find("program")) {
            program_ = folder_.file(*program, "program");
        }
        if (const yaml::Node *settings = root.find("set")) {
            plan_.settings = read_settings(*settings);
        }
        if (const yaml::Node *buffers = root.find("buffers")) {
            read_buffers(*buffers);
        }
        const yaml::Node &steps = need(root, "steps", "a launch file with buffers");
        plan_.steps = read_steps(steps, 0);
        require_few_executed(steps, executed_steps(plan_.steps));
        if (launch_steps(plan_).empty()) {
            yaml::fail(steps, "the steps have no launch among them");
        }
        if (const yaml::Node *compile = root.find("compile")) {
            std::vector<std::string> programs;
            for (const LaunchStep *step : launch_steps(plan_)) {
                programs.push_back(step->launch.program);
            }
            plan_.code = read_compile(*compile, programs);
        }
        if (const yaml::Node *dumps = root.find("dump")) {
            plan_.dumps = read_dumps(*dumps, table_);
        }
        return std::move(plan_);
    }

  private:
    void read_buffers(const yaml::Node &list) {
        static constexpr std::array<std::string_view, 4> kKeys = {"name", "type", "count", "init"};
        for (const yaml::Node &node : need_list(list, "buffers")) {
            yaml::require_keys(node, kKeys, "a buffer");
            Argument buffer;
            buffer.place = node.place;
            const yaml::Node &name = need(node, "name", "a buffer");
            buffer.name = yaml::to_text(name, "name");
            buffer.type = read_type(need(node, "type", "a buffer"));
            read_buffer(node, folder_, buffer);
            if (table_.contains(buffer.name)) {
                yaml::fail(name, fmt::format("a second buffer named '{}'", buffer.name));
            }
            table_.add(buffer, plan_.buffers.size());
            plan_.buffers.push_back(std::move(buffer));
            if (plan_.buffers.size() > kMaxPlanBuffers) {
                yaml::fail(node, fmt::format("more than {} buffers", kMaxPlanBuffers));
            }
        }
    }

    /// `depth`: number of repeats around the list.
    std::vector<Step> read_steps(const yaml::Node &list, unsigned depth) {
        std::vector<Step> steps;
        for (const yaml::Node &node : need_list(list, "steps")) {
            if (++count_ > kMaxSteps) {
                yaml::fail(node, fmt::format("more than {} steps", kMaxSteps));
            }
            steps.push_back(read_step(node, depth));
        }
        if (steps.empty()) {
            yaml::fail(list, "steps must hold at least one step");
        }
        return steps;
    }

    Step read_step(const yaml::Node &node, unsigned depth) {
        static constexpr std::array<std::string_view, 6> kKeys = {"launch", "copy", "fill", "check", "repeat", "name"};
        yaml::require_keys(node, kKeys, "a step");
        Step step;
        step.place = node.place;
        if (const yaml::Node *name = node.find("name")) {
            step.name = yaml::to_text(*name, "name");
            if (!step_names_.insert(step.name).second) {
                yaml::fail(*name, fmt::format("a second step named '{}'", step.name));
            }
        }
        if (node.members.size() != (step.name.empty() ? 1 : 2)) {
            yaml::fail(node, "a step needs exactly one of 'launch', 'copy', 'fill', 'check' and 'repeat'");
        }
        if (const yaml::Node *launch = node.find("launch")) {
            step.action = read_launch_step(*launch, step.place, depth);
        } else if (const yaml::Node *copy = node.find("copy")) {
            step.action = read_copy(*copy);
        } else if (const yaml::Node *fill = node.find("fill")) {
            step.action = read_fill(*fill);
        } else if (const yaml::Node *check = node.find("check")) {
            step.action = CheckStep{read_check(*check, plan_.buffers, table_, folder_)};
        } else {
            step.action = read_repeat(need(node, "repeat", "a step"), depth);
        }
        return step;
    }

    LaunchStep read_launch_step(const yaml::Node &node, const std::string &place, unsigned depth) {
        static constexpr std::array<std::string_view, 6> kKeys = {"program", "kernel",         "grid",
                                                                  "block",   "dynamic_shared", "arguments"};
        yaml::require_keys(node, kKeys, "a launch");
        LaunchStep step;
        step.launch.path = place;
        if (const yaml::Node *program = node.find("program")) {
            step.launch.program = folder_.file(*program, "program");
        } else if (!program_.empty()) {
            step.launch.program = program_;
        } else {
            yaml::fail(node, "a launch needs the key 'program', here or at the top of the file");
        }
        if (const yaml::Node *kernel = node.find("kernel")) {
            step.launch.kernel = yaml::to_text(*kernel, "kernel");
        }
        read_shape(node, "a launch", step.launch);
        if (const yaml::Node *arguments = node.find("arguments")) {
            read_arguments(*arguments, depth, step);
        }
        return step;
    }

    void read_arguments(const yaml::Node &list, unsigned depth, LaunchStep &step) {
        std::set<std::string> names;
        for (const yaml::Node &node : need_list(list, "arguments")) {
            if (step.bindings.size() >= kMaxParameterBytes) {
                yaml::fail(node, fmt::format("more than {} arguments", kMaxParameterBytes));
            }
            Argument argument;
            argument.place = node.place;
            step.bindings.push_back(node.find("buffer") != nullptr ? read_buffer_argument(node, argument)
                                                                   : read_scalar(node, depth, argument));
            if (const yaml::Node *name = node.find("name")) {
                argument.name = yaml::to_text(*name, "name");
                if (!names.insert(argument.name).second) {
                    yaml::fail(*name, fmt::format("a second argument named '{}'", argument.name));
                }
            } else if (!argument.is_buffer) {
                argument.name = fmt::format("argument {}", step.bindings.size());
            }
            step.launch.arguments.push_back(std::move(argument));
        }
        require_argument_block(list, step.launch);
    }

    Binding read_buffer_argument(const yaml::Node &node, Argument &argument) const {
        static constexpr std::array<std::string_view, 3> kKeys = {"buffer", "offset", "name"};
        yaml::require_keys(node, kKeys, "an argument that is a buffer");
        Binding binding;
        binding.buffer = table_.find(need(node, "buffer", "an argument"));
        const Argument &buffer = plan_.buffers[*binding.buffer];
        binding.offset = read_offset(node, "offset", buffer);
        argument.name = buffer.name;
        argument.type = buffer.type;
        argument.is_buffer = true;
        argument.count = buffer.count;
        return binding;
    }

    static Binding read_scalar(const yaml::Node &node, unsigned depth, Argument &argument) {
        static constexpr std::array<std::string_view, 6> kAll = {"name", "type", "value", "step", "buffer", "offset"};
        static constexpr std::array<std::string_view, 4> kKeys = {"name", "type", "value", "step"};
        yaml::require_keys(node, kAll, "an argument");
        const yaml::Node *value = node.find("value");
        if (value == nullptr) {
            yaml::fail(node, "an argument needs either 'type' and 'value' (a scalar) or 'buffer'");
        }
        yaml::require_keys(node, kKeys, "an argument that is a scalar");
        argument.type = read_type(need(node, "type", "an argument that is a scalar"));
        argument.value = read_value(*value, argument.type, "value");
        Binding binding;
        if (const yaml::Node *step = node.find("step")) {
            if (depth == 0) {
                yaml::fail(*step, "step is added once per round of a repeat, but no repeat is around this launch");
            }
            binding.step = launch::read_step(*step, argument.type);
        }
        return binding;
    }

    static std::uint64_t read_offset(const yaml::Node &node, const std::string &key, const Argument &buffer) {
        const yaml::Node *offset = node.find(key);
        return offset == nullptr ? 0 : yaml::to_unsigned(*offset, key, 0, buffer.count - 1);
    }

    CopyStep read_copy(const yaml::Node &node) const {
        static constexpr std::array<std::string_view, 5> kKeys = {"from", "to", "from_offset", "to_offset", "count"};
        yaml::require_keys(node, kKeys, "a copy");
        CopyStep copy;
        copy.from = table_.find(need(node, "from", "a copy"), "from");
        copy.to = table_.find(need(node, "to", "a copy"), "to");
        const Argument &from = plan_.buffers[copy.from];
        const Argument &to = plan_.buffers[copy.to];
        if (element_bytes(from.type) != element_bytes(to.type)) {
            yaml::fail(node, fmt::format("elements of different sizes: '{}' is {}, '{}' is {}", from.name,
                                         element_name(from.type), to.name, element_name(to.type)));
        }
        copy.from_offset = read_offset(node, "from_offset", from);
        copy.to_offset = read_offset(node, "to_offset", to);
        const std::uint64_t readable = from.count - copy.from_offset;
        const std::uint64_t writable = to.count - copy.to_offset;
        if (const yaml::Node *count = node.find("count")) {
            copy.count = yaml::to_unsigned(*count, "count", 1, std::min(readable, writable));
        } else if (readable == writable) {
            copy.count = readable;
        } else {
            yaml::fail(node, fmt::format("'count' is needed: '{}' has {} elements from element {} on, '{}' has {} from "
                                         "element {} on",
                                         from.name, readable, copy.from_offset, to.name, writable, copy.to_offset));
        }
        const std::uint64_t distance =
            std::max(copy.from_offset, copy.to_offset) - std::min(copy.from_offset, copy.to_offset);
        if (copy.from == copy.to && distance < copy.count) {
            yaml::fail(node, fmt::format("the elements read and those written overlap in '{}'", from.name));
        }
        return copy;
    }

    FillStep read_fill(const yaml::Node &node) const {
        static constexpr std::array<std::string_view, 4> kKeys = {"buffer", "offset", "count", "init"};
        yaml::require_keys(node, kKeys, "a fill");
        FillStep fill;
        fill.place = node.place;
        fill.buffer = table_.find(need(node, "buffer", "a fill"));
        const Argument &buffer = plan_.buffers[fill.buffer];
        fill.offset = read_offset(node, "offset", buffer);
        const std::uint64_t rest = buffer.count - fill.offset;
        std::uint64_t given = 0;
        if (const yaml::Node *init = node.find("init")) {
            fill.init = read_init(*init, buffer.type, folder_, given);
        }
        fill.count = given != 0 ? given : rest;
        if (const yaml::Node *count = node.find("count")) {
            fill.count = yaml::to_unsigned(*count, "count", 1, rest);
            if (given != 0 && given != fill.count) {
                yaml::fail(*count, fmt::format("init gives {} elements, count says {}", given, fill.count));
            }
        }
        if (fill.count > rest) {
            yaml::fail(node, fmt::format("init gives {} elements, but buffer '{}' has {} from element {} on",
                                         fill.count, buffer.name, rest, fill.offset));
        }
        return fill;
    }

    RepeatStep read_repeat(const yaml::Node &node, unsigned depth) {
        static constexpr std::array<std::string_view, 4> kKeys = {"times", "while", "at_most", "steps"};
        yaml::require_keys(node, kKeys, "a repeat");
        if (depth == kMaxRepeatDepth) {
            yaml::fail(node, fmt::format("more than {} nested repeats", kMaxRepeatDepth));
        }
        const yaml::Node *times = node.find("times");
        const yaml::Node *condition = node.find("while");
        const yaml::Node *at_most = node.find("at_most");
        if ((times != nullptr) == (condition != nullptr) || (condition != nullptr) != (at_most != nullptr)) {
            yaml::fail(node, "a repeat needs either 'times', or 'while' together with its bound 'at_most'");
        }
        RepeatStep repeat;
        if (times != nullptr) {
            repeat.times = yaml::to_unsigned(*times, "times", 1, kMaxExecutedSteps);
        } else {
            repeat.times = yaml::to_unsigned(*at_most, "at_most", 1, kMaxExecutedSteps);
            repeat.condition = read_condition(*condition);
        }
        repeat.steps = read_steps(need(node, "steps", "a repeat"), depth + 1);
        // Checked at each repeat: the steps inside are within the limit, so that the product cannot overflow.
        require_few_executed(node, repeat.times * executed_steps(repeat.steps));
        return repeat;
    }

    Condition read_condition(const yaml::Node &node) const {
        static constexpr std::array<std::string_view, 2> kKeys = {"buffer", "element"};
        yaml::require_keys(node, kKeys, "the condition of a repeat");
        Condition condition;
        condition.buffer = table_.find(need(node, "buffer", "the condition of a repeat"));
        condition.element = read_offset(node, "element", plan_.buffers[condition.buffer]);
        return condition;
    }

    static void require_few_executed(const yaml::Node &node, std::uint64_t executed) {
        if (executed > kMaxExecutedSteps) {
            yaml::fail(node, fmt::format("up to {} steps would be executed; at most {} are possible", executed,
                                         kMaxExecutedSteps));
        }
    }

    Folder folder_;
    Plan plan_;
    std::string program_; ///< of launches that name none
    BufferTable table_;
    std::set<std::string> step_names_;
    std::size_t count_ = 0; ///< steps so far
};

Plan read_plan(const yaml::Node &root, const std::string &file) {
    return has_several_launches(root) ? PlanReader(file).read(root) : plan_of(read_launch(root, file));
}

} // namespace

Plan load_plan(const std::string &path, std::span<const std::string> changes) {
    yaml::Node root = yaml::parse_file(path);
    apply_changes(root, changes);
    return read_plan(root, path);
}

Plan parse_plan(std::string_view text, const std::string &file) {
    return read_plan(yaml::parse(text, file), file);
}

} // namespace smsim::launch
