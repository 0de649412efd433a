// Instruction memory: words, decoded instructions and fetch times.
#include "memory/instruction_memory.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include <fmt/format.h>

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

void check(const ICacheConfig &config) {
    if (config.l0_latency == 0 || config.l1_latency == 0) {
        throw InputError("icache.l0_latency, icache.l1_latency: 0 is not allowed; expected at least 1");
    }
    if (!std::has_single_bit(config.line_bytes) || config.line_bytes < kInstructionBytes) {
        throw InputError(fmt::format("icache.line_bytes: {}; expected a power of two from {}", config.line_bytes,
                                     kInstructionBytes));
    }
    if (config.l0_bytes < config.line_bytes) {
        throw InputError(fmt::format("icache.l0_bytes: {} is less than one line; expected at least {}", config.l0_bytes,
                                     config.line_bytes));
    }
}

} // namespace

InstructionMemory::InstructionMemory(const sc_core::sc_module_name &name, const ICacheConfig &config,
                                     std::uint32_t sub_partitions, const sc_core::sc_time &period)
    : sc_module(name), config_(config), line_shift_(static_cast<unsigned>(std::countr_zero(config.line_bytes))),
      hit_(config.l0_latency * period.value()), miss_(config.l1_latency * period.value()) {
    check(config);
    L0Cache::Shape shape;
    shape.capacity = config.l0_bytes / config.line_bytes;
    shape.prefetch = config.prefetch_lines;
    shape.hit = hit_;
    shape.miss = miss_;
    shape.period = period.value();
    for (std::uint32_t i = 0; i < sub_partitions; ++i) {
        auto socket = std::make_unique<protocol::Target<protocol::MemoryLink>>(fmt::format("socket_{}", i).c_str());
        socket->on_request<&InstructionMemory::request>(this, i);
        socket->on_blocking<&InstructionMemory::blocking>(this);
        socket->on_debug<&InstructionMemory::debug>(this);
        socket->on_dmi<&InstructionMemory::direct>(this);
        ports_.push_back({std::move(socket), L0Cache(shape), {}});
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
        port.l0.add_program(lines);
    }
    lines_ += lines;
    present_ = &placed;
    return placed.base;
}

/// The program that the bytes lie in; null: none.
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
        return not_a_request(name(), phase);
    }
    const RawTime now = raw_now();
    delay = sc_core::sc_time::from_value(access(ports_[tag], payload, now + delay.value()) - now);
    return tlm::TLM_COMPLETED;
}

void InstructionMemory::blocking(unsigned tag, Payload &payload, sc_core::sc_time &delay) {
    const RawTime now = raw_now();
    delay = sc_core::sc_time::from_value(access(ports_[tag], payload, now + delay.value()) - now);
}

RawTime InstructionMemory::access(Port &port, Payload &payload, RawTime arrival) {
    const std::uint64_t address = payload.get_address();
    const std::uint64_t length = payload.get_data_length();
    if (payload.is_read() && length == kInstructionBytes && payload.get_streaming_width() >= length &&
        payload.get_byte_enable_ptr() == nullptr && payload.get_data_ptr() != nullptr) {
        const Placed *placed = program_at(address, kInstructionBytes);
        if (placed != nullptr && placed->program->contains(address - placed->base)) {
            const std::uint64_t pc = address - placed->base;
            std::memcpy(payload.get_data_ptr(), placed->bytes.data() + pc, kInstructionBytes);
            if (auto *decoded = protocol::extension_of<protocol::DecodedExtension>(payload)) {
                decoded->insn = &placed->program->at(pc);
            }
            payload.set_response_status(tlm::TLM_OK_RESPONSE);
            return fetch_time(port, address, length, arrival);
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

/// When the last line of the bytes is there.
RawTime InstructionMemory::fetch_time(Port &port, std::uint64_t address, std::uint64_t bytes, RawTime arrival) {
    ++port.stats.fetches;
    if (!config_.l0) {
        ++port.stats.l0_misses;
        return arrival + miss_;
    }
    const std::uint64_t last = (address + bytes - 1) >> line_shift_;
    bool is_hit = true;
    RawTime done = arrival;
    for (std::uint64_t line = address >> line_shift_; line <= last; ++line) {
        const L0Cache::Answer answer = port.l0.fetch(line, arrival);
        is_hit = is_hit && answer.is_hit;
        done = std::max(done, RawTime{answer.done});
    }
    ++(is_hit ? port.stats.l0_hits : port.stats.l0_misses);
    return done;
}

FetchStats InstructionMemory::stats() const {
    FetchStats sum;
    for (const Port &port : ports_) {
        sum.fetches += port.stats.fetches;
        sum.l0_hits += port.stats.l0_hits;
        sum.l0_misses += port.stats.l0_misses;
    }
    return sum;
}

void InstructionMemory::clear_statistics() {
    for (Port &port : ports_) {
        port.stats = {};
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

bool InstructionMemory::direct(unsigned, Payload &payload, tlm::tlm_dmi &dmi) {
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
    return true;
}

} // namespace smsim::memory
