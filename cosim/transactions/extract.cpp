#include "cosim/transactions/extract.h"

#include <algorithm>

#include "memory/payload_access.h"

namespace smsim::cosim::transactions {
namespace {

bool is_branch(isa::Op op) {
    return op == isa::Op::kBra || op == isa::Op::kBrx || op == isa::Op::kCall || op == isa::Op::kRet;
}

} // namespace

Branch branch_of(Cycle at, const protocol::BranchExtension &request) {
    const OperandUse use = operands_read(*request.insn);
    Branch branch;
    branch.at = at;
    branch.warp = request.warp;
    branch.insn = *request.insn;
    branch.guard = request.guard;
    branch.guard_pp = request.guard_pp;
    for (std::size_t i = 0; i < std::min(use.vectors, request.vectors.size()); ++i) {
        branch.vectors[i] = request.vectors[i];
    }
    branch.scalar = use.scalar ? request.scalar : 0;
    return branch;
}

Barrier barrier_of(Cycle at, const protocol::BarrierExtension &request) {
    const OperandUse use = operands_read(*request.insn);
    Barrier barrier;
    barrier.at = at;
    barrier.warp = request.warp;
    barrier.insn = *request.insn;
    barrier.pmask = request.pmask;
    barrier.contribution = request.contribution;
    for (std::size_t i = 0; i < std::min(use.vectors, request.vectors.size()); ++i) {
        barrier.vectors[i] = request.vectors[i];
    }
    return barrier;
}

Access access_of(Cycle at, const tlm::tlm_generic_payload &payload) {
    Access access;
    access.at = at;
    const auto *atomic = payload.get_extension<protocol::AtomicExtension>();
    if (atomic != nullptr && atomic->active) {
        access.kind = Access::Kind::kAtomic;
        access.op = static_cast<std::uint8_t>(atomic->op);
        access.type = static_cast<std::uint8_t>(atomic->type);
        access.operand = atomic->operand;
        access.compare = atomic->op == isa::AtomicOp::kCas ? atomic->compare : 0;
    } else if (payload.get_command() == tlm::TLM_IGNORE_COMMAND) {
        access.kind = Access::Kind::kNothing;
    } else {
        access.kind = payload.is_read() ? Access::Kind::kRead : Access::Kind::kWrite;
    }
    if (const auto *group = payload.get_extension<protocol::AccessGroupExtension>()) {
        access.group = group->group;
    }
    access.address = payload.get_address();
    access.length = payload.get_data_length();
    access.width = static_cast<std::uint32_t>(memory::span_of(payload));
    if (payload.get_byte_enable_ptr() != nullptr) {
        for (std::uint32_t i = 0; i < access.length; ++i) {
            access.enabled.push_back(memory::byte_enabled(payload, i));
        }
    }
    if (access.kind == Access::Kind::kWrite) {
        const unsigned char *data = payload.get_data_ptr();
        access.data.assign(data, data + access.length);
        for (std::size_t i = 0; i < access.enabled.size(); ++i) {
            access.data[i] = access.enabled[i] ? access.data[i] : 0;
        }
    }
    return access;
}

BranchAnswer answer_of(Cycle at, const tlm::tlm_generic_payload &payload, const protocol::BranchExtension &request) {
    BranchAnswer answer;
    answer.at = at;
    if (payload.is_response_error()) {
        answer.fault = request.fault.fault;
        answer.detail = request.fault.detail;
        return answer;
    }
    answer.outcome = request.outcome;
    answer.next_pc = request.outcome == Outcome::kExited ? 0 : request.next_pc;
    answer.next_active = request.next_active;
    answer.write_lanes = request.write_lanes;
    answer.value = request.write_lanes.any() ? request.value : 0;
    return answer;
}

BarrierAnswer answer_of(Cycle at, const tlm::tlm_generic_payload &payload, const protocol::BarrierExtension &request) {
    BarrierAnswer answer;
    answer.at = at;
    if (payload.is_response_error()) {
        answer.fault = request.fault.fault;
        answer.detail = request.fault.detail;
        return answer;
    }
    answer.outcome = request.outcome;
    answer.writes = request.writes;
    answer.value = request.writes ? request.value : 0;
    answer.predicate = request.writes && request.predicate;
    return answer;
}

AccessAnswer answer_of(Cycle at, const tlm::tlm_generic_payload &payload) {
    AccessAnswer answer;
    answer.at = at;
    answer.status = static_cast<std::int8_t>(payload.get_response_status());
    const auto *atomic = payload.get_extension<protocol::AtomicExtension>();
    const bool is_atomic = atomic != nullptr && atomic->active;
    answer.performed = is_atomic && atomic->performed;
    if (payload.is_response_ok() && (is_atomic || payload.is_read())) {
        const unsigned char *data = payload.get_data_ptr();
        answer.bytes.assign(data, data + payload.get_data_length());
        if (payload.get_byte_enable_ptr() != nullptr) {
            for (std::size_t i = 0; i < answer.bytes.size(); ++i) {
                answer.bytes[i] = memory::byte_enabled(payload, i) ? answer.bytes[i] : 0;
            }
        }
    }
    return answer;
}

BranchDetail detail_of(const observation::ControlExecuted &event) {
    BranchDetail detail;
    detail.active = event.active;
    if (is_branch(event.op)) {
        detail.jumped = event.jumped;
        detail.split = event.split;
    }
    detail.sync = static_cast<std::uint8_t>(event.sync);
    if (event.sync == observation::SyncResult::kPassed) {
        detail.release = event.release;
    }
    return detail;
}

} // namespace smsim::cosim::transactions
