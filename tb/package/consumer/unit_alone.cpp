#include <cstdio>
#include <memory>
#include <vector>

#include <systemc>

#include "assembler/assembler.h"
#include "model/config/loader.h"
#include "model/protocol/clock.h"
#include "model/protocol/links.h"
#include "model/protocol/payload_pool.h"
#include "model/protocol/socket.h"
#include "sm/part_factory.h"
#include "sm/parts.h"

namespace {

using namespace smsim;
using namespace smsim::protocol;

/// Plays the neighbours of a barrier unit: two warps of one CTA, in slots 0 and 1, arrive at barrier 0.
class Bench final : public sc_core::sc_module {
  public:
    SC_HAS_PROCESS(Bench);

    Bench(const sc_core::sc_module_name &name, const Config &config, const isa::Instruction &arrival)
        : sc_module(name), clock_(config), arrival_(arrival),
          unit_(sm::PartFactory::standard().barrier_units.make("bcu", config)) {
        dispatch_.bind(unit_->from_dispatch());
        for (unsigned i = 0; i < config.sm.sub_partitions; ++i) { // every socket is bound
            arrivals_.push_back(std::make_unique<Initiator<BarrierLink>>(sc_core::sc_gen_unique_name("arrivals")));
            arrivals_.back()->on_response<&Bench::on_answer>(this);
            arrivals_.back()->bind(unit_->from_datapath(i));
            wakes_.push_back(std::make_unique<Target<WakeLink>>(sc_core::sc_gen_unique_name("wakes")));
            wakes_.back()->on_request<&Bench::on_wake>(this);
            unit_->to_ibuffer(i).bind(*wakes_.back());
        }
        SC_THREAD(run);
    }
    bool done() const { return woken_ == 1 && answered_ == 2; }

  private:
    void run() {
        for (unsigned warp = 0; warp < 2; ++warp) {
            LifecyclePayload &payload = lifecycle_pool_.acquire();
            LifecycleExtension &message = payload.extension();
            message.kind = LifecycleExtension::Kind::kWarpStart;
            message.start.warp = WarpSlot(warp);
            message.start.warp_in_cta = warp;
            message.start.warps_in_cta = 2;
            send(dispatch_, payload);
        }
        for (unsigned warp = 0; warp < 2; ++warp) {
            wait(clock_.span(20));
            BarrierPayload &payload = barrier_pool_.acquire();
            payload.extension().warp = WarpSlot(warp);
            payload.extension().insn = &arrival_;
            payload.extension().pmask = LaneMask::all();
            std::printf("cycle %2llu: warp %u arrives\n", static_cast<unsigned long long>(clock_.now()), warp);
            send(*arrivals_[warp], payload); // sub-partition = slot modulo their number
        }
    }
    /// Sends a request that takes effect in the next cycle; one that is completed on the call goes back to its pool.
    template <typename Socket, typename Some> void send(Socket &socket, Some &payload) {
        tlm::tlm_phase phase = tlm::BEGIN_REQ;
        sc_core::sc_time delay = clock_.period();
        if (socket->nb_transport_fw(payload, phase, delay) == tlm::TLM_COMPLETED) {
            payload.release();
        }
    }
    tlm::tlm_sync_enum on_answer(unsigned, BarrierPayload &payload, tlm::tlm_phase &, sc_core::sc_time &delay) {
        const BarrierExtension &answer = payload.extension();
        std::printf("cycle %2llu: warp %u %s\n", static_cast<unsigned long long>(clock_.at(delay)), answer.warp.value(),
                    answer.outcome == Outcome::kBlocked ? "is blocked" : "continues");
        ++answered_;
        payload.release();
        return tlm::TLM_COMPLETED;
    }
    tlm::tlm_sync_enum on_wake(unsigned, WakePayload &payload, tlm::tlm_phase &, sc_core::sc_time &delay) {
        std::printf("cycle %2llu: warp %u is released\n", static_cast<unsigned long long>(clock_.at(delay)),
                    payload.extension().warp.value());
        ++woken_;
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
        return tlm::TLM_COMPLETED;
    }

    Clock clock_;
    const isa::Instruction &arrival_;
    std::unique_ptr<parts::BarrierUnit> unit_;
    Initiator<LifecycleLink> dispatch_{"dispatch"};
    std::vector<std::unique_ptr<Initiator<BarrierLink>>> arrivals_;
    std::vector<std::unique_ptr<Target<WakeLink>>> wakes_;
    PayloadPool<LifecycleExtension> lifecycle_pool_;
    PayloadPool<BarrierExtension> barrier_pool_;
    unsigned answered_ = 0;
    unsigned woken_ = 0;
};

} // namespace

int sc_main(int, char **) {
    const Config config = load_config(std::nullopt, std::vector<std::string>{"bcu.release_latency=10"});
    const Program program = assemble(".kernel k\n BAR.SYNC 0x0;\n EXIT;\n", "k.sasm", timing::SchedulingModel(config));
    Bench bench("bench", config, program.code.at(0));
    sc_core::sc_start();
    return bench.done() ? 0 : 1;
}
