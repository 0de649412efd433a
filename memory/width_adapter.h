// Connects the memory sockets of the model, which are 64 bits wide, to targets of another width. The width of a TLM-2.0
// socket is a compile-time property of the bus and changes nothing in a payload: all calls pass unchanged in both
// directions, taking no time. A target whose width matters splits what is longer than its bus.
#pragma once

#include <systemc>
#include <tlm>

namespace smsim::memory {

/// `Width` is the BUSWIDTH of the target's socket, in bits.
template <unsigned Width>
class WidthAdapter final : public sc_core::sc_module,
                           private tlm::tlm_fw_transport_if<>,
                           private tlm::tlm_bw_transport_if<> {
  public:
    tlm::tlm_target_socket<64> from_initiator{"from_initiator"}; ///< bind the SM's socket, or another initiator, here
    tlm::tlm_initiator_socket<Width> to_target{"to_target"};     ///< bind to the target

    explicit WidthAdapter(const sc_core::sc_module_name &name) : sc_module(name) {
        from_initiator.bind(*this);
        to_target.bind(*this);
    }

  private:
    using Payload = tlm::tlm_generic_payload;

    tlm::tlm_sync_enum nb_transport_fw(Payload &payload, tlm::tlm_phase &phase, sc_core::sc_time &delay) override {
        return to_target->nb_transport_fw(payload, phase, delay);
    }
    tlm::tlm_sync_enum nb_transport_bw(Payload &payload, tlm::tlm_phase &phase, sc_core::sc_time &delay) override {
        return from_initiator->nb_transport_bw(payload, phase, delay);
    }
    void b_transport(Payload &payload, sc_core::sc_time &delay) override { to_target->b_transport(payload, delay); }
    unsigned transport_dbg(Payload &payload) override { return to_target->transport_dbg(payload); }
    bool get_direct_mem_ptr(Payload &payload, tlm::tlm_dmi &dmi) override {
        return to_target->get_direct_mem_ptr(payload, dmi);
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64 first, sc_dt::uint64 last) override {
        from_initiator->invalidate_direct_mem_ptr(first, last);
    }
};

} // namespace smsim::memory
