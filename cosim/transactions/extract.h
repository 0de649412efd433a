// Makes records from what the links carry: for the recorder of a run and the stubs of a replay.
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

/// The answer in a payload, without what a branch unit reports to observers. Fields without a meaning are 0.
BranchAnswer answer_of(Cycle at, const tlm::tlm_generic_payload &payload, const protocol::BranchExtension &request);
BarrierAnswer answer_of(Cycle at, const tlm::tlm_generic_payload &payload, const protocol::BarrierExtension &request);
AccessAnswer answer_of(Cycle at, const tlm::tlm_generic_payload &payload);

/// The part of an observed instruction that is put into its record.
BranchDetail detail_of(const observation::ControlExecuted &event);

} // namespace smsim::cosim::transactions
