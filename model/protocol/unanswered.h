// The transaction of an initiator that has waited longest for its target.
#pragma once

#include <optional>
#include <tuple>

#include "model/parts/unanswered.h"
#include "model/protocol/clock.h"
#include "model/protocol/memory.h"
#include "model/protocol/memory_initiator.h"

namespace smsim::protocol {

/// The oldest one; of those sent at the same time the one with the lowest address. None when all that were sent have
/// been answered.
inline std::optional<parts::UnansweredRequest> oldest_unanswered(const MemoryInitiator &port, const Clock &clock) {
    using Kind = parts::UnansweredRequest::Kind;
    std::optional<parts::UnansweredRequest> oldest;
    std::size_t count = 0;
    port.for_each_unanswered([&](const tlm::tlm_generic_payload &payload, const sc_core::sc_time &sent, bool accepted) {
        const auto *atomic = payload.get_extension<AtomicExtension>();
        const Kind kind = atomic != nullptr && atomic->active              ? Kind::kAtomic
                          : payload.get_command() == tlm::TLM_READ_COMMAND ? Kind::kRead
                                                                           : Kind::kWrite;
        const parts::UnansweredRequest request{kind, payload.get_address(), payload.get_data_length(),
                                               clock.complete(sent.value()), accepted};
        const auto order = [](const parts::UnansweredRequest &r) { return std::tuple(r.sent, r.address, r.bytes); };
        if (!oldest || order(request) < order(*oldest)) {
            oldest = request;
        }
        ++count;
    });
    if (oldest) {
        oldest->others = count - 1 + port.queued();
    }
    return oldest;
}

} // namespace smsim::protocol
