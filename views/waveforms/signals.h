// The signals of the waveforms: their names, widths and values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <systemc>

#include "model/observation/observer.h"
#include "views/waveforms/link_phase.h"

namespace smsim {
struct Config;
}

namespace smsim::views::waveforms {

/// Each signal has two values: the actual one and the displayed one, which does not change outside the recorded
/// cycles.
class Signals {
  public:
    explicit Signals(const Config &config);

    /// Adds the signals of a link; returns its number.
    unsigned add_link(const std::string &name);
    /// Declares all signals in `file`. None may be added afterwards.
    void declare(sc_core::sc_trace_file &file);

    void apply(const observation::Event &event);
    void apply(const Transfer &transfer);
    /// The branch unit has completed an instruction of `warp`.
    void branch_done(WarpSlot warp);
    /// Shows the actual values.
    void show() { shown_ = live_; }

  private:
    struct Declared {
        std::string name;
        int width;
    };
    /// First signals of a group; the members are in the order of declaration.
    struct WarpSignals {
        std::size_t resident, state, reason, pc, active, timer_runs;
    };
    struct BranchSignals {
        std::size_t busy, warp, pc, op;
        unsigned under_way; ///< instructions; no signal
    };
    struct QueueSignals {
        std::size_t waiting, under_way;
    };
    struct BarrierSignals {
        std::size_t arrived, expected, completions;
    };
    struct LinkSignals {
        std::size_t requests, request_warp, request_address, responses, response_warp, response_address, phase;
    };

    std::size_t add(const std::string &name, int width);
    /// Sets the signal to the low bits of `value`.
    void set(std::size_t signal, std::uint64_t value);

    void on(const observation::WarpStarted &e);
    void on(const observation::WarpEnded &e);
    void on(const observation::StateChanged &e);
    void on(const observation::InstructionIssued &e);
    void on(const observation::ControlExecuted &e);
    void on(const observation::BarrierChanged &e);
    void on(const observation::BarrierCompleted &e);
    void on(const observation::TimerStarted &e);
    void on(const observation::TimerExpired &e);
    void on(const observation::AccessQueued &e);
    void on(const observation::AccessStarted &e);
    void on(const observation::AccessPerformed &e);
    template <typename Other> void on(const Other &) {}

    unsigned partitions_;
    std::vector<Declared> declared_;
    std::vector<sc_dt::uint64> live_;
    std::vector<sc_dt::uint64> shown_;
    std::vector<WarpSignals> warps_;       ///< by slot
    std::vector<BranchSignals> branches_;  ///< by sub-partition
    std::vector<QueueSignals> queues_;     ///< by sub-partition
    std::vector<BarrierSignals> barriers_; ///< by CTA slot and barrier
    std::vector<LinkSignals> links_;
};

} // namespace smsim::views::waveforms
