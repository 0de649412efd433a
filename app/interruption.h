// Signals that ask a run to end (Ctrl-C, SIGTERM) are caught, so that the simulation ends at a cycle boundary with
// everything a finished one has. The library itself handles no signals; it is given a function to poll
// (session::Options).
#pragma once

namespace smsim::app {

/// Catches SIGINT and SIGTERM for the lifetime of the object and then restores their previous actions. One object at a
/// time.
///
/// Before `run_begins` there is nothing to save: a signal ends the process at once, with one message and the status of
/// `exit_status`. From then on the first signal is recorded, and the second ends the process at once without a
/// message. A signal that was ignored before (nohup, background jobs of a script) stays ignored.
class Interruption {
  public:
    Interruption();
    ~Interruption();
    Interruption(const Interruption &) = delete;
    Interruption &operator=(const Interruption &) = delete;

    /// From here on there are results to save.
    void run_begins();
    /// The signal that was caught; 0: none so far.
    int signal() const;
    /// 128 plus the number of the signal, as in shells: 130 for SIGINT, 143 for SIGTERM.
    static int exit_status(int signal) { return 128 + signal; }
};

/// For the lifetime of the object, SIGINT and SIGTERM are only noted, so that code can clean up. Afterwards they have
/// their previous effect, including those that were noted. A signal that was ignored before stays ignored. One object
/// at a time.
class DeferredSignals {
  public:
    DeferredSignals();
    ~DeferredSignals();
    DeferredSignals(const DeferredSignals &) = delete;
    DeferredSignals &operator=(const DeferredSignals &) = delete;

    /// Whether a signal has been noted. A signal interrupts blocking system calls.
    bool noted() const;
};

} // namespace smsim::app
