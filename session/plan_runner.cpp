#include "session/plan_runner.h"

#include <algorithm>

#include <fmt/format.h>

#include "model/launch/contents.h"
#include "model/launch/layout.h"
#include "session/buffers.h"

namespace smsim::session {
namespace {

class Runner {
  public:
    Runner(Session &session, const launch::Plan &plan, const PlanHost &host)
        : session_(session), plan_(plan), host_(host), layout_(launch::lay_out_buffers(plan.buffers)) {
        result_.stopped = !make_buffers(session, plan.buffers, layout_);
        for (const launch::LaunchStep *step : launch::launch_steps(plan)) {
            const auto [program, kernel] = host.program_of(*step);
            session.require(*program, *kernel, step->launch);
        }
    }

    PlanResult run() {
        if (!result_.stopped) {
            run_all(plan_.steps, 0);
        }
        result_.addresses = layout_.addresses;
        return std::move(result_);
    }

  private:
    /// False: the plan has ended.
    bool run_all(const std::vector<launch::Step> &steps, std::uint64_t round) {
        for (const launch::Step &step : steps) {
            if (is_stopped()) {
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
        const std::uint64_t from = address_of(copy.from, copy.from_offset);
        const std::uint64_t to = address_of(copy.to, copy.to_offset);
        const std::uint64_t bytes = launch::byte_offset(plan_, copy.from, copy.count);
        std::vector<std::uint8_t> piece;
        for (std::uint64_t at = 0; at < bytes; at += piece.size()) {
            if (is_stopped()) {
                return false;
            }
            piece.resize(std::min(launch::kPieceBytes, bytes - at));
            session_.read(from + at, piece);
            session_.write(to + at, piece);
        }
        return true;
    }

    bool run(const launch::Step &, const launch::FillStep &fill, std::uint64_t) {
        launch::Contents contents(plan_.buffers[fill.buffer].type, fill.count, fill.init, fill.place);
        const bool done = session_.fill(address_of(fill.buffer, fill.offset), contents);
        result_.stopped = !done;
        return done;
    }

    bool run(const launch::Step &step, const launch::CheckStep &action, std::uint64_t) {
        const launch::Argument &buffer = plan_.buffers[action.check.argument];
        PlanCheck check{
            step.name, result_.launches,
            launch::check_buffer(buffer, action.check, [&](std::uint64_t offset, std::span<std::uint8_t> to) {
                session_.read(layout_.addresses[action.check.argument] + offset, to);
            })};
        if (host_.checked) {
            host_.checked(check);
        } else {
            result_.checks.push_back(std::move(check));
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
    std::vector<std::uint8_t> element_of(const launch::Condition &condition) const {
        std::vector<std::uint8_t> bytes(launch::byte_offset(plan_, condition.buffer, 1));
        session_.read(address_of(condition.buffer, condition.element), bytes);
        return bytes;
    }
    bool is_stopped() {
        result_.stopped = host_.stop && host_.stop();
        return result_.stopped;
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
