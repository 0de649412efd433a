#include "model/protocol/clock.h"

#include "model/config/config.h"

namespace smsim::protocol {

Clock::Clock(const Config &config) : Clock(sc_core::sc_time(static_cast<double>(config.period_ps()), sc_core::SC_PS)) {}

} // namespace smsim::protocol
