// Shared memory of the SM: a banked TLM-2.0 base-protocol target.
//
// The functional effect occurs on the call, time is annotated: every non-blocking request is answered with
// TLM_COMPLETED and the delay to its result. Nothing ever waits and there is no process. Timing of one access (a warp
// access, see AccessGroupExtension; without that extension each transaction is an access of its own):
//
//     start = max(arrival, end of the passes of the previous access)
//     done  = start + (pass - 1) + latency [+ atomic_latency]     cycles
//
// where `pass` is the pass in which the last word of the transaction is served (bank_conflicts.h). The access occupies
// the banks for its number of passes.
//
// With a `pass_interval` above 1 the passes of one data path (AccessGroupExtension::port) are at least that far apart,
// and those of several paths share the cycles of the banks (pass_calendar.h); `done` counts from the pass in which the
// last word is served, and `begins` of the extension says when the first one is.
#pragma once

#include <cstdint>
#include <optional>

#include "memory/bank_conflicts.h"
#include "memory/byte_store.h"
#include "memory/pass_calendar.h"
#include "memory/payload_access.h"
#include "model/config/sections/shared.h"
#include "model/parts/memories.h"
#include "model/protocol/clock.h"
#include "model/protocol/memory.h"
#include "model/protocol/present_time.h"
#include "model/protocol/socket.h"
#include "model/protocol/time_memo.h"
#include "model/stats/statistics.h"

namespace smsim::memory {

class SharedMemory final : public sc_core::sc_module, public parts::SharedMemory {
  public:
    /// Base protocol: blocking, non-blocking, debug and direct memory interface. Addresses count bytes from 0.
    ///
    /// An address outside of it gives TLM_ADDRESS_ERROR_RESPONSE, invalid standard fields give the status of
    /// `check_fields`; both take `latency` cycles and no pass. An IGNORE command that is no atomic does nothing and is
    /// OK.
    protocol::Target<protocol::MemoryLink> socket{"socket"};

    /// `period` is the clock period. `front`: cycles of `config.latency` that pass before a request arrives here. A
    /// configuration without banks, bytes or latency is an InputError.
    SharedMemory(const sc_core::sc_module_name &name, const SharedMemoryConfig &config, const sc_core::sc_time &period,
                 std::uint32_t front = 0);

    /// Counters so far, including the access that is still open.
    SharedMemoryStats stats() const override;
    void add_use(Cycle end, UnitUses &uses) const override;
    /// Restarts all counts; nothing may be under way.
    void clear_statistics() override;
    tlm::tlm_target_socket<64, protocol::MemoryLink> &from_load_store() override { return socket; }
    bool join(protocol::Calendar &calendar) override {
        time_.follow(calendar.local_time());
        clock_.follow(calendar.local_time());
        return true;
    }
    /// Bytes of the memory.
    std::uint64_t size() const { return store_.size(); }

  private:
    tlm::tlm_sync_enum request(unsigned tag, Payload &payload, tlm::tlm_phase &phase, sc_core::sc_time &delay);
    void blocking(unsigned tag, Payload &payload, sc_core::sc_time &delay);
    unsigned debug(unsigned tag, Payload &payload);
    bool direct(unsigned tag, Payload &payload, tlm::tlm_dmi &dmi);

    RawTime access(Payload &payload, RawTime arrival);
    /// `group`: of the transaction; null: none.
    [[gnu::always_inline]] inline void open_access(const protocol::AccessGroupExtension *group, RawTime arrival);
    std::size_t perform_rows(Payload &payload, std::span<MemoryRow> rows, RawTime arrival);
    std::uint32_t enabled_passes(const Payload &payload);
    /// When pass `pass` of the present phase, and then one pass of each of `further` phases, takes place for the open
    /// access.
    [[gnu::always_inline]] inline RawTime pass_of(std::uint32_t pass, std::uint32_t further);
    /// Accounts for all passes of the open access so far, and tells them.
    [[gnu::always_inline]] inline void tell_passes(protocol::AccessGroupExtension *group);
    void count_open_access(SharedMemoryStats &stats) const;

    SharedMemoryConfig config_;
    protocol::PresentTime time_;
    protocol::TimeMemo spans_;
    protocol::Clock clock_;
    RawTime period_;
    RawTime latency_;
    ByteStore store_;
    BankConflicts conflicts_;
    RawTime free_at_ = 0; ///< end of the last pass that is taken
    // the access that transactions may still join
    bool open_ = false;
    bool grouped_ = false;
    std::uint64_t group_ = 0;
    RawTime start_ = 0;
    std::uint32_t phase_ = 0;
    bool short_phases_ = false;            ///< the first pass of a phase takes its data path for one cycle
    std::uint32_t phases_passes_ = 0;      ///< of the phases before the present one
    std::uint32_t phases_least_ = 0;       ///< and the passes that they would have taken without conflicts
    std::uint32_t scheduled_ = 0;          ///< passes of the present phase that have their cycle
    std::optional<PassCalendar> calendar_; ///< with a pass_interval above 1
    SharedMemoryStats stats_;
    BusyTime array_use_; ///< without a calendar, which has its own
};

} // namespace smsim::memory
