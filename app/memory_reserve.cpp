// The handler of failed allocations only frees a block and sets a flag.
#include "app/memory_reserve.h"

#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <new>

#include <fmt/format.h>

namespace smsim::app {
namespace {

/// What reports and the last slice of a run need at most. Address space: nothing touches it before it is released.
constexpr std::size_t kReserve = std::size_t{48} << 20;

std::atomic<void *> reserve = nullptr;
std::atomic<bool> given = false;
std::new_handler before = nullptr;

void give_reserve() {
    void *const block = reserve.exchange(nullptr);
    if (block == nullptr) {
        throw std::bad_alloc();
    }
    std::free(block);
    given = true;
}

} // namespace

MemoryReserve::MemoryReserve() {
    given = false;
    reserve = std::malloc(kReserve); // without a reserve, the first allocation that fails is an error
    before = std::set_new_handler(give_reserve);
}

MemoryReserve::~MemoryReserve() {
    std::set_new_handler(before);
    std::free(reserve.exchange(nullptr));
}

bool MemoryReserve::used() const {
    return given;
}

std::string out_of_memory_text() {
    constexpr std::uint64_t kMebi = std::uint64_t{1} << 20;
    std::uint64_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages; // address space: what limits count
    std::string text = fmt::format("out of memory: {} MiB of address space are in use",
                                   pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) / kMebi);
    struct rlimit limit {};
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
        text += fmt::format(", of {} MiB that this process may have (ulimit -v)", limit.rlim_cur / kMebi);
    }
    return text;
}

} // namespace smsim::app
