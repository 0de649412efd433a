// Where the memory of a run comes from: one piece on huge pages instead of some thousand small ones. A short run spends
// more time on first touches of small pages than on its simulation: SystemC alone fills 3 MiB before `main`, and the SM
// takes as much again.
//
// Entered before the initialisers of all libraries (`.preinit_array`), because that of SystemC is among what it is for.
// Where the kernel has no huge pages to give, the heap merely grows in larger steps; with another C library, or under a
// sanitizer, which has a heap of its own, everything is as without this file.
//
// Where those initialisers find no memory, the process ends with a message and a status, as it does later.
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
    constexpr std::string_view kMessage = "smsim: error: the host has no more memory, not even to begin\n";
    static_cast<void>(!write(STDERR_FILENO, kMessage.data(), kMessage.size()));
    _exit(smsim::app::kBadInput);
}

constexpr std::size_t kHugePage = std::size_t{2} << 20;
/// What a small run takes. The heap grows by as much again when it is used up.
constexpr std::size_t kPiece = std::size_t{8} << 20;
/// Larger blocks are mapped by themselves: the most to which the C library would raise this by and by.
constexpr int kLargestInHeap = 32 << 20;

void prepare_heap(int, char **, char **) {
    in_main = std::set_terminate(end_without_memory);
    mallopt(M_TOP_PAD, static_cast<int>(kPiece + kHugePage));
    mallopt(M_MMAP_THRESHOLD, kLargestInHeap);
    mallopt(M_TRIM_THRESHOLD, kLargestInHeap);
    char *const begin = static_cast<char *>(sbrk(0));
    void *volatile block = std::malloc(1); // the heap begins; volatile, as a block that nobody looks at is left out
    std::free(block);
    const std::size_t before = -reinterpret_cast<std::uintptr_t>(begin) % kHugePage; // to the first huge page
    const auto bytes = static_cast<std::size_t>(static_cast<char *>(sbrk(0)) - begin);
    if (bytes >= before + kHugePage) {
        // A wish: whether it is granted changes nothing but time.
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
