// Runs a test case on the whole model, each time in its own process: SystemC elaborates once per process, and a crash
// or a hang then becomes an ordinary result.
#pragma once

#include <cstddef>
#include <cstdint>

#include "model/config/config.h"
#include "model/program/program.h"
#include "tb/fuzz/programs/case.h"
#include "tb/fuzz/programs/coverage.h"
#include "tb/fuzz/programs/outcome.h"
#include "tb/fuzz/programs/pair_watch.h"

namespace smsim::fuzz {

/// Memory that a process shares with its children, of fixed size, zero at first.
class SharedBytes {
  public:
    explicit SharedBytes(std::size_t bytes);
    ~SharedBytes();
    SharedBytes(const SharedBytes &) = delete;
    SharedBytes &operator=(const SharedBytes &) = delete;

    std::uint8_t *data() { return data_; }
    std::size_t size() const { return bytes_; }

  private:
    std::uint8_t *data_ = nullptr;
    std::size_t bytes_ = 0;
};

/// Options of one run of the model.
struct ModelRun {
    Config config; ///< hazard check, watchdog and trap handler are set by `ModelRunner::run`
    bool reverse_order = false;
    bool ahead = false;                 ///< of the kernel's time
    bool without_timing = false;        ///< functional execution, without hazards or time accounting
    std::uint64_t from_instruction = 0; ///< number of instructions executed functionally before timing begins
    unsigned cuts = 0;                  ///< number of runs by `judge` that continue in time from there, each deeper in
                                        ///< the program than the previous one, instead of one timed from the start
    CoverageCounts *counts = nullptr;   ///< in shared memory; null: not counted
    std::vector<WatchedPair> pairs;     ///< pairs whose distances the outcome reports
};

/// Ends a forked process without destroying its parent's objects; coverage counters are written.
[[noreturn]] void end_child();

/// Ends this process by SIGPROF after so many seconds of its own processor time, which other programs of the machine
/// do not consume.
void limit_computing(unsigned seconds);

class ModelRunner {
  public:
    ModelRunner();
    /// Runs the case. An exception of the program, a hazard, a broken invariant, accounting that does not add up, a
    /// crash and a run that computes longer than `kSeconds` are failures of the outcome.
    Outcome run(const Case &test, const Program &program, const ModelRun &run);

    static constexpr unsigned kSeconds = 120;

  private:
    SharedBytes channel_;
};

} // namespace smsim::fuzz
