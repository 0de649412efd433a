// The handler only touches lock-free atomics and calls async-signal-safe functions.
#include "app/interruption.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <string_view>

#include <unistd.h>

namespace smsim::app {
namespace {

constexpr std::array kSignals = {SIGINT, SIGTERM};

std::atomic<bool> has_begun = false;
std::atomic<int> taken = 0;
std::atomic<int> deferred = 0;

using Actions = std::array<struct sigaction, kSignals.size()>;
Actions before{};
Actions before_deferring{};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

void take_in(int signal) {
    if (!has_begun) {
        constexpr std::string_view kMessage = "smsim: error: interrupted before the simulation began\n";
        static_cast<void>(!write(STDERR_FILENO, kMessage.data(), kMessage.size()));
        _exit(Interruption::exit_status(signal));
    }
    taken = signal;
    const int error = errno; // of the interrupted code
    for (const int each : kSignals) {
        std::signal(each, SIG_DFL);
    }
    errno = error;
}

void note(int signal) {
    deferred = signal;
}

/// Saves the previous actions of the signals in `previous`.
void handle_with(void (*handler)(int), Actions &previous) {
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
        sigaction(kSignals[i], nullptr, &previous[i]);
        if (previous[i].sa_handler != SIG_IGN) {
            struct sigaction action {};
            action.sa_handler = handler;
            action.sa_flags = SA_RESTART;
            sigemptyset(&action.sa_mask);
            for (const int each : kSignals) { // a second signal waits until the handler has dealt with the first
                sigaddset(&action.sa_mask, each);
            }
            sigaction(kSignals[i], &action, nullptr);
        }
    }
}

void restore(const Actions &previous) {
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
        sigaction(kSignals[i], &previous[i], nullptr);
    }
}

} // namespace

Interruption::Interruption() {
    has_begun = false;
    taken = 0;
    handle_with(take_in, before);
}

Interruption::~Interruption() {
    restore(before);
}

void Interruption::run_begins() {
    has_begun = true;
}

int Interruption::signal() const {
    return taken;
}

DeferredSignals::DeferredSignals() {
    deferred = 0;
    handle_with(note, before_deferring);
}

DeferredSignals::~DeferredSignals() {
    restore(before_deferring);
    if (deferred != 0) {
        std::raise(deferred);
    }
}

bool DeferredSignals::noted() const {
    return deferred != 0;
}

} // namespace smsim::app
