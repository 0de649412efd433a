// A process has one session: SystemC elaborates once in a process, and does not take back all that has been built.
#pragma once

namespace smsim::session {

/// Held by a session.
class SessionClaim {
  public:
    /// Throws InputError when the process has or had another session.
    SessionClaim();
    /// Without `keep`, another session can be tried.
    ~SessionClaim();
    SessionClaim(const SessionClaim &) = delete;
    SessionClaim &operator=(const SessionClaim &) = delete;

    /// The session has been built.
    void keep() { kept_ = true; }

  private:
    bool kept_ = false;
};

} // namespace smsim::session
