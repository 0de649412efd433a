// Sleep of the warps of one sub-partition: the expiry that the timer is expected to report, requests to it, and wakes
// (pins.md "Branch unit", Sleep).
//
// An expiry reported in cycle n is judged in cycle n + 1, after the instruction of cycle n: then either the timer has
// fired, or an earlier sleep has used it up and it is requested again. So an instruction of cycle n still finds the
// threads asleep, and the threads that it puts to sleep are woken too.
//
// Where pins.md leaves a choice:
// - Of timer requests due in the same cycle, that of a NANOSLEEP goes first, then the repeated ones,
//   lowest warp first. While a repeated request waits, a further one for the same warp is left out.
// - A sum that does not fit into 64 bits is the last cycle, all ones, as in the timer.
module bru_sleep #(
    parameter int SUBS = 4,
    parameter int WARPS = 64,
    parameter int SUB = 0
) (
    input  logic             clk,
    input  logic             rst,
    input  logic [     63:0] now,
    input  logic [     31:0] cfg_ns_cycles,
    input  logic [     31:0] cfg_ns_time,
    input  logic [WARPS-1:0] start,
    input  logic [WARPS-1:0] expiry,
    // An instruction of this sub-partition starts in this cycle.
    input  logic             step,
    input  logic [      7:0] step_warp,
    input  logic [     63:0] step_due,    // cycle of its response
    input  logic             step_asks,   // NANOSLEEP of step_ns nanoseconds
    input  logic [     31:0] step_ns,
    input  logic             step_sleeps, // outcome: the warp sleeps
    input  logic             step_exits,  // outcome: it has exited
    // Warps whose timer has fired with effect in this cycle.
    output logic [WARPS-1:0] fired,
    output logic [WARPS-1:0] wake_valid,
    input  logic [WARPS-1:0] wake_ready,
    output logic             timer_valid,
    input  logic             timer_ready,
    output logic [      7:0] timer_warp,
    output logic [     63:0] timer_cycles,
    output logic             full,        // no NANOSLEEP may start: because too many requests wait for timer_ready
    output logic             busy
);
  localparam int N = WARPS / SUBS;
  localparam int IW = N > 1 ? $clog2(N) : 1;
  localparam int WW = WARPS > 1 ? $clog2(WARPS) : 1;
  localparam int QUEUE = N < 4 ? 8 : 2 * N;
  localparam logic [WARPS-1:0] MINE = {N{SUBS'(1 << SUB)}};

  // Vectors over all warps of the SM hold bits of this sub-partition only; the others stay zero.
  logic [WARPS-1:0] told;      // expiry of the cycle before
  logic [WARPS-1:0] expects;   // an expiry is expected ...
  logic [63:0] expected[1 << IW];  // ... in this cycle
  logic [WARPS-1:0] sleeps;    // the warp sleeps ...
  logic [63:0] slept[1 << IW];     // ... by a response due in this cycle
  logic [WARPS-1:0] wakes;     // wakes to report
  logic [N*64-1:0] again;      // cycles of a repeated request

  logic [WARPS-1:0] used, waking, expects_now, fresh, own;

  function automatic [IW-1:0] place_of(input [7:0] w);
    place_of = IW'(w / 8'(SUBS));
  endfunction

  always_comb begin
    fired = '0;
    used  = '0;
    if ((told & expects) != '0) begin
      for (int i = 0; i < N; i++)
        if (told[i*SUBS+SUB] && expects[i*SUBS+SUB]) begin
          fired[i*SUBS+SUB] = now >= expected[i];
          used[i*SUBS+SUB]  = now < expected[i];
        end
    end
  end

  // Wakes: in the later of the cycle of effect and the one after the response.
  assign waking = wakes | (fired & sleeps);
  always_comb begin
    wake_valid = '0;
    if (waking != '0)
      for (int i = 0; i < N; i++) wake_valid[i*SUBS+SUB] = waking[i*SUBS+SUB] && now > slept[i];
  end

  wire [IW-1:0] step_place = place_of(step_warp);

  // NANOSLEEP: ceil(ns * cycles / time), and the cycle of the expiry.
  logic asks;
  logic [63:0] product, cycles, expiry_cycle;
  assign expects_now = expects & ~fired;
  always_comb begin
    asks = 1'b0;
    product = 64'd0;
    cycles = 64'd0;
    expiry_cycle = 64'd0;
    if (step && step_asks) begin
      product = {32'd0, step_ns} * {32'd0, cfg_ns_cycles};
      cycles = product / {32'd0, cfg_ns_time};
      if (cycles * {32'd0, cfg_ns_time} != product) cycles = cycles + 64'd1;
      expiry_cycle = step_due + cycles;
      if (expiry_cycle < cycles) expiry_cycle = '1;
      asks = !(expects_now[step_warp[WW-1:0]] && expected[step_place] <= expiry_cycle);
    end
  end

  // Requests to the timer: those of NANOSLEEP in order, and sets of warps with repeated requests.
  logic first_some, first_full, first_pop, set_some, set_full, set_pop;
  logic [135:0] first;
  logic [WARPS+63:0] set;
  logic [WARPS-1:0] pending, done, left, lowest;
  logic take_first;

  bru_fifo #(
      .WIDTH(136),
      .DEPTH(QUEUE)
  ) asked (
      .clk,
      .rst,
      .push(asks),
      .data({step_due, cycles, step_warp}),
      .pop (first_pop),
      .some(first_some),
      .full(first_full),
      .head(first)
  );
  bru_fifo #(
      .WIDTH(WARPS + 64),
      .DEPTH(N)
  ) asked_again (
      .clk,
      .rst,
      .push(fresh != '0),
      .data({now + 64'd1, fresh}),
      .pop (set_pop),
      .some(set_some),
      .full(set_full),
      .head(set)
  );
  wire unused = set_full;  // never full: each warp is in at most one set

  assign full = first_full;
  assign fresh = used & ~pending;
  assign left = set[WARPS-1:0] & ~done;
  assign lowest = left & (~left + 1'b1);

  always_comb begin
    take_first = first_some && first[135:72] <= now && !(set_some && set[WARPS+63:WARPS] < first[135:72]);
    timer_valid = take_first || set_some;
    timer_warp = 8'd0;
    timer_cycles = 64'd0;
    if (take_first) begin
      timer_warp   = first[7:0];
      timer_cycles = first[71:8];
    end else if (set_some) begin
      for (int i = 0; i < N; i++)
        if (lowest[i*SUBS+SUB]) begin
          timer_warp   = 8'(i * SUBS + SUB);
          timer_cycles = again[i*64+:64];
        end
    end
    first_pop = take_first && timer_ready;
    set_pop = !take_first && set_some && timer_ready && left == lowest;
  end

  assign own  = MINE;
  assign busy = first_some || set_some || used != '0 || waking != '0;

  wire [WARPS-1:0] step_bit = step ? {{WARPS - 1{1'b0}}, 1'b1} << step_warp : '0;

  always_ff @(posedge clk) begin
    if (fresh != '0)
      for (int i = 0; i < N; i++)
        if (fresh[i*SUBS+SUB])
          again[i*64+:64] <= expected[i] - now == 64'd1 ? 64'd1 : expected[i] - now - 64'd1;
    if (asks) expected[step_place] <= expiry_cycle;
    if (step && step_sleeps) slept[step_place] <= step_due;

    if (rst) begin
      told <= '0;
      expects <= '0;
      sleeps <= '0;
      wakes <= '0;
      pending <= '0;
      done <= '0;
    end else begin
      told <= expiry & own;
      // A warp that exits or starts expects no expiry.
      expects <= (expects_now | (asks ? step_bit : '0)) & ~(step_exits ? step_bit : '0) & ~start;
      sleeps <= ((sleeps & ~fired) | (step_sleeps ? step_bit : '0)) & ~start;
      wakes <= waking & ~(wake_valid & wake_ready);
      if (set_pop) done <= '0;
      else if (!take_first && set_some && timer_ready) done <= done | lowest;
      pending <= (pending | fresh) & ~(!take_first && set_some && timer_ready ? lowest : '0);
    end
  end
endmodule
