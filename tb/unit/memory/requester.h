// The initiator of the memory tests: builds payloads, sends them with MemoryInitiator through a protocol checker and
// records what returned and when.
#pragma once

#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <vector>

#include <systemc>

#include "model/protocol/memory.h"
#include "model/protocol/memory_initiator.h"
#include "tb/support/base_protocol_checker.h"

namespace smsim::tb {

inline const sc_core::sc_time kPeriod{1, sc_core::SC_NS};

/// A request and its result.
struct Request {
    tlm::tlm_generic_payload *payload = nullptr;
    std::vector<std::uint8_t> data;
    std::vector<std::uint8_t> enables;
    bool is_done = false;
    std::uint64_t sent = 0; ///< cycle
    std::uint64_t done = 0; ///< cycle
    tlm::tlm_response_status status = tlm::TLM_INCOMPLETE_RESPONSE;
    std::uint64_t cycles() const { return done - sent; }
    std::uint64_t value() const {
        std::uint64_t result = 0;
        std::memcpy(&result, data.data(), std::min<std::size_t>(data.size(), 8));
        return result;
    }
};

/// Extension-free payload whose two ignorable extensions are attached on demand.
class Requester final : public sc_core::sc_module {
  public:
    protocol::MemoryInitiator port{"port", kPeriod};
    BaseProtocolChecker checker{"checker"};

    explicit Requester(const sc_core::sc_module_name &name) : sc_module(name) {
        port.socket.bind(checker.from_initiator);
        port.on_done<&Requester::done>(this);
    }
    ~Requester() override {
        for (Plain &plain : groups_) {
            plain.payload->clear_extension<protocol::AccessGroupExtension>();
        }
        for (Atomic &atomic : atomics_) {
            atomic.payload->clear_extension<protocol::AtomicExtension>();
        }
    }
    template <typename Socket> void bind(Socket &target) { checker.to_target.bind(target); }

    Request &read(std::uint64_t address, unsigned bytes, const sc_core::sc_time &delay = sc_core::SC_ZERO_TIME) {
        Request &request = make(tlm::TLM_READ_COMMAND, address, std::vector<std::uint8_t>(bytes));
        return send(request, delay);
    }
    Request &write(std::uint64_t address, std::vector<std::uint8_t> data,
                   const sc_core::sc_time &delay = sc_core::SC_ZERO_TIME) {
        return send(make(tlm::TLM_WRITE_COMMAND, address, std::move(data)), delay);
    }
    Request &atomic(isa::AtomicOp op, isa::AtomicType type, std::uint64_t address, std::uint64_t operand,
                    std::uint64_t compare = 0) {
        Request &request = make(tlm::TLM_IGNORE_COMMAND, address, std::vector<std::uint8_t>(isa::atomic_bytes(type)));
        attach_atomic(request, op, type, operand, compare);
        return send(request);
    }
    void attach_atomic(Request &request, isa::AtomicOp op, isa::AtomicType type, std::uint64_t operand,
                       std::uint64_t compare = 0) {
        Atomic &extension = atomics_.emplace_back();
        extension.payload = request.payload;
        extension.extension.active = true;
        extension.extension.op = op;
        extension.extension.type = type;
        extension.extension.operand = operand;
        extension.extension.compare = compare;
        request.payload->set_extension(&extension.extension);
    }
    void attach_group(Request &request, std::uint64_t group, bool bypass = false) {
        Plain &extension = groups_.emplace_back();
        extension.payload = request.payload;
        extension.extension.group = group;
        extension.extension.bypass_l1 = bypass;
        request.payload->set_extension(&extension.extension);
    }
    /// A request that the test changes before sending it.
    Request &make(tlm::tlm_command command, std::uint64_t address, std::vector<std::uint8_t> data) {
        Request &request = requests_.emplace_back();
        request.data = std::move(data);
        request.payload = &pool_.acquire();
        request.payload->set_command(command);
        request.payload->set_address(address);
        request.payload->set_data_ptr(request.data.data());
        request.payload->set_data_length(static_cast<unsigned>(request.data.size()));
        request.payload->set_streaming_width(static_cast<unsigned>(request.data.size()));
        protocol::extension_of<Mark>(*request.payload)->request = &request;
        return request;
    }
    Request &send(Request &request, const sc_core::sc_time &delay = sc_core::SC_ZERO_TIME) {
        request.sent = cycle(sc_core::sc_time_stamp());
        port.send(*request.payload, delay);
        return request;
    }
    static std::uint64_t cycle(const sc_core::sc_time &time) { return time.value() / kPeriod.value(); }
    /// Payloads that were not returned.
    std::size_t in_use() const { return pool_.in_use(); }
    std::function<void(Request &)> on_done;

  private:
    struct Mark final : protocol::PooledExtension<Mark> {
        Request *request = nullptr;
    };
    struct Plain {
        tlm::tlm_generic_payload *payload = nullptr;
        protocol::AccessGroupExtension extension;
    };
    struct Atomic {
        tlm::tlm_generic_payload *payload = nullptr;
        protocol::AtomicExtension extension;
    };
    void done(tlm::tlm_generic_payload &payload, const sc_core::sc_time &when) {
        Request &request = *protocol::extension_of<Mark>(payload)->request;
        request.is_done = true;
        request.done = cycle(when);
        request.status = payload.get_response_status();
        payload.clear_extension<protocol::AccessGroupExtension>();
        payload.clear_extension<protocol::AtomicExtension>();
        payload.release();
        if (on_done) {
            on_done(request);
        }
    }

    protocol::PayloadPool<Mark> pool_;
    std::deque<Request> requests_;
    std::deque<Plain> groups_;
    std::deque<Atomic> atomics_;
};

/// Runs closures in simulation, each in a method process at its cycle: requests must be sent by a process.
class Script final : public sc_core::sc_module {
  public:
    explicit Script(const sc_core::sc_module_name &name) : sc_module(name) {
        SC_HAS_PROCESS(Script);
        SC_METHOD(run);
        sensitive << wake_;
    }
    /// Steps in cycle order; those of one cycle run in the order given.
    void at(std::uint64_t cycle, std::function<void()> step) { steps_.push_back({cycle, std::move(step)}); }

  private:
    struct Step {
        std::uint64_t cycle;
        std::function<void()> body;
    };
    void run() {
        while (next_ < steps_.size() && steps_[next_].cycle * kPeriod <= sc_core::sc_time_stamp()) {
            steps_[next_++].body();
        }
        if (next_ < steps_.size()) {
            wake_.notify(steps_[next_].cycle * kPeriod - sc_core::sc_time_stamp());
        }
    }
    std::vector<Step> steps_;
    std::size_t next_ = 0;
    sc_core::sc_event wake_;
};

/// Runs closures as one thread process, for blocking transport.
class ThreadScript final : public sc_core::sc_module {
  public:
    ThreadScript(const sc_core::sc_module_name &name, std::function<void()> body)
        : sc_module(name), body_(std::move(body)) {
        SC_HAS_PROCESS(ThreadScript);
        SC_THREAD(run);
    }

  private:
    void run() { body_(); }
    std::function<void()> body_;
};

} // namespace smsim::tb
