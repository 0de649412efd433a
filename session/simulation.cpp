#include "session/simulation.h"

#include "model/launch/layout.h"

namespace smsim::session {

SimulationResult simulate(const Config &config, const Program &program, const Kernel &kernel,
                          const launch::Launch &launch, const Options &options) {
    Session session(config, options);
    const launch::BufferLayout layout = launch::lay_out_buffers(launch);
    for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
        const launch::Argument &argument = launch.arguments[i];
        if (argument.is_buffer) {
            session.map(layout.addresses[i], argument.bytes(), argument.name);
            session.write(layout.addresses[i], launch::initial_bytes(argument));
        }
    }
    session.place_local_memory(layout.end);
    LaunchResult launched = session.launch(program, kernel, launch, layout.addresses);
    SimulationResult result;
    result.stats = std::move(launched.stats);
    result.fault = launched.fault;
    result.early_end = launched.early_end;
    result.exception = std::move(launched.exception);
    result.raised = std::move(launched.raised);
    result.difference = std::move(launched.difference);
    result.printed = std::move(launched.printed);
    result.in_time = launched.in_time;
    result.untimed = launched.untimed;
    for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
        const launch::Argument &argument = launch.arguments[i];
        result.buffers.emplace_back(argument.bytes());
        if (argument.is_buffer) {
            session.read(layout.addresses[i], result.buffers.back());
        }
    }
    result.file_errors = session.finish();
    return result;
}

} // namespace smsim::session
