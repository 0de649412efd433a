// The present simulation time for who asks for it with every transaction: read where the kernel keeps it, without a
// call.
#pragma once

#include <systemc>

namespace smsim::protocol {

/// To be made where sc_time_stamp() may be called, and used while that simulation lives.
class PresentTime {
  public:
    /// As sc_time_stamp() gives it.
    const sc_core::sc_time &get() const { return time_; }
    /// In units of the time resolution.
    sc_core::sc_time::value_type raw() const { return time_.value(); }

  private:
    const sc_core::sc_time &time_ = sc_core::sc_time_stamp(); ///< the kernel's own, which goes on
};

} // namespace smsim::protocol
