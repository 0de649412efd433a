// A bench of a barrier unit with the pins of docs/pins.md: random CTAs and operations, ready signals that go low at random, and
// a scoreboard with the golden model (bcu_scoreboard_pkg.sv). Plus arguments: seed, count (operations).
module bcu_bench;
  import smsim_golden_pkg::*;
  import bench_pkg::*;
  import bcu_stimulus_pkg::*;
  import bcu_scoreboard_pkg::*;

  localparam bit [63:0] PATIENCE = 5000;  // cycles within which something must happen

  // ---- The device ----

  // Its inputs, except the clock. The bench changes `in`, and all pins follow at once.
  typedef struct packed {
    bit                 rst;
    straps_t            straps;
    bit [SUBS-1:0]      req_valid;
    bit [SUBS*8-1:0]    req_warp;
    bit [SUBS*128-1:0]  req_insn;
    bit [SUBS*32-1:0]   req_pmask;
    bit [SUBS*32-1:0]   req_pp;
    bit [SUBS*1024-1:0] req_vector_a;
    bit [SUBS*1024-1:0] req_vector_b;
    bit                 ack_ready;
    bit                 move_ready;
    bit [WARPS-1:0]     go_ready;
    bit [WARPS-1:0]     start;
    bit [7:0]           start_cta;
    bit [7:0]           start_warps;
    bit [WARPS*8-1:0]   start_index;
    bit [WARPS-1:0]     exit;
    bit [7:0]           dbg_cta;
    bit [7:0]           dbg_warp;
  } inputs_t;
  inputs_t in, pins;

  logic clk = 0, busy, ack_valid, move_valid, move_predicate, move_writes, move_undefined;
  logic [SUBS-1:0] req_ready;
  logic [7:0] ack_warp, move_warp;
  logic [1:0] ack_outcome;
  logic [3:0] ack_fault;
  logic [31:0] move_value, dbg_word;
  logic [WARPS-1:0] go_valid;
  logic [511:0] dbg_barriers;
  logic [16*WARPS-1:0] dbg_blocked;

  bcu #(.SUBS(SUBS), .WARPS(WARPS), .CTAS(CTAS)) device (
      .clk, .rst(pins.rst), .cfg_arrival_latency(pins.straps.arrival_latency), .cfg_interval(pins.straps.interval),
      .cfg_release_latency(pins.straps.release_latency), .cfg_release_interval(pins.straps.release_interval),
      .cfg_move_latency(pins.straps.move_latency), .req_valid(pins.req_valid), .req_ready, .req_warp(pins.req_warp),
      .req_insn(pins.req_insn), .req_pmask(pins.req_pmask), .req_pp(pins.req_pp), .req_vector_a(pins.req_vector_a),
      .req_vector_b(pins.req_vector_b), .ack_valid, .ack_ready(pins.ack_ready), .ack_warp, .ack_outcome, .ack_fault,
      .move_valid, .move_ready(pins.move_ready), .move_warp, .move_value, .move_predicate, .move_writes,
      .move_undefined, .go_valid, .go_ready(pins.go_ready), .start(pins.start), .start_cta(pins.start_cta),
      .start_warps(pins.start_warps), .start_index(pins.start_index), .exit(pins.exit), .busy,
      .dbg_cta(pins.dbg_cta), .dbg_barriers, .dbg_blocked, .dbg_warp(pins.dbg_warp), .dbg_word
  );

  function automatic bcu_answer_t seen_ack();
    seen_ack = '0;
    seen_ack.kind = ACK;
    seen_ack.fault = 32'(ack_fault);
    seen_ack.blocked = ack_outcome == 2'd3 ? 1 : 0;
  endfunction

  function automatic bcu_answer_t seen_move();
    seen_move = '0;
    seen_move.kind = MOVE;
    seen_move.value = move_value;
    seen_move.predicate = 32'(move_predicate);
    seen_move.writes = 32'(move_writes);
    seen_move.undefined = 32'(move_undefined);
  endfunction

  // ---- Coverage of the channels ----

  c_ack_held_up: cover property (@(posedge clk) ack_valid && !pins.ack_ready);
  c_go_and_ack: cover property (@(posedge clk) ack_valid && go_valid != '0);

  int ack_held_up = 0, go_and_ack = 0;
  always @(posedge clk) begin
    if (ack_valid && !pins.ack_ready) ack_held_up++;
    if (ack_valid && go_valid != '0) go_and_ack++;
  end

  // ---- The run ----

  Scoreboard board;
  Stimulus stimulus;
  bcu_request_t offered[SUBS];
  arrival_t offered_at[SUBS];
  int unsigned stall;  // chance that a ready signal is low, in percent
  bit stuck;

  // Offers requests in sub-partitions that have none under way.
  task automatic offer();
    for (int s = 0; s < SUBS; s++) begin
      int w;
      arrival_t a;
      w = int'(Random::below(WARPS / SUBS)) * SUBS + s;
      if (!in.req_valid[s] && board.may_send(w) && Random::chance(60)) begin
        a = '0;
        if (Random::chance(25)) stimulus.move(offered[s]);
        else begin
          if (!board.find_meeting(board.cta[w], a)) a = stimulus.meeting(board.living[board.cta[w]]);
          if (Random::chance(3)) a = stimulus.meeting(4);
          if (Random::chance(1)) a.count = 12'(Random::word());
          // No warp waits where words are restored.
          if (Random::chance(5)) begin
            a.red = 1'b0;
            a.id = 4'(8 + Random::below(8));
            a.count = 12'(32 * (1 + Random::below(4)));
            stimulus.arrive(a, 1'b1, offered[s]);
          end else stimulus.arrive(a, Random::chance(a.count == 0 ? 2 : 20), offered[s]);
        end
        offered_at[s] = a;
        in.req_valid[s] = 1'b1;
        in.req_warp[s*8+:8] = 8'(w);
        in.req_insn[s*128+:128] = offered[s].insn;
        in.req_pmask[s*32+:32] = offered[s].pmask;
        in.req_pp[s*32+:32] = offered[s].pp;
        in.req_vector_a[s*1024+:1024] = offered[s].vector_a;
        in.req_vector_b[s*1024+:1024] = offered[s].vector_b;
      end
    end
  endtask

  // Starts a CTA in an empty slot, or lets warps exit.
  task automatic live();
    int c, of, n, first;
    c = int'(Random::below(CTAS));
    of = 1 + int'(Random::below(8));
    n = 0;
    for (int w = 0; w < WARPS; w++) if (board.is_free(w)) n++;
    if (board.living[c] == 0 && n >= of && Random::chance(30)) begin
      in.start_cta = 8'(c);
      in.start_warps = 8'(of);
      first = int'(Random::below(32'(of)));
      n = 0;
      for (int w = WARPS - 1; w >= 0; w--)
        if (n < of && board.is_free(w)) begin
          in.start[w] = 1'b1;
          in.start_index[w*8+:8] = 8'((first + n) % of);
          board.start(w, c, (first + n) % of, of);
          n++;
        end
    end
    for (int w = 0; w < WARPS; w++)
      if (board.may_exit(w) && !(in.req_valid[w%SUBS] && in.req_warp[(w%SUBS)*8+:8] == 8'(w)) && Random::chance(1)) begin
        in.exit[w] = 1'b1;
        board.exit(w);
      end
  endtask

  // Runs from just after one edge to just after the next. `more`: requests are offered.
  task automatic cycle(input bit more);
    int s;
    for (int c = 0; c < CTAS; c++)
      if (board.touched[c]) begin
        in.dbg_cta = 8'(c);
        settle();
        board.check_words(c, dbg_barriers, dbg_blocked);
      end
    for (int w = 0; w < WARPS; w++)
      if (board.changed[w]) begin
        in.dbg_warp = 8'(w);
        settle();
        board.check_warp(w, dbg_word);
      end
    board.serve();
    in.ack_ready = !Random::chance(stall);
    in.move_ready = !Random::chance(stall);
    // An ack that is held up is taken before the warp goes on.
    for (int w = 0; w < WARPS; w++) in.go_ready[w] = board.acks_owed[w] == 0 && !Random::chance(stall);
    if (more) offer();
    live();
    settle();
    board.ack(ack_valid, in.ack_ready, int'(ack_warp), seen_ack());
    board.move(move_valid, in.move_ready, int'(move_warp), seen_move());
    for (int w = 0; w < WARPS; w++) board.go(w, go_valid[w], in.go_ready[w]);
    for (int w = 0; w < WARPS; w++) begin
      s = w % SUBS;
      if (in.req_valid[s] && req_ready[s] && in.req_warp[s*8+:8] == 8'(w))
        board.take(w, offered[s], stimulus.waits(offered[s].insn), offered_at[s]);
    end
    for (int c = 0; c < CTAS; c++) stuck = stuck || board.is_stuck(c);
    if (board.now > board.progress + PATIENCE) board.mismatch(0, board.last[0], "nothing happens any more");
    edge_of_clock();
  endtask

  task automatic edge_of_clock();
    logic [SUBS-1:0] taken;
    taken = in.req_valid & req_ready;
    #1 clk = 1;
    #1 clk = 0;
    board.now = board.now + 1;
    in.req_valid = in.req_valid & ~taken;
    in.start = '0;
    in.exit = '0;
    settle();
  endtask

  // Updates the pins from `in`, and the outputs from the pins.
  task automatic settle();
    pins <= in;
    #1;
  endtask

  // Resets device and model, and draws new straps.
  task automatic reset();
    in.straps.arrival_latency = 16'(1 + Random::below(8));
    in.straps.interval = 16'(1 + Random::below(3));
    in.straps.release_latency = 16'(1 + Random::below(8));
    in.straps.release_interval = 16'(Random::below(4));
    in.straps.move_latency = 16'(1 + Random::below(12));
    stall = Random::below(3) * 30;
    stuck = 1'b0;
    in.req_valid = '0;
    in.start = '0;
    in.exit = '0;
    in.ack_ready = 1'b1;
    in.move_ready = 1'b1;
    in.go_ready = '1;
    in.rst = 1'b1;
    settle();
    edge_of_clock();
    in.rst = 1'b0;
    board.reset(in.straps);
    settle();
    for (int c = 0; c < CTAS; c++) begin
      in.dbg_cta = 8'(c);
      settle();
      if (dbg_barriers != '0 || dbg_blocked != '0) board.mismatch(0, board.last[0], "after reset a barrier is in use");
    end
    for (int w = 0; w < WARPS; w++) begin
      in.dbg_warp = 8'(w);
      settle();
      if (dbg_word != '0) board.mismatch(w, board.last[w], "after reset WarpBarState is not zero");
    end
    if (busy || ack_valid || move_valid || go_valid != '0)
      board.mismatch(0, board.last[0], "after reset an output is valid, or busy is high");
  endtask

  task automatic declare_coverage();
    for (int i = 7; i < 12; i++) Coverage::declare({"exception ", fault_name(i)});
    Coverage::declare("exit");
    Coverage::declare("blocked");
    Coverage::declare("undefined read");
    Coverage::declare("several let go");
    Coverage::declare("barrier completed by an exit");
    Coverage::declare("barrier completed by an arrival");
  endtask

  always begin
    int unsigned seed, count, resets;
    seed = 1;
    count = 20000;
    resets = 0;
    void'($value$plusargs("seed=%d", seed));
    void'($value$plusargs("count=%d", count));
    if (!version_fits()) $fatal(1, "the library has version %0d", version());
    Random::state = 64'(seed);
    board = new;
    stimulus = new;
    declare_coverage();
    while (board.executed < count) begin
      reset();
      resets++;
      // A CTA whose warps all wait for one another ends with a reset, as does a long sequence.
      for (int i = 0; i < 20000 && !stuck && board.executed < count; i++) cycle(1'b1);
      for (int i = 0; i < 300; i++) cycle(1'b0);
      if (board.unserved.size() != 0) board.mismatch(0, board.unserved[0], "never served");
    end
    Coverage::print();
    $display("cycles: an ack held up %0d, a warp let go beside an ack %0d; resets %0d", ack_held_up, go_and_ack, resets);
    $display("bcu_bench: seed %0d, %0d operations in %0d cycles, no difference", seed, board.executed, board.now);
    $finish;
  end
endmodule
