#include "cosim/shared_memory_adapter.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cosim/channels.h"
#include "memory/payload_access.h"
#include "model/config/config.h"
#include "model/config/validate.h"

namespace smsim::cosim {

using memory::FourPhaseTarget;
using memory::Payload;
using memory::RawTime;
using sc_core::sc_time;

namespace {

constexpr unsigned kSlots = SharedMemoryPins::kSlots;
constexpr unsigned kSlotBytes = 16;
constexpr unsigned kTags = 256; // accesses in the block at a time
// For Handshakes: which pins.
constexpr unsigned kSharedRequests = 0;
constexpr unsigned kPlain = 1;
constexpr unsigned kAtomics = 2;

/// A request that touches no byte.
bool does_nothing(Payload &payload) {
    if (payload.get_command() == tlm::TLM_IGNORE_COMMAND) {
        return memory::atomic_of(payload) == nullptr;
    }
    for (unsigned i = 0; i < payload.get_data_length(); ++i) {
        if (memory::byte_enabled(payload, i)) {
            return false;
        }
    }
    return true;
}

} // namespace

SharedMemoryPins::SharedMemoryPins(const Block &block) {
    const PinFinder find(block, "shared_memory");
    rst = find.input("rst", 1);
    cfg_latency = find.input("cfg_latency", 16);
    cfg_atomic_latency = find.input("cfg_atomic_latency", 16);
    req_valid = find.input("req_valid", 1);
    req_ready = find.output("req_ready", 1);
    req_kind = find.input("req_kind", 2);
    req_tag = find.input("req_tag", 16);
    req_slots = find.input("req_slots", 1, kSlots);
    req_address = find.input("req_address", 32, kSlots);
    req_enable = find.input("req_enable", 16, kSlots);
    req_data = find.input("req_data", 8 * kSlotBytes, kSlots);
    req_op = find.input("req_op", 4);
    req_type = find.input("req_type", 3);
    for (const auto &[response, prefix] : {std::pair<Response *, const char *>{&plain, "rsp_"}, {&atomic, "arsp_"}}) {
        const auto named = [start = std::string(prefix)](const char *name) { return start + name; };
        response->valid = find.output(named("valid"), 1);
        response->ready = find.input(named("ready"), 1);
        response->tag = find.output(named("tag"), 16);
        response->slots = find.output(named("slots"), 1, kSlots);
        response->last = find.output(named("last"), 1);
        response->data = find.output(named("data"), 8 * kSlotBytes, kSlots);
    }
    busy = find.output("busy", 1);
    dbg_address = find.input("dbg_address", 32);
    dbg_data = find.output("dbg_data", 8 * kSlotBytes);
}

SharedMemoryAdapter::SharedMemoryAdapter(const sc_core::sc_module_name &name, const Config &config,
                                         std::unique_ptr<Block> block, const Watch &watch, Handshakes handshakes)
    : sc_module(name_if_valid(name, config)), config_(config.shared), clock_(config),
      period_(protocol::Clock(config).period().value()), block_(std::move(block)), rules_(*block_),
      patience_(config.rtl.patience), pins_(*block_), handshakes_(handshakes),
      reference_(watch.lockstep ? std::make_unique<SharedMemoryReference>((config_.bytes + 15ULL) / 16 * 16) : nullptr),
      recent_(watch.findings ? std::make_unique<RecentTransactions>("shared", *block_, watch) : nullptr),
      conflicts_(config_.banks, config_.bank_bytes), target_("socket", wake_, FourPhaseTarget::Telling::kAtOnce),
      flights_(kTags) {
    if (config_.banks != 32 || config_.bank_bytes != 4) {
        throw InputError("shared.banks, shared.bank_bytes: the block has 32 banks of 4 bytes");
    }
    if (config_.pass_interval != 1 || config_.phases) {
        throw InputError("shared.pass_interval, shared.phases: a block of RTL performs a pass of any access per cycle; "
                         "expected 1 and false");
    }
    config_.latency -= config.outside_memory();
    if (config_.latency > kMostStrapCycles || config_.atomic_latency > kMostStrapCycles) {
        throw InputError(
            fmt::format("shared: a latency is above {} cycles, which the pins do not hold", kMostStrapCycles));
    }
    target_.on_request<&SharedMemoryAdapter::request>(this);
    target_.socket.on_blocking<&SharedMemoryAdapter::blocking>(this);
    target_.socket.on_debug<&SharedMemoryAdapter::debug>(this);
    SC_METHOD(cycle);
    sensitive << event_;
    dont_initialize();
    wake_.on_due<&SharedMemoryAdapter::respond>(this);
    for (unsigned tag = kTags; tag-- > 0;) {
        free_tags_.push_back(static_cast<std::uint16_t>(tag));
    }
    pins_.cfg_latency.put(config_.latency);
    pins_.cfg_atomic_latency.put(config_.atomic_latency);
    pins_.req_valid.put(0);
    pins_.plain.ready.put(1);
    pins_.atomic.ready.put(1);
    cosim::reset(*block_, pins_.rst);
    if (reference_) { // a reset leaves the bytes as they are
        std::vector<unsigned char> &bytes = reference_->bytes();
        for (std::size_t at = 0; at < bytes.size(); at += kSlotBytes) {
            std::memcpy(&bytes[at], row_at(static_cast<std::uint32_t>(at)), kSlotBytes);
        }
    }
    if (recent_) {
        recent_->on_look_for_missing([this](Cycle now, Cycle due) { look_for_missing(now, due); });
    }
}

// --- transactions: collected into accesses -------------------------------------------------------------------------

tlm::tlm_response_status SharedMemoryAdapter::check(Payload &payload) const {
    const protocol::AtomicExtension *atomic = memory::atomic_of(payload);
    const tlm::tlm_response_status status =
        atomic != nullptr ? memory::check_atomic(payload, *atomic) : memory::check_fields(payload);
    if (status != tlm::TLM_OK_RESPONSE || (atomic == nullptr && payload.get_command() == tlm::TLM_IGNORE_COMMAND)) {
        return status;
    }
    const std::uint64_t span = memory::span_of(payload);
    const bool inside = span <= config_.bytes && payload.get_address() <= config_.bytes - span;
    return inside ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE;
}

FourPhaseTarget::Answer SharedMemoryAdapter::request(unsigned, Payload &payload, RawTime arrival) {
    const tlm::tlm_response_status status = check(payload);
    if (status != tlm::TLM_OK_RESPONSE || does_nothing(payload)) {
        payload.set_response_status(status);
        return {FourPhaseTarget::Answer::Kind::kDone, arrival + config_.latency * period_};
    }
    enqueue(payload, (arrival + period_ - 1) / period_, nullptr);
    return {FourPhaseTarget::Answer::Kind::kLater};
}

void SharedMemoryAdapter::blocking(unsigned, Payload &payload, sc_time &delay) {
    const tlm::tlm_response_status status = check(payload);
    if (status != tlm::TLM_OK_RESPONSE || does_nothing(payload)) {
        payload.set_response_status(status);
        delay += sc_time::from_value(config_.latency * period_);
        return;
    }
    sc_core::sc_event done;
    enqueue(payload, clock_.at(delay), &done);
    sc_core::wait(done);
    delay = sc_core::SC_ZERO_TIME;
}

unsigned SharedMemoryAdapter::debug(unsigned, Payload &payload) {
    if (!payload.is_read() || payload.get_data_ptr() == nullptr || payload.get_address() >= config_.bytes) {
        return 0;
    }
    const auto count = static_cast<unsigned>(
        std::min<std::uint64_t>(payload.get_data_length(), config_.bytes - payload.get_address()));
    const unsigned char *row = nullptr;
    for (unsigned i = 0; i < count; ++i) {
        const std::uint64_t address = payload.get_address() + i;
        if (i == 0 || address % kSlotBytes == 0) {
            row = row_at(static_cast<std::uint32_t>(address));
        }
        payload.get_data_ptr()[i] = row[address % kSlotBytes];
    }
    return count;
}

void SharedMemoryAdapter::enqueue(Payload &payload, Cycle arrival, sc_core::sc_event *done) {
    if (free_transactions_.empty()) {
        transactions_.push_back(std::make_unique<Transaction>());
        free_transactions_.push_back(transactions_.back().get());
    }
    Transaction &transaction = *free_transactions_.back();
    free_transactions_.pop_back();
    transaction = {&payload, 0, next_rank_++, done, false};
    const bool atomic = memory::atomic_of(payload) != nullptr;
    const Kind kind = atomic ? Kind::kAtomic : payload.is_read() ? Kind::kRead : Kind::kWrite;
    cut(transaction, arrival, kind);
    if (atomic) {
        ++stats_.atomics;
    } else {
        (kind == Kind::kRead ? stats_.read_bytes : stats_.write_bytes) += payload.get_data_length();
    }
    call_for(arrival);
}

/// The access that a slot of `payload` joins: the last one if it has the same group and kind, has not begun, and has
/// room; else a new one.
SharedMemoryAdapter::Access &SharedMemoryAdapter::access_for(const Payload &payload, Cycle arrival, Kind kind,
                                                             unsigned op, unsigned type) {
    const auto *group = payload.get_extension<protocol::AccessGroupExtension>();
    const bool own = waiting_.size() == 1 && driven_;
    if (!waiting_.empty() && !own) {
        Access &last = waiting_.back();
        const bool same_transaction = !last.slots.empty() && last.slots.back().transaction->payload == &payload;
        const bool same_group = last.grouped && group != nullptr && last.group == group->group;
        if ((same_transaction || same_group) && last.arrival == arrival && last.kind == kind && last.op == op &&
            last.type == type && last.slots.size() < kSlots) {
            return last;
        }
    }
    Access &fresh = waiting_.emplace_back();
    fresh.arrival = arrival;
    fresh.kind = kind;
    fresh.grouped = group != nullptr;
    fresh.group = fresh.grouped ? group->group : 0;
    fresh.op = op;
    fresh.type = type;
    fresh.slots.reserve(kSlots);
    return fresh;
}

/// Cuts a transaction into slots.
void SharedMemoryAdapter::cut(Transaction &transaction, Cycle arrival, Kind kind) {
    Payload &payload = *transaction.payload;
    if (const protocol::AtomicExtension *atomic = memory::atomic_of(payload)) {
        Slot slot{&transaction, static_cast<std::uint32_t>(payload.get_address()), 0, {}};
        slot.enable = (1U << payload.get_data_length()) - 1;
        std::memcpy(slot.data.data(), &atomic->operand, 8);
        std::memcpy(slot.data.data() + 8, &atomic->compare, 8);
        access_for(payload, arrival, kind, static_cast<unsigned>(atomic->op), static_cast<unsigned>(atomic->type))
            .slots.push_back(slot);
        transaction.slots_left = 1;
        return;
    }
    const std::uint64_t width = memory::span_of(payload);
    const std::uint64_t first = payload.get_address() / kSlotBytes;
    const std::uint64_t last = (payload.get_address() + width - 1) / kSlotBytes;
    for (std::uint64_t row = first; row <= last; ++row) {
        Slot slot{&transaction, static_cast<std::uint32_t>(row * kSlotBytes), 0, {}};
        const std::uint64_t address = payload.get_address();
        const std::uint64_t begin = std::max(row * kSlotBytes, address) - address;
        const std::uint64_t end = std::min((row + 1) * kSlotBytes - address, width);
        for (std::uint64_t beat = 0; beat < payload.get_data_length(); beat += width) {
            for (std::uint64_t i = begin; i < end && beat + i < payload.get_data_length(); ++i) {
                if (memory::byte_enabled(payload, beat + i)) {
                    const auto at = static_cast<unsigned>((address + i) % kSlotBytes);
                    slot.enable |= 1U << at;
                    slot.data[at] = payload.get_data_ptr()[beat + i];
                }
            }
        }
        if (slot.enable != 0) {
            access_for(payload, arrival, kind, 0, 0).slots.push_back(slot);
            ++transaction.slots_left;
        }
    }
}

// --- one cycle of the block ----------------------------------------------------------------------------------------

void SharedMemoryAdapter::call_for(Cycle cycle) {
    if (cycle < called_for_) {
        called_for_ = cycle;
        event_.notify(clock_.until_edge(cycle));
    }
}

void SharedMemoryAdapter::cycle() {
    const Cycle now = clock_.now();
    called_for_ = kNever;
    const bool due = !waiting_.empty() && waiting_.front().arrival <= now;
    const bool valid = driven_ || (due && !free_tags_.empty() && !handshakes_.hold(kSharedRequests, 0, now));
    if (valid && !driven_) {
        driven_ = true;
        driven_tag_ = free_tags_.back();
        free_tags_.pop_back();
        drive(waiting_.front());
    }
    pins_.req_valid.put(valid ? 1 : 0);
    block_->settle();
    if (written_ && pins_.req_ready.get() != 0) { // all passes have ended, and nothing has followed them
        compare_contents(now);
    }
    if (valid && pins_.req_ready.get() != 0) {
        Access &flight = flights_[driven_tag_];
        flight = std::move(waiting_.front());
        flight.started = now;
        flight.open = (std::uint64_t{1} << flight.slots.size()) - 1;
        schedule(flight);
        if (reference_) {
            perform(flight);
            remember(flight);
        }
        waiting_.pop_front();
        driven_ = false;
        ++stats_.accesses;
    }
    if (recent_) {
        recent_->sample(now);
    }
    checked_edge(*this, recent_.get(), *block_, rules_, now);
    take(pins_.plain, kPlain, now + 1);
    take(pins_.atomic, kAtomics, now + 1);

    patience_.look(now, [&](Cycle before) { look_for_missing(now, before); });

    Cycle next = pins_.busy.get() != 0 || written_ ? now + 1 : kNever;
    if (!waiting_.empty()) {
        next = std::min(next, std::max(waiting_.front().arrival, now + 1));
    }
    if (next != kNever) {
        call_for(next);
    }
}

void SharedMemoryAdapter::drive(const Access &access) {
    pins_.req_kind.put(static_cast<std::uint64_t>(access.kind));
    pins_.req_tag.put(driven_tag_);
    pins_.req_op.put(access.op);
    pins_.req_type.put(access.type);
    pins_.req_slots.clear();
    for (unsigned i = 0; i < access.slots.size(); ++i) {
        const Slot &slot = access.slots[i];
        pins_.req_slots.put(1, i);
        pins_.req_address.put(slot.address, i);
        pins_.req_enable.put(slot.enable, i);
        std::memcpy(pins_.req_data.bytes(i), slot.data.data(), kSlotBytes);
    }
}

// Outputs valid in cycle `next` are known after the edge that begins it, and are taken in that cycle unless held up.
void SharedMemoryAdapter::take(const SharedMemoryPins::Response &pins, unsigned number, Cycle next) {
    if (pins.valid.get() == 0) {
        return;
    }
    const bool held = handshakes_.hold(number, 0, next);
    pins.ready.put(held ? 0 : 1);
    if (held) {
        return;
    }
    const std::uint64_t tag = pins.tag.get();
    if (tag >= flights_.size() || flights_[tag].slots.empty()) {
        report_broken(
            *this, recent_.get(), next,
            fmt::format("a response with the tag {}, which no access has (docs/pins.md, Shared memory)", tag));
        return;
    }
    Access &access = flights_[tag];
    std::uint64_t told = 0;
    for (unsigned i = 0; i < kSlots; ++i) {
        told |= std::uint64_t{pins.slots.get(i)} << i;
    }
    const bool last = pins.last.get() != 0;
    if ((told & ~access.open) != 0 || last != (access.open == told)) {
        report_broken(*this, recent_.get(), next,
                      fmt::format("{}: slots {:#x} are answered{}, and {:#x} wait (docs/pins.md, Shared memory)",
                                  name_of(access), told, last ? " as the last" : "", access.open));
        return;
    }
    access.open &= ~told;
    if (reference_ && last) {
        recent_->transaction("cycles {}..{}, {}", access.started, next, text_of(access));
        recent_->answered(name_of(access), access.due, next);
    }
    complete(access, pins, next);
    if (last) {
        stats_.passes += access.passes;
        stats_.conflicts += access.conflicts;
        ++stats_.ways[std::min<std::size_t>(access.passes, stats_.ways.size() - 1)];
        access.slots.clear();
        free_tags_.push_back(static_cast<std::uint16_t>(tag));
    }
}

void SharedMemoryAdapter::complete(Access &access, const SharedMemoryPins::Response &pins, Cycle next) {
    for (unsigned i = 0; i < access.slots.size(); ++i) {
        if (pins.slots.get(i) == 0) {
            continue;
        }
        Slot &slot = access.slots[i];
        Transaction &transaction = *std::exchange(slot.transaction, nullptr);
        Payload &payload = *transaction.payload;
        const unsigned char *data = pins.data.bytes(i);
        if (reference_ && differs(access, slot, data, next)) {
            transaction.failed = true;
        }
        if (access.kind == Kind::kAtomic) {
            std::memcpy(payload.get_data_ptr(), data, payload.get_data_length());
            if (protocol::AtomicExtension *atomic = memory::atomic_of(payload)) {
                atomic->performed = true;
            }
        } else if (access.kind == Kind::kRead) {
            const std::uint64_t width = memory::span_of(payload);
            for (std::uint64_t b = 0; b < payload.get_data_length(); ++b) {
                const std::uint64_t address = payload.get_address() + b % width;
                if (address / kSlotBytes * kSlotBytes == slot.address && memory::byte_enabled(payload, b)) {
                    payload.get_data_ptr()[b] = data[address % kSlotBytes];
                }
            }
        }
        if (--transaction.slots_left == 0) {
            finish(transaction, next);
        }
    }
}

/// Computes the expected result of each slot, in the order of the slots.
void SharedMemoryAdapter::perform(Access &access) {
    for (Slot &slot : access.slots) {
        switch (access.kind) {
        case Kind::kRead:
            slot.expected = reference_->read(slot.address, slot.enable);
            break;
        case Kind::kWrite:
            reference_->write(slot.address, slot.enable, slot.data);
            break;
        case Kind::kAtomic:
            const std::uint64_t old = reference_->atomic(slot.address, static_cast<isa::AtomicOp>(access.op),
                                                         static_cast<isa::AtomicType>(access.type), slot.data);
            std::memcpy(slot.expected.data(), &old, sizeof old);
            break;
        }
    }
}

/// Computes when the model has answered all of an access that arrived in its cycle of arrival
/// (memory/shared_memory.h).
void SharedMemoryAdapter::schedule(Access &access) {
    conflicts_.begin();
    for (const Slot &slot : access.slots) {
        place_slot(conflicts_, access.kind == Kind::kAtomic, slot.address, slot.enable);
    }
    access.passes = conflicts_.passes();
    access.conflicts = access.passes - conflicts_.least_passes();
    const Cycle start = std::max(access.arrival, free_at_);
    free_at_ = start + access.passes;
    access.due = free_at_ - 1 + config_.latency + (access.kind == Kind::kAtomic ? config_.atomic_latency : 0);
}

const char *SharedMemoryAdapter::name_of(const Access &access) {
    switch (access.kind) {
    case Kind::kRead:
        return "read";
    case Kind::kWrite:
        return "write";
    case Kind::kAtomic:
        break;
    }
    return "atomic";
}

std::string SharedMemoryAdapter::text_of(const Access &access) {
    std::string text = name_of(access);
    if (access.kind == Kind::kAtomic) {
        text += fmt::format(" op {} type {}", access.op, access.type);
    }
    for (const Slot &slot : access.slots) {
        text += fmt::format(" {:#x}:{:04x}", slot.address, slot.enable);
        if (access.kind != Kind::kRead) {
            text += fmt::format("={:02x}", fmt::join(slot.data.rbegin(), slot.data.rend(), ""));
        }
    }
    return text;
}

/// The 16 aligned bytes at `address` in the block.
const unsigned char *SharedMemoryAdapter::row_at(std::uint32_t address) const {
    pins_.dbg_address.put(std::uint64_t{address} / kSlotBytes * kSlotBytes);
    block_->settle();
    return pins_.dbg_data.bytes();
}

void SharedMemoryAdapter::remember(const Access &access) {
    if (access.kind == Kind::kRead) {
        return;
    }
    written_ = Written{driven_tag_, access.started, name_of(access), {}};
    for (const Slot &slot : access.slots) {
        written_->rows.push_back(slot.address / kSlotBytes * kSlotBytes);
    }
}

/// In lockstep: compares the bytes that the last access has written.
void SharedMemoryAdapter::compare_contents(Cycle now) {
    const Written written = *std::exchange(written_, std::nullopt);
    std::uint32_t before = ~0U;
    for (const std::uint32_t row : written.rows) {
        if (row == std::exchange(before, row)) {
            continue;
        }
        const SharedMemoryReference::Row here = reference_->read(row, 0xffff);
        const unsigned char *there = row_at(row);
        if (std::memcmp(here.data(), there, here.size()) == 0) {
            continue;
        }
        Access &access = flights_[written.tag];
        const bool in_flight = !access.slots.empty() && access.started == written.started;
        if (in_flight) { // its answer will show it
            recent_->transaction("cycle {}, {}", written.started, text_of(access));
            for (Slot &slot : access.slots) {
                if (slot.transaction != nullptr) {
                    slot.transaction->failed = true;
                }
            }
        }
        recent_->differs(
            now,
            fmt::format("{}: the 16 bytes at {:#x}, highest first: model {:02x}, RTL {:02x} "
                        "(docs/pins.md, Shared memory)",
                        written.name, row, fmt::join(here.rbegin(), here.rend(), ""),
                        fmt::join(std::reverse_iterator(there + kSlotBytes), std::reverse_iterator(there), "")),
            in_flight);
    }
}

/// Reports accesses that the block has not answered or not taken since `due` or earlier; in lockstep, first those that
/// the model has answered by then.
void SharedMemoryAdapter::look_for_missing(Cycle now, Cycle due) {
    for (const Access &access : flights_) {
        if (reference_ && !access.slots.empty() && access.due <= due) {
            recent_->differs(now,
                             fmt::format("{} of cycle {}: model answers in cycle {}, RTL has not (docs/pins.md, Shared "
                                         "memory)",
                                         name_of(access), access.started, access.due),
                             false);
        }
    }
    for (const Access &access : flights_) {
        if (!access.slots.empty() && access.started <= due) {
            report_broken(*this, recent_.get(), now,
                          fmt::format("{} of cycle {}: slots {:#x} have no response ({}; docs/pins.md, Shared memory)",
                                      name_of(access), access.started, access.open,
                                      access.kind == Kind::kAtomic ? "arsp_valid" : "rsp_valid"));
        }
    }
    if (driven_ && waiting_.front().arrival <= due) {
        report_broken(*this, recent_.get(), now,
                      fmt::format("{} offered since cycle {}, and not taken (req_ready; docs/pins.md, Shared memory)",
                                  name_of(waiting_.front()), waiting_.front().arrival));
    }
}

bool SharedMemoryAdapter::differs(const Access &access, const Slot &slot, const unsigned char *there, Cycle next) {
    const unsigned bytes = access.kind == Kind::kAtomic ? 8 : kSlotBytes;
    if (access.kind == Kind::kWrite || std::memcmp(slot.expected.data(), there, bytes) == 0) {
        return false;
    }
    recent_->differs(
        next,
        fmt::format("{}: the {} bytes of {:#x}, highest first: model {:02x}, RTL {:02x} (docs/pins.md, Shared memory)",
                    name_of(access), bytes, slot.address,
                    fmt::join(std::reverse_iterator(slot.expected.data() + bytes),
                              std::reverse_iterator(slot.expected.data()), ""),
                    fmt::join(std::reverse_iterator(there + bytes), std::reverse_iterator(there), "")),
        true);
    return true;
}

void SharedMemoryAdapter::finish(Transaction &transaction, Cycle next) {
    Payload &payload = *transaction.payload;
    payload.set_response_status(transaction.failed ? tlm::TLM_GENERIC_ERROR_RESPONSE : tlm::TLM_OK_RESPONSE);
    free_transactions_.push_back(&transaction);
    if (transaction.done != nullptr) {
        transaction.done->notify(clock_.until(next));
    } else {
        target_.respond(payload, next * period_, transaction.rank);
    }
}

} // namespace smsim::cosim
