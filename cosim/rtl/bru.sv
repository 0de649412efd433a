// Branch unit of a streaming multiprocessor: the control flow of its warps. Pins and timing follow docs/pins.md, the
// meaning of the instructions follows bru.md. Written from these alone, so that a comparison in lockstep with the C++
// model is meaningful.
//
// Parts: one bru_pipeline for each pipeline (start of instructions, state of warps, bru_step), and for each
// sub-partition a bru_responses (response channels) and a bru_sleep (expected expiry, timer requests, wakes).
module bru #(
    parameter int SUBS = 4,
    parameter int WARPS = 64,
    parameter int PIPELINES = SUBS
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
    input  logic                 cfg_nanosleep_sets_yield,
    input  logic                 cfg_trap_enable,
    input  logic [         63:0] cfg_trap_handler,
    input  logic [         31:0] cfg_ns_cycles,
    input  logic [         31:0] cfg_ns_time,
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
    output logic [ 5*SUBS*3-1:0] rsp_release,
    output logic [ 5*SUBS*4-1:0] rsp_fault,
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
    input  logic [          7:0] dbg_warp,
    output logic [       3135:0] dbg_state
);
  localparam int PAYLOAD = 2 + 64 + 32 + 32 + 32 + 64 + 32 + 4 + 32 + 1 + 1 + 3 + 4 + 5 + 64;

  wire [79:0] latency = {
    cfg_move_latency, cfg_yield_latency, cfg_sync_latency, cfg_barrier_latency, cfg_branch_latency
  };
  wire [79:0] interval = {
    cfg_move_interval, cfg_yield_interval, cfg_sync_interval, cfg_barrier_interval, cfg_branch_interval
  };

  // By pipeline.
  logic [PIPELINES-1:0] go, go_asks, go_sleeps, go_exits, pipeline_busy;
  logic [SUBS-1:0] ready_of[PIPELINES];
  logic [7:0] go_warp[PIPELINES];
  logic [2:0] go_class[PIPELINES];
  logic [63:0] go_due[PIPELINES];
  logic [PAYLOAD-1:0] go_payload[PIPELINES];
  logic [31:0] go_ns[PIPELINES];
  // By sub-partition.
  logic [SUBS-1:0] hold, responses_busy, responses_full, sleep_busy, sleep_full;
  logic [WARPS-1:0] fired_of[SUBS];
  logic [WARPS-1:0] wake_of[SUBS];
  logic [WARPS-1:0] fired;

  always_comb begin
    req_ready = '0;
    for (int p = 0; p < PIPELINES; p++) req_ready = req_ready | ready_of[p];
    fired = '0;
    wake_valid = '0;
    for (int s = 0; s < SUBS; s++) begin
      fired = fired | fired_of[s];
      wake_valid = wake_valid | wake_of[s];
    end
  end
  assign hold = responses_full | sleep_full;
  assign busy = pipeline_busy != '0 || responses_busy != '0 || sleep_busy != '0;

  for (genvar p = 0; p < PIPELINES; p++) begin : g_pipeline
    wire [3135:0] seen_before, shown;
    if (p == 0) begin : g_first
      assign seen_before = '0;
    end else begin : g_next
      assign seen_before = g_pipeline[p-1].shown;
    end
    bru_pipeline #(
        .SUBS(SUBS),
        .WARPS(WARPS),
        .PIPELINES(PIPELINES),
        .INDEX(p),
        .PAYLOAD(PAYLOAD)
    ) pipeline (
        .clk,
        .rst,
        .now,
        .cfg_latency(latency),
        .cfg_interval(interval),
        .cfg_nanosleep_sets_yield,
        .cfg_trap_enable,
        .cfg_trap_handler,
        .req_valid,
        .req_ready(ready_of[p]),
        .req_warp,
        .req_pc,
        .req_insn,
        .req_guard,
        .req_guard_pp,
        .req_vector,
        .req_scalar,
        .start,
        .start_entry,
        .start_bytes,
        .start_valid,
        .hold,
        .fired,
        .go(go[p]),
        .go_warp(go_warp[p]),
        .go_class(go_class[p]),
        .go_due(go_due[p]),
        .go_payload(go_payload[p]),
        .go_asks(go_asks[p]),
        .go_ns(go_ns[p]),
        .go_sleeps(go_sleeps[p]),
        .go_exits(go_exits[p]),
        .busy(pipeline_busy[p]),
        .dbg_warp,
        .dbg_before(seen_before),
        .dbg_state(shown)
    );
  end

  assign dbg_state = g_pipeline[PIPELINES-1].shown;

  for (genvar s = 0; s < SUBS; s++) begin : g_sub
    localparam int P = s % PIPELINES;
    wire mine = go[P] && go_warp[P] % 8'(SUBS) == 8'(s);
    logic [4:0] valid, ready;
    logic [39:0] warp;
    logic [5*PAYLOAD-1:0] payload;

    bru_responses #(
        .SUBS(SUBS),
        .WARPS(WARPS),
        .PAYLOAD(PAYLOAD)
    ) responses (
        .clk,
        .rst,
        .now,
        .push(mine),
        .push_warp(go_warp[P]),
        .push_class(go_class[P]),
        .push_due(go_due[P]),
        .push_payload(go_payload[P]),
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
      always_comb begin
        {
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
          rsp_release[C*3+:3],
          rsp_fault[C*4+:4],
          rsp_fault_lane[C*5+:5],
          rsp_fault_value[C*64+:64]
        } = '0;
        if (valid[k])
          {
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
            rsp_release[C*3+:3],
            rsp_fault[C*4+:4],
            rsp_fault_lane[C*5+:5],
            rsp_fault_value[C*64+:64]
          } = payload[k*PAYLOAD+:PAYLOAD];
      end
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
        .step(mine),
        .step_warp(go_warp[P]),
        .step_due(go_due[P]),
        .step_asks(go_asks[P]),
        .step_ns(go_ns[P]),
        .step_sleeps(go_sleeps[P]),
        .step_exits(go_exits[P]),
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
