// A phase of a transaction on a link, as waveforms show it.
#pragma once

#include <cstdint>

#include <systemc>

namespace smsim::views::waveforms {

/// The warp of a transaction that names none (memory sockets).
inline constexpr std::uint32_t kNoWarpOnLink = 0xffff;

struct Transfer {
    unsigned link = 0;
    bool is_response = false; ///< BEGIN_RESP, END_RESP, or the answer on the call
    unsigned phase = 0; ///< number of the phase: 1 BEGIN_REQ, 2 END_REQ, 3 BEGIN_RESP, 4 END_RESP, above: extended
    std::uint32_t warp = kNoWarpOnLink;
    std::uint64_t address = 0;
};

/// The recipient of transfers.
class TransferReader {
  public:
    virtual ~TransferReader() = default;
    /// A phase that takes effect `delay` after the current time.
    virtual void transfer(const Transfer &transfer, const sc_core::sc_time &delay) = 0;
};

} // namespace smsim::views::waveforms
