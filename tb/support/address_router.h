// An interconnect that moves everything to another place: it adds an offset to the address of each request, as a
// router that decodes addresses does, and leaves the new address there, which IEEE 1666-2011 (14.7) allows. Calls pass
// otherwise unchanged.
#pragma once

#include <cstdint>

#include <systemc>
#include <tlm>

namespace smsim::tb {

class AddressRouter final : public sc_core::sc_module,
                            private tlm::tlm_fw_transport_if<>,
                            private tlm::tlm_bw_transport_if<> {
  public:
    tlm::tlm_target_socket<64> from_initiator{"from_initiator"};
    tlm::tlm_initiator_socket<64> to_target{"to_target"};

    AddressRouter(const sc_core::sc_module_name &name, std::uint64_t offset) : sc_module(name), offset_(offset) {
        from_initiator.bind(*this);
        to_target.bind(*this);
    }

  private:
    using Payload = tlm::tlm_generic_payload;

    void move(Payload &payload) const { payload.set_address(payload.get_address() + offset_); }

    tlm::tlm_sync_enum nb_transport_fw(Payload &payload, tlm::tlm_phase &phase, sc_core::sc_time &delay) override {
        if (phase == tlm::BEGIN_REQ) {
            move(payload);
        }
        return to_target->nb_transport_fw(payload, phase, delay);
    }
    tlm::tlm_sync_enum nb_transport_bw(Payload &payload, tlm::tlm_phase &phase, sc_core::sc_time &delay) override {
        return from_initiator->nb_transport_bw(payload, phase, delay);
    }
    void b_transport(Payload &payload, sc_core::sc_time &delay) override {
        move(payload);
        to_target->b_transport(payload, delay);
    }
    unsigned transport_dbg(Payload &payload) override {
        move(payload);
        return to_target->transport_dbg(payload);
    }
    bool get_direct_mem_ptr(Payload &, tlm::tlm_dmi &dmi) override {
        dmi.init();
        dmi.allow_none();
        return false;
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

    std::uint64_t offset_;
};

} // namespace smsim::tb
