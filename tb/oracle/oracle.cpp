// The run itself: turns of random length in random order for all threads that can run, CTA by CTA.
#include "tb/oracle/oracle.h"

#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "tb/oracle/barriers.h"
#include "tb/oracle/branches.h"
#include "tb/oracle/deadlock.h"
#include "tb/oracle/flags.h"
#include "tb/oracle/floating.h"
#include "tb/oracle/half.h"
#include "tb/oracle/integer.h"
#include "tb/oracle/machine.h"
#include "tb/oracle/memory.h"
#include "tb/oracle/special.h"
#include "tb/oracle/synchronisation.h"
#include "tb/oracle/tokens.h"

namespace smsim::oracle {
namespace {

constexpr std::uint64_t kMaxBlockThreads = 1024;
constexpr unsigned kLongestTurn = 16;

class Run {
  public:
    Run(const Launch &launch, const Options &options) : machine_(launch, options.seed), limit_(options.step_limit) {
        result_.threads.resize(machine_.ctas_in_grid * machine_.threads_per_cta);
        order_.resize(machine_.ctas_in_grid);
        std::iota(order_.begin(), order_.end(), 0U);
        for (std::size_t i = order_.size(); i > 1; --i) {
            std::swap(order_[i - 1], order_[machine_.random.below(static_cast<std::uint32_t>(i))]);
        }
    }

    Result take() {
        try {
            go();
        } catch (Stop &stop) {
            result_.failure = std::move(stop.failure);
            for (std::uint32_t slot = 0; slot < started_slots_; ++slot) {
                keep_threads(slot);
            }
        }
        result_.regions = std::move(machine_.regions);
        return std::move(result_);
    }

  private:
    void go() {
        for (; started_slots_ < machine_.ctas.size() && next_ < order_.size(); ++started_slots_) {
            machine_.place(started_slots_, order_[next_++]);
        }
        do {
            while (!machine_.queue.empty()) {
                round();
            }
        } while (end_vain_meetings(machine_));
        if (finished_ != order_.size()) {
            throw Stop{{Failure::Kind::kDeadlock, Fault::kSyncDeadlock, describe_waiting(machine_)}};
        }
    }

    /// One turn for every thread that can run, in random order. Threads woken meanwhile take part from the next round
    /// on.
    void round() {
        std::vector<std::uint32_t> &queue = machine_.queue;
        const auto count = static_cast<std::uint32_t>(queue.size());
        for (std::uint32_t i = 0; i < count; ++i) {
            const std::uint64_t bits = machine_.random.next();
            std::swap(queue[i], queue[i + Random::scale(static_cast<std::uint32_t>(bits), count - i)]);
            turn(queue[i], 1 + static_cast<unsigned>(bits >> 32) % kLongestTurn);
        }
        std::size_t kept = 0;
        for (const std::uint32_t thread : queue) {
            if (machine_.threads[thread].state == State::kReady) {
                queue[kept++] = thread;
            } else {
                machine_.threads[thread].queued = false;
            }
        }
        queue.resize(kept);
    }

    /// Up to `count` instructions of one thread.
    void turn(std::uint32_t thread, unsigned count) {
        Thread &t = machine_.threads[thread];
        std::uint32_t *row = machine_.row(thread);
        for (; count != 0 && t.state == State::kReady; --count) {
            const Step &step = machine_.step_at(t.pc);
            const bool executes = machine_.executes(thread, step);
            if (++result_.instructions > limit_) {
                throw Stop{{Failure::Kind::kTooLong, Fault::kWatchdog,
                            fmt::format("{}: {} thread instructions are the limit", machine_.where(thread), limit_)}};
            }
            if (executes && step.defect != Defect::kNone) {
                machine_.defect(thread, step);
            }
            switch (step.subject) {
            case Subject::kInteger:
                if (executes) {
                    execute_integer(step, row, t.predicates);
                }
                ++t.pc;
                break;
            case Subject::kMemory:
                if (executes) {
                    execute_memory(machine_, thread, step, row);
                }
                ++t.pc;
                break;
            case Subject::kFloat:
                if (executes) {
                    execute_float(step, row, t.predicates);
                }
                ++t.pc;
                break;
            case Subject::kJump:
                jump(machine_, thread, step, executes);
                break;
            case Subject::kExit:
                if (executes) {
                    exit(thread);
                    return;
                }
                ++t.pc;
                break;
            default:
                seldom(thread, step, executes);
                break;
            }
        }
    }

