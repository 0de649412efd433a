// The numbers that pins use for the types of the model (docs/pins.md): classes and events of the branch unit,
// releases, exceptions. Plain C++; adapters read them from RTL, and the golden model passes them to other benches.
#pragma once

#include <cstdint>
#include <optional>

#include "bru/reconvergence_engine.h"
#include "model/error.h"
#include "model/isa/instruction.h"

namespace smsim::cosim {

/// Classes of the branch unit: channels of `rsp_*`.
inline constexpr unsigned kBranchClasses = 5;
/// The class that answers `insn`, an instruction of the branch unit (docs/pins.md "Straps").
unsigned class_of(const isa::Instruction &insn);

/// Code of an event, `rsp_event`; 0 for an event without one.
unsigned code_of(bru::StepEvent::Kind kind);
/// The event of a code; kPlain for an unknown code.
bru::StepEvent::Kind event_of(std::uint64_t code);

/// Code of a release, `rsp_release`; 0: none.
unsigned code_of(const std::optional<ReleaseKind> &release);
/// The release of a code; nothing for an unknown code.
std::optional<ReleaseKind> release_of(std::uint64_t code);

/// Code of an exception that pins can report, `rsp_fault`, `ack_fault`; 0 for one that they cannot.
unsigned code_of(Fault fault);
/// Whether an exception that pins can report concerns the warp as a whole and so has no thread and no value: those of
/// stacks.
bool concerns_warp(Fault fault);
/// The exception of a code; nothing for an unknown code.
std::optional<Fault> fault_of(std::uint64_t code);

} // namespace smsim::cosim
