// Outcomes of runs in child processes, in memory that the children share with their parent.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <fmt/format.h>

#include "app/commands.h"
#include "model/error.h"

namespace smsim::app {

/// Zeros until the run has ended.
struct SharedOutcome {
    Cycle cycles;
    std::uint64_t instructions;
    char status[24]; ///< RunOutcome::state

    void keep(const RunOutcome &outcome) {
        cycles = outcome.cycles;
        instructions = outcome.instructions;
        outcome.state.copy(status, sizeof(status) - 1);
    }
};

class SharedOutcomes {
  public:
    /// Throws InputError when there is not enough memory.
    explicit SharedOutcomes(std::size_t count)
        : bytes_(std::max<std::size_t>(count, 1) * sizeof(SharedOutcome)),
          all_(mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) {
        if (all_ == MAP_FAILED) {
            throw InputError(fmt::format("no memory for the results of {} launches", count));
        }
    }
    ~SharedOutcomes() { munmap(all_, bytes_); }
    SharedOutcomes(const SharedOutcomes &) = delete;
    SharedOutcomes &operator=(const SharedOutcomes &) = delete;
    SharedOutcome &operator[](std::size_t index) { return static_cast<SharedOutcome *>(all_)[index]; }

  private:
    std::size_t bytes_;
    void *all_;
};

} // namespace smsim::app
