// Thin TLM-2.0 sockets for method processes: native interfaces, one callback per socket, no conversions.
//
// The convenience sockets of the standard utilities convert between blocking and non-blocking calls at a cost of
// several hundred nanoseconds; these forward directly and carry a tag, so that a part can own an array of them.
#pragma once

#include <systemc>
#include <tlm>

#include "model/protocol/link_payload.h"

namespace smsim::protocol {

/// Target side of a link with protocol traits `Traits`. Requests arrive at the bound function with the socket's tag.
/// Each function has its own owner, so that one object can handle the phases and another the blocking calls.
template <typename Traits>
class Target final : public tlm::tlm_target_socket<64, Traits>, private tlm::tlm_fw_transport_if<Traits> {
  public:
    using Payload = typename Traits::tlm_payload_type;
    using Phase = typename Traits::tlm_phase_type;

    explicit Target(const char *name) : tlm::tlm_target_socket<64, Traits>(name) {
        this->bind(*static_cast<tlm::tlm_fw_transport_if<Traits> *>(this));
    }

    /// Binds `owner->*Method(tag, payload, phase, delay)` as the non-blocking forward path.
    template <auto Method, typename Owner> void on_request(Owner *owner, unsigned tag = 0) {
        owner_ = owner;
        tag_ = tag;
        request_ = [](void *o, unsigned t, Payload &p, Phase &ph, sc_core::sc_time &d) {
            return (static_cast<Owner *>(o)->*Method)(t, p, ph, d);
        };
    }
    /// Binds `owner->*Method(tag, payload, delay)` as blocking transport (memory targets only).
    template <auto Method, typename Owner> void on_blocking(Owner *owner) {
        blocking_owner_ = owner;
        blocking_ = [](void *o, unsigned t, Payload &p, sc_core::sc_time &d) {
            (static_cast<Owner *>(o)->*Method)(t, p, d);
        };
    }
    /// Binds `owner->*Method(tag, payload) -> unsigned` as debug transport.
    template <auto Method, typename Owner> void on_debug(Owner *owner) {
        debug_owner_ = owner;
        debug_ = [](void *o, unsigned t, Payload &p) { return (static_cast<Owner *>(o)->*Method)(t, p); };
    }
    /// Binds `owner->*Method(tag, payload, dmi) -> bool` for direct memory requests.
    template <auto Method, typename Owner> void on_dmi(Owner *owner) {
        dmi_owner_ = owner;
        dmi_ = [](void *o, unsigned t, Payload &p, tlm::tlm_dmi &d) {
            return (static_cast<Owner *>(o)->*Method)(t, p, d);
        };
    }

    /// Identifies this target to the initiator bound to it: the same as Initiator::peer() there.
    const void *identity() const { return static_cast<const tlm::tlm_fw_transport_if<Traits> *>(this); }

  private:
    tlm::tlm_sync_enum nb_transport_fw(Payload &payload, Phase &phase, sc_core::sc_time &delay) override {
        return request_(owner_, tag_, payload, phase, delay);
    }
    void b_transport(Payload &payload, sc_core::sc_time &delay) override {
        if (blocking_ == nullptr) {
            payload.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
            SC_REPORT_ERROR(this->name(), "this link is non-blocking only");
            return;
        }
        blocking_(blocking_owner_, tag_, payload, delay);
    }
    unsigned transport_dbg(Payload &payload) override {
        return debug_ == nullptr ? 0 : debug_(debug_owner_, tag_, payload);
    }
    bool get_direct_mem_ptr(Payload &payload, tlm::tlm_dmi &dmi) override {
        if (dmi_ == nullptr) {
            dmi.allow_none();
            dmi.set_start_address(0);
            dmi.set_end_address(~sc_dt::uint64{0});
            return false;
        }
        return dmi_(dmi_owner_, tag_, payload, dmi);
    }

