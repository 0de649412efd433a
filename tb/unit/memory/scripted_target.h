// A target whose every move is scripted by the test: the answer to each request, and calls on the backward path.
#pragma once

#include <functional>

#include <systemc>
#include <tlm>

namespace smsim::tb {

class ScriptedTarget final : public sc_core::sc_module, private tlm::tlm_fw_transport_if<> {
  public:
    using Payload = tlm::tlm_generic_payload;
    tlm::tlm_target_socket<64> socket{"socket"};

    explicit ScriptedTarget(const sc_core::sc_module_name &name) : sc_module(name) { socket.bind(*this); }

    /// Answer to each forward call.
    std::function<tlm::tlm_sync_enum(Payload &, tlm::tlm_phase &, sc_core::sc_time &)> on_forward;
    /// Answer to each blocking call, which does nothing else.
    tlm::tlm_response_status blocking_status = tlm::TLM_OK_RESPONSE;
    /// Makes a backward call.
    tlm::tlm_sync_enum back(Payload &payload, tlm::tlm_phase phase, sc_core::sc_time delay = sc_core::SC_ZERO_TIME) {
        return socket->nb_transport_bw(payload, phase, delay);
    }

  private:
    tlm::tlm_sync_enum nb_transport_fw(Payload &payload, tlm::tlm_phase &phase, sc_core::sc_time &delay) override {
        return on_forward(payload, phase, delay);
    }
    void b_transport(Payload &payload, sc_core::sc_time &) override { payload.set_response_status(blocking_status); }
    unsigned transport_dbg(Payload &) override { return 0; }
    bool get_direct_mem_ptr(Payload &, tlm::tlm_dmi &dmi) override {
        dmi.allow_none();
        return false;
    }
};

} // namespace smsim::tb
