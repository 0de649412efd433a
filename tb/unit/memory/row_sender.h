// Sends the transactions of warp accesses as the load/store unit does: each one offers those after it.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include <systemc>

#include "model/protocol/memory.h"
#include "model/protocol/memory_initiator.h"
#include "model/protocol/payload_pool.h"
#include "model/protocol/rows.h"
#include "tb/unit/memory/requester.h"

namespace smsim::tb {

/// One transaction and its result.
struct SentRow {
    std::uint64_t address = 0;
    std::vector<std::uint8_t> data;
    std::vector<std::uint8_t> enables; ///< empty: all
    std::uint64_t operand = 0;
    std::uint64_t compare = 0;

    bool is_done = false;
    bool is_ok = false;
    bool cache_hit = false;
    std::uint64_t when = 0; ///< raw time
};

/// The transactions of one access, all with the same command.
struct SentAccess {
    tlm::tlm_command command = tlm::TLM_READ_COMMAND; ///< IGNORE: atomics
    isa::AtomicOp op = isa::AtomicOp::kAdd;
    isa::AtomicType type = isa::AtomicType::kU32;
    bool bypass_l1 = false;
    std::vector<SentRow> rows;

    // For a banked memory.
    std::uint64_t group = 0;
    std::uint32_t port = 0;
    bool phased = false;
    std::uint32_t phase = 0;
    bool full_passes = false;
    std::uint32_t passes = 0; ///< answer
    std::uint32_t conflicts = 0;
    std::uint64_t begins = 0; ///< raw time
};

class RowSender final : public sc_core::sc_module {
  public:
    protocol::MemoryInitiator port{"port", kPeriod};

    explicit RowSender(const sc_core::sc_module_name &name) : sc_module(name) { port.on_done<&RowSender::done>(this); }

    /// Sends all rows, now, with this delay; call in a process. The access is kept where the result is found later.
    SentAccess &send(SentAccess what, const sc_core::sc_time &delay = sc_core::SC_ZERO_TIME) {
        return send_to(port.socket.peer(), std::move(what), delay);
    }
    /// The same, with offers that name `to`.
    SentAccess &send_to(const void *to, SentAccess what, const sc_core::sc_time &delay = sc_core::SC_ZERO_TIME) {
        SentAccess &access = accesses.emplace_back(std::move(what));
        std::vector<MemoryRow> offers(access.rows.size());
        for (std::size_t i = 0; i < offers.size(); ++i) {
            SentRow &row = access.rows[i];
            offers[i] = {.address = row.address,
                         .bytes = static_cast<std::uint32_t>(row.data.size()),
                         .data = row.data.data(),
                         .enables = row.enables.empty() ? nullptr : row.enables.data(),
                         .operand = row.operand,
                         .compare = row.compare};
        }
        for (std::size_t i = 0; i < offers.size(); ++i) {
            const std::span<MemoryRow> behind = std::span(offers).subspan(i + 1);
            const std::size_t taken_now = send_one(to, access, access.rows[i], behind, delay);
            for (const MemoryRow &row : behind.first(taken_now)) {
                SentRow &result = access.rows[++i];
                result.is_done = true;
                result.is_ok = true;
                result.cache_hit = row.cache_hit;
                result.when = row.when;
            }
            taken += taken_now;
        }
        return access;
    }

    std::deque<SentAccess> accesses;
    std::size_t sent = 0;  ///< transactions
    std::size_t taken = 0; ///< rows that were sent with one
    /// Payloads that were not returned.
    std::size_t in_use() const { return pool_.in_use(); }

  private:
    struct Context final : protocol::PooledExtension<Context> {
        protocol::AccessGroupExtension group;
        protocol::AtomicExtension atomic;
        protocol::RowsExtension rows;
        bool is_set = false;
        SentRow *row = nullptr;
    };

    std::size_t send_one(const void *to, SentAccess &access, SentRow &row, std::span<MemoryRow> behind,
                         const sc_core::sc_time &delay) {
        auto &payload = pool_.acquire();
        Context &context = payload.extension();
        if (!context.is_set) {
            payload.set_extension(&context.group);
            payload.set_extension(&context.atomic);
            payload.set_extension(&context.rows);
            context.is_set = true;
        }
        context.row = &row;
        context.group.bypass_l1 = access.bypass_l1;
        context.group.cache_hit = false;
        context.group.group = access.group;
        context.group.port = access.port;
        context.group.phased = access.phased;
        context.group.phase = access.phase;
        context.group.full_passes = access.full_passes;
        context.atomic.active = access.command == tlm::TLM_IGNORE_COMMAND;
        context.atomic.op = access.op;
        context.atomic.type = access.type;
        context.atomic.operand = row.operand;
        context.atomic.compare = row.compare;
        payload.set_command(access.command);
        payload.set_address(row.address);
        payload.set_data_ptr(row.data.data());
        payload.set_data_length(static_cast<unsigned>(row.data.size()));
        payload.set_streaming_width(static_cast<unsigned>(row.data.size()));
        if (!row.enables.empty()) {
            payload.set_byte_enable_ptr(row.enables.data());
            payload.set_byte_enable_length(static_cast<unsigned>(row.enables.size()));
        }
        context.rows.to = to;
        context.rows.offered = behind;
        context.rows.taken = 0;
        ++sent;
        payload.acquire();
        port.send(payload, delay);
        const std::size_t taken_now = context.rows.taken;
        context.rows.offered = {};
        access.passes = context.group.passes;
        access.conflicts = context.group.conflicts;
        access.begins = context.group.begins.value();
        payload.release();
        return taken_now;
    }
    void done(tlm::tlm_generic_payload &payload, const sc_core::sc_time &when) {
        const Context &context = protocol::PayloadPool<Context>::own(payload).extension();
        context.row->is_done = true;
        context.row->is_ok = payload.is_response_ok();
        context.row->cache_hit = context.group.cache_hit;
        context.row->when = when.value();
        payload.release();
    }

    protocol::PayloadPool<Context> pool_;
};

} // namespace smsim::tb
