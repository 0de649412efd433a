// A bench of a branch unit with the pins of docs/pins.md: random instructions for all warps, ready signals that go low at
// random, and a scoreboard with the golden model (bru_scoreboard_pkg.sv). Plus arguments: seed, count (instructions).
module bru_bench;
  import smsim_golden_pkg::*;
  import bench_pkg::*;
  import bru_stimulus_pkg::*;
  import bru_scoreboard_pkg::*;

  localparam bit [63:0] PATIENCE = 5000;  // cycles within which something must happen

  // ---- The device ----

  // Its inputs, except the clock. The bench changes `in`, and all pins follow at once.
  typedef struct packed {
    bit                   rst;
    bit [63:0]            now;
    straps_t              straps;
    bit [SUBS-1:0]        req_valid;
    bit [SUBS*8-1:0]      req_warp;
    bit [SUBS*64-1:0]     req_pc;
    bit [SUBS*128-1:0]    req_insn;
    bit [SUBS*32-1:0]     req_guard;
    bit [SUBS*32-1:0]     req_guard_pp;
    bit [SUBS*2048-1:0]   req_vector;
    bit [SUBS*64-1:0]     req_scalar;
    bit [CHANNELS-1:0]    rsp_ready;
    bit [SUBS-1:0]        timer_ready;
    bit [WARPS-1:0]       expiry;
    bit [WARPS-1:0]       wake_ready;
    bit [WARPS-1:0]       start;
    bit [63:0]            start_entry;
    bit [63:0]            start_bytes;
    bit [WARPS*32-1:0]    start_valid;
    bit [7:0]             dbg_warp;
  } inputs_t;
  inputs_t in, pins;

  logic clk = 0, busy;
  logic [SUBS-1:0] req_ready, timer_valid;
  logic [SUBS*8-1:0] timer_warp;
  logic [SUBS*64-1:0] timer_cycles;
  logic [CHANNELS-1:0] rsp_valid, rsp_split, rsp_passed;
  logic [CHANNELS*8-1:0] rsp_warp;
  logic [CHANNELS*2-1:0] rsp_outcome;
  logic [CHANNELS*64-1:0] rsp_next_pc, rsp_value, rsp_fault_value;
  logic [CHANNELS*32-1:0] rsp_next_active, rsp_executed, rsp_write_lanes, rsp_active, rsp_jumped;
  logic [CHANNELS*4-1:0] rsp_event, rsp_fault;
  logic [CHANNELS*3-1:0] rsp_release;
  logic [CHANNELS*5-1:0] rsp_fault_lane;
  logic [WARPS-1:0] wake_valid;
  logic [3135:0] dbg_state;

  bru #(.SUBS(SUBS), .WARPS(WARPS)) device (
      .clk, .rst(pins.rst), .now(pins.now), .cfg_branch_latency(pins.straps.latency[0]),
      .cfg_barrier_latency(pins.straps.latency[1]), .cfg_sync_latency(pins.straps.latency[2]),
      .cfg_yield_latency(pins.straps.latency[3]), .cfg_move_latency(pins.straps.latency[4]),
      .cfg_branch_interval(pins.straps.interval[0]), .cfg_barrier_interval(pins.straps.interval[1]),
      .cfg_sync_interval(pins.straps.interval[2]), .cfg_yield_interval(pins.straps.interval[3]),
      .cfg_move_interval(pins.straps.interval[4]), .cfg_nanosleep_sets_yield(pins.straps.sets_yield),
      .cfg_trap_enable(pins.straps.trap_enable), .cfg_trap_handler(pins.straps.trap_handler),
      .cfg_ns_cycles(pins.straps.ns_cycles), .cfg_ns_time(pins.straps.ns_time), .req_valid(pins.req_valid),
      .req_ready, .req_warp(pins.req_warp), .req_pc(pins.req_pc), .req_insn(pins.req_insn),
      .req_guard(pins.req_guard), .req_guard_pp(pins.req_guard_pp), .req_vector(pins.req_vector),
      .req_scalar(pins.req_scalar), .rsp_valid, .rsp_ready(pins.rsp_ready), .rsp_warp, .rsp_outcome, .rsp_next_pc,
      .rsp_next_active, .rsp_executed, .rsp_write_lanes, .rsp_value, .rsp_active, .rsp_event, .rsp_jumped,
      .rsp_split, .rsp_passed, .rsp_release, .rsp_fault, .rsp_fault_lane, .rsp_fault_value, .timer_valid,
      .timer_ready(pins.timer_ready), .timer_warp, .timer_cycles, .expiry(pins.expiry), .wake_valid,
      .wake_ready(pins.wake_ready), .start(pins.start), .start_entry(pins.start_entry),
      .start_bytes(pins.start_bytes), .start_valid(pins.start_valid), .busy, .dbg_warp(pins.dbg_warp), .dbg_state
  );

  // The device's response in a channel.
  function automatic bru_response_t seen(input int c);
    seen = '0;
    seen.outcome = 32'(rsp_outcome[c*2+:2]);
    seen.next_pc = rsp_next_pc[c*64+:64];
    seen.next_active = rsp_next_active[c*32+:32];
    seen.executed = rsp_executed[c*32+:32];
    seen.write_lanes = rsp_write_lanes[c*32+:32];
    seen.value = rsp_value[c*64+:64];
    seen.active = rsp_active[c*32+:32];
    seen.told = 32'(rsp_event[c*4+:4]);
    seen.jumped = rsp_jumped[c*32+:32];
    seen.split = 32'(rsp_split[c]);
    seen.passed = 32'(rsp_passed[c]);
    seen.release_kind = 32'(rsp_release[c*3+:3]);
    seen.fault = 32'(rsp_fault[c*4+:4]);
    seen.fault_lane = 32'(rsp_fault_lane[c*5+:5]);
    seen.fault_value = rsp_fault_value[c*64+:64];
  endfunction

  // ---- Coverage of the channels ----

  c_held_up: cover property (@(posedge clk) (rsp_valid & ~pins.rsp_ready) != '0);
  c_wake_held_up: cover property (@(posedge clk) (wake_valid & ~pins.wake_ready) != '0);
  c_all_taken: cover property (@(posedge clk) (pins.req_valid & req_ready) == '1);

  int held_up = 0, wake_held_up = 0, all_taken = 0;
  always @(posedge clk) begin
    if ((rsp_valid & ~pins.rsp_ready) != '0) held_up++;
    if ((wake_valid & ~pins.wake_ready) != '0) wake_held_up++;
    if ((pins.req_valid & req_ready) == '1) all_taken++;
  end

  // ---- The run ----

  Scoreboard board;
  Stimulus stimulus;
  bru_request_t offered[SUBS];
  int unsigned stall;  // chance that a ready signal is low, in percent

  // Offers requests in sub-partitions that have none under way.
  task automatic offer();
    bru_state_t state;
    for (int s = 0; s < SUBS; s++) begin
      int w;
      w = int'(Random::below(WARPS / SUBS)) * SUBS + s;
      if (!in.req_valid[s] && board.may_send(w) && Random::chance(80)) begin
        board.read_state(w, state);
        stimulus.draw(state, offered[s]);
        in.req_valid[s] = 1'b1;
        in.req_warp[s*8+:8] = 8'(w);
        in.req_pc[s*64+:64] = offered[s].pc;
        in.req_insn[s*128+:128] = offered[s].insn;
        in.req_guard[s*32+:32] = offered[s].guard;
        in.req_guard_pp[s*32+:32] = offered[s].guard_pp;
        in.req_vector[s*2048+:2048] = offered[s].vectors;
        in.req_scalar[s*64+:64] = offered[s].scalar;
      end
    end
  endtask

  // Starts the warps that do not run, all with the same program.
  task automatic start_warps();
    bit [63:0] entry;
    bit [31:0] valid;
    entry = 64'(Random::below(8)) * 16;
    in.start_entry = entry;
    in.start_bytes = BYTES;
    for (int w = 0; w < WARPS; w++)
      if (board.may_start(w) && Random::chance(20)) begin
        valid = Random::lanes() | 32'd1 << Random::below(32);
        in.start[w] = 1'b1;
        in.start_valid[w*32+:32] = valid;
        board.start(w, entry, BYTES, valid, Random::chance(70));
      end
  endtask

  // Runs from just after one edge to just after the next. `more`: requests are offered.
  task automatic cycle(input bit more);
    board.now = in.now;
    for (int w = 0; w < WARPS; w++)
      if (board.changed[w]) begin
        in.dbg_warp = 8'(w);
        settle();
        board.check_state(w, bru_state_t'(dbg_state[$bits(bru_state_t)-1:0]));
      end
    for (int c = 0; c < CHANNELS; c++) in.rsp_ready[c] = !Random::chance(stall);
    for (int s = 0; s < SUBS; s++) in.timer_ready[s] = !Random::chance(stall);
    // A response that is held up is taken before the wake.
    for (int w = 0; w < WARPS; w++) in.wake_ready[w] = board.in_unit[w] == 0 && !Random::chance(stall);
    if (more) offer();
    start_warps();
    in.expiry = '0;
    settle();
    for (int s = 0; s < SUBS; s++)
      if (timer_valid[s] && in.timer_ready[s]) board.ask(int'(timer_warp[s*8+:8]), timer_cycles[s*64+:64]);
    if (Random::chance(2)) board.disturb(int'(Random::below(WARPS)), 64'(Random::below(20)));
    in.expiry = board.expiries();  // some follow from the requests of this cycle
    settle();
    for (int s = 0; s < SUBS; s++)
      if (in.req_valid[s] && req_ready[s])
        board.take(int'(in.req_warp[s*8+:8]), offered[s], stimulus.waits_for_response(offered[s].insn[7:0]));
    for (int c = 0; c < CHANNELS; c++) board.respond(c, rsp_valid[c], in.rsp_ready[c], rsp_warp[c*8+:8], seen(c));
    for (int w = 0; w < WARPS; w++) begin
      if (wake_valid[w] && in.wake_ready[w]) board.wake(w);
      if (in.expiry[w]) board.expire(w);
    end
    if (in.now > board.progress + PATIENCE)
      board.mismatch(32'(in.req_warp[7:0]), board.last[in.req_warp[W-1:0]], "nothing happens any more");
    edge_of_clock();
  endtask

  task automatic edge_of_clock();
    logic [SUBS-1:0] taken;
    taken = in.req_valid & req_ready;
    #1 clk = 1;
    #1 clk = 0;
    in.now = in.now + 1;
    in.req_valid = in.req_valid & ~taken;
    in.start = '0;
    settle();
  endtask

  // Updates the pins from `in`, and the outputs from the pins.
  task automatic settle();
    pins <= in;
    #1;
  endtask

  // Resets device and model, and draws new straps.
  task automatic reset(input bit trap_enable);
    straps_t drawn;
    for (int k = 0; k < 5; k++) begin
      drawn.latency[k] = 16'(1 + Random::below(6));
      drawn.interval[k] = 16'(1 + Random::below(3));
    end
    drawn.sets_yield = Random::chance(70);
    drawn.trap_enable = trap_enable;
    drawn.trap_handler = 64'(Random::below(8)) * 16;
    drawn.ns_cycles = 1 + Random::below(3);
    drawn.ns_time = 1 + Random::below(3);
    in.straps = drawn;
    stall = Random::below(3) * 30;
    in.req_valid = '0;
    in.expiry = '0;
    in.start = '0;
    in.rsp_ready = '1;
    in.timer_ready = '1;
    in.wake_ready = '1;
    in.rst = 1'b1;
    settle();
    edge_of_clock();
    in.rst = 1'b0;
    board.now = in.now;
    board.reset(drawn);
    for (int w = 0; w < WARPS; w++) begin
      in.dbg_warp = 8'(w);
      settle();
      if (dbg_state != '0) board.mismatch(w, board.last[w], "after reset dbg_state is not zero");
    end
    if (busy || rsp_valid != '0 || timer_valid != '0 || wake_valid != '0)
      board.mismatch(0, board.last[0], "after reset an output is valid, or busy is high");
  endtask

  task automatic declare_coverage();
    for (int i = 0; i < 9; i++) Coverage::declare($sformatf("event %0d", i));
    for (int i = 1; i < 6; i++) Coverage::declare($sformatf("release %0d", i));
    for (int i = 0; i < 3; i++) Coverage::declare($sformatf("outcome %0d", i));
    for (int i = 0; i < 7; i++) if (i != 2) Coverage::declare({"exception ", fault_name(i)});
    Coverage::declare("timer fires");
    Coverage::declare("timer asked again");
    Coverage::declare("expiry without effect");
    Coverage::declare("wake");
    Coverage::declare("several of a warp under way");
  endtask

  always begin
    int unsigned seed, count, goal;
    seed = 1;
    count = 20000;
    void'($value$plusargs("seed=%d", seed));
    void'($value$plusargs("count=%d", count));
    if (!version_fits()) $fatal(1, "the library has version %0d", version());
    Random::state = 64'(seed);
    in.now = 100;
    board = new;
    stimulus = new;
    declare_coverage();
    for (int part = 0; part < 4; part++) begin
      reset(part[0]);
      goal = board.executed + count / 4;
      while (board.executed < goal) cycle(1'b1);
      for (int i = 0; i < 1000; i++) cycle(1'b0);
      board.check_end();
    end
    Coverage::print();
    $display("cycles: a response held up %0d, a wake held up %0d, all sub-partitions taken %0d", held_up, wake_held_up,
             all_taken);
    $display("bru_bench: seed %0d, %0d instructions in %0d cycles, no difference", seed, board.executed, in.now - 100);
    $finish;
  end
endmodule
