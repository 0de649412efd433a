#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <vector>

#include <systemc>

#include "assembler/assembler.h"
#include "model/config/loader.h"
#include "model/protocol/clock.h"
#include "model/protocol/links.h"
#include "model/protocol/payload_pool.h"
#include "model/protocol/socket.h"
#include "session/session.h"
#include "sm/part_factory.h"
#include "sm/parts.h"

namespace {

using smsim::Cycle;
using smsim::WarpSlot;
using smsim::protocol::LifecycleExtension;
using smsim::protocol::LifecycleLink;
using smsim::protocol::LifecyclePayload;
using smsim::protocol::TimerExtension;
using smsim::protocol::TimerLink;
using smsim::protocol::TimerPayload;

/// A sleep timer with a granularity of 64 cycles: sleeps last until the next multiple of it.
class CoarseTimer final : public sc_core::sc_module, public smsim::parts::SleepTimer {
  public:
    SC_HAS_PROCESS(CoarseTimer);

    CoarseTimer(const sc_core::sc_module_name &name, const smsim::Config &config) : sc_module(name), clock_(config) {
        request_.on_request<&CoarseTimer::on_request>(this);
        lifecycle_.on_request<&CoarseTimer::on_lifecycle>(this);
        SC_METHOD(fire);
        sensitive << next_;
        dont_initialize();
    }

    tlm::tlm_target_socket<64, TimerLink> &from_branch_unit() override { return request_; }
    tlm::tlm_initiator_socket<64, TimerLink> &to_branch_unit() override { return expiry_; }
    tlm::tlm_target_socket<64, LifecycleLink> &from_dispatch() override { return lifecycle_; }

  private:
    tlm::tlm_sync_enum on_request(unsigned, TimerPayload &payload, tlm::tlm_phase &, sc_core::sc_time &delay) {
        const auto &asked = payload.extension();
        const Cycle at = (clock_.at(delay) + std::max<Cycle>(asked.cycles, 1) + 63) / 64 * 64;
        const auto [timer, is_new] = expires_.try_emplace(asked.warp, at);
        timer->second = std::min(timer->second, at); // the earlier one, if it runs already
        wait_for_the_next();
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
        return tlm::TLM_COMPLETED;
    }

    tlm::tlm_sync_enum on_lifecycle(unsigned, LifecyclePayload &payload, tlm::tlm_phase &, sc_core::sc_time &) {
        const auto &message = payload.extension();
        if (message.kind == LifecycleExtension::Kind::kWarpEnded) {
            expires_.erase(message.warp);
        }
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
        return tlm::TLM_COMPLETED;
    }

    /// Reports the expiries of the next cycle, one cycle ahead, so that the order of processes does not matter.
    void fire() {
        for (auto timer = expires_.begin(); timer != expires_.end();) {
            if (timer->second > clock_.now() + 1) {
                ++timer;
                continue;
            }
            TimerPayload &payload = pool_.acquire();
            payload.extension().warp = timer->first;
            timer = expires_.erase(timer);
            tlm::tlm_phase phase = tlm::BEGIN_REQ;
            sc_core::sc_time delay = clock_.period();
            expiry_->nb_transport_fw(payload, phase, delay);
            payload.release();
        }
        wait_for_the_next();
    }

    void wait_for_the_next() {
        for (const auto &[warp, at] : expires_) {
            next_.notify(clock_.until(at - 1)); // the earliest notification stays
        }
    }

    smsim::protocol::Clock clock_;
    smsim::protocol::Target<TimerLink> request_{"request"};
    smsim::protocol::Initiator<TimerLink> expiry_{"expiry"};
    smsim::protocol::Target<LifecycleLink> lifecycle_{"lifecycle"};
    smsim::protocol::PayloadPool<TimerExtension> pool_;
    std::map<WarpSlot, Cycle> expires_;
    sc_core::sc_event next_;
};

/// Sleeps for 100 ns and stores the cycle in which it continues.
constexpr const char *kKernel = ".kernel nap\n"
                                "    NANOSLEEP 0x64;\n"
                                "    CS2R.32 R0, SR_CLOCKLO;\n"
                                "    MOV R2, c[0x0][0x160];\n"
                                "    MOV R3, c[0x0][0x164];\n"
                                "    STG [R[2:3]], R0;\n"
                                "    EXIT;\n";

} // namespace

int sc_main(int, char **) {
    const smsim::Config config = smsim::load_config(std::nullopt, {});
    const smsim::Program program = smsim::assemble(kKernel, "nap.sasm", smsim::timing::SchedulingModel(config));

    smsim::sm::PartFactory factory = smsim::sm::PartFactory::standard();
    factory.sleep_timers.add(
        "coarse", [](const char *name, const smsim::Config &of) { return std::make_unique<CoarseTimer>(name, of); });
    factory.sleep_timers.choose("coarse");
    smsim::session::Options options;
    options.factory = &factory;

    smsim::session::Session session(config, options);
    constexpr std::uint64_t kCycle = 0x10000000;
    session.map(kCycle, 4, "cycle");
    smsim::launch::Launch what;
    what.block = {1, 1, 1};
    what.arguments.resize(1);
    what.arguments[0].is_buffer = true;
    const std::vector<std::uint64_t> addresses = {kCycle};
    const smsim::session::LaunchResult result = session.launch(program, program.kernels.at(0), what, addresses);
    if (!result.completed()) {
        std::printf("%s\n", result.exception.c_str());
        return 1;
    }
    std::vector<std::uint8_t> bytes(4);
    session.read(kCycle, bytes);
    std::uint32_t cycle = 0;
    std::memcpy(&cycle, bytes.data(), 4);
    std::printf("on the way again in cycle %u\n", cycle);
    return cycle > 100 && cycle % 64 < 16 ? 0 : 1;
}
