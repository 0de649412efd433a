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

InstructionMemory::InstructionMemory(const sc_core::sc_module_name &name, const Program &program,
                                     const ICacheConfig &config, std::uint32_t sub_partitions,
                                     const sc_core::sc_time &period)
    : sc_module(name), program_(program), has_l0_(config.l0),
      line_shift_(static_cast<unsigned>(std::countr_zero(config.line_bytes))), hit_(config.l0_latency * period.value()),
      miss_(config.l1_latency * period.value()) {
    check(config);
    bytes_ = encoded(program);
    L0Cache::Shape shape;
    shape.program_lines = (bytes_.size() + config.line_bytes - 1) / config.line_bytes;
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
        payload.get_byte_enable_ptr() == nullptr && payload.get_data_ptr() != nullptr && program_.contains(address)) {
        std::memcpy(payload.get_data_ptr(), bytes_.data() + address, kInstructionBytes);
        if (auto *decoded = protocol::extension_of<protocol::DecodedExtension>(payload)) {
            decoded->insn = &program_.at(address);
        }
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
        return fetch_time(port, address, length, arrival);
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
    if (span > bytes_.size() || address > bytes_.size() - span) {
        payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
        return arrival + hit_;
    }
    for (std::uint64_t i = 0; i < length; ++i) {
        if (byte_enabled(payload, i)) {
            payload.get_data_ptr()[i] = bytes_[address + i % span];
        }
    }
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    return fetch_time(port, address, span, arrival);
}

/// When the last line of the bytes is there.
RawTime InstructionMemory::fetch_time(Port &port, std::uint64_t address, std::uint64_t bytes, RawTime arrival) {
    ++port.stats.fetches;
    if (!has_l0_) {
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

unsigned InstructionMemory::debug(unsigned, Payload &payload) {
    if (!payload.is_read() || payload.get_data_ptr() == nullptr || payload.get_address() >= bytes_.size()) {
        return 0;
    }
    const auto count = static_cast<unsigned>(
        std::min<std::uint64_t>(payload.get_data_length(), bytes_.size() - payload.get_address()));
    std::memcpy(payload.get_data_ptr(), bytes_.data() + payload.get_address(), count);
    return count;
}

bool InstructionMemory::direct(unsigned, Payload &payload, tlm::tlm_dmi &dmi) {
    dmi.init();
    const std::uint64_t address = payload.get_address();
    if (address >= bytes_.size()) {
        dmi.allow_none();
        dmi.set_start_address(bytes_.size());
        return false;
    }
    dmi.set_start_address(0);
    dmi.set_end_address(bytes_.size() - 1);
    if (!payload.is_read()) { // a request for writing: refused for the whole program
        dmi.allow_none();
        return false;
    }
    dmi.set_dmi_ptr(bytes_.data());
    dmi.set_read_latency(sc_core::sc_time::from_value(hit_));
    dmi.allow_read();
    return true;
}

} // namespace smsim::memory
