#include "tb/fuzz/programs/run_model.h"

#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <numeric>
#include <span>

#include <fmt/format.h>

#include "model/config/config.h"
#include "session/observers.h"
#include "session/simulation.h"
#include "tb/fuzz/programs/model_watcher.h"
#include "tb/fuzz/programs/run_oracle.h"

extern "C" void __gcov_dump(void) __attribute__((weak)); // NOLINT(bugprone-reserved-identifier): the compiler's

namespace smsim::fuzz {
namespace {

constexpr std::size_t kChannelBytes = std::size_t{64} << 20;
constexpr Cycle kWatchdog = 4'000'000;

LockstepAnswers answers_of(const LockstepStats &stats) {
    LockstepAnswers sum;
    for (const auto &[part, counter] : {std::pair("bru", &sum.bru), std::pair("bcu", &sum.bcu),
                                        std::pair("timer", &sum.timer), std::pair("shared", &sum.shared)}) {
        if (const auto operations = stats.find(part); operations != stats.end()) {
            for (const auto &[operation, apart] : operations->second) {
                const auto [answers, together] = count_answers(apart);
                *counter += is_answer(operation) ? answers : 0;
                sum.apart += answers - together;
            }
        }
    }
    return sum;
}

/// Writes and reads plain values sequentially in shared memory.
class Cursor {
  public:
    explicit Cursor(SharedBytes &bytes) : at_(bytes.data()), end_(bytes.data() + bytes.size()) {}

    template <typename T> void put(const T &value) { put_bytes(&value, sizeof(T)); }
    template <typename T> T get() {
        T value{};
        get_bytes(&value, sizeof(T));
        return value;
    }
    template <typename T> void put_all(const std::vector<T> &values) {
        put(static_cast<std::uint64_t>(values.size()));
        put_bytes(values.data(), values.size() * sizeof(T));
    }
    template <typename T> std::vector<T> get_all() {
        std::vector<T> values(std::min<std::size_t>(get<std::uint64_t>(), left() / sizeof(T)));
        get_bytes(values.data(), values.size() * sizeof(T));
        return values;
    }
    void put_text(const std::string &text) { put_all(std::vector<char>(text.begin(), text.end())); }
    std::string get_text() {
        const auto text = get_all<char>();
        return {text.begin(), text.end()};
    }

  private:
    std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }
    void put_bytes(const void *from, std::size_t bytes) {
        if (bytes > left()) {
            throw std::bad_alloc();
        }
        if (bytes != 0) {
            std::memcpy(at_, from, bytes);
        }
        at_ += bytes;
    }
    void get_bytes(void *to, std::size_t bytes) {
        bytes = std::min(bytes, left());
        if (bytes != 0) {
            std::memcpy(to, at_, bytes);
        }
        at_ += bytes;
    }

