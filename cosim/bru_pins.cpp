#include "cosim/bru_pins.h"

#include <array>
#include <string>

namespace smsim::cosim {

BruPins::BruPins(const Block &block, unsigned subs, unsigned warps, unsigned fault_bits) {
    const PinFinder find(block, "bru");
    const unsigned channels = kBranchClasses * subs;
    rst = find.input("rst", 1);
    now = find.input("now", 64);
    constexpr std::array<const char *, kBranchClasses> kNames = {"branch", "barrier", "sync", "yield", "move"};
    for (unsigned i = 0; i < kBranchClasses; ++i) {
        cfg_latency[i] = find.input(std::string("cfg_") + kNames[i] + "_latency", 16);
        cfg_interval[i] = find.input(std::string("cfg_") + kNames[i] + "_interval", 16);
    }
    cfg_trap_enable = find.input("cfg_trap_enable", 1);
    cfg_trap_handler = find.input("cfg_trap_handler", 64);
    cfg_ns_cycles = find.input("cfg_ns_cycles", 32);
    cfg_ns_time = find.input("cfg_ns_time", 32);

    req_valid = find.input("req_valid", 1, subs);
    req_ready = find.output("req_ready", 1, subs);
    req_warp = find.input("req_warp", 8, subs);
    req_pc = find.input("req_pc", 64, subs);
    req_insn = find.input("req_insn", 128, subs);
    req_guard = find.input("req_guard", 32, subs);
    req_guard_pp = find.input("req_guard_pp", 32, subs);
    req_vector = find.input("req_vector", 2048, subs);
    req_scalar = find.input("req_scalar", 64, subs);

    rsp_valid = find.output("rsp_valid", 1, channels);
    rsp_ready = find.input("rsp_ready", 1, channels);
    rsp_warp = find.output("rsp_warp", 8, channels);
    rsp_outcome = find.output("rsp_outcome", 2, channels);
    rsp_next_pc = find.output("rsp_next_pc", 64, channels);
    rsp_next_active = find.output("rsp_next_active", 32, channels);
    rsp_executed = find.output("rsp_executed", 32, channels);
    rsp_write_lanes = find.output("rsp_write_lanes", 32, channels);
    rsp_value = find.output("rsp_value", 64, channels);
    rsp_active = find.output("rsp_active", 32, channels);
    rsp_event = find.output("rsp_event", 4, channels);
    rsp_jumped = find.output("rsp_jumped", 32, channels);
    rsp_split = find.output("rsp_split", 1, channels);
    rsp_passed = find.output("rsp_passed", 1, channels);
    rsp_release = find.output("rsp_release", 3, channels);
    rsp_fault = find.output("rsp_fault", fault_bits, channels);
    rsp_fault_lane = find.output("rsp_fault_lane", 5, channels);
    rsp_fault_value = find.output("rsp_fault_value", 64, channels);

    timer_valid = find.output("timer_valid", 1, subs);
    timer_ready = find.input("timer_ready", 1, subs);
    timer_warp = find.output("timer_warp", 8, subs);
    timer_cycles = find.output("timer_cycles", 64, subs);
    expiry = find.input("expiry", 1, warps);
    wake_valid = find.output("wake_valid", 1, warps);
    wake_ready = find.input("wake_ready", 1, warps);

    start = find.input("start", 1, warps);
    start_entry = find.input("start_entry", 64);
    start_bytes = find.input("start_bytes", 64);
    start_valid = find.input("start_valid", 32, warps);
    busy = find.output("busy", 1);
}

} // namespace smsim::cosim
