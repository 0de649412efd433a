// A bench of a part that takes requests from each sub-partition and answers them later: what the branch and barrier
// unit have in common.
#pragma once

#include <vector>

#include "cosim/transactions/bench.h"

namespace smsim::cosim::transactions {

/// `Request` is the payload type of the link.
template <typename Request> class SubPartitionBench : public Bench {
  protected:
    SubPartitionBench(const sc_core::sc_module_name &name, const Config &config, const File &file, Part part,
                      Ending &ending)
        : Bench(name, config, file, part, ending), held_(config.sm.sub_partitions) {}

    /// Handles the answer of `payload`, which takes effect after `delay`.
    virtual void complete(Request &payload, const sc_core::sc_time &delay) = 0;

    /// Whether the part has not taken the last request of a sub-partition yet.
    bool is_held(unsigned sub) const { return held_[sub]; }
    /// Sends the request `payload` over the socket of a sub-partition.
    template <typename Socket> void post(Socket &socket, unsigned sub, Request &payload) {
        tlm::tlm_phase phase = tlm::BEGIN_REQ;
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        const tlm::tlm_sync_enum status = socket->nb_transport_fw(payload, phase, delay);
        held_[sub] = status == tlm::TLM_ACCEPTED;
        if (status == tlm::TLM_COMPLETED) {
            complete(payload, delay);
        }
    }
    tlm::tlm_sync_enum on_answer(unsigned sub, Request &payload, tlm::tlm_phase &phase, sc_core::sc_time &delay) {
        if (held_[sub]) {
            held_[sub] = false;
            go_on();
        }
        if (phase != tlm::BEGIN_RESP) {
            return tlm::TLM_ACCEPTED;
        }
        complete(payload, delay);
        return tlm::TLM_COMPLETED;
    }

  private:
    std::vector<bool> held_;
};

} // namespace smsim::cosim::transactions
