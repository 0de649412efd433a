// The branch unit between stubs: datapaths, CTA dispatch, sleep timer, instruction buffers.
#include "cosim/transactions/sub_partition_bench.h"

#include <memory>
#include <optional>
#include <vector>

#include "cosim/transactions/extract.h"
#include "model/config/config.h"
#include "model/observation/observer.h"
#include "model/protocol/payload_pool.h"
#include "model/protocol/socket.h"

namespace smsim::cosim::transactions {
namespace {

using protocol::BranchExtension;
using protocol::LifecycleExtension;
using protocol::TimerExtension;
using sc_core::sc_time;

class BruBench final : public SubPartitionBench<protocol::BranchPayload>, private observation::Observer {
  public:
    BruBench(const sc_core::sc_module_name &name, const Config &config, const File &file,
             const sm::PartFactory &factory, Ending &ending)
        : SubPartitionBench(name, config, file, Part::kBru, ending), requests_("requests", config.sm.sub_partitions),
          wakes_("wakes", config.sm.sub_partitions), executed_(config.warps()),
          part_(factory.branch_units.make("bru", config)) {
        for (unsigned sub = 0; sub < config.sm.sub_partitions; ++sub) {
            requests_[sub].on_response<&BruBench::on_answer>(this, sub);
            requests_[sub].bind(part_->from_datapath(sub));
            wakes_[sub].on_request<&BruBench::on_wake>(this);
            part_->to_ibuffer(sub).bind(wakes_[sub]);
        }
        timer_.on_request<&BruBench::on_timer>(this);
        part_->to_timer().bind(timer_);
        expiries_.bind(part_->from_timer());
        lifecycle_.bind(part_->from_dispatch());
        part_->observe(this);
    }

  private:
    using Phase = tlm::tlm_phase;

    bool is_output(Event::Kind kind) const override {
        return kind == Event::Kind::kRequest || kind == Event::Kind::kWake;
    }
    bool send(const Record &record) override {
        if (const auto *branch = std::get_if<Branch>(&record)) {
            return request(*branch);
        }
        if (const auto *start = std::get_if<Start>(&record)) {
            auto &payload = starts_.acquire();
            auto &message = *protocol::extension_of(payload);
            message.kind = LifecycleExtension::Kind::kWarpStart;
            message.start = {};
            message.start.warp = start->warp;
            message.start.entry = start->entry;
            message.start.code_bytes = start->code_bytes;
            message.start.valid = start->valid;
            message.start.cta = start->cta; // a SYSCALL is logged with its warp
            message.start.cta_number = start->cta_number;
            message.start.warp_in_cta = start->warp_in_cta;
            message.start.warps_in_cta = start->warps_in_cta;
            message.warp = start->warp;
            lifecycle_.tell(payload, clock().period());
            return true;
        }
        auto &payload = timers_.acquire();
        auto &message = *protocol::extension_of(payload);
        message.warp = warp_of(record);
        message.cycles = 0;
        expiries_.tell(payload, clock().period());
        return true;
    }
    bool request(const Branch &branch) {
        const unsigned sub = branch.warp.value() % config().sm.sub_partitions;
        if (is_held(sub)) {
            return false;
        }
        auto &payload = branches_.acquire();
        auto &request = *protocol::extension_of(payload);
        request.warp = branch.warp;
        request.insn = &std::get<Branch>(begin(payload).record).insn;
        request.guard = branch.guard;
        request.guard_pp = branch.guard_pp;
        request.vectors = branch.vectors;
        request.scalar = branch.scalar;
        request.sequence = sequence_++;
        request.interval = 1;
        post(requests_[sub], sub, payload);
        return true;
    }
    void complete(protocol::BranchPayload &payload, const sc_time &delay) override {
        const auto &request = *protocol::extension_of(payload);
        const Cycle effect = clock().at(delay);
        BranchAnswer answer = answer_of(effect, payload, request);
        auto &told = executed_[request.warp.value()];
        if (told && told->pc == request.insn->pc && !answer.fault) {
            answer.told = detail_of(*told);
        }
        told.reset();
        const auto &recorded = std::get<Branch>(flight_of(payload).record).answer;
        answered(payload, effect, recorded ? differences(*recorded, answer, "replayed") : "");
        payload.release();
    }
    tlm::tlm_sync_enum on_timer(unsigned, protocol::TimerPayload &payload, Phase &, sc_time &delay) {
        const auto &message = *protocol::extension_of(payload);
        told(Event::Kind::kRequest, message.warp, clock().at(delay), message.cycles);
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
        return tlm::TLM_COMPLETED;
    }
    tlm::tlm_sync_enum on_wake(unsigned, protocol::WakePayload &payload, Phase &, sc_time &delay) {
        told(Event::Kind::kWake, protocol::extension_of(payload)->warp, clock().at(delay));
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
        return tlm::TLM_COMPLETED;
    }
    void observe(Cycle, const observation::Event &event) override {
        if (const auto *executed = std::get_if<observation::ControlExecuted>(&event)) {
            executed_[executed->warp.value()] = *executed;
        }
    }

    // Pools are declared before the part, which may hold payloads until it is destroyed.
    protocol::PayloadPool<BranchExtension> branches_;
    protocol::PayloadPool<LifecycleExtension> starts_;
    protocol::PayloadPool<TimerExtension> timers_;
    sc_core::sc_vector<protocol::Initiator<protocol::BranchLink>> requests_;
    sc_core::sc_vector<protocol::Target<protocol::WakeLink>> wakes_;
    protocol::Target<protocol::TimerLink> timer_{"timer"};
    protocol::Initiator<protocol::TimerLink> expiries_{"expiries"};
    protocol::Initiator<protocol::LifecycleLink> lifecycle_{"lifecycle"};
    std::vector<std::optional<observation::ControlExecuted>>
        executed_; ///< by warp slot: reported, and not answered yet
    std::uint64_t sequence_ = 0;
    std::unique_ptr<parts::BranchUnit> part_;
};

} // namespace

std::unique_ptr<Bench> make_bru_bench(const Config &config, const File &file, const sm::PartFactory &factory,
                                      Ending &ending) {
    return std::make_unique<BruBench>("bru_bench", config, file, factory, ending);
}

} // namespace smsim::cosim::transactions
