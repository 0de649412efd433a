// An example of a memory library: `smsim run --memory libbanked_memory.so[:banks=N,latency=N,busy=N]`.
//
// Words of 256 bytes are interleaved over banks. An access takes `latency` cycles, and keeps each bank that it touches
// busy for `busy` cycles; it begins when all of them are free. It has a socket of 32 bits and supports only reads and
// writes, as many memories do.
#include <algorithm>
#include <charconv>
#include <cstring>
#include <map>
#include <string_view>
#include <vector>

#include <systemc>
#include <tlm>

#include "memory/byte_store.h"
#include "memory/payload_access.h"
#include "memory/width_adapter.h"
#include "model/error.h"
#include "session/memory_library.h"

namespace {

using smsim::InputError;

constexpr unsigned kMost = 65536; ///< of each parameter

struct Parameters {
    unsigned banks = 16;
    unsigned latency = 200; ///< cycles
    unsigned busy = 4;      ///< cycles
};

/// "name=value,..."; every value is 1 to kMost.
Parameters parse(std::string_view text) {
    Parameters parameters;
    const std::map<std::string_view, unsigned *> places = {
        {"banks", &parameters.banks}, {"latency", &parameters.latency}, {"busy", &parameters.busy}};
    while (!text.empty()) {
        const std::string_view one = text.substr(0, text.find(','));
        text.remove_prefix(std::min(one.size() + 1, text.size()));
        const std::size_t equals = one.find('=');
        const auto place = places.find(one.substr(0, equals));
        const std::string_view digits = equals == std::string_view::npos ? "" : one.substr(equals + 1);
        const auto read = [&digits](unsigned &value) {
            const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
            return error == std::errc() && end == digits.data() + digits.size() && value >= 1 && value <= kMost;
        };
        if (place == places.end() || !read(*place->second)) {
            throw InputError("banked memory: parameter '" + std::string(one) +
                             "'; expected banks=N, latency=N or busy=N, N from 1 to 65536");
        }
    }
    return parameters;
}

class BankedMemory final : public sc_core::sc_module, private tlm::tlm_fw_transport_if<> {
  public:
    tlm::tlm_target_socket<32> socket{"socket"};
    smsim::memory::PagedStore store;

    BankedMemory(const sc_core::sc_module_name &name, const Parameters &parameters, const sc_core::sc_time &period)
        : sc_module(name), latency_(parameters.latency * period), busy_(parameters.busy * period),
          free_at_(parameters.banks) {
        socket.bind(*this);
    }

  private:
    using Payload = tlm::tlm_generic_payload;
    static constexpr std::uint64_t kWord = 256;

    /// The base protocol lets a target complete a request within the call, with the time as an annotation.
    tlm::tlm_sync_enum nb_transport_fw(Payload &payload, tlm::tlm_phase &phase, sc_core::sc_time &delay) override {
        if (phase == tlm::BEGIN_REQ) {
            b_transport(payload, delay);
        }
        return tlm::TLM_COMPLETED;
    }
    void b_transport(Payload &payload, sc_core::sc_time &delay) override {
        if (!payload.is_read() && !payload.is_write()) {
            payload.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
            return;
        }
        const std::uint64_t first = payload.get_address() / kWord;
        const std::uint64_t last = (payload.get_address() + payload.get_data_length() - 1) / kWord;
        const sc_core::sc_time &now = sc_core::sc_time_stamp();
        sc_core::sc_time begin = now + delay;
        for (std::uint64_t word = first; word <= last; ++word) {
            begin = std::max(begin, free_at_[word % free_at_.size()]);
        }
        for (std::uint64_t word = first; word <= last; ++word) {
            free_at_[word % free_at_.size()] = begin + busy_;
        }
        delay = begin + latency_ - now;
        transport_dbg(payload);
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
    }
    unsigned transport_dbg(Payload &payload) override {
        smsim::memory::transfer(payload, store);
        return payload.get_data_length();
    }
    bool get_direct_mem_ptr(Payload &, tlm::tlm_dmi &dmi) override {
        dmi.allow_none();
        return false;
    }

    sc_core::sc_time latency_;
    sc_core::sc_time busy_;
    std::vector<sc_core::sc_time> free_at_; ///< by bank
};

/// The memory as smsim expects it: with a 64-bit socket.
class Backend final : public smsim::session::MemoryBackend {
  public:
    Backend(const Parameters &parameters, const sc_core::sc_time &period)
        : memory_("banked_memory", parameters, period) {
        width_.to_target.bind(memory_.socket);
    }
    smsim::session::MemorySocket &socket() override { return width_.from_initiator; }
    void map(std::uint64_t, std::uint64_t, const std::string &) override {} // holds every address
    void read(std::uint64_t address, std::span<std::uint8_t> to) override {
        memory_.store.read(address, to.data(), to.size());
    }
    void write(std::uint64_t address, std::span<const std::uint8_t> from) override {
        memory_.store.write(address, from.data(), from.size());
    }

  private:
    smsim::memory::WidthAdapter<32> width_{"width_adapter"};
    BankedMemory memory_;
};

smsim::session::MemoryBackend *create(const smsim::session::MemoryLibraryRequest &request) {
    return new Backend(parse(request.parameters), request.period);
}

} // namespace

extern "C" const smsim::session::MemoryLibrary *smsim_memory_library() {
    static const smsim::session::MemoryLibrary library{smsim::session::kMemoryLibraryVersion, create};
    return &library;
}
