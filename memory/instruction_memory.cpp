// Instruction memory: words, decoded instructions and fetch times.
#include "memory/instruction_memory.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "model/config/validate.h"
#include "model/error.h"

namespace smsim::memory {
namespace {

void put_word(const isa::Word &word, std::uint8_t *to) {
    for (unsigned i = 0; i < 8; ++i) {
        to[i] = static_cast<std::uint8_t>(word.lo >> (8 * i));
        to[8 + i] = static_cast<std::uint8_t>(word.hi >> (8 * i));
    }
}

std::vector<std::uint8_t> encoded(const Program &program) {
    std::vector<std::uint8_t> bytes(program.size_bytes());
    for (std::size_t i = 0; i < program.code.size(); ++i) {
        const auto word = isa::encode(program.code[i]);
        if (const auto *reason = std::get_if<std::string>(&word)) {
            throw InputError(fmt::format("program: instruction at {:#x}: {}; expected an instruction with an encoding",
                                         i * kInstructionBytes, *reason));
        }
        put_word(std::get<isa::Word>(word), bytes.data() + i * kInstructionBytes);
    }
    return bytes;
}

} // namespace

InstructionMemory::InstructionMemory(const sc_core::sc_module_name &name, const ICacheConfig &config,
                                     std::uint32_t sub_partitions, const sc_core::sc_time &period)
    : sc_module(name_if_valid(name, config)), config_(config), period_(period.value()),
      line_shift_(static_cast<unsigned>(std::countr_zero(config.line_bytes))), hit_(config.l0_latency * period.value()),
      miss_(config.l1_latency * period.value()), is_shared_(config.l1_bytes != 0 || config.l1_requests_per_cycle != 0),
      arbiter_(config, period.value()) {
    SC_HAS_PROCESS(InstructionMemory);
    SC_METHOD(arbitrate);
    sensitive << collected_;
    dont_initialize();
    SC_METHOD(wake_arbiter);
    sensitive << next_cycle_;
    dont_initialize();
    response_ended_.on_due<&InstructionMemory::respond_all>(this);
    L0Cache::Shape shape;
    shape.capacity = config.l0 ? config.l0_bytes / config.line_bytes : 0;
    shape.prefetch = config.prefetch_lines;
    shape.hit = hit_;
    shape.miss = miss_;
    shape.period = period.value();
    shape.stream = config.stream;
    shape.asks = is_shared_;
    for (std::uint32_t i = 0; i < sub_partitions; ++i) {
        // A known time is announced at once: an instruction buffer counts from the time at which it learns of a
        // response.
        auto target = std::make_unique<FourPhaseTarget>(fmt::format("socket_{}", i).c_str(), response_ended_,
                                                        FourPhaseTarget::Telling::kAtOnce);
        target->on_request<&InstructionMemory::answer_later>(this, i);
        target->socket.on_request<&InstructionMemory::request>(this, i);
        target->socket.on_blocking<&InstructionMemory::blocking>(this);
        target->socket.on_debug<&InstructionMemory::debug>(this);
        target->socket.on_dmi<&InstructionMemory::direct>(this);
        ports_.push_back({std::move(target), std::make_unique<L0Cache>(shape), {}, {}});
        arbiter_.add(*ports_.back().l0);
    }
}

std::uint64_t InstructionMemory::place(const Program &program) {
    for (const Placed &placed : programs_) {
        if (placed.program == &program) {
            return placed.base;
        }
    }
    Placed &placed = programs_.emplace_back(Placed{&program, lines_ << line_shift_, encoded(program)});
    const std::uint64_t lines = (placed.bytes.size() + config_.line_bytes - 1) >> line_shift_;
    for (Port &port : ports_) {
        port.l0->add_program(lines);
    }
    lines_ += lines;
    present_ = &placed;
    return placed.base;
}

/// The program that holds the bytes; null: none.
const InstructionMemory::Placed *InstructionMemory::program_at(std::uint64_t address, std::uint64_t count) {
    if (present_ != nullptr && present_->holds(address, count)) {
        return present_;
    }
    const auto found = std::ranges::find_if(programs_, [=](const Placed &one) { return one.holds(address, count); });
    if (found == programs_.end()) {
        return nullptr;
    }
    present_ = &*found;
    return present_;
}

tlm::tlm_sync_enum InstructionMemory::request(unsigned tag, Payload &payload, tlm::tlm_phase &phase,
                                              sc_core::sc_time &delay) {
    if (phase != tlm::BEGIN_REQ) {
        return ports_[tag].target->forward(tag, payload, phase, delay);
    }
    const RawTime now = time_.raw();
    const RawTime done = access(ports_[tag], payload, now + delay.value());
    if (done == L0Cache::kUnknown) [[unlikely]] {
        return take_request(tag, payload, phase, delay);
    }
    delay = sc_core::sc_time::from_value(done - now);
    return tlm::TLM_COMPLETED;
}

tlm::tlm_sync_enum InstructionMemory::take_request(unsigned tag, Payload &payload, tlm::tlm_phase &phase,
                                                   sc_core::sc_time &delay) {
    const tlm::tlm_sync_enum status = ports_[tag].target->forward(tag, payload, phase, delay);
    asked_ = {}; // in case it was refused
    return status;
}

void InstructionMemory::blocking(unsigned tag, Payload &payload, sc_core::sc_time &delay) {
    RawTime done = access(ports_[tag], payload, time_.raw() + delay.value());
    if (done == L0Cache::kUnknown) {
        Blocked blocked;
        asked_.blocked = &blocked;
        ports_[tag].waiting.push_back(std::exchange(asked_, {}));
        while (blocked.done == L0Cache::kUnknown) {
            sc_core::wait(blocked.answered);
        }
        done = std::max(blocked.done, time_.raw());
    }
    delay = sc_core::sc_time::from_value(done - time_.raw());
}

// --- the L1 that sub-partitions share ----------------------------------------------------------------------------

/// A request, in its cycle, for which the L0 has requested lines.
FourPhaseTarget::Answer InstructionMemory::answer_later(unsigned port, Payload &payload, RawTime) {
    asked_.payload = &payload;
    ports_[port].waiting.push_back(std::exchange(asked_, {}));
    return {FourPhaseTarget::Answer::Kind::kLater};
}

bool InstructionMemory::join(protocol::Calendar &calendar) {
    time_.follow(calendar.local_time());
    for (const Port &port : ports_) {
        port.target->follow(calendar.local_time());
    }
    if (is_shared_) {
        response_ended_.join(calendar);
    } else {
        response_ended_.follow(calendar.local_time());
    }
    return true;
}

/// Waits one delta cycle at the beginning of a cycle that has requests left, so that requests sent in this cycle are
/// included.
void InstructionMemory::wake_arbiter() {
    collected_.notify(sc_core::SC_ZERO_TIME);
}

void InstructionMemory::arbitrate() {
    const RawTime now = time_.raw();
    if (now % period_ == 0) {
        taken_.clear();
        arbiter_.serve(now, taken_);
        for (const InstructionArbiter::Taken &line : taken_) {
            arrived(line);
        }
    }
    if (const RawTime next = arbiter_.next(now); next != L0Cache::kNone) {
        time_.notify(next_cycle_, next);
    }
}

void InstructionMemory::arrived(const InstructionArbiter::Taken &line) {
    Port &port = ports_[line.port];
    for (std::size_t i = 0; i < port.waiting.size();) {
        Waiting &one = port.waiting[i];
        if (std::erase(one.lines, line.request.line) != 0) {
            one.done = std::max(one.done, RawTime{line.arrives});
            one.cause = line.cause;
        }
        if (!one.lines.empty()) {
            ++i;
            continue;
        }
        const Waiting answered = std::move(one);
        port.waiting.erase(port.waiting.begin() + static_cast<std::ptrdiff_t>(i));
        if (answered.blocked != nullptr) {
            answered.blocked->done = answered.done;
            answered.blocked->answered.notify(sc_core::SC_ZERO_TIME);
            continue;
        }
        if (auto *decoded = protocol::extension_of<protocol::DecodedExtension>(*answered.payload)) {
            decoded->cause = answered.cause;
        }
        port.target->respond(*answered.payload, answered.done, ++answers_);
    }
}

void InstructionMemory::respond_all() {
    for (const Port &port : ports_) {
        port.target->run();
    }
}

void InstructionMemory::invalidate() {
    for (Port &port : ports_) {
        port.l0->invalidate();
        if (std::exchange(port.granted, false)) {
            port.target->socket->invalidate_direct_mem_ptr(0, ~sc_dt::uint64{0});
        }
    }
    arbiter_.l1().invalidate();
}

// --- an access -----------------------------------------------------------------------------------------------------

RawTime InstructionMemory::access(Port &port, Payload &payload, RawTime arrival) {
    const std::uint64_t address = payload.get_address();
    const std::uint64_t length = payload.get_data_length();
    auto *decoded = protocol::extension_of<protocol::DecodedExtension>(payload);
    if (decoded != nullptr) {
        for (const std::uint64_t read : decoded->read_directly) {
            port.l0->use(read >> line_shift_);
        }
    }
    if (payload.is_read() && length == kInstructionBytes && payload.get_streaming_width() >= length &&
        payload.get_byte_enable_ptr() == nullptr && payload.get_data_ptr() != nullptr) {
        const Placed *placed = program_at(address, kInstructionBytes);
        if (placed != nullptr && placed->program->contains(address - placed->base)) {
            const std::uint64_t pc = address - placed->base;
            std::memcpy(payload.get_data_ptr(), placed->bytes.data() + pc, kInstructionBytes);
            payload.set_response_status(tlm::TLM_OK_RESPONSE);
            if (decoded != nullptr) {
                decoded->insn = &placed->program->at(pc);
            }
            // Nearly all accesses touch one line, which is in the L0.
            const std::uint64_t line = address >> line_shift_;
            if (line == (address + (kInstructionBytes - 1)) >> line_shift_ && port.l0->has(line, arrival)) {
                ++port.stats.l0_hits;
                payload.set_dmi_allowed(decoded != nullptr);
                return port.l0->fetch(line, arrival).done;
            }
            const RawTime done = fetch_time(port, address, length, arrival);
            if (decoded != nullptr) {
                decoded->cause = cause_;
            }
            return done;
        }
    }
    tlm::tlm_response_status status = check_fields(payload);
    if (status == tlm::TLM_OK_RESPONSE && payload.get_command() == tlm::TLM_WRITE_COMMAND) {
        status = tlm::TLM_COMMAND_ERROR_RESPONSE;
    }
    if (status != tlm::TLM_OK_RESPONSE || payload.get_command() == tlm::TLM_IGNORE_COMMAND) {
        payload.set_response_status(status);
        return arrival + hit_;
    }
    const std::uint64_t span = span_of(payload);
    const Placed *placed = program_at(address, span);
    if (placed == nullptr) {
        payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
        return arrival + hit_;
    }
    for (std::uint64_t i = 0; i < length; ++i) {
        if (byte_enabled(payload, i)) {
            payload.get_data_ptr()[i] = placed->bytes[address - placed->base + i % span];
        }
    }
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    return fetch_time(port, address, span, arrival);
}

/// When the last line of the bytes is there, and the cause (`cause_`); kUnknown: `asked_` has the lines that have been
/// requested.
RawTime InstructionMemory::fetch_time(Port &port, std::uint64_t address, std::uint64_t bytes, RawTime arrival) {
    cause_ = FetchCause::kFetch;
    if (!config_.l0 && !is_shared_) {
        ++port.stats.l0_misses;
        ++port.stats.l1_hits;
        cause_ = FetchCause::kL1;
        return arrival + miss_;
    }
    const std::uint64_t last = (address + bytes - 1) >> line_shift_;
    bool is_hit = true;
    RawTime done = arrival;
    for (std::uint64_t line = address >> line_shift_; line <= last; ++line) {
        const L0Cache::Answer answer = port.l0->fetch(line, arrival);
        is_hit = is_hit && answer.is_hit;
        if (answer.done == L0Cache::kUnknown) [[unlikely]] {
            asked_.lines.push_back(line);
            continue;
        }
        if (answer.done > done) {
            done = answer.done;
            cause_ = answer.cause;
        }
    }
    ++(is_hit ? port.stats.l0_hits : port.stats.l0_misses);
    if (!port.l0->revoked().empty()) [[unlikely]] {
        revoke(port);
    }
    if (is_shared_ && std::min(port.l0->demand_from(), port.l0->ahead_from()) != L0Cache::kNone) {
        collected_.notify(sc_core::SC_ZERO_TIME);
    }
    if (!asked_.lines.empty()) [[unlikely]] {
        asked_.done = done;
        return L0Cache::kUnknown;
    }
    return done;
}

/// Lines that the port's initiator reads directly have been evicted.
void InstructionMemory::revoke(Port &port) {
    for (const std::uint64_t line : port.l0->revoked()) {
        port.target->socket->invalidate_direct_mem_ptr(line << line_shift_, ((line + 1) << line_shift_) - 1);
    }
    port.l0->clear_revoked();
}

FetchStats InstructionMemory::stats() const {
    FetchStats sum;
    for (const Port &port : ports_) {
        sum.fetches += port.stats.l0_hits + port.stats.l0_misses;
        sum.l0_hits += port.stats.l0_hits;
        sum.l0_misses += port.stats.l0_misses;
        const L0Cache::Counts &counts = port.l0->counts();
        sum.l1_hits += port.stats.l1_hits + (is_shared_ ? 0 : counts.requests);
        sum.prefetches += counts.prefetches;
        sum.prefetches_used += counts.prefetches_used;
        sum.prefetches_unused += counts.prefetches_unused;
    }
    sum.l1_hits += arbiter_.l1().hits();
    sum.l1_misses += arbiter_.l1().misses();
    return sum;
}

void InstructionMemory::clear_statistics() {
    for (Port &port : ports_) {
        port.stats = {};
        port.l0->clear_counts();
    }
    arbiter_.l1().clear_counts(time_.raw() / period_);
}

void InstructionMemory::add_use(Cycle end, UnitUses &uses) const {
    if (const L1InstructionCache &l1 = arbiter_.l1(); l1.per_cycle() != 0) {
        smsim::add_use(uses, UsedUnit::kInstructionL1, l1.per_cycle(), l1.return_use(end));
    }
}

unsigned InstructionMemory::debug(unsigned, Payload &payload) {
    const std::uint64_t address = payload.get_address();
    const Placed *placed = program_at(address, 1);
    if (!payload.is_read() || payload.get_data_ptr() == nullptr || placed == nullptr) {
        return 0;
    }
    const std::uint64_t first = address - placed->base;
    const auto count =
        static_cast<unsigned>(std::min<std::uint64_t>(payload.get_data_length(), placed->bytes.size() - first));
    std::memcpy(payload.get_data_ptr(), placed->bytes.data() + first, count);
    return count;
}

bool InstructionMemory::direct(unsigned tag, Payload &payload, tlm::tlm_dmi &dmi) {
    dmi.init();
    const std::uint64_t address = payload.get_address();
    const Placed *placed = program_at(address, 1);
    if (placed == nullptr) { // refused up to the next program
        dmi.allow_none();
        std::uint64_t first = 0;
        for (const Placed &one : programs_) {
            if (one.base > address) {
                dmi.set_end_address(one.base - 1);
                break;
            }
            first = one.base + one.bytes.size();
        }
        dmi.set_start_address(first);
        return false;
    }
    dmi.set_start_address(placed->base);
    dmi.set_end_address(placed->base + placed->bytes.size() - 1);
    if (!payload.is_read()) { // a request for writing: refused for the whole program
        dmi.allow_none();
        return false;
    }
    // The base protocol has no constant pointer; writing is not allowed.
    dmi.set_dmi_ptr(const_cast<std::uint8_t *>(placed->bytes.data()));
    dmi.set_read_latency(sc_core::sc_time::from_value(hit_));
    dmi.allow_read();
    auto *decoded = protocol::extension_of<protocol::DecodedExtension>(payload);
    return decoded == nullptr || direct_line(ports_[tag], *placed, address, *decoded, dmi);
}

/// Direct access to the line in the L0, for as long as it stays there.
bool InstructionMemory::direct_line(Port &port, const Placed &placed, std::uint64_t address,
                                    protocol::DecodedExtension &decoded, tlm::tlm_dmi &dmi) {
    const std::uint64_t line = address >> line_shift_;
    const std::uint64_t first = line << line_shift_; // programs begin with a line
    dmi.set_dmi_ptr(dmi.get_dmi_ptr() + (first - placed.base));
    dmi.set_start_address(first);
    dmi.set_end_address(std::min<sc_dt::uint64>(dmi.get_end_address(), ((line + 1) << line_shift_) - 1));
    if (!port.l0->has(line, time_.raw())) {
        dmi.allow_none();
        return false;
    }
    decoded.direct = &placed.program->at(first - placed.base);
    port.l0->grant(line);
    port.granted = true;
    return true;
}

} // namespace smsim::memory
