// The pins of a branch unit that do not depend on its reconvergence engine (docs/pins.md "Branch unit").
#pragma once

#include "cosim/block.h"
#include "cosim/pin.h"
#include "cosim/pin_codes.h"

namespace smsim::cosim {

struct BruPins {
    /// InputError when a pin is missing or has another width; `fault_bits`: of `rsp_fault`.
    BruPins(const Block &block, unsigned subs, unsigned warps, unsigned fault_bits);

    Pin rst;
    Pin now;
    // straps; those with five are by class
    Pin cfg_latency[kBranchClasses];
    Pin cfg_interval[kBranchClasses];
    Pin cfg_trap_enable;
    Pin cfg_trap_handler;
    Pin cfg_ns_cycles;
    Pin cfg_ns_time;
    // request, by sub-partition
    Pin req_valid;
    Pin req_ready;
    Pin req_warp;
    Pin req_pc;
    Pin req_insn;
    Pin req_guard;
    Pin req_guard_pp;
    Pin req_vector;
    Pin req_scalar;
    // response, by class and sub-partition
    Pin rsp_valid;
    Pin rsp_ready;
    Pin rsp_warp;
    Pin rsp_outcome;
    Pin rsp_next_pc;
    Pin rsp_next_active;
    Pin rsp_executed;
    Pin rsp_write_lanes;
    Pin rsp_value;
    Pin rsp_active;
    Pin rsp_event;
    Pin rsp_jumped;
    Pin rsp_split;
    Pin rsp_passed;
    Pin rsp_release;
    Pin rsp_fault;
    Pin rsp_fault_lane;
    Pin rsp_fault_value;
    // sleep
    Pin timer_valid;
    Pin timer_ready;
    Pin timer_warp;
    Pin timer_cycles;
    Pin expiry;
    Pin wake_valid;
    Pin wake_ready;
    // life, state
    Pin start;
    Pin start_entry;
    Pin start_bytes;
    Pin start_valid;
    Pin busy;
};

} // namespace smsim::cosim
