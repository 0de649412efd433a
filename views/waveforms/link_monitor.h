// Sits in a link between initiator and target, forwards every call unchanged, and reports requests and responses. It
// is only inserted when waveforms are requested, so that links cost nothing otherwise.
#pragma once

#include <type_traits>
#include <unordered_map>

#include <systemc>
#include <tlm>

#include "model/protocol/links.h"
#include "model/protocol/memory.h"
#include "model/types.h"
#include "views/waveforms/link_phase.h"

namespace smsim::views::waveforms {

/// What a payload of a link is about.
struct Contents {
    std::uint64_t address = 0;
    std::uint32_t warp = kNoWarpOnLink;
};

/// The warp and the address (of the instruction, on links that carry one) of a payload, by the protocol of its link.
template <typename Traits> Contents contents_of(const typename Traits::tlm_payload_type &payload) {
    using namespace protocol;
    if constexpr (std::is_same_v<Traits, IssueLink> || std::is_same_v<Traits, BranchLink> ||
                  std::is_same_v<Traits, BarrierLink> || std::is_same_v<Traits, LoadStoreLink>) {
        const auto &ext = payload.extension();
        return {ext.insn->pc, ext.warp.value()};
    } else if constexpr (std::is_same_v<Traits, TimerLink> || std::is_same_v<Traits, WakeLink>) {
        return {0, payload.extension().warp.value()};
    } else if constexpr (std::is_same_v<Traits, LifecycleLink>) {
        const auto &ext = payload.extension();
        return {0, ext.kind == LifecycleExtension::Kind::kWarpStart ? ext.start.warp.value() : ext.warp.value()};
    } else {
        return {payload.get_address(), kNoWarpOnLink};
    }
}

template <typename Traits>
class LinkMonitor final : public sc_core::sc_module,
                          private tlm::tlm_fw_transport_if<Traits>,
                          private tlm::tlm_bw_transport_if<Traits> {
  public:
    tlm::tlm_target_socket<64, Traits> from_initiator{"from_initiator"};
    tlm::tlm_initiator_socket<64, Traits> to_target{"to_target"};

    /// `link` is the number under which `reader` knows the link.
    LinkMonitor(const sc_core::sc_module_name &name, unsigned link, TransferReader &reader)
        : sc_module(name), link_(link), reader_(reader) {
        from_initiator.bind(*static_cast<tlm::tlm_fw_transport_if<Traits> *>(this));
        to_target.bind(*static_cast<tlm::tlm_bw_transport_if<Traits> *>(this));
    }

  private:
    using Payload = typename Traits::tlm_payload_type;
    using Phase = tlm::tlm_phase;

    /// On the base protocol an interconnect may change the address of a request: the requested one is kept until the
    /// end.
    static constexpr bool kMayChange = std::is_same_v<Traits, protocol::MemoryLink>;
    Contents begin(const Payload &payload) {
        const Contents contents = contents_of<Traits>(payload);
        if constexpr (kMayChange) {
            requests_[&payload] = contents;
        }
        return contents;
    }
    Contents requested(const Payload &payload) const {
        const auto found = kMayChange ? requests_.find(&payload) : requests_.end();
        return found == requests_.end() ? contents_of<Traits>(payload) : found->second;
    }
    void tell(const Contents &contents, bool response, unsigned phase, const sc_core::sc_time &delay) {
        reader_.transfer({link_, response, phase, contents.warp, contents.address}, delay);
    }
    tlm::tlm_sync_enum nb_transport_fw(Payload &payload, Phase &phase, sc_core::sc_time &delay) override {
        const Contents contents = phase == tlm::BEGIN_REQ ? begin(payload) : requested(payload);
        const unsigned sent = phase;
        tell(contents, phase == tlm::END_RESP, sent, delay);
        const tlm::tlm_sync_enum answer = to_target->nb_transport_fw(payload, phase, delay);
        if (answer == tlm::TLM_COMPLETED && sent == tlm::BEGIN_REQ) {
            tell(contents, true, tlm::BEGIN_RESP, delay);
        } else if (answer == tlm::TLM_UPDATED) {
            tell(contents, phase == tlm::BEGIN_RESP, phase, delay);
        }
        if (answer == tlm::TLM_COMPLETED || sent == tlm::END_RESP) {
            requests_.erase(&payload);
        }
        return answer;
    }
    tlm::tlm_sync_enum nb_transport_bw(Payload &payload, Phase &phase, sc_core::sc_time &delay) override {
        tell(requested(payload), phase == tlm::BEGIN_RESP, phase, delay);
        const tlm::tlm_sync_enum answer = from_initiator->nb_transport_bw(payload, phase, delay);
        if (answer == tlm::TLM_COMPLETED || phase == tlm::END_RESP) {
            requests_.erase(&payload);
        }
        return answer;
    }
    void b_transport(Payload &payload, sc_core::sc_time &delay) override { to_target->b_transport(payload, delay); }
    unsigned transport_dbg(Payload &payload) override { return to_target->transport_dbg(payload); }
    /// Rejected: accesses that bypass the link could not be shown.
    bool get_direct_mem_ptr(Payload &, tlm::tlm_dmi &dmi) override {
        dmi.init();
        dmi.allow_none();
        return false;
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64 start, sc_dt::uint64 end) override {
        from_initiator->invalidate_direct_mem_ptr(start, end);
    }

    unsigned link_;
    TransferReader &reader_;
    std::unordered_map<const Payload *, Contents> requests_; ///< under way
};

} // namespace smsim::views::waveforms
