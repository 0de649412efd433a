// Shared memory driven by a stub of the load/store unit.
#include "cosim/transactions/bench.h"

#include <memory>
#include <vector>

#include "cosim/transactions/extract.h"
#include "model/protocol/memory_initiator.h"
#include "model/protocol/payload_pool.h"

namespace smsim::cosim::transactions {
namespace {

/// What a transaction carries.
struct Rider final : protocol::PooledExtension<Rider> {
    protocol::AccessGroupExtension group;
    protocol::AtomicExtension atomic;
    std::vector<unsigned char> data;
    std::vector<unsigned char> enables;
};

class SharedBench final : public Bench {
  public:
    SharedBench(const sc_core::sc_module_name &name, const Config &config, const File &file,
                const sm::PartFactory &factory, Ending &ending)
        : Bench(name, config, file, Part::kShared, ending), requests_("requests", clock().period()),
          part_(factory.shared_memories.make("shared", config)) {
        requests_.on_done<&SharedBench::on_done>(this);
        requests_.socket.bind(part_->from_load_store());
    }

  private:
    bool is_output(Event::Kind) const override { return false; }
    bool send(const Record &record) override {
        const auto &access = std::get<Access>(record);
        auto &payload = payloads_.acquire();
        auto &rider = *protocol::extension_of(payload);
        payload.set_extension(&rider.atomic);
        rider.atomic.active = access.kind == Access::Kind::kAtomic;
        rider.atomic.op = static_cast<isa::AtomicOp>(access.op);
        rider.atomic.type = static_cast<isa::AtomicType>(access.type);
        rider.atomic.operand = access.operand;
        rider.atomic.compare = access.compare;
        rider.atomic.performed = false;
        payload.clear_extension<protocol::AccessGroupExtension>();
        if (access.group) {
            rider.group.group = *access.group;
            payload.set_extension(&rider.group);
        }
        if (access.kind == Access::Kind::kRead || access.kind == Access::Kind::kWrite) {
            payload.set_command(access.kind == Access::Kind::kRead ? tlm::TLM_READ_COMMAND : tlm::TLM_WRITE_COMMAND);
        }
        rider.data.assign(access.length, 0);
        std::copy(access.data.begin(), access.data.end(), rider.data.begin());
        payload.set_address(access.address);
        payload.set_data_ptr(rider.data.data());
        payload.set_data_length(access.length);
        payload.set_streaming_width(access.width);
        if (!access.enabled.empty()) {
            rider.enables.resize(access.length);
            for (std::size_t i = 0; i < access.length; ++i) {
                rider.enables[i] = access.enabled[i] ? TLM_BYTE_ENABLED : TLM_BYTE_DISABLED;
            }
            payload.set_byte_enable_ptr(rider.enables.data());
            payload.set_byte_enable_length(access.length);
        }
        begin(payload);
        requests_.send(payload);
        return true;
    }
    void on_done(Payload &payload, const sc_core::sc_time &when) {
        const sc_dt::uint64 period = clock().period().value();
        const Cycle effect = (when.value() + period - 1) / period;
        const auto &recorded = std::get<Access>(flight_of(payload).record).answer;
        answered(payload, effect, recorded ? differences(*recorded, answer_of(effect, payload), "replayed") : "");
        payload.release();
    }

    protocol::PayloadPool<Rider> payloads_; ///< declared before the part, which may hold payloads until it is destroyed
    protocol::MemoryInitiator requests_;
    std::unique_ptr<parts::SharedMemory> part_;
};

} // namespace

std::unique_ptr<Bench> make_shared_bench(const Config &config, const File &file, const sm::PartFactory &factory,
                                         Ending &ending) {
    return std::make_unique<SharedBench>("shared_bench", config, file, factory, ending);
}

} // namespace smsim::cosim::transactions
