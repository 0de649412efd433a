// The session as its users see it: what is written before a launch, the launch, and the end.
#include "session/session.h"

#include <fmt/format.h>
#include <systemc>

#include "cosim/rtl_operations.h"
#include "model/config/validate.h"
#include "model/launch/contents.h"
#include "model/program/engine.h"
#include "session/cta_demand.h"
#include "session/device_output.h"
#include "session/machine.h"
#include "session/timing_only_options.h"
#include "sm/dispatch/cta_allocator.h"

namespace smsim::session {
namespace {

/// The grid of a launch; rejects launches that cannot run.
sm::Grid make_grid(const Config &config, const Program &program, const Kernel &kernel, const launch::Launch &what) {
    const auto refuse = [&](const std::string &reason) {
        throw InputError(fmt::format("{}kernel '{}' cannot be launched: {}", what.place(), kernel.name, reason));
    };
    if (const std::string reason = engine_mismatch(program, config); !reason.empty()) {
        refuse(reason);
    }
    if (const std::string reason = barrier_shortage(program, kernel, config); !reason.empty()) {
        refuse(reason);
    }
    if (const std::string reason = cosim::unclaimed(config, program, kernel); !reason.empty()) {
        refuse(reason);
    }
    launch::check_limits(what);
    launch::check_parameters(what, kernel);
    launch::check_block(what, kernel);
    sm::Grid grid;
    grid.ctas = what.grid;
    grid.threads = what.block;
    grid.entry = kernel.entry;
    grid.demand = cta_demand(kernel, what);
    if (const std::string reason = sm::CtaAllocator(config).impossible(grid.demand); !reason.empty()) {
        refuse(reason);
    }
    return grid;
}

} // namespace

Session::Session(const Config &config, const Options &options) {
    // Normal ends are up to the session; SystemC need not announce them.
    sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
    validate(config);
    reject_what_needs_timing(config, options);
    reject_what_needs_a_whole_launch(config, options);
    machine_ = std::make_unique<Machine>(config, options);
}

Session::~Session() = default;

void Session::map(std::uint64_t base, std::uint64_t bytes, const std::string &name) {
    machine_->map(base, bytes, name);
}

void Session::write(std::uint64_t address, std::span<const std::uint8_t> bytes) {
    machine_->regions.require(address, bytes.size());
    machine_->memory.write(address, bytes);
}

void Session::read(std::uint64_t address, std::span<std::uint8_t> bytes) const {
    machine_->regions.require(address, bytes.size());
    machine_->memory.read(address, bytes);
}

bool Session::fill(std::uint64_t address, launch::Contents &contents) {
    for (std::span<const std::uint8_t> piece = contents.next(); !piece.empty(); piece = contents.next()) {
        if (machine_->is_stopped()) {
            return false;
        }
        write(address, piece);
        address += piece.size();
    }
    return true;
}

void Session::place_local_memory(std::uint64_t base) {
    if (machine_->local_bytes != 0) {
        throw InputError("local memory has its place already; expected to place it before the first launch");
    }
    machine_->local_base = base;
}

void Session::place(const Program &program) {
    machine_->place(program);
}

void Session::require(const Program &program, const Kernel &kernel, const launch::Launch &what) {
    Machine &m = *machine_;
    make_grid(m.config, program, kernel, what);
    m.place(program);
    m.map_local_memory(local_window(kernel) * m.local_windows());
}

Cycle Session::now() const {
    return machine_->clock.now();
}

LaunchResult Session::launch(const Program &program, const Kernel &kernel, const launch::Launch &what,
                             std::span<const std::uint64_t> addresses) {
    Machine &m = *machine_;
    if (m.ended) {
        throw InputError(
            fmt::format("{}kernel '{}' cannot be launched: the session has ended", what.place(), kernel.name));
    }
    sm::Grid grid = make_grid(m.config, program, kernel, what);
    auto context = std::make_unique<LaunchContext>();
    m.prepare(*context, program, kernel, what, addresses);
    grid.launch = context.get();
    const std::uint32_t number = m.launches++;
    m.present = std::move(context); // nothing of the previous launch is left that could use its own
    if (m.trace) {
        m.trace->begin_launch(program, number);
    }
    if (m.control_log) {
        m.control_log->begin_launch(number);
    }
    if (m.state) {
        m.state->begin_launch(number);
    }
    LaunchResult result;
    result.begin = m.clock.now();
    result.in_time = !m.untimed();
    m.bounds.clear();
    m.memory.clear_statistics();
    m.unit.begin_launch(grid.demand);
    m.execute(kernel, grid, result);
    if (m.program_order) {
        m.program_order->tell_rest();
    }
    m.explain(*m.present, result);
    m.ended = !result.completed();
    take_output(m.memory, program, result);
    m.dump_states();
    if (m.untimed()) {
        m.functional->executor().collect(result.stats);
        result.stats.outside = m.functional->bounds().found();
    } else {
        m.collect(program, result);
    }
    result.stats.occupancy_limits = sm::CtaAllocator(m.config).limits(grid.demand);
    result.stats.occupancy_limits.grid = grid.cta_count();
    return result;
}

std::vector<std::string> Session::finish() {
    Machine &m = *machine_;
    m.ended = true;
    if (m.trace) {
        m.trace->end(m.reached);
    }
    if (m.control_log) {
        m.control_log->flush();
    }
    if (m.options.parts != nullptr) {
        m.options.parts->end(m.last_end);
    }
    std::vector<std::string> errors;
    if (m.waves) {
        if (std::string error = m.waves->finish(); !error.empty()) {
            errors.push_back(std::move(error));
        }
    }
    if (m.recorder) {
        if (std::string error = m.recorder->finish(); !error.empty()) {
            errors.push_back(std::move(error));
        }
    }
    return errors;
}

} // namespace smsim::session
