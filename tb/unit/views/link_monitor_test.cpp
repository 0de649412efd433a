// The waveform monitor on a link of the base protocol: reports each phase with the address that was requested.
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/protocol/memory.h"
#include "tb/unit/memory/requester.h"
#include "tb/unit/memory/scripted_target.h"
#include "views/waveforms/link_monitor.h"

namespace smsim::views::waveforms {
namespace {

using tb::kPeriod;
using tb::Request;

class Transfers final : public TransferReader {
  public:
    std::vector<std::string> seen; ///< "phase address"
    void transfer(const Transfer &transfer, const sc_core::sc_time &) override {
        seen.push_back(fmt::format("{} {:#x}", transfer.phase, transfer.address));
    }
};

TEST(LinkMonitor, ShowsTheAddressOfTheRequestEvenIfAnInterconnectChangesIt) {
    Transfers transfers;
    LinkMonitor<protocol::MemoryLink> monitor("monitor", 0, transfers);
    tb::Requester requester("requester");
    tb::ScriptedTarget target("target");
    tb::Script script("script");
    requester.bind(monitor.from_initiator);
    monitor.to_target.bind(target.socket);
    tlm::tlm_generic_payload *waiting = nullptr;
    target.on_forward = [&](tlm::tlm_generic_payload &payload, tlm::tlm_phase &phase, sc_core::sc_time &) {
        payload.set_address(payload.get_address() + 0x1000);
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
        if (waiting != nullptr) {
            return tlm::TLM_COMPLETED;
        }
        waiting = &payload;
        phase = tlm::END_REQ;
        return tlm::TLM_UPDATED;
    };
    script.at(1, [&] { requester.read(0x40, 4); });
    script.at(2, [&] { requester.read(0x80, 4); });
    script.at(3, [&] { target.back(*waiting, tlm::BEGIN_RESP); });
    sc_core::sc_start(10 * kPeriod);
    EXPECT_THAT(transfers.seen, ::testing::ElementsAre("1 0x40", "2 0x40", "1 0x80", "3 0x80", "3 0x40"));
}

} // namespace
} // namespace smsim::views::waveforms
