// Records out of what lies on the links, for whoever stands at one: the recorder of a run and the stubs of a replay.
#pragma once

#include <cstdint>
#include <optional>

#include <tlm>

#include "model/observation/observer.h"
#include "model/protocol/links.h"
#include "model/protocol/memory.h"
#include "model/transactions/records.h"

namespace smsim::cosim::transactions {

using namespace smsim::transactions;

/// The request, without its answer.
Branch branch_of(Cycle at, const protocol::BranchExtension &request);
Barrier barrier_of(Cycle at, const protocol::BarrierExtension &request);
Access access_of(Cycle at, const tlm::tlm_generic_payload &payload);

/// The answer that a payload has got, without what a branch unit tells observers. What has no meaning is 0.
BranchAnswer answer_of(Cycle at, const tlm::tlm_generic_payload &payload, const protocol::BranchExtension &request);
BarrierAnswer answer_of(Cycle at, const tlm::tlm_generic_payload &payload, const protocol::BarrierExtension &request);
AccessAnswer answer_of(Cycle at, const tlm::tlm_generic_payload &payload);

/// What observers are told of an instruction that goes into its record.
BranchDetail detail_of(const observation::ControlExecuted &event);

} // namespace smsim::cosim::transactions
