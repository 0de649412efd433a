// Releases the warps of a completed barrier, one after another (pins.md, Barrier unit, Release).
//
// All barriers that complete in a cycle are handed over together, as two sets of warps: those released by exits, which
// may be of many barriers and are distinguished by CTA and barrier, and the one group that the operation served in
// this cycle releases. Within a group the k-th warp, in the order of their numbers in the CTA, goes k release
// intervals after the first. Every warp has its own timer, so groups do not delay each other.
module bcu_release #(
    parameter int WARPS = 64,
    parameter int CB    = 5    // bits of a CTA slot
) (
    input  logic                clk,
    input  logic                rst,
    input  logic [15:0]         cfg_release_latency,
    input  logic [15:0]         cfg_release_interval,
    input  logic [WARPS-1:0]    by_exit,
    input  logic [WARPS-1:0]    by_service,
    input  logic [WARPS*CB-1:0] warp_cta,      // at the time when the warp was blocked
    input  logic [WARPS*4-1:0]  warp_barrier,
    input  logic [WARPS*8-1:0]  warp_index,    // number in the CTA
    output logic [WARPS-1:0]    go_valid,
    input  logic [WARPS-1:0]    go_ready,
    output logic                busy
);
  logic [WARPS-1:0]    load;
  logic [WARPS*8-1:0]  place;                  // number of warps of the group that go before
  logic [WARPS-1:0]    waiting;
  logic [WARPS*16-1:0] countdown;              // cycles to the next step
  logic [WARPS*8-1:0]  steps;                  // steps of one interval after that

  assign load = by_exit | by_service;
  assign busy = (waiting | go_valid) != 0;

  always_comb begin
    place = '0;
    if (load != 0 && cfg_release_interval != 0) begin
      for (int w = 0; w < WARPS; w++) begin
        if (load[w]) begin
          for (int v = 0; v < WARPS; v++) begin
            if (warp_index[v*8 +: 8] < warp_index[w*8 +: 8] &&
                (by_service[w] ? by_service[v]
                               : by_exit[v] && warp_cta[v*CB +: CB] == warp_cta[w*CB +: CB] &&
                                 warp_barrier[v*4 +: 4] == warp_barrier[w*4 +: 4]))
              place[w*8 +: 8] = place[w*8 +: 8] + 8'd1;
          end
        end
      end
    end
  end

  always_ff @(posedge clk) begin
    if (rst) begin
      waiting   <= '0;
      go_valid  <= '0;
      countdown <= '0;
      steps     <= '0;
    end else if ((load | waiting | go_valid) != 0) begin
      for (int w = 0; w < WARPS; w++) begin
        if (go_valid[w] && go_ready[w]) go_valid[w] <= 1'b0;
        if (load[w]) begin
          if (cfg_release_latency > 16'd1) begin
            waiting[w]            <= 1'b1;
            countdown[w*16 +: 16] <= cfg_release_latency - 16'd1;
            steps[w*8 +: 8]       <= place[w*8 +: 8];
          end else if (place[w*8 +: 8] == 0) begin
            go_valid[w] <= 1'b1;
          end else begin
            waiting[w]            <= 1'b1;
            countdown[w*16 +: 16] <= cfg_release_interval;
            steps[w*8 +: 8]       <= place[w*8 +: 8] - 8'd1;
          end
        end else if (waiting[w]) begin
          if (countdown[w*16 +: 16] != 16'd1) begin
            countdown[w*16 +: 16] <= countdown[w*16 +: 16] - 16'd1;
          end else if (steps[w*8 +: 8] == 0) begin
            waiting[w]  <= 1'b0;
            go_valid[w] <= 1'b1;
          end else begin
            countdown[w*16 +: 16] <= cfg_release_interval;
            steps[w*8 +: 8]       <= steps[w*8 +: 8] - 8'd1;
          end
        end
      end
    end
  end
endmodule
