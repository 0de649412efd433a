#include "sm/load_store/load_store_unit.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "model/isa/loaded.h"
#include "sm/load_store/address_check.h"
#include "sm/load_store/memory_operation.h"

namespace smsim::sm {

using protocol::LoadStoreExtension;
using sc_core::sc_time;
using tlm::tlm_generic_payload;
using tlm::tlm_phase;
using tlm::tlm_sync_enum;

namespace {

constexpr std::uint32_t kRowBytes = 128; ///< of one transaction, at most
constexpr const char *kReadWriteHint =
    "; a memory that does not perform atomics itself needs global.atomics=read_write";
constexpr std::uint64_t kService = ~std::uint64_t{0}; ///< for the jitter: the unit itself, not one of its queues

std::uint32_t global_row_bytes(const Config &config) {
    return config.l1.enabled ? std::min(kRowBytes, config.l1.line_bytes) : kRowBytes;
}

/// Whether the access of all threads together may be one transaction that needs no list of pieces.
bool may_be_row(const isa::Instruction &insn) {
    const isa::OpSpec &spec = insn.spec();
    return !spec.has(isa::kLocal) && !is_atomic(insn) && (!spec.has(isa::kWritesMemory) || bytes_per_thread(insn) == 4);
}

template <std::size_t Words>
std::uint64_t lane_value(const std::array<std::array<std::uint32_t, kLanes>, Words> &data, unsigned lane,
                         unsigned bytes) {
    return bytes == 8 ? data[0][lane] | (static_cast<std::uint64_t>(data[1][lane]) << 32) : data[0][lane];
}

} // namespace

/// What rides on one transaction of the unit.
struct LoadStoreUnit::TransactionContext final : protocol::PooledExtension<TransactionContext> {
    std::array<unsigned char, kRowBytes> data{};
    std::array<unsigned char, kRowBytes> enables{};
    protocol::AccessGroupExtension group;
    protocol::AtomicExtension atomic;
    Access *access = nullptr;
    Role role = Role::kAccess;
    std::uint64_t address = 0; ///< as requested: an interconnect may change that of the payload
    std::vector<Piece> pieces;
    std::uint64_t window_base = 0; ///< kRow: what was added to the threads' addresses
    bool attached = false;         ///< the ignorable extensions hang on the payload
};

LoadStoreUnit::LoadStoreUnit(const sc_core::sc_module_name &name, const Config &config)
    : sc_module(name), shared("shared", protocol::Clock(config).period()),
      global("global", protocol::Clock(config).period()), config_(config), clock_(config),
      global_row_bytes_(global_row_bytes(config)), jitter_(config.jitter, timing::Jitter::Part::kLoadStore),
      pool_(std::make_unique<protocol::PayloadPool<TransactionContext>>()), queues_(config.sm.sub_partitions),
      owed_end_req_(config.sm.sub_partitions, nullptr), numbers_(config.sm.sub_partitions) {
    SC_HAS_PROCESS(LoadStoreUnit);
    SC_METHOD(cycle);
    sensitive << event_;
    dont_initialize();
    for (unsigned i = 0; i < config.sm.sub_partitions; ++i) {
        datapaths.push_back(
            std::make_unique<protocol::Target<protocol::LoadStoreLink>>(sc_core::sc_gen_unique_name("datapath")));
        datapaths.back()->on_request<&LoadStoreUnit::on_request>(this, i);
    }
    shared.on_done<&LoadStoreUnit::on_done>(this);
    global.on_done<&LoadStoreUnit::on_done>(this);
}

LoadStoreUnit::~LoadStoreUnit() = default;

// --- queues --------------------------------------------------------------------------------------------------------

tlm_sync_enum LoadStoreUnit::on_request(unsigned tag, tlm_generic_payload &payload, tlm_phase &phase, sc_time &delay) {
    auto &ext = *protocol::extension_of<LoadStoreExtension>(payload);
    if (auto fault =
            address_fault(ext.insn->spec(), bytes_per_thread(*ext.insn), ext.lanes, ext.address, ext.window_bytes)) {
        ext.fault = std::move(*fault);
        payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
        return tlm::TLM_COMPLETED;
    }
    const Cycle arrival = std::max(clock_.at(delay), clock_.now() + 1);
    Queued queued{&payload, arrival, {}};
    const bool checked = check_ != nullptr && ext.insn->spec().has(isa::kGlobal);
    if (checked || may_be_row(*ext.insn)) {
        queued.span = span_of(ext.address, ext.lanes, bytes_per_thread(*ext.insn));
    }
    if (checked) {
        if (auto fault = bounds_fault(ext, queued)) {
            ext.fault = std::move(*fault);
            payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
            return tlm::TLM_COMPLETED;
        }
    }
    payload.acquire();
    queues_[tag].push_back(queued);
    const std::uint64_t number = numbers_[tag].queued++;
    if (observer_ != nullptr) {
        observer_->observe(clock_.now(), observation::AccessQueued{arrival, ext.warp, number, ext.insn->pc, ext.lanes});
    }
    event_.notify(clock_.until(std::max(arrival, next_serve_)));
    if (queues_[tag].size() >= config_.lsu.queue_depth) {
        owed_end_req_[tag] = &payload;
        return tlm::TLM_ACCEPTED;
    }
    phase = tlm::END_REQ;
    return tlm::TLM_UPDATED;
}

std::optional<FaultReport> LoadStoreUnit::bounds_fault(const LoadStoreExtension &ext, Queued &queued) const {
    const AddressSpan &span = queued.span;
    if (span.bytes() != 0 && check_->judge(span.first, span.bytes()) == GlobalBounds::Verdict::kInside) [[likely]] {
        return std::nullopt;
    }
    // The span may hold gaps that nobody accesses: the threads decide, each for itself.
    queued.outside = true;
    return check_->fault_of(ext.lanes, ext.address, bytes_per_thread(*ext.insn));
}

void LoadStoreUnit::note_outside(const LoadStoreExtension &ext) {
    const unsigned bytes = bytes_per_thread(*ext.insn);
    for_each_lane(ext.lanes, [&](unsigned lane) {
        if (check_->judge(ext.address[lane], bytes) == GlobalBounds::Verdict::kPadding) {
            check_->note({ext.insn->pc, ext.warp, lane, ext.address[lane], bytes, clock_.now()});
        }
    });
}

bool LoadStoreUnit::waits_for_room(const Queued &queued) const {
    return global_unanswered_ + global_ends_.size() >= config_.lsu.max_outstanding &&
           !protocol::extension_of<LoadStoreExtension>(*queued.payload)->insn->spec().has(isa::kShared);
}

void LoadStoreUnit::cycle() {
    const Cycle now = clock_.now();
    while (!global_ends_.empty() && global_ends_.top() <= now) {
        global_ends_.pop();
    }
    const auto count = static_cast<unsigned>(queues_.size());
    if (now >= next_serve_) {
        for (unsigned i = 0; i < count; ++i) {
            const unsigned tag = (rotate_ + i) % count;
            if (queues_[tag].empty() || queues_[tag].front().arrival > now || waits_for_room(queues_[tag].front())) {
                continue;
            }
            const Queued queued = queues_[tag].front();
            queues_[tag].pop_front();
            rotate_ = (tag + 1) % count;
            if (owed_end_req_[tag] != nullptr) {
                tlm_phase phase = tlm::END_REQ;
                sc_time delay = clock_.period();
                tlm_generic_payload *owed = owed_end_req_[tag];
                owed_end_req_[tag] = nullptr;
                (*datapaths[tag])->nb_transport_bw(*owed, phase, delay);
            }
            next_serve_ = now + serve(tag, queued) + jitter_(now, kService);
            break;
        }
    }
    Cycle next = kNever;
    room_wanted_ = false;
    for (const auto &queue : queues_) {
        if (queue.empty()) {
            continue;
        }
        Cycle at = queue.front().arrival;
        if (waits_for_room(queue.front())) {
            room_wanted_ = true;
            at = global_ends_.empty() ? kNever : std::max(at, global_ends_.top());
        }
        next = std::min(next, at);
    }
    if (next != kNever) {
        event_.notify(clock_.until(std::max({next, next_serve_, now + 1})));
    }
}

// --- one instruction -----------------------------------------------------------------------------------------------

LoadStoreUnit::Access &LoadStoreUnit::acquire_access() {
    if (free_accesses_.empty()) {
        free_accesses_.push_back(&accesses_.emplace_back());
    }
    Access &access = *free_accesses_.back();
    free_accesses_.pop_back();
    access.pending = 0;
    access.failed = false;
    access.modifies = false;
    access.pieces.clear();
    access.done = sc_core::sc_time_stamp();
    return access;
}

void LoadStoreUnit::make_pieces(const LoadStoreExtension &ext, std::vector<Piece> &pieces) {
    const isa::Instruction &insn = *ext.insn;
    const isa::OpSpec &spec = insn.spec();
    const unsigned bytes = bytes_per_thread(insn);
    const bool in_shared = spec.has(isa::kShared);
    const bool in_local = spec.has(isa::kLocal);
    for (std::uint32_t rest = ext.lanes.bits(); rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<std::uint8_t>(std::countr_zero(rest));
        const std::uint64_t address = ext.address[lane];
        if (!in_local) {
            pieces.push_back(
                {in_shared ? ext.window_base + address : address, lane, static_cast<std::uint8_t>(bytes), 0});
            continue;
        }
        // Local memory is interleaved by words, so that a warp's accesses to one variable are contiguous.
        for (unsigned offset = 0; offset < bytes; offset += 4) {
            const std::uint64_t at = address + offset;
            pieces.push_back({ext.window_base + at / 4 * (std::uint64_t{4} * kLanes) + std::uint64_t{lane} * 4 + at % 4,
                              lane, static_cast<std::uint8_t>(std::min(bytes, 4U)),
                              static_cast<std::uint8_t>(offset / 4)});
        }
    }
}

Cycle LoadStoreUnit::serve(unsigned tag, const Queued &queued) {
    tlm_generic_payload &payload = *queued.payload;
    auto &ext = *protocol::extension_of<LoadStoreExtension>(payload);
    const isa::Instruction &insn = *ext.insn;
    const isa::OpSpec &spec = insn.spec();
    ++stats_.by_op[static_cast<std::uint8_t>(insn.op)];

    if (insn.rsb != isa::kNoScoreboard) {
        tlm_phase phase = protocol::SOURCES_READ;
        sc_time delay = clock_.period();
        (*datapaths[tag])->nb_transport_bw(payload, phase, delay);
    }
    Access &access = acquire_access();
    access.payload = &payload;
    access.tag = tag;
    access.number = numbers_[tag].started++;
    access.is_global = !spec.has(isa::kShared);
    access.group = next_group_++;
    access.bypass_l1 = spec.has(isa::kGlobal) && !is_atomic(insn) && insn.mod[1] != 0;
    if (queued.outside) {
        note_outside(ext); // here and not on the call: notes come in the order of this unit
    }
    std::size_t transactions = 0;
    // One more than there are transactions, so that an answer on the call does not complete the access too early.
    access.pending = 1;
    if (send_row(access, ext, queued.span)) {
        transactions = 1;
    } else {
        make_pieces(ext, access.pieces);
        if (is_atomic(insn) && access.is_global && config_.global.atomics == GlobalAtomics::kReadWrite) {
            access.modifies = true;
            access.bypass_l1 = true; // what other masters have written counts
            transactions = 2 * access.pieces.size();
        } else if (is_atomic(insn)) {
            transactions = access.pieces.size();
            for (unsigned i = 0; i < transactions; ++i) {
                send_atomic(access, i);
            }
        } else {
            transactions = coalesce(access.pieces, access.is_global ? global_row_bytes_ : kRowBytes, 1, transactions_);
            for (std::size_t i = 0; i < transactions; ++i) {
                send(access, transactions_[i], spec.has(isa::kWritesMemory));
            }
        }
    }
    if (access.is_global) {
        stats_.transactions_global += transactions;
        stats_.requested_global_bytes += std::uint64_t{ext.lanes.count()} * bytes_per_thread(insn);
    } else {
        stats_.transactions_shared += transactions;
    }
    if (observer_ != nullptr) {
        tell_started(access, ext, transactions);
    }
    const bool is_global = access.is_global;
    if (--access.pending == 0) {
        finish(access);
    } else if (!is_atomic(insn)) {
        // Requests of both memories go out in the order of `send`. The write of an atomic that is read and written is
        // still to come; those that the memory performs are treated alike.
        tlm_phase phase = protocol::PLACED;
        sc_time delay = clock_.period();
        (*datapaths[tag])->nb_transport_bw(payload, phase, delay);
    }
    // Each global transaction takes one cycle of the tag stage; shared memory queues by itself.
    return std::max<Cycle>(config_.lsu.issue_interval, is_global ? transactions : 1);
}

tlm_generic_payload &LoadStoreUnit::new_transaction(Access &access, Role role, std::uint64_t address,
                                                    std::uint32_t bytes) {
    tlm_generic_payload &payload = pool_->acquire();
    auto *context = protocol::extension_of<TransactionContext>(payload);
    if (!context->attached) {
        payload.set_extension(&context->group);
        payload.set_extension(&context->atomic);
        context->attached = true;
    }
    context->access = &access;
    context->role = role;
    context->address = address;
    context->atomic.active = role == Role::kAtomic;
    context->atomic.performed = false;
    context->group.group = access.group;
    context->group.bypass_l1 = access.bypass_l1;
    global_unanswered_ += access.is_global ? 1 : 0;
    payload.set_address(address);
    payload.set_data_ptr(context->data.data());
    payload.set_data_length(bytes);
    payload.set_streaming_width(bytes);
    if (access.is_global) {
        const std::uint64_t sector = config_.lsu.sector_bytes;
        stats_.moved_global_bytes += ((address + bytes - 1) / sector - address / sector + 1) * sector;
    }
    return payload;
}

void LoadStoreUnit::send(Access &access, Transaction &transaction, bool write) {
    tlm_generic_payload &payload = new_transaction(access, Role::kAccess, transaction.address, transaction.bytes);
    auto *context = protocol::extension_of<TransactionContext>(payload);
    auto &ext = *protocol::extension_of<LoadStoreExtension>(*access.payload);
    context->pieces.swap(transaction.pieces);
    payload.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
    if (write) {
        if (!transaction.dense) {
            std::memset(context->enables.data(), TLM_BYTE_DISABLED, transaction.bytes);
            payload.set_byte_enable_ptr(context->enables.data());
            payload.set_byte_enable_length(transaction.bytes);
        }
        // In lane order: of several threads that write one address the highest lane wins.
        for (const Piece &piece : context->pieces) {
            const std::uint64_t offset = piece.address - transaction.address;
            for (unsigned done = 0; done < piece.bytes; done += 4) {
                std::memcpy(context->data.data() + offset + done, &ext.data[piece.word + done / 4][piece.lane],
                            std::min(4U, piece.bytes - done));
            }
            if (!transaction.dense) {
                std::memset(context->enables.data() + offset, TLM_BYTE_ENABLED, piece.bytes);
            }
        }
    }
    ++access.pending;
    port(access).send(payload);
}

bool LoadStoreUnit::send_row(Access &access, LoadStoreExtension &ext, const AddressSpan &span) {
    const isa::Instruction &insn = *ext.insn;
    const isa::OpSpec &spec = insn.spec();
    const bool write = spec.has(isa::kWritesMemory);
    if (!may_be_row(insn)) {
        return false;
    }
    const bool in_shared = spec.has(isa::kShared);
    const std::uint64_t offset = in_shared ? ext.window_base : 0;
    if (!in_one_row(span, offset, in_shared ? kRowBytes : global_row_bytes_) || (write && !span.in_lane_order)) {
        return false;
    }
    tlm_generic_payload &payload =
        new_transaction(access, Role::kRow, span.first + offset, static_cast<std::uint32_t>(span.bytes()));
    auto *context = protocol::extension_of<TransactionContext>(payload);
    context->window_base = offset;
    if (write) {
        payload.set_write();
        unsigned char *to = context->data.data();
        for_each_lane(ext.lanes, [&](unsigned lane) {
            std::memcpy(to, &ext.data[0][lane], 4);
            to += 4;
        });
    } else {
        payload.set_read();
    }
    ++access.pending;
    port(access).send(payload);
    return true;
}

void LoadStoreUnit::scatter_row(LoadStoreExtension &ext, const TransactionContext &context) {
    const unsigned char *data = context.data.data();
    const std::uint64_t origin = context.address - context.window_base; // the thread's address of the first byte
    const unsigned bytes = bytes_per_thread(*ext.insn);
    if (bytes < 4) {
        const auto size = static_cast<isa::Access>(ext.insn->mod[0]);
        for_each_lane(ext.lanes, [&](unsigned lane) {
            std::uint32_t value = 0;
            std::memcpy(&value, data + (ext.address[lane] - origin), bytes);
            ext.data[0][lane] = isa::loaded(value, size);
        });
        return;
    }
    for (unsigned word = 0; word < bytes / 4; ++word) {
        for_each_lane(ext.lanes, [&](unsigned lane) {
            std::memcpy(&ext.data[word][lane], data + (ext.address[lane] - origin) + std::size_t{word} * 4, 4);
        });
    }
}

void LoadStoreUnit::send_atomic(Access &access, unsigned index) {
    auto &ext = *protocol::extension_of<LoadStoreExtension>(*access.payload);
    const Piece &piece = access.pieces[index];
    tlm_generic_payload &payload = new_transaction(access, Role::kAtomic, piece.address, piece.bytes);
    auto *context = protocol::extension_of<TransactionContext>(payload);
    context->pieces.assign(1, piece);
    context->atomic.op = atomic_op(*ext.insn);
    context->atomic.type = atomic_type(*ext.insn);
    context->atomic.operand = lane_value(ext.data, piece.lane, piece.bytes);
    context->atomic.compare = lane_value(ext.compare, piece.lane, piece.bytes);
    ++access.pending;
    port(access).send(payload);
}

// --- answers -------------------------------------------------------------------------------------------------------

void LoadStoreUnit::on_done(tlm_generic_payload &payload, const sc_time &when) {
    auto *context = protocol::extension_of<TransactionContext>(payload);
    Access &access = *context->access;
    auto &ext = *protocol::extension_of<LoadStoreExtension>(*access.payload);
    access.done = std::max(access.done, when);
    if (access.is_global) {
        const Cycle now = clock_.now();
        --global_unanswered_;
        global_ends_.push(std::max(clock_.at(when - sc_core::sc_time_stamp()), now + 1));
        if (room_wanted_) {
            event_.notify(clock_.until(std::max(global_ends_.top(), now + 1)));
        }
    }
    if (!payload.is_response_ok()) {
        const unsigned lane = context->role == Role::kRow ? ext.lanes.lowest() : context->pieces.front().lane;
        const bool address = payload.get_response_status() == tlm::TLM_ADDRESS_ERROR_RESPONSE;
        std::string answer = payload.get_response_string();
        if (context->role == Role::kAtomic && payload.get_response_status() == tlm::TLM_COMMAND_ERROR_RESPONSE) {
            answer += access.is_global ? kReadWriteHint : "";
        }
        note_error(access, lane, context->address, payload.get_data_length(),
                   address ? Fault::kIllegalAddress : Fault::kMemoryError, answer);
    } else {
        switch (context->role) {
        case Role::kAccess:
            if (payload.is_read()) {
                scatter(ext, *context);
            }
            break;
        case Role::kRow:
            if (payload.is_read()) {
                scatter_row(ext, *context);
            }
            break;
        case Role::kAtomic:
            answer_atomic(access, *context);
            break;
        case Role::kModifyRead: {
            const Piece &piece = context->pieces.front();
            std::uint64_t old = 0;
            std::memcpy(&old, context->data.data(), piece.bytes);
            access.new_value = protocol::atomic_result(atomic_op(*ext.insn), atomic_type(*ext.insn), old,
                                                       lane_value(ext.data, piece.lane, piece.bytes),
                                                       lane_value(ext.compare, piece.lane, piece.bytes));
            store_old_value(ext, *context);
            send_modify(access, Role::kModifyWrite);
            break;
        }
        case Role::kModifyWrite:
            if (++access.modify_next < access.pieces.size()) {
                send_modify(access, Role::kModifyRead);
            }
            break;
        }
    }
    payload.release();
    if (--access.pending == 0) {
        finish(access);
    }
}

void LoadStoreUnit::answer_atomic(Access &access, const TransactionContext &context) {
    auto &ext = *protocol::extension_of<LoadStoreExtension>(*access.payload);
    if (context.atomic.performed) {
        store_old_value(ext, context);
        return;
    }
    const Piece &piece = context.pieces.front();
    note_error(access, piece.lane, context.address, piece.bytes, Fault::kMemoryError,
               std::string("it answered an atomic without performing it") + (access.is_global ? kReadWriteHint : ""));
}

void LoadStoreUnit::note_error(Access &access, unsigned lane, std::uint64_t address, std::uint32_t bytes, Fault fault,
                               const std::string &answer) {
    auto &ext = *protocol::extension_of<LoadStoreExtension>(*access.payload);
    if (access.failed && lane >= access.failed_lane) {
        return;
    }
    access.failed_lane = lane;
    ext.fault.address = address;
    ext.fault.bytes = access.is_global ? bytes : 0;
    ext.fault.fault = fault;
    ext.fault.detail = fmt::format("{} memory refused {} bytes at {:#x} (first thread {}): {}",
                                   access.is_global ? "global" : "shared", bytes, address, lane, answer);
    access.failed = true;
}

void LoadStoreUnit::scatter(LoadStoreExtension &ext, const TransactionContext &context) {
    const auto size = static_cast<isa::Access>(ext.insn->mod[0]);
    for (const Piece &piece : context.pieces) {
        const unsigned char *from = context.data.data() + (piece.address - context.address);
        if (piece.bytes == 4) {
            std::memcpy(&ext.data[piece.word][piece.lane], from, 4);
        } else if (piece.bytes < 4) {
            std::uint32_t value = 0;
            std::memcpy(&value, from, piece.bytes);
            ext.data[piece.word][piece.lane] = isa::loaded(value, size);
        } else {
            for (unsigned done = 0; done < piece.bytes; done += 4) {
                std::memcpy(&ext.data[piece.word + done / 4][piece.lane], from + done, 4);
            }
        }
    }
}

void LoadStoreUnit::store_old_value(LoadStoreExtension &ext, const TransactionContext &context) {
    const Piece &piece = context.pieces.front();
    std::memcpy(&ext.data[0][piece.lane], context.data.data(), 4);
    if (piece.bytes == 8) {
        std::memcpy(&ext.data[1][piece.lane], context.data.data() + 4, 4);
    }
}

// --- atomics by reads and writes ----------------------------------------------------------------------------------

void LoadStoreUnit::send_modify(Access &access, Role role) {
    const Piece &piece = access.pieces[access.modify_next];
    tlm_generic_payload &payload = new_transaction(access, role, piece.address, piece.bytes);
    auto *context = protocol::extension_of<TransactionContext>(payload);
    context->pieces.assign(1, piece);
    if (role == Role::kModifyWrite) {
        payload.set_write();
        std::memcpy(context->data.data(), &access.new_value, piece.bytes);
    } else {
        payload.set_read();
    }
    ++access.pending;
    // Read and write follow one another: each starts when the answer before it is valid.
    port(access).send(payload, access.done - std::min(access.done, sc_core::sc_time_stamp()));
}

void LoadStoreUnit::start_modify() {
    Access &access = *modify_queue_.front();
    access.modify_next = 0;
    access.done = std::max(access.done, modify_end_);
    ++access.pending;
    send_modify(access, Role::kModifyRead);
    if (--access.pending == 0) {
        finish(access);
    }
}

void LoadStoreUnit::finish(Access &access) {
    const bool modifies = access.modifies;
    if (modifies && (modify_queue_.empty() || modify_queue_.front() != &access)) {
        modify_queue_.push_back(&access);
        if (modify_queue_.size() == 1) {
            start_modify();
        }
        return;
    }
    if (modifies) {
        modify_end_ = access.done;
    }
    complete(access);
    if (modifies) {
        modify_queue_.pop_front();
        if (!modify_queue_.empty()) {
            start_modify();
        }
    }
}

// --- completion ----------------------------------------------------------------------------------------------------

void LoadStoreUnit::complete(Access &access) {
    tlm_generic_payload &payload = *access.payload;
    payload.set_response_status(access.failed ? tlm::TLM_GENERIC_ERROR_RESPONSE : tlm::TLM_OK_RESPONSE);
    const sc_time &now = sc_core::sc_time_stamp();
    const sc_time end = access.done + clock_.span(config_.lsu.address_latency + jitter_(access.number, access.tag));
    const sc_time delay = std::max(end - now, clock_.period());
    if (observer_ != nullptr) {
        const WarpSlot warp = protocol::extension_of<LoadStoreExtension>(payload)->warp;
        observer_->observe(clock_.now(), observation::AccessPerformed{clock_.at(delay), warp, access.number});
    }
    respond(access.tag, payload, delay);
    free_accesses_.push_back(&access);
}

void LoadStoreUnit::tell_started(const Access &access, const LoadStoreExtension &ext, std::size_t transactions) {
    using observation::MemorySpace;
    const isa::OpSpec &spec = ext.insn->spec();
    const MemorySpace space = spec.has(isa::kShared)  ? MemorySpace::kShared
                              : spec.has(isa::kLocal) ? MemorySpace::kLocal
                                                      : MemorySpace::kGlobal;
    const Cycle now = clock_.now();
    observer_->observe(now, observation::AccessStarted{now, ext.warp, access.number, ext.insn->pc, space,
                                                       static_cast<std::uint32_t>(transactions)});
}

void LoadStoreUnit::respond(unsigned tag, tlm_generic_payload &payload, sc_time delay) {
    tlm_phase phase = tlm::BEGIN_RESP;
    (*datapaths[tag])->nb_transport_bw(payload, phase, delay);
    payload.release();
}

} // namespace smsim::sm
