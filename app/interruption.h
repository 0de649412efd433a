// Signals that ask a run to end (Ctrl-C, SIGTERM): taken in, so that the simulation ends at a cycle boundary with
// everything a finished one has. The library knows no signals; it is handed a function to ask (session::Options).
#pragma once

namespace smsim::app {

/// While an object lives, SIGINT and SIGTERM are taken in; afterwards they do what they did before. One at a time.
///
/// Before `run_begins` there is nothing to keep: a signal ends the process at once, with one message and the status of
/// `exit_status`. From then on the first signal is kept, and the second one ends the process at once without a word.
/// A signal that was ignored before (nohup, jobs in the background of a script) stays ignored.
class Interruption {
  public:
    Interruption();
    ~Interruption();
    Interruption(const Interruption &) = delete;
    Interruption &operator=(const Interruption &) = delete;

    /// From here on there are results to keep.
    void run_begins();
    /// The signal that was taken in; 0: none so far.
    int signal() const;
    /// 128 and the number of the signal, as shells give it: 130 for SIGINT, 143 for SIGTERM.
    static int exit_status(int signal) { return 128 + signal; }
};

/// While an object lives, SIGINT and SIGTERM are only noted, for who has something to clean up; afterwards they do what
/// they would have done at once, also those noted. One that was ignored before stays ignored. One object at a time.
class DeferredSignals {
  public:
    DeferredSignals();
    ~DeferredSignals();
    DeferredSignals(const DeferredSignals &) = delete;
    DeferredSignals &operator=(const DeferredSignals &) = delete;

    /// Whether one has been noted. System calls that wait for a time end early when one comes.
    bool noted() const;
};

} // namespace smsim::app
