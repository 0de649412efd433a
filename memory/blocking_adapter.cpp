#include "memory/blocking_adapter.h"

#include <algorithm>

#include <fmt/format.h>

namespace smsim::memory {

/// A thread that passes one request at a time to b_transport.
class BlockingAdapter::Caller final : public sc_core::sc_module {
  public:
    Caller(const sc_core::sc_module_name &name, BlockingAdapter &owner) : sc_module(name), owner_(owner) {
        SC_HAS_PROCESS(Caller);
        SC_THREAD(run);
    }

    /// The request under way; none: the caller is free.
    const std::optional<Request> &request() const { return request_; }
    void call(const Request &request) {
        request_ = request;
        begin_.notify(sc_core::SC_ZERO_TIME);
    }

  private:
    void run() {
        while (true) {
            wait(begin_);
            const RawTime now = raw_now();
            sc_core::sc_time delay = sc_core::sc_time::from_value(std::max(request_->arrival, now) - now);
            owner_.to_target->b_transport(*request_->payload, delay);
            const Request done = *request_;
            request_.reset();
            owner_.returned(done, raw_now() + delay.value());
        }
    }

    BlockingAdapter &owner_;
    std::optional<Request> request_;
    sc_core::sc_event begin_;
};

BlockingAdapter::BlockingAdapter(const sc_core::sc_module_name &name, unsigned concurrent) : sc_module(name) {
    SC_HAS_PROCESS(BlockingAdapter);
    SC_METHOD(hand_down);
    sensitive << work_;
    dont_initialize();
    due_.on_due<&BlockingAdapter::respond>(this);
    for (unsigned i = 0; i < std::max(concurrent, 1U); ++i) {
        callers_.push_back(std::make_unique<Caller>(fmt::format("caller_{}", i).c_str(), *this));
    }
    target_.on_request<&BlockingAdapter::request>(this);
    target_.socket.on_blocking<&BlockingAdapter::blocking>(this);
    target_.socket.on_debug<&BlockingAdapter::debug>(this);
}

BlockingAdapter::~BlockingAdapter() = default;

FourPhaseTarget::Answer BlockingAdapter::request(unsigned, Payload &payload, RawTime arrival) {
    waiting_.push_back({&payload, arrival, next_number_++, payload.get_address(), span_of(payload), payload.is_read()});
    work_.notify(sc_core::SC_ZERO_TIME);
    return {FourPhaseTarget::Answer::Kind::kLater};
}

bool BlockingAdapter::must_wait(const Request &request) const {
    return std::ranges::any_of(callers_, [&request](const auto &caller) {
        const std::optional<Request> &other = caller->request();
        return other && !(request.reads && other->reads) &&
               (request.address - other->address < other->bytes || other->address - request.address < request.bytes);
    });
}

void BlockingAdapter::hand_down() {
    if (waiting_.empty() || must_wait(waiting_.front())) {
        return;
    }
    const auto free = std::ranges::find_if(callers_, [](const auto &caller) { return !caller->request(); });
    if (free == callers_.end()) {
        return;
    }
    (*free)->call(waiting_.front());
    waiting_.pop_front();
    if (!waiting_.empty()) {
        work_.notify(sc_core::SC_ZERO_TIME); // one call begins in a delta cycle
    }
}

void BlockingAdapter::returned(const Request &request, RawTime when) {
    target_.respond(*request.payload, when, request.number);
    work_.notify(sc_core::SC_ZERO_TIME);
}

void BlockingAdapter::respond() {
    target_.run();
}

void BlockingAdapter::blocking(unsigned, Payload &payload, sc_core::sc_time &delay) {
    to_target->b_transport(payload, delay);
}

unsigned BlockingAdapter::debug(unsigned, Payload &payload) {
    return to_target->transport_dbg(payload);
}

} // namespace smsim::memory
