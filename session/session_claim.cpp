// Also SystemC's entry point for programs that have `main` of their own: the library of SystemC refers to `sc_main`, so
// that without one they could not be linked.
#include "session/session_claim.h"

#include <cstdio>

#include <systemc>

#include "model/error.h"

[[gnu::weak]] int sc_main(int, char *[]) {
    std::fputs("smsim: error: the program has neither main nor sc_main\n", stderr);
    return 2;
}

namespace smsim::session {
namespace {

bool is_taken = false;

} // namespace

SessionClaim::SessionClaim() {
    if (is_taken) {
        throw InputError("a process has one session, because SystemC elaborates once in a process; expected further "
                         "launches in that session, or a process for each");
    }
    is_taken = true;
}

} // namespace smsim::session
