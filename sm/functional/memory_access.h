// Functional loads, stores and atomics: sm/load_store/ provides the checks and the lane data; this class accesses the
// bytes. Plain C++.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "memory/byte_store.h"
#include "model/error.h"
#include "model/state/memory_request.h"
#include "sm/functional/global_port.h"
#include "sm/load_store/global_bounds.h"
#include "sm/load_store/global_transfer.h"
#include "sm/load_store/local_transfer.h"
#include "sm/load_store/shared_transfer.h"

namespace smsim {
struct Config;
}

namespace smsim::sm::functional {

class MemoryAccess {
  public:
    /// All three must outlive the object. `bounds` judges accesses to global memory.
    MemoryAccess(const Config &config, GlobalPort &global, GlobalBounds &bounds);

    /// The fault of the addresses of `request`, if there is one.
    std::optional<FaultReport> check(const MemoryRequest &request);
    /// Performs `request`, the last one that has passed `check`, thread by thread in lane order; afterwards its data
    /// holds what loads and atomics have read. If the memory refuses a thread, the threads before it have been
    /// performed.
    std::optional<FaultReport> perform(MemoryRequest &request);

    /// The bytes of shared memory.
    memory::ByteStore &shared() { return shared_; }

  private:
    struct KnownPage {
        std::uint64_t number = ~std::uint64_t{0};
        unsigned char *bytes = nullptr;
    };

    std::optional<FaultReport> perform_global(MemoryRequest &request);
    std::optional<FaultReport> perform_local(MemoryRequest &request);
    /// Performs all threads of `request`, whose addresses are within `data`, which begins at address `origin`.
    static void perform_in(MemoryRequest &request, unsigned char *data, std::uint64_t origin);
    void perform_by_pages(MemoryRequest &request);
    /// Performs one thread of an access through `read` and `write`.
    void perform_by_copy(MemoryRequest &request);
    void move_local_word(MemoryRequest &request, unsigned lane, unsigned offset, unsigned bytes);
    unsigned char *page(std::uint64_t number);
    FaultReport refusal(MemoryRequest &request, std::uint64_t address, unsigned bytes, const char *why) const;

    GlobalPort &port_;
    bool ideal_locks_;
    SharedTransfer shared_space_;
    GlobalTransfer global_space_;
    LocalTransfer local_space_;
    memory::ByteStore shared_;
    Transfer::Checked checked_;          ///< of the last `check`
    std::array<KnownPage, 512> pages_{}; ///< by the last bits of the number
};

} // namespace smsim::sm::functional
