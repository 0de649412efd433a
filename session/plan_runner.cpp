#include "session/plan_runner.h"

#include <fmt/format.h>

#include "model/launch/layout.h"

namespace smsim::session {
namespace {

class Runner {
  public:
    Runner(Session &session, const launch::Plan &plan, const PlanHost &host)
        : session_(session), plan_(plan), host_(host), layout_(launch::lay_out_buffers(plan.buffers)) {
        for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
            const launch::Argument &buffer = plan.buffers[i];
            session.map(layout_.addresses[i], buffer.bytes(), buffer.name);
            session.write(layout_.addresses[i], launch::initial_bytes(buffer));
        }
        session.place_local_memory(layout_.end);
        for (const launch::LaunchStep *step : launch::launch_steps(plan)) {
            const auto [program, kernel] = host.program_of(*step);
            session.require(*program, *kernel, step->launch);
        }
    }

    PlanResult run() {
        run_all(plan_.steps, 0);
        for (std::size_t i = 0; i < plan_.buffers.size(); ++i) {
            result_.buffers.push_back(bytes_of(i, 0, plan_.buffers[i].count));
        }
        return std::move(result_);
    }

  private:
    /// False: the plan has ended.
    bool run_all(const std::vector<launch::Step> &steps, std::uint64_t round) {
        for (const launch::Step &step : steps) {
            if (host_.stop && host_.stop()) {
                result_.stopped = true;
                return false;
            }
            if (!std::visit([&](const auto &action) { return run(step, action, round); }, step.action)) {
                return false;
            }
        }
        return true;
    }

    bool run(const launch::Step &step, const launch::LaunchStep &action, std::uint64_t round) {
        const auto [program, kernel] = host_.program_of(action);
        const launch::Launch what = launch::launch_at(action, round);
        const std::vector<std::uint64_t> addresses = launch::argument_addresses(plan_, action, layout_.addresses);
        const LaunchResult launched = session_.launch(*program, *kernel, what, addresses);
        if (host_.launched) {
            host_.launched({result_.launches, step.name, round, what, *program, *kernel, launched});
        }
        ++result_.launches;
        return launched.completed();
    }

    bool run(const launch::Step &, const launch::CopyStep &copy, std::uint64_t) {
        session_.write(address_of(copy.to, copy.to_offset), bytes_of(copy.from, copy.from_offset, copy.count));
        return true;
    }

    bool run(const launch::Step &, const launch::FillStep &fill, std::uint64_t) {
        session_.write(address_of(fill.buffer, fill.offset), launch::fill_bytes(plan_, fill));
        return true;
    }

    bool run(const launch::Step &step, const launch::CheckStep &action, std::uint64_t) {
        const launch::Argument &buffer = plan_.buffers[action.check.argument];
        result_.checks.push_back(
            {step.name, result_.launches,
             launch::check_buffer(buffer, action.check, bytes_of(action.check.argument, 0, buffer.count))});
        if (host_.checked) {
            host_.checked(result_.checks.back());
        }
        return true;
    }

    bool run(const launch::Step &step, const launch::RepeatStep &repeat, std::uint64_t) {
        for (std::uint64_t round = 0; round < repeat.times; ++round) {
            if (!run_all(repeat.steps, round)) {
                return false;
            }
            if (repeat.condition && !launch::holds(plan_, *repeat.condition, element_of(*repeat.condition))) {
                return true;
            }
        }
        if (repeat.condition) {
            result_.error =
                fmt::format("{}: the steps have been repeated {} times, and element {} of '{}' is not zero", step.place,
                            repeat.times, repeat.condition->element, plan_.buffers[repeat.condition->buffer].name);
        }
        return !repeat.condition;
    }

    std::uint64_t address_of(std::size_t buffer, std::uint64_t element) const {
        return layout_.addresses[buffer] + launch::byte_offset(plan_, buffer, element);
    }
    std::vector<std::uint8_t> bytes_of(std::size_t buffer, std::uint64_t element, std::uint64_t count) const {
        std::vector<std::uint8_t> bytes(launch::byte_offset(plan_, buffer, count));
        session_.read(address_of(buffer, element), bytes);
        return bytes;
    }
    std::vector<std::uint8_t> element_of(const launch::Condition &condition) const {
        return bytes_of(condition.buffer, condition.element, 1);
    }

    Session &session_;
    const launch::Plan &plan_;
    const PlanHost &host_;
    launch::BufferLayout layout_;
    PlanResult result_;
};

} // namespace

PlanResult run_plan(Session &session, const launch::Plan &plan, const PlanHost &host) {
    return Runner(session, plan, host).run();
}

} // namespace smsim::session
