// Records the traffic on the links of an SM's branch unit, barrier unit, sleep timer and shared memory while it runs
// (docs/transactions.md).
//
// A record is written when it has its answer and everything that takes effect in its cycle is known; records of one
// cycle have a fixed order. So neither the order of processes nor the implementation of the parts changes a byte, as
// long as the same events take effect in the same cycles.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <systemc>
#include <tlm>

#include "cosim/transactions/link_tap.h"
#include "model/observation/observer.h"
#include "model/protocol/clock.h"
#include "model/transactions/file.h"
#include "sm/link_binder.h"

namespace smsim {
struct Config;
}

namespace smsim::cosim::transactions {

using namespace smsim::transactions;

class Recorder final : public sm::LinkBinder, public observation::Observer {
  public:
    /// Creates the file at `path`; InputError when that is not possible. The links of an SM are bound through the
    /// recorder, and then by `next` (null: directly), which must outlive it. It also observes the parts.
    Recorder(const std::string &path, const Config &config, sm::LinkBinder *next);
    ~Recorder() override;

    // sm::LinkBinder
    void join(tlm::tlm_initiator_socket<64, protocol::IssueLink> &initiator,
              sm::LinkTarget<protocol::IssueLink> &target, const std::string &link) override {
        pass(initiator, target, link);
    }
    void join(tlm::tlm_initiator_socket<64, protocol::BranchLink> &initiator,
              sm::LinkTarget<protocol::BranchLink> &target, const std::string &link) override;
    void join(tlm::tlm_initiator_socket<64, protocol::BarrierLink> &initiator,
              sm::LinkTarget<protocol::BarrierLink> &target, const std::string &link) override;
    void join(tlm::tlm_initiator_socket<64, protocol::LoadStoreLink> &initiator,
              sm::LinkTarget<protocol::LoadStoreLink> &target, const std::string &link) override {
        pass(initiator, target, link);
    }
    void join(tlm::tlm_initiator_socket<64, protocol::TimerLink> &initiator,
              sm::LinkTarget<protocol::TimerLink> &target, const std::string &link) override;
    void join(tlm::tlm_initiator_socket<64, protocol::WakeLink> &initiator, sm::LinkTarget<protocol::WakeLink> &target,
              const std::string &link) override;
    void join(tlm::tlm_initiator_socket<64, protocol::LifecycleLink> &initiator,
              sm::LinkTarget<protocol::LifecycleLink> &target, const std::string &link) override;
    void join(tlm::tlm_initiator_socket<64, protocol::MemoryLink> &initiator,
              sm::LinkTarget<protocol::MemoryLink> &target, const std::string &link) override;

    // observation::Observer
    void observe(Cycle now, const observation::Event &event) override;

    /// Whether the file can take no more: nothing that follows would be kept.
    bool failed() const { return !stream_; }
    /// Ends the recording in the present cycle, which may not be complete: its events are left out. Returns a message
    /// with path and cause if the file is not complete; empty on success.
    std::string finish();

  private:
    using Payload = tlm::tlm_generic_payload;

    /// The position of a record among those of its part.
    struct Key {
        Cycle at;
        unsigned rank;
        WarpSlot warp;
        std::uint64_t order; ///< among records of one sender that agree in all else
        friend auto operator<=>(const Key &, const Key &) = default;
    };
    struct Held {
        Record record;
        Cycle told;         ///< in which cycle
        bool waits = false; ///< for its answer
        Cycle answer_told = 0;
    };
    using Rows = std::map<Key, Held>;
    struct Flight {
        Part part;
        Rows::iterator row;
    };

    template <typename Traits>
    void pass(tlm::tlm_initiator_socket<64, Traits> &initiator, sm::LinkTarget<Traits> &target,
              const std::string &link) {
        if (next_ != nullptr) {
            next_->join(initiator, target, link);
        } else {
            initiator.bind(target);
        }
    }
    template <typename Traits>
    void tap(tlm::tlm_initiator_socket<64, Traits> &initiator, sm::LinkTarget<Traits> &target, const std::string &link,
             typename LinkTap<Traits>::Told requested, typename LinkTap<Traits>::Told answered = {});

    /// The cycle in which a message takes effect: one cycle later at the earliest.
    Cycle effect(const sc_core::sc_time &delay) const { return std::max(clock_.at(delay), clock_.now() + 1); }
    Rows::iterator hold(Part part, Record record, bool waits = false);
    void requested(Part part, const Payload &payload, Record record);
    /// The record of `payload`, which no longer waits; null: the request was not recorded here.
    Record *answered(const Payload &payload);
    void event(Part part, Event::Kind kind, WarpSlot warp, Cycle at, Cycle cycles = 0);
    void on_lifecycle(Part part, const protocol::LifecyclePayload &payload, const sc_core::sc_time &delay);
    /// Writes what is complete when a cycle begins.
    void advance();

    std::string path_;
    std::ofstream stream_;
    FileWriter writer_;
    protocol::Clock clock_;
    sm::LinkBinder *next_;
    std::vector<std::unique_ptr<sc_core::sc_module>> taps_;
    std::array<Rows, kParts> held_;
    std::unordered_map<const Payload *, Flight> flights_;
    std::vector<std::optional<observation::ControlExecuted>>
        executed_; ///< by warp slot: reported, and not answered yet
    std::uint64_t order_ = 0;
    Cycle reached_ = 0;
    bool finished_ = false;
};

} // namespace smsim::cosim::transactions
