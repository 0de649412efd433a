#include "sm/shared_pipe/shared_pipe.h"

#include <algorithm>
#include <utility>

#include "model/config/config.h"
#include "model/config/validate.h"

namespace smsim::sm {

using sc_core::sc_time;
using tlm::tlm_phase;
using tlm::tlm_sync_enum;

namespace {

constexpr std::uint64_t kEntry = ~std::uint64_t{0}; ///< for the jitter: the unit itself, not a warp
constexpr Cycle kHandOver = 1;                      ///< from the issue to the entry of an instruction that need not
                                                    ///< wait

/// Number of the pipe among those that an SM may share.
unsigned kind_of(isa::Unit unit) {
    unsigned kind = 0;
    for (const timing::PipeSpec &pipe : timing::execution_pipes()) {
        if (pipe.unit == unit) {
            break;
        }
        kind += pipe.per_sm != nullptr ? 1 : 0;
    }
    return kind;
}

} // namespace

SharedPipe::SharedPipe(const sc_core::sc_module_name &name, const Config &config, isa::Unit unit)
    : sc_module(name_if_valid(name, config)), spec_(timing::pipe_spec(unit)), clock_(config), pipes_(config),
      queues_(config.sm.sub_partitions, config.pipes.*spec_.queue), owed_end_req_(config.sm.sub_partitions, nullptr),
      jitter_(config.jitter, timing::Jitter::Part::kSharedPipe, kind_of(unit)) {
    alarm_.on_due<&SharedPipe::cycle>(this);
    for (unsigned i = 0; i < config.sm.sub_partitions; ++i) {
        datapaths.push_back(
            std::make_unique<protocol::Target<protocol::IssueLink>>(sc_core::sc_gen_unique_name("datapath")));
        datapaths.back()->on_request<&SharedPipe::on_request>(this, i);
    }
}

tlm_sync_enum SharedPipe::on_request(unsigned tag, Payload &payload, tlm_phase &phase, sc_time &delay) {
    const Cycle arrival = std::max(clock_.at(delay), clock_.now() + kHandOver);
    alarm_.set(clock_.raw(queues_.push(tag, &payload, arrival)));
    if (queues_.is_full(tag)) {
        owed_end_req_[tag] = &payload;
        return tlm::TLM_ACCEPTED;
    }
    phase = tlm::END_REQ;
    return tlm::TLM_UPDATED;
}

void SharedPipe::cycle() {
    const Cycle now = clock_.now();
    if (const auto served = queues_.take(now)) {
        if (Payload *const owed = std::exchange(owed_end_req_[served->queue], nullptr)) {
            tlm_phase phase = tlm::END_REQ;
            sc_time delay = clock_.period();
            (*datapaths[served->queue])->nb_transport_bw(*owed, phase, delay);
        }
        enter(served->queue, *served->item, now);
    }
    if (const Cycle next = queues_.next(now); next != kNever) {
        alarm_.set(clock_.raw(next));
    }
}

void SharedPipe::enter(unsigned tag, Payload &payload, Cycle now) {
    const auto &ext = *protocol::extension_of(payload);
    const Cycle free_at = now + pipes_.interval(*ext.insn) + jitter_(now, kEntry);
    queues_.occupy(free_at);
    use_.take(now, free_at);
    const Cycle latency = pipes_.latency(*ext.insn);
    const Cycle left = latency - std::min(latency, kHandOver) + jitter_(now, ext.warp.value());
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    tlm_phase phase = tlm::BEGIN_RESP;
    sc_time delay = clock_.span(std::max<Cycle>(left, 1));
    (*datapaths[tag])->nb_transport_bw(payload, phase, delay);
}

} // namespace smsim::sm
