#include "session/functional_memory.h"

#include <tlm>

namespace smsim::session {

unsigned char *FunctionalMemory::page(std::uint64_t number) {
    if (!direct_) {
        return nullptr;
    }
    tlm::tlm_generic_payload payload;
    payload.set_read();
    payload.set_address(number * kPageBytes);
    tlm::tlm_dmi dmi;
    const bool granted = memory_.socket().get_base_interface().get_direct_mem_ptr(payload, dmi);
    const bool whole = dmi.get_start_address() <= number * kPageBytes &&
                       dmi.get_end_address() >= number * kPageBytes + (kPageBytes - 1);
    return granted && whole && dmi.is_read_write_allowed()
               ? dmi.get_dmi_ptr() + (number * kPageBytes - dmi.get_start_address())
               : nullptr;
}

} // namespace smsim::session
