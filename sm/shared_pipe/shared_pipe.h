// One execution pipe for all sub-partitions of an SM, as GPUs with few lanes for double precision have it
// (`pipes.fp64_per_sm`). It decides only when results are there; the datapath has executed the instructions at issue.
#pragma once

#include <memory>
#include <vector>

#include <systemc>

#include "model/protocol/calendar.h"
#include "model/protocol/clock.h"
#include "model/protocol/links.h"
#include "model/protocol/socket.h"
#include "model/timing/jitter.h"
#include "model/timing/pipes.h"
#include "sm/parts.h"
#include "sm/shared_pipe/pipe_queues.h"

namespace smsim {
struct Config;
}

namespace smsim::sm {

/// One queue of `queue` instructions per sub-partition; every `interval` cycles one of them enters the pipe, in
/// rotating order (keys of the pipe, timing/pipes.h). A full queue withholds END_REQ. An instruction that need not wait
/// enters in the cycle after its issue; its result is available one pipe latency after the issue, but at least 2 cycles
/// after it. Waiting delays the result by the same number of cycles.
///
/// Requests are the issue payloads themselves. They take effect a cycle after the call, so that the order of the
/// sub-partitions' requests in one time step does not matter.
class SharedPipe final : public sc_core::sc_module, public parts::SharedPipe {
  public:
    std::vector<std::unique_ptr<protocol::Target<protocol::IssueLink>>> datapaths;

    /// The pipe of `unit`, which is an execution pipe with a key `per_sm`. `config` is read during construction only.
    SharedPipe(const sc_core::sc_module_name &name, const Config &config, isa::Unit unit);

    // parts::SharedPipe
    tlm::tlm_target_socket<64, protocol::IssueLink> &from_datapath(unsigned index) override {
        return *datapaths[index];
    }
    bool join(protocol::Calendar &calendar) override {
        alarm_.join(calendar);
        clock_.follow(calendar.local_time());
        return true;
    }
    void add_use(Cycle end, UnitUses &uses) const override { smsim::add_use(uses, spec_.used, 1, use_.until(end)); }
    void clear_statistics() override { use_.clear(clock_.now()); }

  private:
    using Payload = protocol::IssuePayload;

    tlm::tlm_sync_enum on_request(unsigned tag, Payload &payload, tlm::tlm_phase &phase, sc_core::sc_time &delay);
    void cycle();
    void enter(unsigned tag, Payload &payload, Cycle now);

    const timing::PipeSpec &spec_;
    protocol::Clock clock_;
    timing::Pipes pipes_;
    PipeQueues<Payload *> queues_;
    std::vector<Payload *> owed_end_req_; ///< by sub-partition
    timing::Jitter jitter_;
    protocol::Alarm alarm_;
    TakenTime use_; ///< of the pipe
};

} // namespace smsim::sm
