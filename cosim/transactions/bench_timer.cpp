// The sleep timer between stubs: branch unit, CTA dispatch.
#include "cosim/transactions/bench.h"

#include <memory>

#include "model/protocol/payload_pool.h"
#include "model/protocol/socket.h"

namespace smsim::cosim::transactions {
namespace {

using protocol::LifecycleExtension;
using protocol::TimerExtension;
using sc_core::sc_time;

class TimerBench final : public Bench {
  public:
    TimerBench(const sc_core::sc_module_name &name, const Config &config, const File &file,
               const sm::PartFactory &factory, Ending &ending)
        : Bench(name, config, file, Part::kTimer, ending), part_(factory.sleep_timers.make("timer", config)) {
        requests_.bind(part_->from_branch_unit());
        expiries_.on_request<&TimerBench::on_expiry>(this);
        part_->to_branch_unit().bind(expiries_);
        lifecycle_.bind(part_->from_dispatch());
    }

  private:
    bool is_output(Event::Kind kind) const override { return kind == Event::Kind::kExpiry; }
    bool send(const Record &record) override {
        const auto &event = std::get<Event>(record);
        if (event.kind == Event::Kind::kRequest) {
            auto &payload = timers_.acquire();
            auto &message = *protocol::extension_of(payload);
            message.warp = event.warp;
            message.cycles = event.cycles;
            requests_.tell(payload, sc_core::SC_ZERO_TIME);
            return true;
        }
        auto &payload = lives_.acquire();
        auto &message = *protocol::extension_of(payload);
        message.kind = LifecycleExtension::Kind::kWarpEnded;
        message.warp = event.warp;
        lifecycle_.tell(payload, clock().period());
        return true;
    }
    tlm::tlm_sync_enum on_expiry(unsigned, protocol::TimerPayload &payload, tlm::tlm_phase &, sc_time &delay) {
        told(Event::Kind::kExpiry, protocol::extension_of(payload)->warp, clock().at(delay));
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
        return tlm::TLM_COMPLETED;
    }

    // Pools are declared before the part, which may hold payloads until it is destroyed.
    protocol::PayloadPool<TimerExtension> timers_;
    protocol::PayloadPool<LifecycleExtension> lives_;
    protocol::Initiator<protocol::TimerLink> requests_{"requests"};
    protocol::Target<protocol::TimerLink> expiries_{"expiries"};
    protocol::Initiator<protocol::LifecycleLink> lifecycle_{"lifecycle"};
    std::unique_ptr<parts::SleepTimer> part_;
};

} // namespace

std::unique_ptr<Bench> make_timer_bench(const Config &config, const File &file, const sm::PartFactory &factory,
                                        Ending &ending) {
    return std::make_unique<TimerBench>("timer_bench", config, file, factory, ending);
}

} // namespace smsim::cosim::transactions
