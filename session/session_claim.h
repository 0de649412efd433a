// A process has one session: SystemC elaborates once in a process, and does not take back all that has been built.
#pragma once

namespace smsim::session {

/// Taken by a session before it builds anything, and never given back.
class SessionClaim {
  public:
    /// Throws InputError when the process has or had another session.
    SessionClaim();
};

} // namespace smsim::session
