// Timing of a branch unit's instructions if each sub-partition has its own pipeline: they start, are answered, and let
// warps sleep (pins.md "Branch unit"). The modules that hold the warps report what an instruction does: the units of
// the stack engines (bru_simt_stack.sv, bru_token_stack.sv), which share this module.
module bru_time #(
    parameter int SUBS = 4,
    parameter int WARPS = 64,
    parameter int PAYLOAD = 371
) (
    input  logic                    clk,
    input  logic                    rst,
    input  logic [            63:0] now,
    input  logic [          5*16-1:0] cfg_latency,   // by class
    input  logic [          5*16-1:0] cfg_interval,
    input  logic [            31:0] cfg_ns_cycles,
    input  logic [            31:0] cfg_ns_time,
    input  logic [        SUBS-1:0] req_valid,
    output logic [        SUBS-1:0] req_ready,
    input  logic [      SUBS*8-1:0] req_warp,
    // The instruction that starts in this cycle, and its outcome.
    output logic [        SUBS-1:0] go,
    input  logic [      SUBS*3-1:0] step_class,
    input  logic [     SUBS*64-1:0] step_extra,    // cycles in addition to its class
    input  logic [SUBS*PAYLOAD-1:0] step_payload,
    input  logic [        SUBS-1:0] step_asks,     // NANOSLEEP of step_ns nanoseconds
    input  logic [     SUBS*32-1:0] step_ns,
    input  logic [        SUBS-1:0] step_exits,
    // Responses, channel class * SUBS + sub-partition.
    output logic [      5*SUBS-1:0] rsp_valid,
    input  logic [      5*SUBS-1:0] rsp_ready,
    output logic [    5*SUBS*8-1:0] rsp_warp,
    output logic [    5*SUBS*2-1:0] rsp_outcome,
    output logic [   5*SUBS*64-1:0] rsp_next_pc,
    output logic [   5*SUBS*32-1:0] rsp_next_active,
    output logic [   5*SUBS*32-1:0] rsp_executed,
    output logic [   5*SUBS*32-1:0] rsp_write_lanes,
    output logic [   5*SUBS*64-1:0] rsp_value,
    output logic [   5*SUBS*32-1:0] rsp_active,
    output logic [    5*SUBS*4-1:0] rsp_event,
    output logic [   5*SUBS*32-1:0] rsp_jumped,
    output logic [      5*SUBS-1:0] rsp_split,
    output logic [      5*SUBS-1:0] rsp_passed,
    output logic [      5*SUBS-1:0] rsp_refuses,
    output logic [    5*SUBS*5-1:0] rsp_fault,
    output logic [    5*SUBS*5-1:0] rsp_fault_lane,
    output logic [   5*SUBS*64-1:0] rsp_fault_value,
    // Sleep.
    output logic [        SUBS-1:0] timer_valid,
    input  logic [        SUBS-1:0] timer_ready,
    output logic [      SUBS*8-1:0] timer_warp,
    output logic [     SUBS*64-1:0] timer_cycles,
    input  logic [       WARPS-1:0] expiry,
    output logic [       WARPS-1:0] wake_valid,
    input  logic [       WARPS-1:0] wake_ready,
    input  logic [       WARPS-1:0] start,
    output logic                    busy
);
  logic [SUBS-1:0] responses_busy, responses_full, sleep_busy, sleep_full;
  logic [WARPS-1:0] wake_of[SUBS];
  logic [WARPS-1:0] fired_of[SUBS];

  always_comb begin
    wake_valid = '0;
    for (int s = 0; s < SUBS; s++) wake_valid = wake_valid | wake_of[s];
  end
  assign busy = responses_busy != '0 || sleep_busy != '0;

  for (genvar s = 0; s < SUBS; s++) begin : g_sub
    logic [63:0] free_at, due, late;
    logic [2:0] kind;
    logic [4:0] valid, ready;
    logic [39:0] warp;
    logic [5*PAYLOAD-1:0] payload;
    // No part of the state waits for the timer: a warp sleeps as a whole.
    wire unused = &{1'b0, fired_of[s]};

    assign req_ready[s] = now >= free_at && !responses_full[s] && !sleep_full[s];
    assign go[s] = req_valid[s] && req_ready[s];
    assign kind = step_class[s*3+:3];
    assign late = step_extra[s*64+:64];
    assign due = now + {48'd0, cfg_latency[kind*16+:16]} + late;

    always_ff @(posedge clk) begin
      if (rst) free_at <= 64'd0;
      else if (go[s]) free_at <= now + {48'd0, cfg_interval[kind*16+:16]} + late;
    end

    bru_responses #(
        .SUBS(SUBS),
        .WARPS(WARPS),
        .PAYLOAD(PAYLOAD)
    ) responses (
        .clk,
        .rst,
        .now,
        .push(go[s]),
        .push_warp(req_warp[s*8+:8]),
        .push_class(kind),
        .push_due(due),
        .push_payload(step_payload[s*PAYLOAD+:PAYLOAD]),
        .valid,
        .ready,
        .warp,
        .payload,
        .full(responses_full[s]),
        .busy(responses_busy[s])
    );

    for (genvar k = 0; k < 5; k++) begin : g_class
      localparam int C = k * SUBS + s;
      assign ready[k] = rsp_ready[C];
      assign rsp_valid[C] = valid[k];
      assign rsp_warp[C*8+:8] = warp[k*8+:8];
      // Put together in simt_stack_warps.sv and token_stack_warps.sv in the same order.
      assign {
        rsp_outcome[C*2+:2],
        rsp_next_pc[C*64+:64],
        rsp_next_active[C*32+:32],
        rsp_executed[C*32+:32],
        rsp_write_lanes[C*32+:32],
        rsp_value[C*64+:64],
        rsp_active[C*32+:32],
        rsp_event[C*4+:4],
        rsp_jumped[C*32+:32],
        rsp_split[C],
        rsp_passed[C],
        rsp_refuses[C],
        rsp_fault[C*5+:5],
        rsp_fault_lane[C*5+:5],
        rsp_fault_value[C*64+:64]
      } = valid[k] ? payload[k*PAYLOAD+:PAYLOAD] : '0;
    end

    bru_sleep #(
        .SUBS(SUBS),
        .WARPS(WARPS),
        .SUB(s)
    ) sleep (
        .clk,
        .rst,
        .now,
        .cfg_ns_cycles,
        .cfg_ns_time,
        .start,
        .expiry,
        .step(go[s]),
        .step_warp(req_warp[s*8+:8]),
        .step_due(due),
        .step_asks(step_asks[s]),
        .step_ns(step_ns[s*32+:32]),
        .step_sleeps(step_asks[s]),
        .step_exits(step_exits[s]),
        .fired(fired_of[s]),
        .wake_valid(wake_of[s]),
        .wake_ready,
        .timer_valid(timer_valid[s]),
        .timer_ready(timer_ready[s]),
        .timer_warp(timer_warp[s*8+:8]),
        .timer_cycles(timer_cycles[s*64+:64]),
        .full(sleep_full[s]),
        .busy(sleep_busy[s])
    );
  end
endmodule
