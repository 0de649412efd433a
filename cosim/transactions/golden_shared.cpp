// The rules of shared memory: the bytes that reads, writes and atomics find and leave, in their order of arrival.
#include "cosim/transactions/golden.h"

#include "cosim/shared_memory_reference.h"
#include "model/config/config.h"

namespace smsim::cosim::transactions {
namespace {

constexpr const char *kSharedRules = "rules";
constexpr std::int8_t kOk = 1;
constexpr std::int8_t kAddressError = -2;
constexpr std::uint64_t kRow = sizeof(SharedMemoryReference::Row);

class GoldenShared final : public Golden {
  public:
    explicit GoldenShared(const Config &config)
        : Golden(Part::kShared), bytes_(config.shared.bytes), memory_((bytes_ + kRow - 1) / kRow * kRow) {}

    void finish(Cycle) override {}

  protected:
    void next(const Record &record, std::uint64_t number) override {
        const auto &access = std::get<Access>(record);
        const AccessAnswer answer = perform(access);
        if (access.answer) {
            compared(number, record, access.answer->at, differences(*access.answer, answer, kSharedRules));
        }
    }

  private:
    AccessAnswer perform(const Access &access) {
        AccessAnswer answer;
        answer.status = kOk;
        if (access.kind == Access::Kind::kNothing) {
            return answer;
        }
        if (access.width > bytes_ || access.address > bytes_ - access.width ||
            (access.kind == Access::Kind::kAtomic && access.address % access.length != 0)) {
            answer.status = kAddressError;
            return answer;
        }
        if (access.kind == Access::Kind::kAtomic) {
            answer.performed = true;
            SharedMemoryReference::Row operands{};
            std::memcpy(operands.data(), &access.operand, 8);
            std::memcpy(operands.data() + 8, &access.compare, 8);
            const std::uint64_t old =
                memory_.atomic(static_cast<std::uint32_t>(access.address), static_cast<isa::AtomicOp>(access.op),
                               static_cast<isa::AtomicType>(access.type), operands);
            answer.bytes.resize(access.length);
            std::memcpy(answer.bytes.data(), &old, access.length);
            return answer;
        }
        const bool write = access.kind == Access::Kind::kWrite;
        answer.bytes.resize(write ? 0 : access.length);
        for (std::uint32_t i = 0; i < access.length; ++i) {
            if (!access.enabled.empty() && !access.enabled[i]) {
                continue;
            }
            const std::uint64_t address = access.address + i % access.width;
            const auto row = static_cast<std::uint32_t>(address / kRow * kRow);
            const auto at = static_cast<std::uint32_t>(address % kRow);
            if (write) {
                SharedMemoryReference::Row data{};
                data[at] = access.data[i];
                memory_.write(row, 1U << at, data);
            } else {
                answer.bytes[i] = memory_.read(row, 1U << at)[at];
            }
        }
        return answer;
    }

    std::uint64_t bytes_;
    SharedMemoryReference memory_;
};

} // namespace

std::unique_ptr<Golden> make_golden_shared(const Config &config) {
    return std::make_unique<GoldenShared>(config);
}

} // namespace smsim::cosim::transactions
