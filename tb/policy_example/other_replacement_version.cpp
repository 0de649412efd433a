// A library for a version of the interface that does not exist: smsim must refuse it before it calls anything else.
#include "memory/l1/replacement.h"

extern "C" const smsim::memory::l1::ReplacementLibrary *smsim_l1_replacement() {
    static const smsim::memory::l1::ReplacementLibrary library{smsim::kPolicyLibraryVersion + 1, nullptr};
    return &library;
}
