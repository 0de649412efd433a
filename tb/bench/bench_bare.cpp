// The cost of SystemC and its sockets alone: `bench_bare ACTIVATIONS TRANSPORTS` activates a process ACTIVATIONS
// times, each in its own cycle, and sends TRANSPORTS transactions in total over a bound pair of sockets. Nothing else
// happens. Prints the CPU time as JSON. scripts/bench-classes compares a run of the model with a run of this program
// that has the same counts.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include <systemc>

#include "model/protocol/links.h"
#include "model/protocol/socket.h"

namespace {

using namespace smsim::protocol;

/// Completes each transaction within the call.
class Answerer final : public sc_core::sc_module {
  public:
    Target<IssueLink> socket{"socket"};
    explicit Answerer(const sc_core::sc_module_name &name) : sc_module(name) {
        socket.on_request<&Answerer::answer>(this);
    }

  private:
    tlm::tlm_sync_enum answer(unsigned, IssuePayload &payload, tlm::tlm_phase &, sc_core::sc_time &delay) {
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
        delay += period_;
        return tlm::TLM_COMPLETED;
    }
    sc_core::sc_time period_{1, sc_core::SC_NS};
};

/// Activated once per cycle; spreads the transactions evenly.
class Asker final : public sc_core::sc_module {
  public:
    SC_HAS_PROCESS(Asker);
    Initiator<IssueLink> socket{"socket"};
    Asker(const sc_core::sc_module_name &name, std::uint64_t activations, std::uint64_t transports)
        : sc_module(name), activations_(activations), transports_(transports) {
        SC_METHOD(run);
        sensitive << wake_;
    }

  private:
    void run() {
        due_ += transports_;
        for (; due_ >= activations_; due_ -= activations_) {
            tlm::tlm_phase phase = tlm::BEGIN_REQ;
            sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
            socket->nb_transport_fw(payload_, phase, delay);
        }
        if (++done_ < activations_) {
            wake_.notify(period_);
        }
    }

    std::uint64_t activations_;
    std::uint64_t transports_;
    std::uint64_t done_ = 0;
    std::uint64_t due_ = 0; ///< owed transactions, in units of 1 / activations
    sc_core::sc_time period_{1, sc_core::SC_NS};
    IssuePayload payload_{nullptr};
    sc_core::sc_event wake_{"wake"};
};

} // namespace

int sc_main(int argc, char **argv) {
    const std::uint64_t activations = argc == 3 ? std::strtoull(argv[1], nullptr, 10) : 0;
    if (activations == 0) {
        std::fprintf(stderr, "usage: bench_bare ACTIVATIONS TRANSPORTS\n");
        return 2;
    }
    Answerer answerer("answerer");
    Asker asker("asker", activations, std::strtoull(argv[2], nullptr, 10));
    asker.socket.bind(answerer.socket);
    const auto cpu_time = [] {
        timespec time{};
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
        return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
    };
    sc_core::sc_start(sc_core::SC_ZERO_TIME); // elaboration is not counted
    const std::int64_t before = cpu_time();
    sc_core::sc_start();
    std::printf("{\"cpu_ns\": %lld}\n", static_cast<long long>(cpu_time() - before));
    return 0;
}
