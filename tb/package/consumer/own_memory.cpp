#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include <systemc>
#include <tlm_utils/simple_target_socket.h>

#include "assembler/assembler.h"
#include "memory/blocking_adapter.h"
#include "model/config/loader.h"
#include "session/memory_backend.h"
#include "session/session.h"

namespace {

/// A byte memory that answers each transaction after 500 ns, through blocking transport only.
class SlowMemory final : public sc_core::sc_module, public smsim::session::MemoryBackend {
  public:
    explicit SlowMemory(const sc_core::sc_module_name &name) : sc_module(name), adapter_("adapter", 16) {
        memory_.register_b_transport(this, &SlowMemory::transport);
        adapter_.to_target.bind(memory_);
    }

    smsim::session::MemorySocket &socket() override { return adapter_.from_initiator; }
    void map(std::uint64_t, std::uint64_t, const std::string &) override {} // it has every address
    void read(std::uint64_t address, std::span<std::uint8_t> to) override {
        for (std::uint8_t &byte : to) {
            byte = bytes_[address++];
        }
    }
    void write(std::uint64_t address, std::span<const std::uint8_t> from) override {
        for (const std::uint8_t byte : from) {
            bytes_[address++] = byte;
        }
    }

  private:
    void transport(tlm::tlm_generic_payload &payload, sc_core::sc_time &delay) {
        delay += sc_core::sc_time(500, sc_core::SC_NS);
        for (unsigned i = 0; i < payload.get_data_length(); ++i) {
            std::uint8_t &byte = bytes_[payload.get_address() + i];
            if (payload.is_read()) {
                payload.get_data_ptr()[i] = byte;
            } else if (payload.get_byte_enable_ptr() == nullptr || payload.get_byte_enable_ptr()[i] != 0) {
                byte = payload.get_data_ptr()[i];
            }
        }
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
    }

    tlm_utils::simple_target_socket<SlowMemory, 64> memory_{"memory"};
    smsim::memory::BlockingAdapter adapter_;
    std::map<std::uint64_t, std::uint8_t> bytes_;
};

/// One thread doubles a number.
constexpr const char *kKernel = ".kernel twice\n"
                                "    MOV R2, c[0x0][0x160];\n"
                                "    MOV R3, c[0x0][0x164];\n"
                                "    LDG R0, [R[2:3]];\n"
                                "    IADD3 R0, R0, R0, RZ;\n"
                                "    STG [R[2:3]], R0;\n"
                                "    EXIT;\n";

} // namespace

int sc_main(int, char **) {
    smsim::Config config = smsim::load_config(std::nullopt, {});
    config.global.atomics = smsim::GlobalAtomics::kReadWrite; // the memory knows reads and writes
    const smsim::Program program = smsim::assemble(kKernel, "twice.sasm", smsim::timing::SchedulingModel(config));

    SlowMemory memory("slow_memory");
    smsim::session::Options options;
    options.memory = &memory;

    smsim::session::Session session(config, options);
    constexpr std::uint64_t kNumber = 0x10000000;
    session.map(kNumber, 4, "number");
    session.write(kNumber, std::vector<std::uint8_t>{21, 0, 0, 0});
    smsim::launch::Launch what;
    what.block = {1, 1, 1};
    what.arguments.resize(1);
    what.arguments[0].is_buffer = true;
    const std::vector<std::uint64_t> addresses = {kNumber};
    const smsim::session::LaunchResult result = session.launch(program, program.kernels.at(0), what, addresses);
    if (!result.completed()) {
        std::printf("%s\n", result.exception.c_str());
        return 1;
    }
    std::vector<std::uint8_t> bytes(4);
    session.read(kNumber, bytes);
    std::printf("%d after %llu cycles\n", bytes[0], static_cast<unsigned long long>(result.stats.cycles));
    return bytes[0] == 42 && result.stats.cycles > 1000 ? 0 : 1;
}
