// Requests of the sub-partitions that share one pipeline (pins.md "Branch unit", Request).
// Each sub-partition has two places for each of its warps: a warp rarely has more than one request after instructions
// that do not hold it up. The pipeline takes the first request of the next sub-partition that has one, in rotation
// after the one served last.
module bru_queue #(
    parameter int SUBS = 4,
    parameter int WARPS = 64,
    parameter int PIPELINES = 1,
    parameter int INDEX = 0  // of the pipeline; its sub-partitions are those s with s mod PIPELINES == INDEX
) (
    input  logic                   clk,
    input  logic                   rst,
    input  logic [       SUBS-1:0] req_valid,
    input  logic [     SUBS*8-1:0] req_warp,
    input  logic [    SUBS*64-1:0] req_pc,
    input  logic [   SUBS*128-1:0] req_insn,
    input  logic [    SUBS*32-1:0] req_guard,
    input  logic [    SUBS*32-1:0] req_guard_pp,
    input  logic [  SUBS*2048-1:0] req_vector,
    input  logic [    SUBS*64-1:0] req_scalar,
    input  logic [       SUBS-1:0] hold,          // sub-partitions that may not start
    input  logic                   free,          // the pipeline can start one
    output logic [       SUBS-1:0] ready,         // sub-partitions with a free place
    output logic                   busy,
    output logic                   go,
    output logic [            7:0] warp,
    output logic [           63:0] pc,
    output logic [          127:0] insn,
    output logic [           31:0] guard,
    output logic [           31:0] guard_pp,
    output logic [         2047:0] operands,
    output logic [           63:0] scalar
);
  localparam int K = (SUBS - INDEX + PIPELINES - 1) / PIPELINES;  // sub-partitions that share the pipeline
  localparam int REQUEST = 8 + 64 + 128 + 32 + 32 + 2048 + 64;

  logic [K-1:0] some, held, pop;
  logic [REQUEST-1:0] head[K];
  logic [7:0] served, pick;
  logic [REQUEST-1:0] request;

  for (genvar s = 0; s < SUBS; s++) begin : g_other
    if (s % PIPELINES != INDEX) begin : g_never
      assign ready[s] = 1'b0;
    end
  end
  for (genvar k = 0; k < K; k++) begin : g_sub
    localparam int S = INDEX + k * PIPELINES;
    logic full;
    assign ready[S] = !full;
    bru_fifo #(
        .WIDTH(REQUEST),
        .DEPTH(2 * WARPS / SUBS)
    ) queue (
        .clk,
        .rst,
        .push(req_valid[S] && !full),
        .data({
          req_warp[S*8+:8], req_pc[S*64+:64], req_insn[S*128+:128], req_guard[S*32+:32], req_guard_pp[S*32+:32],
          req_vector[S*2048+:2048], req_scalar[S*64+:64]
        }),
        .pop(pop[k]),
        .some(some[k]),
        .full(full),
        .head(head[k])
    );
    assign held[k] = hold[S];
  end
  wire unused = &{1'b0, req_valid, req_warp, req_pc, req_insn, req_guard, req_guard_pp, req_vector, req_scalar, hold};

  assign busy = some != '0;

  always_comb begin
    go = 1'b0;
    pick = 8'd0;
    pop = '0;
    request = '0;
    if (free && some != '0) begin
      // First those after the one served last, then from the lowest on.
      for (int k = K - 1; k >= 0; k--)
        if (some[k] && !held[k] && 8'(k) <= served) begin
          go = 1'b1;
          pick = 8'(k);
        end
      for (int k = K - 1; k >= 0; k--)
        if (some[k] && !held[k] && 8'(k) > served) begin
          go = 1'b1;
          pick = 8'(k);
        end
      for (int k = 0; k < K; k++)
        if (go && pick == 8'(k)) begin
          pop[k]  = 1'b1;
          request = head[k];
        end
    end
    {warp, pc, insn, guard, guard_pp, operands, scalar} = request;
  end

  always_ff @(posedge clk) begin
    if (rst) served <= 8'(K - 1);
    else if (go) served <= pick;
  end
endmodule
