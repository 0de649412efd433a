// Infers which state space a generic address in a register points to, as far as the function alone shows.
//
// Generic loads and stores of a known space are one instruction; others test the window of their address at run time.
// The inference is flow-insensitive: an address that may be in several spaces is unknown.
#pragma once

#include <cstdint>
#include <map>

#include "ptx/ast.h"
#include "ptx/machine/code.h"

namespace smsim::ptx::select {

class Names;

/// Spaces that a generic address may point to; the join is the union. `kNone` is a plain number.
using AddressSet = std::uint8_t;
inline constexpr AddressSet kNone = 0;
inline constexpr AddressSet kGlobalSet = 1;
inline constexpr AddressSet kSharedSet = 2;
inline constexpr AddressSet kLocalSet = 4;
inline constexpr AddressSet kParameterSet = 8;
inline constexpr AddressSet kConstantSet = 16; ///< in addition to kGlobalSet: the copy of the .const variables
inline constexpr AddressSet kAnySet = 31;

/// By register; a missing register holds no known address.
using AddressSpaces = std::map<machine::Register, AddressSet>;

/// Examines every instruction of the body, whose parameters are declared in the innermost scope of `names`. Arguments
/// of a kernel point to global memory.
void infer_address_spaces(const ptx::Block &body, Names &names, bool kernel, AddressSpaces &spaces);

} // namespace smsim::ptx::select
