// Branch unit with the engine token_stack: waiting threads are in tokens on a stack. Pins and timing follow
// docs/pins.md, the meaning of the instructions follows docs/reconvergence.md. Written from these rules alone, so that a
// comparison in lockstep with the C++ model is meaningful.
//
// A stack holds DEPTH tokens, including those that would be in memory: spilling costs cycles only.
//
// Parts: bru_time (start, responses, sleep), and for each sub-partition its warps (token_stack_warps, token_stack_step).
module bru_token_stack #(
    parameter int SUBS = 4,
    parameter int WARPS = 64,
    parameter int DEPTH = 64
) (
    input  logic                 clk,
    input  logic                 rst,
    input  logic [         15:0] cfg_branch_latency,
    input  logic [         15:0] cfg_barrier_latency,
    input  logic [         15:0] cfg_sync_latency,
    input  logic [         15:0] cfg_yield_latency,
    input  logic [         15:0] cfg_move_latency,
    input  logic [         15:0] cfg_branch_interval,
    input  logic [         15:0] cfg_barrier_interval,
    input  logic [         15:0] cfg_sync_interval,
    input  logic [         15:0] cfg_yield_interval,
    input  logic [         15:0] cfg_move_interval,
    input  logic                 cfg_trap_enable,
    input  logic [         63:0] cfg_trap_handler,
    input  logic [         31:0] cfg_ns_cycles,
    input  logic [         31:0] cfg_ns_time,
    input  logic                 cfg_order,
    input  logic [         15:0] cfg_depth,
    input  logic                 cfg_spill,
    input  logic [         15:0] cfg_spill_cycles,
    input  logic [         31:0] cfg_call_limit,
    // Requests.
    input  logic [     SUBS-1:0] req_valid,
    output logic [     SUBS-1:0] req_ready,
    input  logic [   SUBS*8-1:0] req_warp,
    input  logic [  SUBS*64-1:0] req_pc,
    input  logic [ SUBS*128-1:0] req_insn,
    input  logic [  SUBS*32-1:0] req_guard,
    input  logic [  SUBS*32-1:0] req_guard_pp,
    input  logic [SUBS*2048-1:0] req_vector,
    input  logic [  SUBS*64-1:0] req_scalar,
    // Responses, channel class * SUBS + sub-partition.
    output logic [   5*SUBS-1:0] rsp_valid,
    input  logic [   5*SUBS-1:0] rsp_ready,
    output logic [ 5*SUBS*8-1:0] rsp_warp,
    output logic [ 5*SUBS*2-1:0] rsp_outcome,
    output logic [5*SUBS*64-1:0] rsp_next_pc,
    output logic [5*SUBS*32-1:0] rsp_next_active,
    output logic [5*SUBS*32-1:0] rsp_executed,
    output logic [5*SUBS*32-1:0] rsp_write_lanes,
    output logic [5*SUBS*64-1:0] rsp_value,
    output logic [5*SUBS*32-1:0] rsp_active,
    output logic [ 5*SUBS*4-1:0] rsp_event,
    output logic [5*SUBS*32-1:0] rsp_jumped,
    output logic [   5*SUBS-1:0] rsp_split,
    output logic [   5*SUBS-1:0] rsp_passed,
    output logic [   5*SUBS-1:0] rsp_refuses,
    output logic [ 5*SUBS*3-1:0] rsp_release,
    output logic [ 5*SUBS*5-1:0] rsp_fault,
    output logic [ 5*SUBS*5-1:0] rsp_fault_lane,
    output logic [5*SUBS*64-1:0] rsp_fault_value,
    // Sleep.
    output logic [     SUBS-1:0] timer_valid,
    input  logic [     SUBS-1:0] timer_ready,
    output logic [   SUBS*8-1:0] timer_warp,
    output logic [  SUBS*64-1:0] timer_cycles,
    input  logic [    WARPS-1:0] expiry,
    output logic [    WARPS-1:0] wake_valid,
    input  logic [    WARPS-1:0] wake_ready,
    input  logic [         63:0] now,
    // Life of warps, state.
    input  logic [    WARPS-1:0] start,
    input  logic [         63:0] start_entry,
    input  logic [         63:0] start_bytes,
    input  logic [ WARPS*32-1:0] start_valid,
    output logic                 busy,
    output logic [         15:0] stack_places,
    input  logic [          7:0] dbg_warp,
    input  logic [         15:0] dbg_index,
    output logic [        191:0] dbg_state,
    output logic [        127:0] dbg_entry
);
  localparam int PAYLOAD = 2 + 64 + 32 + 32 + 32 + 64 + 32 + 4 + 32 + 1 + 1 + 1 + 5 + 5 + 64;

  // By sub-partition.
  logic [SUBS-1:0] go, asks, exits;
  logic [SUBS*3-1:0] kind;
  logic [SUBS*64-1:0] extra;
  logic [SUBS*PAYLOAD-1:0] payload;
  logic [SUBS*32-1:0] ns;
  logic [191:0] state_of[SUBS];
  logic [127:0] entry_of[SUBS];

  assign rsp_release = '0;
  assign stack_places = 16'(DEPTH);

  bru_time #(
      .SUBS(SUBS),
      .WARPS(WARPS),
      .PAYLOAD(PAYLOAD)
  ) times (
      .clk,
      .rst,
      .now,
      .cfg_latency({
        cfg_move_latency, cfg_yield_latency, cfg_sync_latency, cfg_barrier_latency, cfg_branch_latency
      }),
      .cfg_interval({
        cfg_move_interval, cfg_yield_interval, cfg_sync_interval, cfg_barrier_interval, cfg_branch_interval
      }),
      .cfg_ns_cycles,
      .cfg_ns_time,
      .req_valid,
      .req_ready,
      .req_warp,
      .go,
      .step_class(kind),
      .step_extra(extra),
      .step_payload(payload),
      .step_asks(asks),
      .step_ns(ns),
      .step_exits(exits),
      .rsp_valid,
      .rsp_ready,
      .rsp_warp,
      .rsp_outcome,
      .rsp_next_pc,
      .rsp_next_active,
      .rsp_executed,
      .rsp_write_lanes,
      .rsp_value,
      .rsp_active,
      .rsp_event,
      .rsp_jumped,
      .rsp_split,
      .rsp_passed,
      .rsp_refuses,
      .rsp_fault,
      .rsp_fault_lane,
      .rsp_fault_value,
      .timer_valid,
      .timer_ready,
      .timer_warp,
      .timer_cycles,
      .expiry,
      .wake_valid,
      .wake_ready,
      .start,
      .busy
  );

  always_comb begin
    dbg_state = '0;
    dbg_entry = '0;
    for (int s = 0; s < SUBS; s++) begin
      dbg_state = dbg_state | state_of[s];
      dbg_entry = dbg_entry | entry_of[s];
    end
  end

  for (genvar s = 0; s < SUBS; s++) begin : g_sub
    token_stack_warps #(
        .SUBS(SUBS),
        .WARPS(WARPS),
        .SUB(s),
        .DEPTH(DEPTH),
        .PAYLOAD(PAYLOAD)
    ) warps (
        .clk,
        .rst,
        .cfg_order,
        .cfg_depth,
        .cfg_spill,
        .cfg_spill_cycles,
        .cfg_call_limit,
        .cfg_trap_enable,
        .cfg_trap_handler,
        .go(go[s]),
        .warp(req_warp[s*8+:8]),
        .pc(req_pc[s*64+:64]),
        .insn(req_insn[s*128+:128]),
        .guard(req_guard[s*32+:32]),
        .guard_pp(req_guard_pp[s*32+:32]),
        .lanes(req_vector[s*2048+:2048]),
        .scalar(req_scalar[s*64+:64]),
        .kind(kind[s*3+:3]),
        .extra(extra[s*64+:64]),
        .payload(payload[s*PAYLOAD+:PAYLOAD]),
        .asks(asks[s]),
        .ns(ns[s*32+:32]),
        .exits(exits[s]),
        .start,
        .start_entry,
        .start_bytes,
        .start_valid,
        .dbg_warp,
        .dbg_index,
        .dbg_state(state_of[s]),
        .dbg_entry(entry_of[s])
    );
  end
endmodule