    /// The less common operations, whose speed does not matter.
    void seldom(std::uint32_t thread, const Step &step, bool executes) {
        Thread &t = machine_.threads[thread];
        switch (step.subject) {
        case Subject::kHalf:
            if (executes) {
                execute_half(step, machine_.row(thread));
            }
            ++t.pc;
            break;
        case Subject::kSpecial:
            if (executes) {
                execute_special(machine_, thread, step, machine_.row(thread));
            }
            ++t.pc;
            break;
        case Subject::kFlags:
            if (executes) {
                execute_with_flags(step, machine_.row(thread), t.predicates, t.flags);
            }
            ++t.pc;
            break;
        case Subject::kRegion:
            execute_region(machine_, thread, step, executes);
            break;
        case Subject::kDissolve:
            t.set = 0;
            ++t.pc;
            break;
        case Subject::kTrap:
            if (trap_needs_set(machine_, thread, step)) {
                arrive_at_set(machine_, thread);
            } else {
                trap_alone(machine_, thread, step, executes);
            }
            break;
        case Subject::kWarpsync:
            if (executes) {
                arrive_at_warpsync(machine_, thread, step);
            } else {
                t.set = 0;
                ++t.pc;
            }
            break;
        case Subject::kSetBranch:
            if (t.set != 0) {
                arrive_at_set(machine_, thread);
            } else {
                branch_alone(machine_, thread, step, executes);
            }
            break;
        case Subject::kSet:
            if (t.set != 0) {
                arrive_at_set(machine_, thread);
            } else if (executes) {
                machine_.illegal(thread,
                                 "executed by a warp, and no WARPSYNC has fixed which of its threads take part");
            } else {
                ++t.pc;
            }
            break;
        case Subject::kNotCovered:
            if (executes) {
                machine_.illegal(thread, "not covered by the oracle");
            }
            ++t.pc;
            break;
        case Subject::kEnd:
            machine_.fault(thread, Fault::kIllegalTarget, "runs past the last instruction");
        default:
            ++t.pc;
            break;
        }
    }

    void exit(std::uint32_t thread) {
        const std::uint32_t w = thread / kLanes;
        Warp &warp = machine_.warps[w];
        machine_.threads[thread].state = State::kExited;
        warp.living &= ~LaneMask::lane(thread % kLanes).bits();
        if (warp.living != 0) {
            meetings_after_exit(machine_, w);
            return;
        }
        const std::uint32_t slot = warp.cta;
        if (--machine_.ctas[slot].living_warps != 0) {
            barriers_after_exit(machine_, slot);
            return;
        }
        ++finished_;
        keep_threads(slot);
        if (next_ < order_.size()) {
            machine_.place(slot, order_[next_++]);
        }
    }

    void keep_threads(std::uint32_t slot) {
        const std::size_t first = std::size_t{machine_.ctas[slot].number} * machine_.threads_per_cta;
        const std::uint32_t lowest = slot * machine_.warps_per_cta * kLanes;
        for (std::uint32_t i = 0; i < machine_.threads_per_cta; ++i) {
            ThreadState &state = result_.threads[first + i];
            const std::uint32_t *row = machine_.row(lowest + i);
            state.registers.assign(row, row + machine_.launch.registers);
            state.predicates = machine_.threads[lowest + i].predicates & 0x7f;
        }
    }

    Machine machine_;
    std::uint64_t limit_;
    std::vector<std::uint32_t> order_; ///< CTAs in the order in which they start
    std::size_t next_ = 0;
    std::size_t finished_ = 0;
    std::uint32_t started_slots_ = 0;
    Result result_;
};

} // namespace

Result run(const Launch &launch, const Options &options) {
    const std::uint64_t threads = std::uint64_t{launch.block[0]} * launch.block[1] * launch.block[2];
    if (launch.program == nullptr || threads == 0 || threads > kMaxBlockThreads || launch.registers == 0 ||
        launch.registers > isa::kRz) {
        throw InputError(
            fmt::format("oracle: a launch needs a program, 1 to {} threads per CTA and 1 to 255 registers; "
                        "got {} threads and {} registers",
                        kMaxBlockThreads, threads, launch.registers));
    }
    return Run(launch, options).take();
}

} // namespace smsim::oracle