    std::uint8_t *at_;
    std::uint8_t *end_;
};

/// Every warp-cycle has one state and one reason, and the cycles of each address are those of its instructions.
std::string open_account(const RunStats &stats) {
    StallCycles by_warp{};
    StallCycles by_pc{};
    for (const WarpStats &warp : stats.warps) {
        const Cycle lifetime = warp.end - warp.start;
        const Cycle reasons = std::accumulate(warp.stalls.begin(), warp.stalls.end(), Cycle{0});
        const Cycle states = std::accumulate(warp.states.begin(), warp.states.end(), Cycle{0});
        if (reasons != lifetime || states != lifetime ||
            warp.stalls[static_cast<std::size_t>(StallReason::kSelected)] != warp.instructions) {
            return fmt::format(
                "CTA {} warp {} lived {} cycles, {} are charged to reasons, {} to states; {} instructions",
                warp.cta_number, warp.warp_in_cta, lifetime, reasons, states, warp.instructions);
        }
        for (unsigned r = 0; r < kStallReasons; ++r) {
            by_warp[r] += warp.stalls[r];
        }
    }
    for (const PcStats &pc : stats.pcs) {
        for (unsigned r = 0; r < kStallReasons; ++r) {
            by_pc[r] += pc.stalls[r];
        }
    }
    return by_pc == by_warp ? "" : "stall cycles of the addresses do not add up to those of the warps";
}

std::vector<ThreadOutcome> threads_of(const Case &test, const ModelWatcher &watcher, unsigned registers) {
    const std::size_t per_cta = test.launch.block[0];
    std::vector<ThreadOutcome> threads(per_cta * test.launch.grid[0]);
    for (const EndedWarp &warp : watcher.warps()) {
        for_each_lane(warp.lanes, [&](unsigned lane) {
            ThreadOutcome &thread = threads.at(warp.cta * per_cta + std::size_t{warp.warp_in_cta} * kLanes + lane);
            thread.registers.resize(registers);
            for (unsigned r = 0; r < registers; ++r) {
                thread.registers[r] = warp.rows[r][lane];
            }
            for (unsigned p = 0; p < 7; ++p) {
                thread.predicates |=
                    static_cast<std::uint8_t>(static_cast<unsigned>(warp.predicates[p].test(lane)) << p);
            }
        });
    }
    return threads;
}

/// Sees only the ends of warps: rules of control states need every instruction from the beginning of a warp.
class EndsWatcher final : public ModelWatcher {
  public:
    using ModelWatcher::ModelWatcher;
    void executed(const sm::ExecutedInstruction &) override {}
};

Outcome simulate_here(const Case &test, const Program &program, const ModelRun &run) {
    Config config = run.config;
    config.sm.hazard_check = !run.without_timing;
    config.sm.watchdog_cycles = kWatchdog;
    config.bru.trap_handler = trap_handler_of(test, program);
    const unsigned registers = 64U - static_cast<unsigned>(__builtin_clzll(test.compared_registers | 1));
    const bool in_mid_flight = run.from_instruction != 0;
    const std::unique_ptr<ModelWatcher> watcher_of_engine =
        in_mid_flight ? std::make_unique<EndsWatcher>(registers) : watcher_for(program, registers, run.counts, config);
    ModelWatcher &watcher = *watcher_of_engine;
    PairWatch pairs(run.pairs);
    session::ExecutionObservers observers;
    observers.add(&watcher);
    observers.add(&pairs);
    session::Options options;
    options.observer = observers.as_one();
    options.reverse_order = run.reverse_order;
    options.ahead = run.ahead;
    if (run.without_timing) {
        options.timed = session::TimedCtas::none();
    } else if (in_mid_flight) {
        options.timed = session::TimedCtas::from_instruction(run.from_instruction);
        config.sm.cta_distribution = CtaDistributionKind::kInOrder; // CTAs have already started in that order
    }
    session::SimulationResult result = session::simulate(config, program, program.kernels.at(0), test.launch, options);
    std::erase_if(result.stats.hazards, is_of_operand_bits); // programs set such bits to check that they are ignored
    Outcome outcome;
    if (result.fault) {
        outcome.fault = result.fault;
        outcome.failure = result.exception;
    } else if (config.bru.implementation.kind() == Implementation::Kind::kModel && !watcher.violation().empty()) {
        // RTL answers after others have continued, which the watcher would take for a violation; states are compared
        // in lockstep.
        outcome.failure = "invariant: " + watcher.violation();
    } else if (!result.stats.hazards.empty()) {
        const Hazard &hazard = result.stats.hazards.front();
        outcome.failure = fmt::format("hazard on {}{} between {:#x} and {:#x}", hazard.space, int{hazard.index},
                                      hazard.first, hazard.second);
    } else {
        outcome.failure = run.without_timing ? "" : open_account(result.stats);
        if (outcome.failure.empty()) {
            outcome.failure = watcher.miscounted(result.stats.bru.engine);
        }
    }
    outcome.partial = in_mid_flight;
    outcome.lockstep = answers_of(result.stats.lockstep);
    outcome.cycles = result.stats.cycles;
    outcome.hazards = result.stats.hazards;
    outcome.pairs = pairs.pairs();
    for (const WarpStats &warp : result.stats.warps) {
        outcome.warp_instructions += warp.instructions;
        outcome.thread_instructions += warp.thread_instructions;
    }
    if (outcome.failure.empty()) {
        outcome.threads = threads_of(test, watcher, registers);
        outcome.buffers = std::move(result.buffers);
    }
    return outcome;
}

void send(SharedBytes &channel, const Outcome &outcome) {
    Cursor to(channel);
    to.put_text(outcome.failure);
    to.put<std::int32_t>(outcome.fault ? static_cast<std::int32_t>(*outcome.fault) : -1);
    to.put<std::uint8_t>(outcome.partial ? 1 : 0);
    to.put(outcome.warp_instructions);
    to.put(outcome.thread_instructions);
    to.put(outcome.lockstep);
    to.put(outcome.cycles);
    to.put_all(outcome.hazards);
    to.put_all(outcome.pairs);
    to.put(static_cast<std::uint64_t>(outcome.threads.size()));
    for (const ThreadOutcome &thread : outcome.threads) {
        to.put_all(thread.registers);
        to.put(thread.predicates);
    }
    to.put(static_cast<std::uint64_t>(outcome.buffers.size()));
    for (const auto &buffer : outcome.buffers) {
        to.put_all(buffer);
    }
}

Outcome receive(SharedBytes &channel) {
    Cursor from(channel);
    Outcome outcome;
    outcome.failure = from.get_text();
    if (const auto fault = from.get<std::int32_t>(); fault >= 0) {
        outcome.fault = static_cast<Fault>(fault);
    }
    outcome.partial = from.get<std::uint8_t>() != 0;
    outcome.warp_instructions = from.get<std::uint64_t>();
    outcome.thread_instructions = from.get<std::uint64_t>();
    outcome.lockstep = from.get<LockstepAnswers>();
    outcome.cycles = from.get<Cycle>();
    outcome.hazards = from.get_all<Hazard>();
    outcome.pairs = from.get_all<WatchedPair>();
    outcome.threads.resize(from.get<std::uint64_t>());
    for (ThreadOutcome &thread : outcome.threads) {
        thread.registers = from.get_all<std::uint32_t>();
        thread.predicates = from.get<std::uint8_t>();
    }
    outcome.buffers.resize(from.get<std::uint64_t>());
    for (auto &buffer : outcome.buffers) {
        buffer = from.get_all<std::uint8_t>();
    }
    return outcome;
}

} // namespace

