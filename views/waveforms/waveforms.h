// Waveforms of a run (`smsim run --vcd`): states of the parts and traffic of the links as signals in a VCD file,
// written by SystemC's own tracing.
//
// Signals change in the cycle in which an event takes effect. The module never keeps a simulation alive: it wakes no
// later than the next event of another part, and not at all when there is none, so that cycles, deadlocks and reports
// are those of a run without it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <systemc>

#include "model/observation/observer.h"
#include "model/protocol/clock.h"
#include "sm/link_binder.h"
#include "views/waveforms/link_monitor.h"
#include "views/waveforms/request.h"
#include "views/waveforms/signals.h"

namespace smsim {
struct Config;
}

namespace smsim::views::waveforms {

class Waveforms final : public sc_core::sc_module,
                        public observation::Observer,
                        public sm::LinkBinder,
                        private TransferReader {
  public:
    /// Creates the file. Throws InputError when that is not possible, or when its name does not end in .vcd.
    Waveforms(const sc_core::sc_module_name &name, const Request &request, const Config &config);
    ~Waveforms() override;

    // sm::LinkBinder: each link through a monitor.
    void join(tlm::tlm_initiator_socket<64, protocol::IssueLink> &initiator,
              sm::LinkTarget<protocol::IssueLink> &target, const std::string &link) override {
        watch(initiator, target, link);
    }
    void join(tlm::tlm_initiator_socket<64, protocol::BranchLink> &initiator,
              sm::LinkTarget<protocol::BranchLink> &target, const std::string &link) override {
        watch(initiator, target, link);
    }
    void join(tlm::tlm_initiator_socket<64, protocol::BarrierLink> &initiator,
              sm::LinkTarget<protocol::BarrierLink> &target, const std::string &link) override {
        watch(initiator, target, link);
    }
    void join(tlm::tlm_initiator_socket<64, protocol::LoadStoreLink> &initiator,
              sm::LinkTarget<protocol::LoadStoreLink> &target, const std::string &link) override {
        watch(initiator, target, link);
    }
    void join(tlm::tlm_initiator_socket<64, protocol::TimerLink> &initiator,
              sm::LinkTarget<protocol::TimerLink> &target, const std::string &link) override {
        watch(initiator, target, link);
    }
    void join(tlm::tlm_initiator_socket<64, protocol::WakeLink> &initiator, sm::LinkTarget<protocol::WakeLink> &target,
              const std::string &link) override {
        watch(initiator, target, link);
    }
    void join(tlm::tlm_initiator_socket<64, protocol::LifecycleLink> &initiator,
              sm::LinkTarget<protocol::LifecycleLink> &target, const std::string &link) override {
        watch(initiator, target, link);
    }
    void join(tlm::tlm_initiator_socket<64, protocol::MemoryLink> &initiator,
              sm::LinkTarget<protocol::MemoryLink> &target, const std::string &link) override {
        watch(initiator, target, link);
    }
    /// Elaboration is complete: declares the signals.
    void declare() { signals_.declare(*file_); }

    void observe(Cycle now, const observation::Event &event) override;
    /// The run has ended and its counters have been collected: writes what the last cycle changed, and closes the
    /// file. Returns a message with path and cause when it is not complete; empty: no error.
    std::string finish();

  private:
    /// What takes effect in one cycle.
    struct Step {
        std::vector<observation::Event> events;
        std::vector<Transfer> transfers;
        std::vector<WarpSlot> branches_done; ///< instructions that leave the branch unit
    };

    template <typename Traits>
    void watch(tlm::tlm_initiator_socket<64, Traits> &initiator, sm::LinkTarget<Traits> &target,
               const std::string &link) {
        const unsigned number = signals_.add_link(link);
        auto monitor = std::make_unique<LinkMonitor<Traits>>(fmt::format("monitor_{}", number).c_str(), number,
                                                             static_cast<TransferReader &>(*this));
        initiator.bind(monitor->from_initiator);
        monitor->to_target.bind(target);
        monitors_.push_back(std::move(monitor));
    }
    void transfer(const Transfer &transfer, const sc_core::sc_time &delay) override;
    void work();

    std::string path_;
    timeline::Window window_;
    protocol::Clock clock_;
    Signals signals_;
    sc_core::sc_trace_file *file_ = nullptr;
    std::vector<std::unique_ptr<sc_core::sc_module>> monitors_;
    std::map<Cycle, Step> held_;
    sc_core::sc_event event_;
};

} // namespace smsim::views::waveforms
