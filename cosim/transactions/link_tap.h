// A tap in the link between initiator and target: forwards every call unchanged, and reports each request when it
// begins and each answer when it is known.
#pragma once

#include <functional>
#include <utility>

#include <systemc>
#include <tlm>

#include "model/protocol/links.h"
#include "model/protocol/memory.h"

namespace smsim::cosim::transactions {

template <typename Traits>
class LinkTap final : public sc_core::sc_module,
                      private tlm::tlm_fw_transport_if<Traits>,
                      private tlm::tlm_bw_transport_if<Traits> {
  public:
    using Payload = typename Traits::tlm_payload_type;
    /// Called with what is reported and the time until it takes effect.
    using Told = std::function<void(Payload &payload, const sc_core::sc_time &delay)>;

    tlm::tlm_target_socket<64, Traits> from_initiator{"from_initiator"};
    tlm::tlm_initiator_socket<64, Traits> to_target{"to_target"};

    /// `answered` may be empty.
    LinkTap(const sc_core::sc_module_name &name, Told requested, Told answered)
        : sc_module(name), requested_(std::move(requested)), answered_(std::move(answered)) {
        from_initiator.bind(*static_cast<tlm::tlm_fw_transport_if<Traits> *>(this));
        to_target.bind(*static_cast<tlm::tlm_bw_transport_if<Traits> *>(this));
    }

  private:
    using Phase = tlm::tlm_phase;

    tlm::tlm_sync_enum nb_transport_fw(Payload &payload, Phase &phase, sc_core::sc_time &delay) override {
        const bool begins = phase == tlm::BEGIN_REQ;
        if (begins) {
            requested_(payload, delay);
        }
        const tlm::tlm_sync_enum status = to_target->nb_transport_fw(payload, phase, delay);
        const bool done = status == tlm::TLM_COMPLETED || (status == tlm::TLM_UPDATED && phase == tlm::BEGIN_RESP);
        if (begins && done && answered_) {
            answered_(payload, delay);
        }
        return status;
    }
    tlm::tlm_sync_enum nb_transport_bw(Payload &payload, Phase &phase, sc_core::sc_time &delay) override {
        if (phase == tlm::BEGIN_RESP && answered_) {
            answered_(payload, delay);
        }
        return from_initiator->nb_transport_bw(payload, phase, delay);
    }
    void b_transport(Payload &payload, sc_core::sc_time &delay) override { to_target->b_transport(payload, delay); }
    unsigned transport_dbg(Payload &payload) override { return to_target->transport_dbg(payload); }
    bool get_direct_mem_ptr(Payload &payload, tlm::tlm_dmi &dmi) override {
        return to_target->get_direct_mem_ptr(payload, dmi);
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64 start, sc_dt::uint64 end) override {
        from_initiator->invalidate_direct_mem_ptr(start, end);
    }

    Told requested_;
    Told answered_;
};

} // namespace smsim::cosim::transactions
