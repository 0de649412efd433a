// Records as text, one line each.
#pragma once

#include <string>

#include "model/transactions/records.h"

namespace smsim::transactions {

/// The text of a record, with its cycle and without a newline: "cycle 61 warp 0 0x0010 BRA 0x0040: guard 0x000000ff
/// -> cycle 63: ...".
std::string text_of(const Record &record);

// Only the answers, without their cycles.
std::string text_of(const BranchAnswer &answer);
std::string text_of(const BarrierAnswer &answer);
std::string text_of(const Access &access, const AccessAnswer &answer);

/// "sleeps".
const char *outcome_name(Outcome outcome);
/// "OK", "address error".
std::string status_name(int status);
/// "wake".
const char *event_name(Event::Kind kind);

} // namespace smsim::transactions
