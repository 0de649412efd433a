// A memory that does not answer: which request is unanswered, and which instruction waits for it.
#pragma once

#include <optional>
#include <string>

#include "memory/regions.h"
#include "sm/dispatch/raised_fault.h"
#include "sm/streaming_multiprocessor.h"

namespace smsim::session {

/// "the memory has not answered a read of 128 bytes at 0x10000180 ('a' + 384), sent in cycle 77, 1923 cycles ago":
/// the oldest request of `unit` without an answer in cycle `now`, if it is at least `least` cycles old. Empty when
/// there is none.
std::string unanswered_text(const sm::StreamingMultiprocessor &unit, const memory::Regions &regions, Cycle now,
                            Cycle least);

/// The exception NoResponse in cycle `now`, where only an answer of the memory could let the launch continue; it
/// belongs to the oldest instruction that waits for that answer. Without `RaisedAt::insn` no instruction is known to
/// wait. Nothing when the memory has answered all requests.
std::optional<sm::RaisedFault> no_response(const sm::StreamingMultiprocessor &unit, const memory::Regions &regions,
                                           Cycle now);

} // namespace smsim::session
