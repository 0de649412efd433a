// Runs one launch on the model in its own process and reports what it cost the host: `bench_classes LAUNCH [CONFIG]`
// prints a line of JSON; `bench_classes` alone reports the cost of a process that simulates nothing.
// scripts/bench-classes runs both and makes a table of them.
//
// This does not slow the model down: this program's operator new counts allocations, the time is that of the process,
// and all other counts come from callgrind.
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>
#include <systemc>

#include "assembler/assembler.h"
#include "assembler/load_program.h"
#include "model/config/config.h"
#include "model/config/loader.h"
#include "model/launch/launch.h"
#include "model/launch/layout.h"
#include "session/session.h"

namespace {

std::uint64_t allocations = 0; ///< of this process, up to now

void *allocate(std::size_t bytes) {
    ++allocations;
    if (void *const memory = std::malloc(bytes == 0 ? 1 : bytes)) { // NOLINT(cppcoreguidelines-no-malloc)
        return memory;
    }
    throw std::bad_alloc();
}

} // namespace

// The other forms of operator new call these.
void *operator new(std::size_t bytes) {
    return allocate(bytes);
}
void operator delete(void *memory) noexcept {
    std::free(memory); // NOLINT(cppcoreguidelines-no-malloc)
}
void operator delete(void *memory, std::size_t) noexcept {
    std::free(memory); // NOLINT(cppcoreguidelines-no-malloc)
}

namespace {

using namespace smsim;

/// Nanoseconds of CPU time that the process has used.
std::uint64_t cpu_time() {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(time.tv_nsec);
}

/// The peak memory of this process, in KiB. (The value of getrusage may be that of the parent process.)
std::uint64_t peak_kib() {
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;) {
        if (word == "VmHWM:") {
            std::uint64_t kib = 0;
            status >> kib;
            return kib;
        }
    }
    return 0;
}

/// Number of allocations at each progress report of a run, recorded without allocating.
class Allocations {
  public:
    Allocations() { seen_.reserve(kMost); }
    void look(Cycle cycle) {
        if (seen_.size() < kMost) {
            seen_.push_back({cycle, allocations});
        }
    }
    /// Cycles and allocations of the middle half of the progress reports, which excludes start-up and the end.
    nlohmann::json steady() const {
        if (seen_.size() < 4) {
            return nullptr;
        }
        const Seen &from = seen_[seen_.size() / 4];
        const Seen &to = seen_[seen_.size() * 3 / 4];
        return {{"cycles", to.cycle - from.cycle}, {"allocations", to.count - from.count}};
    }

  private:
    static constexpr std::size_t kMost = 1 << 16;
    struct Seen {
        Cycle cycle;
        std::uint64_t count;
    };
    std::vector<Seen> seen_;
};

/// Runs a launch file of one launch. Throws InputError.
nlohmann::json measure(const std::string &path, const std::optional<std::string> &config_path) {
    const launch::Launch launch = launch::load_launch(path);
    const Config config = ConfigInput(config_path, {}).with(launch.settings);
    const Program program = load_program(launch.program, timing::SchedulingModel(config));
    const launch::BufferLayout layout = launch::lay_out_buffers(launch);
    Allocations counted;
    session::Options options;
    options.ahead = true; // as `smsim run`
    options.progress = [&counted](Cycle cycle, std::uint64_t) { counted.look(cycle); };
    session::Session session(config, options);
    std::uint64_t buffer_bytes = 0;
    for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
        if (launch.arguments[i].is_buffer) {
            session.map(layout.addresses[i], launch.arguments[i].bytes(), launch.arguments[i].name);
            session.write(layout.addresses[i], launch::initial_bytes(launch.arguments[i]));
            buffer_bytes += launch.arguments[i].bytes();
        }
    }
    session.place_local_memory(layout.end);

    const std::uint64_t before = cpu_time();
    const session::LaunchResult result = session.launch(program, program.kernels.front(), launch, layout.addresses);
    const std::uint64_t after = cpu_time();
    if (!result.completed()) {
        throw InputError(path + ": " + result.exception);
    }
    const std::uint64_t peak = peak_kib();
    for (const launch::Check &check : launch.checks) {
        std::vector<std::uint8_t> bytes(launch.arguments[check.argument].bytes());
        session.read(layout.addresses[check.argument], bytes);
        if (!launch::check_buffer(launch, check, bytes).passed()) {
            throw InputError(path + ": '" + launch.arguments[check.argument].name + "' is not as expected");
        }
    }
    std::uint64_t instructions = 0;
    for (const WarpStats &warp : result.stats.warps) {
        instructions += warp.instructions;
    }
    return {{"warp_instructions", instructions},
            {"cycles", result.stats.cycles},
            {"cpu_ns", after - before},
            {"steady", counted.steady()},
            {"peak_kib", peak},
            {"buffer_bytes", buffer_bytes},
            {"sub_partitions", config.sm.sub_partitions}};
}

} // namespace

int sc_main(int argc, char **argv) {
    try {
        const nlohmann::json result =
            argc < 2 ? nlohmann::json{{"peak_kib", peak_kib()}}
                     : measure(argv[1], argc > 2 ? std::optional<std::string>(argv[2]) : std::nullopt);
        std::printf("%s\n", result.dump().c_str());
    } catch (const std::exception &error) {
        std::fprintf(stderr, "bench_classes: error: %s\n", error.what());
        return 2;
    }
    return 0;
}
