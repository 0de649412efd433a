// The barrier unit between stubs: datapaths, CTA dispatch, instruction buffers.
#include "cosim/transactions/sub_partition_bench.h"

#include <memory>
#include <vector>

#include "cosim/transactions/extract.h"
#include "model/config/config.h"
#include "model/protocol/payload_pool.h"
#include "model/protocol/socket.h"

namespace smsim::cosim::transactions {
namespace {

using protocol::BarrierExtension;
using protocol::LifecycleExtension;
using sc_core::sc_time;

class BcuBench final : public SubPartitionBench<protocol::BarrierPayload> {
  public:
    BcuBench(const sc_core::sc_module_name &name, const Config &config, const File &file,
             const sm::PartFactory &factory, Ending &ending)
        : SubPartitionBench(name, config, file, Part::kBcu, ending), requests_("requests", config.sm.sub_partitions),
          wakes_("wakes", config.sm.sub_partitions), ctas_(config.warps()),
          part_(factory.barrier_units.make("bcu", config)) {
        for (unsigned sub = 0; sub < config.sm.sub_partitions; ++sub) {
            requests_[sub].on_response<&BcuBench::on_answer>(this, sub);
            requests_[sub].bind(part_->from_datapath(sub));
            wakes_[sub].on_request<&BcuBench::on_wake>(this);
            part_->to_ibuffer(sub).bind(wakes_[sub]);
        }
        lifecycle_.bind(part_->from_dispatch());
    }

  private:
    using Phase = tlm::tlm_phase;

    bool is_output(Event::Kind kind) const override { return kind == Event::Kind::kWake; }
    bool send(const Record &record) override {
        if (const auto *barrier = std::get_if<Barrier>(&record)) {
            return request(*barrier);
        }
        auto &payload = lives_.acquire();
        auto &message = *protocol::extension_of(payload);
        message.warp = warp_of(record);
        if (const auto *start = std::get_if<Start>(&record)) {
            message.kind = LifecycleExtension::Kind::kWarpStart;
            message.start = {};
            message.start.warp = start->warp;
            message.start.cta = start->cta;
            message.start.cta_number = start->cta_number;
            message.start.warp_in_cta = start->warp_in_cta;
            message.start.warps_in_cta = start->warps_in_cta;
            message.start.entry = start->entry;
            message.start.valid = start->valid;
            ctas_[start->warp.value()] = start->cta;
        } else {
            message.kind = LifecycleExtension::Kind::kWarpExited;
        }
        message.cta = ctas_[message.warp.value()];
        lifecycle_.tell(payload, clock().period());
        return true;
    }
    bool request(const Barrier &barrier) {
        const unsigned sub = barrier.warp.value() % config().sm.sub_partitions;
        if (is_held(sub)) {
            return false;
        }
        auto &payload = barriers_.acquire();
        auto &request = *protocol::extension_of(payload);
        request.warp = barrier.warp;
        request.insn = &std::get<Barrier>(begin(payload).record).insn;
        request.pmask = barrier.pmask;
        request.contribution = barrier.contribution;
        request.vectors = barrier.vectors;
        request.outcome = Outcome::kContinue;
        request.writes = false;
        post(requests_[sub], sub, payload);
        return true;
    }
    void complete(protocol::BarrierPayload &payload, const sc_time &delay) override {
        const Cycle effect = clock().at(delay);
        const BarrierAnswer answer = answer_of(effect, payload, *protocol::extension_of(payload));
        const auto &recorded = std::get<Barrier>(flight_of(payload).record).answer;
        answered(payload, effect, recorded ? differences(*recorded, answer, "replayed") : "");
        payload.release();
    }
    tlm::tlm_sync_enum on_wake(unsigned, protocol::WakePayload &payload, Phase &, sc_time &delay) {
        told(Event::Kind::kWake, protocol::extension_of(payload)->warp, clock().at(delay));
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
        return tlm::TLM_COMPLETED;
    }

    // Pools are declared before the part, which may hold payloads until it is destroyed.
    protocol::PayloadPool<BarrierExtension> barriers_;
    protocol::PayloadPool<LifecycleExtension> lives_;
    sc_core::sc_vector<protocol::Initiator<protocol::BarrierLink>> requests_;
    sc_core::sc_vector<protocol::Target<protocol::WakeLink>> wakes_;
    protocol::Initiator<protocol::LifecycleLink> lifecycle_{"lifecycle"};
    std::vector<CtaSlot> ctas_; ///< by warp slot
    std::unique_ptr<parts::BarrierUnit> part_;
};

} // namespace

std::unique_ptr<Bench> make_bcu_bench(const Config &config, const File &file, const sm::PartFactory &factory,
                                      Ending &ending) {
    return std::make_unique<BcuBench>("bcu_bench", config, file, factory, ending);
}

} // namespace smsim::cosim::transactions