SharedBytes::SharedBytes(std::size_t bytes) : bytes_(bytes) {
    void *mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) {
        throw std::bad_alloc();
    }
    data_ = static_cast<std::uint8_t *>(mapped);
}

SharedBytes::~SharedBytes() {
    munmap(data_, bytes_);
}

void end_child() {
    if (__gcov_dump != nullptr) {
        __gcov_dump();
    }
    _exit(0);
}

void limit_computing(unsigned seconds) {
    const itimerval limit = {{}, {.tv_sec = static_cast<time_t>(seconds), .tv_usec = 0}};
    setitimer(ITIMER_PROF, &limit, nullptr);
}

ModelRunner::ModelRunner() : channel_(kChannelBytes) {}

Outcome ModelRunner::run(const Case &test, const Program &program, const ModelRun &run) {
    const pid_t child = fork();
    if (child == 0) {
        limit_computing(kSeconds);
        try {
            send(channel_, simulate_here(test, program, run));
        } catch (const std::exception &error) {
            Outcome refused;
            refused.failure = fmt::format("refused: {}", error.what());
            send(channel_, refused);
        }
        end_child();
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child) {
        Outcome none;
        none.failure = "no process could be started";
        return none;
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        Outcome crashed;
        crashed.failure = WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF
                              ? fmt::format("the model has not ended after {} seconds", kSeconds)
                              : fmt::format("the model has crashed, wait status {:#x}", status);
        return crashed;
    }
    return receive(channel_);
}

} // namespace smsim::fuzz
