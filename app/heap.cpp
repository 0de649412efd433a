// Allocates the memory of a run as one piece on huge pages instead of some thousand small ones. A short run spends
// more time on first touches of small pages than on its simulation: SystemC alone fills 3 MiB before `main`, and the
// SM needs as much again.
//
// Runs before the initialisers of all libraries (`.preinit_array`), because it is meant for that of SystemC too. Where
// the kernel has no huge pages to give, the heap merely grows in larger steps. With another C library, or under a
// sanitizer, which has its own heap, this file has no effect.
//
// If those initialisers run out of memory, the process ends with a message and a status, as it does later.
#include <cstdlib>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SMSIM_HAS_OTHER_HEAP
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define SMSIM_HAS_OTHER_HEAP
#endif
#endif

#if defined(__linux__) && defined(__GLIBC__) && !defined(SMSIM_HAS_OTHER_HEAP)
#include <cstdint>
#include <exception>
#include <string_view>

#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include "app/exit_status.h"
#include "app/heap.h"

namespace {

std::terminate_handler in_main;

[[noreturn]] void end_without_memory() {
    constexpr std::string_view kMessage = "smsim: error: the host has no more memory, not even to start\n";
    static_cast<void>(!write(STDERR_FILENO, kMessage.data(), kMessage.size()));
    _exit(smsim::app::kBadInput);
}

constexpr std::size_t kHugePage = std::size_t{2} << 20;
/// What a small run needs. The heap grows by as much again when it is used up.
constexpr std::size_t kPiece = std::size_t{8} << 20;
/// Larger blocks are mapped separately: the highest value to which the C library would gradually raise this threshold.
constexpr int kLargestInHeap = 32 << 20;

void prepare_heap(int, char **, char **) {
    in_main = std::set_terminate(end_without_memory);
    mallopt(M_TOP_PAD, static_cast<int>(kPiece + kHugePage));
    mallopt(M_MMAP_THRESHOLD, kLargestInHeap);
    mallopt(M_TRIM_THRESHOLD, kLargestInHeap);
    char *const begin = static_cast<char *>(sbrk(0));
    // Makes the heap begin; volatile, because an unused block would be optimised away.
    void *volatile block = std::malloc(1);
    std::free(block);
    const std::size_t before = -reinterpret_cast<std::uintptr_t>(begin) % kHugePage; // to the first huge page
    const auto bytes = static_cast<std::size_t>(static_cast<char *>(sbrk(0)) - begin);
    if (bytes >= before + kHugePage) {
        // Only a hint: whether it is granted affects nothing but time.
        madvise(begin + before, (bytes - before) / kHugePage * kHugePage, MADV_HUGEPAGE);
    }
}

__attribute__((section(".preinit_array"), used)) void (*const entry)(int, char **, char **) = prepare_heap;

} // namespace

void smsim::app::main_begins() {
    std::set_terminate(in_main);
}
#else
#include "app/heap.h"

void smsim::app::main_begins() {}
#endif