    void *owner_ = nullptr;
    unsigned tag_ = 0;
    tlm::tlm_sync_enum (*request_)(void *, unsigned, Payload &, Phase &, sc_core::sc_time &) = nullptr;
    void *blocking_owner_ = nullptr;
    void *debug_owner_ = nullptr;
    void *dmi_owner_ = nullptr;
    void (*blocking_)(void *, unsigned, Payload &, sc_core::sc_time &) = nullptr;
    unsigned (*debug_)(void *, unsigned, Payload &) = nullptr;
    bool (*dmi_)(void *, unsigned, Payload &, tlm::tlm_dmi &) = nullptr;
};

/// Initiator side. Calls of the backward path arrive at the bound function with the socket's tag.
template <typename Traits>
class Initiator final : public tlm::tlm_initiator_socket<64, Traits>, private tlm::tlm_bw_transport_if<Traits> {
  public:
    using Payload = typename Traits::tlm_payload_type;
    using Phase = typename Traits::tlm_phase_type;

    explicit Initiator(const char *name) : tlm::tlm_initiator_socket<64, Traits>(name) {
        this->bind(*static_cast<tlm::tlm_bw_transport_if<Traits> *>(this));
    }

    /// Binds `owner->*Method(tag, payload, phase, delay)` as the non-blocking backward path.
    template <auto Method, typename Owner> void on_response(Owner *owner, unsigned tag = 0) {
        owner_ = owner;
        tag_ = tag;
        response_ = [](void *o, unsigned t, Payload &p, Phase &ph, sc_core::sc_time &d) {
            return (static_cast<Owner *>(o)->*Method)(t, p, ph, d);
        };
    }
    /// The final target of calls on the forward path. Call after elaboration.
    const void *peer() const {
        const tlm::tlm_fw_transport_if<Traits> *target = this->operator->();
        return target;
    }
    /// Sends a message that is completed on the call and takes effect in `delay`, and returns `payload` to its pool.
    /// False: the receiver has not completed it, or refuses it.
    bool tell(Payload &payload, sc_core::sc_time delay) {
        Phase phase = tlm::BEGIN_REQ;
        const tlm::tlm_sync_enum status = (*this)->nb_transport_fw(payload, phase, delay);
        const bool accepted = status == tlm::TLM_COMPLETED && payload.is_response_ok();
        payload.release();
        return accepted;
    }
    /// Binds `owner->*Method(start, end)` for invalidation of direct memory pointers.
    template <auto Method, typename Owner> void on_invalidate(Owner *owner) {
        invalidate_owner_ = owner;
        invalidate_ = [](void *o, sc_dt::uint64 s, sc_dt::uint64 e) { (static_cast<Owner *>(o)->*Method)(s, e); };
    }

  private:
    tlm::tlm_sync_enum nb_transport_bw(Payload &payload, Phase &phase, sc_core::sc_time &delay) override {
        if (response_ == nullptr) {
            SC_REPORT_ERROR(this->name(), "no backward path expected on this link");
            return tlm::TLM_COMPLETED;
        }
        return response_(owner_, tag_, payload, phase, delay);
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64 start, sc_dt::uint64 end) override {
        if (invalidate_ != nullptr) {
            invalidate_(invalidate_owner_, start, end);
        }
    }

    void *owner_ = nullptr;
    unsigned tag_ = 0;
    tlm::tlm_sync_enum (*response_)(void *, unsigned, Payload &, Phase &, sc_core::sc_time &) = nullptr;
    void *invalidate_owner_ = nullptr;
    void (*invalidate_)(void *, sc_dt::uint64, sc_dt::uint64) = nullptr;
};

/// Traits of an internal link: payloads with `Extension` and standard phases. Each link has its own type, so that
/// binding the sockets of two different links, or sending a payload of another link, does not compile.
template <typename Extension> struct Link {
    using tlm_payload_type = LinkPayload<Extension>;
    using tlm_phase_type = tlm::tlm_phase;
};

} // namespace smsim::protocol
