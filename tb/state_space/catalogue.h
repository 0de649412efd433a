// Hand-written programs: the constructions that kernels use, legal and illegal.
#pragma once

#include <vector>

#include "tb/state_space/case.h"

namespace smsim::state_space {

/// Control flow within one warp, alone and with other warps.
std::vector<Case> warp_programs();
/// CTA barriers with several warps.
std::vector<Case> barrier_programs();
/// Programs for the engines simt_stack and token_stack, run under all `options_of` the engine.
std::vector<Case> simt_programs();
std::vector<Case> token_programs();

} // namespace smsim::state_space
