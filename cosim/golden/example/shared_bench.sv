// A bench of a shared memory with the pins of docs/pins.md: random accesses, ready signals that go low at random, and a
// scoreboard with the golden model (shared_scoreboard_pkg.sv). Plus arguments: seed, count (accesses).
module shared_bench;
  import smsim_golden_pkg::*;
  import bench_pkg::*;
  import shared_stimulus_pkg::*;
  import shared_scoreboard_pkg::*;

  localparam bit [63:0] PATIENCE = 5000;  // cycles within which something must happen

  // ---- The device ----

  // Its inputs, except the clock. The bench changes `in`, and all pins follow at once.
  typedef struct packed {
    bit              rst;
    bit [15:0]       latency;
    bit [15:0]       atomic_latency;
    bit              req_valid;
    bit [15:0]       req_tag;
    shared_request_t req;
    bit              rsp_ready;
    bit              arsp_ready;
    bit [31:0]       dbg_address;
  } inputs_t;
  inputs_t in, pins;

  logic clk = 0, busy, req_ready, rsp_valid, rsp_last, arsp_valid, arsp_last;
  logic [15:0] rsp_tag, arsp_tag;
  logic [31:0] rsp_slots, arsp_slots;
  logic [32*128-1:0] rsp_data, arsp_data;
  logic [127:0] dbg_data;
  logic [32*16-1:0] req_enable;

  always_comb for (int s = 0; s < 32; s++) req_enable[s*16+:16] = pins.req.enable[s][15:0];

  shared_memory #(.BYTES(BYTES), .BANKS(BANKS)) device (
      .clk, .rst(pins.rst), .cfg_latency(pins.latency), .cfg_atomic_latency(pins.atomic_latency),
      .req_valid(pins.req_valid), .req_ready, .req_kind(pins.req.kind[1:0]), .req_tag(pins.req_tag),
      .req_slots(pins.req.slots), .req_address(pins.req.address), .req_enable, .req_data(pins.req.data),
      .req_op(pins.req.op[3:0]), .req_type(pins.req.element[2:0]), .rsp_valid, .rsp_ready(pins.rsp_ready), .rsp_tag,
      .rsp_slots, .rsp_last, .rsp_data, .arsp_valid, .arsp_ready(pins.arsp_ready), .arsp_tag, .arsp_slots, .arsp_last,
      .arsp_data, .busy, .dbg_address(pins.dbg_address), .dbg_data
  );

  c_both: cover property (@(posedge clk) rsp_valid && arsp_valid);
  c_held_up: cover property (@(posedge clk) rsp_valid && !pins.rsp_ready);

  int both = 0, held_up = 0;
  always @(posedge clk) begin
    if (rsp_valid && arsp_valid) both++;
    if (rsp_valid && !pins.rsp_ready) held_up++;
  end

  // ---- The run ----

  Scoreboard board;
  Stimulus stimulus;
  shared_request_t offered;
  int unsigned stall;  // chance that a ready signal is low, in percent

  // Runs from just after one edge to just after the next. `more`: requests are offered.
  task automatic cycle(input bit more);
    in.rsp_ready = !Random::chance(stall);
    in.arsp_ready = !Random::chance(stall);
    if (more && !in.req_valid && board.has_room() && Random::chance(80)) begin
      stimulus.draw(offered);
      in.req = offered;
      in.req_tag = board.tag;
      in.req_valid = 1'b1;
    end
    settle();
    board.respond(0, rsp_valid, in.rsp_ready, rsp_tag, rsp_last, rsp_slots, rsp_data);
    board.respond(1, arsp_valid, in.arsp_ready, arsp_tag, arsp_last, arsp_slots, arsp_data);
    if (in.req_valid && req_ready) board.take(offered);
    if (board.now > board.progress + PATIENCE) $fatal(1, "MISMATCH: nothing happens any more");
    edge_of_clock();
  endtask

  task automatic edge_of_clock();
    bit taken;
    taken = in.req_valid && req_ready;
    #1 clk = 1;
    #1 clk = 0;
    board.now = board.now + 1;
    if (taken) in.req_valid = 1'b0;
    settle();
  endtask

  // Updates the pins from `in`, and the outputs from the pins.
  task automatic settle();
    pins <= in;
    #1;
  endtask

  // Resets the device with other latencies; its bytes stay.
  task automatic reset();
    board.reset();
    in.latency = board.latency;
    in.atomic_latency = board.atomic_latency;
    stall = Random::below(3) * 30;
    in.req_valid = 1'b0;
    in.rsp_ready = 1'b1;
    in.arsp_ready = 1'b1;
    in.rst = 1'b1;
    settle();
    edge_of_clock();
    in.rst = 1'b0;
    settle();
    if (busy || rsp_valid || arsp_valid) $fatal(1, "MISMATCH: after reset an output is valid, or busy is high");
  endtask

  always begin
    int unsigned seed, count, goal;
    seed = 1;
    count = 20000;
    void'($value$plusargs("seed=%d", seed));
    void'($value$plusargs("count=%d", count));
    if (!version_fits()) $fatal(1, "the library has version %0d", version());
    Random::state = 64'(seed);
    board = new;
    stimulus = new;
    board.create();
    // The bytes of the device are unknown, so all are written once.
    reset();
    for (int half = 0; half < BYTES / 512; half++) begin
      offered = '0;
      offered.kind = 1;
      offered.slots = '1;
      for (int s = 0; s < 32; s++) begin
        offered.address[s] = 32'(half) * 512 + 32'(s) * 16;
        offered.enable[s] = 32'hffff;
        offered.data[s] = {stimulus.value(), stimulus.value()};
      end
      in.req = offered;
      in.req_tag = board.tag;
      in.req_valid = 1'b1;
      while (in.req_valid) cycle(1'b0);
    end
    for (int part = 0; part < 4; part++) begin
      goal = board.executed + count / 4;
      while (board.executed < goal) cycle(1'b1);
      for (int i = 0; i < 500; i++) cycle(1'b0);
      for (int row = 0; row < BYTES; row += 16) begin
        in.dbg_address = 32'(row);
        settle();
        board.check_row(32'(row), dbg_data);
      end
      reset();
    end
    Coverage::print();
    $display("cycles: both channels %0d, a response held up %0d", both, held_up);
    $display("shared_bench: seed %0d, %0d accesses in %0d cycles, no difference", seed, board.executed, board.now);
    $finish;
  end
endmodule
