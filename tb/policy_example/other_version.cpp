// An issue policy for a later version of the interface: smsim must reject it.
#include "ibuffer/issue_policy.h"

extern "C" const smsim::ibuffer::IssuePolicyLibrary *smsim_issue_policy() {
    static const smsim::ibuffer::IssuePolicyLibrary library{smsim::kPolicyLibraryVersion + 1, nullptr};
    return &library;
}
