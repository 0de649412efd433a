#include "session/simulation.h"

#include <utility>

#include "session/buffers.h"

namespace smsim::session {
namespace {

/// A session with the buffers of one launch. They are read from it after its end.
class BuffersInSession final : public FinalBuffers {
  public:
    BuffersInSession(const Config &config, const Options &options, const launch::Launch &launch)
        : session_(config, options), layout_(launch::lay_out_buffers(launch)) {
        make_buffers(session_, launch.arguments, layout_); // if it was stopped, so is the launch
    }

    LaunchResult launch(const Program &program, const Kernel &kernel, const launch::Launch &what) {
        return session_.launch(program, kernel, what, layout_.addresses);
    }
    std::vector<std::string> finish() { return session_.finish(); }
    void read(std::size_t argument, std::uint64_t offset, std::span<std::uint8_t> to) const override {
        session_.read(layout_.addresses.at(argument) + offset, to);
    }

  private:
    Session session_;
    launch::BufferLayout layout_;
};

} // namespace

SimulationResult simulate(const Config &config, const Program &program, const Kernel &kernel,
                          const launch::Launch &launch, const Options &options, BufferWish wish) {
    const auto run = std::make_shared<BuffersInSession>(config, options, launch);
    LaunchResult launched = run->launch(program, kernel, launch);
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
    if (wish == BufferWish::kCopies) {
        for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
            result.buffers.emplace_back(launch.arguments[i].bytes());
            if (launch.arguments[i].is_buffer) {
                run->read(i, 0, result.buffers.back());
            }
        }
    }
    result.file_errors = run->finish();
    if (wish == BufferWish::kMemory) {
        result.memory = run;
    }
    return result;
}

} // namespace smsim::session
