// Exceptions of a warp in words: where it was, what it did, and the branch unit's state of it.
#pragma once

#include <string>

#include "memory/regions.h"
#include "model/program/program.h"
#include "model/stats/raised_exception.h"
#include "sm/dispatch/raised_fault.h"

namespace smsim::session {

/// The place of an exception in `program`, as fields.
RaisedException::Place place_of(const sm::RaisedFault &fault, const Program &program);

/// The full message of an exception of one warp (bru.md "The others"). `control` is the branch unit's state of the
/// warp. Without `in_time`, cycles are not mentioned.
std::string fault_text(const sm::RaisedFault &fault, const RaisedException::Place &place, const Program &program,
                       const Kernel &kernel, const std::string &control, const memory::Regions &regions,
                       bool in_time = true);

} // namespace smsim::session
