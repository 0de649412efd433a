// Branch unit and sleep timer joined as in a streaming multiprocessor, for the bench. `stop` is not used here.
module bru_top #(
    parameter int SUBS = 4,
    parameter int WARPS = 64,
    parameter int PIPELINES = 4
) (
    input  logic                 clk, rst,
    input  logic [         15:0] cfg_branch_latency, cfg_barrier_latency, cfg_sync_latency, cfg_yield_latency,
    input  logic [         15:0] cfg_move_latency, cfg_branch_interval, cfg_barrier_interval, cfg_sync_interval,
    input  logic [         15:0] cfg_yield_interval, cfg_move_interval,
    input  logic                 cfg_nanosleep_sets_yield, cfg_trap_enable,
    input  logic [         63:0] cfg_trap_handler,
    input  logic [         31:0] cfg_ns_cycles, cfg_ns_time, cfg_granularity,
    input  logic [     SUBS-1:0] req_valid,
    output logic [     SUBS-1:0] req_ready,
    input  logic [   SUBS*8-1:0] req_warp,
    input  logic [  SUBS*64-1:0] req_pc,
    input  logic [ SUBS*128-1:0] req_insn,
    input  logic [  SUBS*32-1:0] req_guard, req_guard_pp,
    input  logic [SUBS*2048-1:0] req_vector,
    input  logic [  SUBS*64-1:0] req_scalar,
    output logic [   5*SUBS-1:0] rsp_valid,
    input  logic [   5*SUBS-1:0] rsp_ready,
    output logic [ 5*SUBS*8-1:0] rsp_warp,
    output logic [ 5*SUBS*2-1:0] rsp_outcome,
    output logic [5*SUBS*64-1:0] rsp_next_pc, rsp_value, rsp_fault_value,
    output logic [5*SUBS*32-1:0] rsp_next_active, rsp_executed, rsp_write_lanes, rsp_active, rsp_jumped,
    output logic [ 5*SUBS*4-1:0] rsp_event, rsp_fault,
    output logic [   5*SUBS-1:0] rsp_split, rsp_passed,
    output logic [ 5*SUBS*3-1:0] rsp_release,
    output logic [ 5*SUBS*5-1:0] rsp_fault_lane,
    output logic [    WARPS-1:0] wake_valid,
    input  logic [    WARPS-1:0] wake_ready,
    input  logic [         63:0] now,
    input  logic [    WARPS-1:0] start,
    input  logic [         63:0] start_entry, start_bytes,
    input  logic [ WARPS*32-1:0] start_valid,
    output logic                 busy,
    input  logic [          7:0] dbg_warp,
    output logic [       3135:0] dbg_state
);
  logic [SUBS-1:0] timer_valid, timer_ready;
  logic [SUBS*8-1:0] timer_warp;
  logic [SUBS*64-1:0] timer_cycles;
  logic [WARPS-1:0] expiry;
  logic timer_busy, running;
  logic [63:0] ends;
  wire unused = &{1'b0, timer_busy, running, ends};

  bru #(.SUBS(SUBS), .WARPS(WARPS), .PIPELINES(PIPELINES)) unit (.*);
  sleep_timer #(.SUBS(SUBS), .WARPS(WARPS)) timer (
      .clk, .rst, .cfg_granularity, .now,
      .req_valid(timer_valid), .req_ready(timer_ready), .req_warp(timer_warp), .req_cycles(timer_cycles),
      .stop('0), .expiry, .busy(timer_busy), .dbg_warp, .dbg_running(running), .dbg_expiry(ends)
  );
endmodule
