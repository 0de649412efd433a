// Sleep timer: holds the cycle in which each warp's sleep ends (docs/pins.md "Sleep timer").
// A request of one cycle is reported in its own cycle, so `expiry` depends on the request pins without a register.
//
// A timer that does not run shows the expiry 0 at the debug port; a warp number past the last one reads zero.
module sleep_timer #(
    parameter int SUBS = 4,
    parameter int WARPS = 64
) (
    input  logic               clk,
    input  logic               rst,
    input  logic [       31:0] cfg_granularity,
    input  logic [       63:0] now,
    input  logic [   SUBS-1:0] req_valid,
    output logic [   SUBS-1:0] req_ready,
    input  logic [ SUBS*8-1:0] req_warp,
    input  logic [SUBS*64-1:0] req_cycles,
    input  logic [  WARPS-1:0] stop,
    output logic [  WARPS-1:0] expiry,
    output logic               busy,
    input  logic [        7:0] dbg_warp,
    output logic               dbg_running,
    output logic [       63:0] dbg_expiry
);
  localparam int N = WARPS / SUBS;
  localparam int IW = N > 1 ? $clog2(N) : 1;
  localparam int WW = WARPS > 1 ? $clog2(WARPS) : 1;
  localparam logic [63:0] LAST = '1;

  function automatic [IW-1:0] place_of(input [7:0] w);
    place_of = IW'(w / 8'(SUBS));
  endfunction

  // The cycle `cycles` after `from`, rounded up to a multiple of the granularity; the last cycle if it does not fit.
  function automatic [63:0] end_of(input [63:0] from, input [63:0] cycles, input [31:0] granularity);
    logic [63:0] at, over;
    begin
      at = from + (cycles == 64'd0 ? 64'd1 : cycles);
      over = at % {32'd0, granularity};
      if (at <= from) end_of = LAST;
      else if (over == 64'd0) end_of = at;
      else if (LAST - at < {32'd0, granularity} - over) end_of = LAST;
      else end_of = at + ({32'd0, granularity} - over);
    end
  endfunction

  logic [WARPS-1:0] running, requested;
  logic [WARPS-1:0] told_of[SUBS];
  logic [WARPS-1:0] requested_of[SUBS];
  logic [63:0] seen_of[SUBS];
  wire [63:0] next = now + 64'd1;

  assign req_ready = '1;
  assign busy = running != '0;

  for (genvar s = 0; s < SUBS; s++) begin : g_sub
    logic [63:0] ends[1 << IW];  // of the timers that run
    logic [7:0] warp;
    logic [63:0] at;
    logic [IW-1:0] place;
    logic earlier;

    // The request, merged with the timer if that is running.
    always_comb begin
      warp = req_warp[s*8+:8];
      place = place_of(warp);
      at = 64'd0;
      earlier = 1'b0;
      requested_of[s] = '0;
      if (req_valid[s]) begin
        requested_of[s][warp[WW-1:0]] = 1'b1;
        at = end_of(now, req_cycles[s*64+:64], cfg_granularity);
        earlier = !running[warp[WW-1:0]] || at < ends[place];
      end
    end

    always_comb begin
      told_of[s] = '0;
      if (running != '0)
        for (int i = 0; i < N; i++) told_of[s][i*SUBS+s] = running[i*SUBS+s] && ends[i] == next;
      if (req_valid[s] && at == next) told_of[s] = told_of[s] | requested_of[s];
    end

    always_ff @(posedge clk) if (earlier) ends[place] <= at;

    assign seen_of[s] = ends[place_of(dbg_warp)];
  end

  always_comb begin
    expiry = '0;
    requested = '0;
    for (int s = 0; s < SUBS; s++) begin
      expiry = expiry | told_of[s];
      requested = requested | requested_of[s];
    end
  end

  // A request in the cycle in which its timer's expiry is reported ends with it; a stop ends both.
  always_ff @(posedge clk) begin
    if (rst) running <= '0;
    else running <= (running | requested) & ~expiry & ~stop;
  end

  always_comb begin
    dbg_running = 1'b0;
    dbg_expiry = 64'd0;
    if (32'(dbg_warp) < WARPS && running[dbg_warp[WW-1:0]]) begin
      dbg_running = 1'b1;
      for (int s = 0; s < SUBS; s++) if (32'(dbg_warp) % SUBS == s) dbg_expiry = seen_of[s];
    end
  end
endmodule
