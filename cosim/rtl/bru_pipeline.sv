// One pipeline of the branch unit: it starts the instructions of its sub-partitions and holds the state of their warps.
// Sub-partitions that share it wait in bru_queue.sv; bru_step.sv defines the effect of an instruction; its outcome,
// response and sleep, is reported to the blocks of its sub-partition.
//
// The state is in memories with one place for each warp and one write per cycle. Events that concern many warps at once,
// start and timer, only set bits: `live` says that the memories hold a warp's state; before, it is that of its
// start; `woken` says that the timer has fired since, so that SleepMask and the waiting masks read as empty. Masks are
// stored as they were and cut to ValidMask when read (D-2).
//
// pins.md does not define requests for a warp that was never started; they find an empty ValidMask and are harmless.
module bru_pipeline #(
    parameter int SUBS = 4,
    parameter int WARPS = 64,
    parameter int PIPELINES = 4,
    parameter int INDEX = 0,      // its sub-partitions are those s with s mod PIPELINES == INDEX
    parameter int PAYLOAD = 372
) (
    input  logic                   clk,
    input  logic                   rst,
    input  logic [           63:0] now,
    input  logic [         5*16-1:0] cfg_latency,   // by class
    input  logic [         5*16-1:0] cfg_interval,
    input  logic                   cfg_nanosleep_sets_yield,
    input  logic                   cfg_trap_enable,
    input  logic [           63:0] cfg_trap_handler,
    input  logic [       SUBS-1:0] req_valid,
    output logic [       SUBS-1:0] req_ready,     // of its sub-partitions; 0 of the others
    input  logic [     SUBS*8-1:0] req_warp,
    input  logic [    SUBS*64-1:0] req_pc,
    input  logic [   SUBS*128-1:0] req_insn,
    input  logic [    SUBS*32-1:0] req_guard,
    input  logic [    SUBS*32-1:0] req_guard_pp,
    input  logic [  SUBS*2048-1:0] req_vector,
    input  logic [    SUBS*64-1:0] req_scalar,
    input  logic [      WARPS-1:0] start,
    input  logic [           63:0] start_entry,
    input  logic [           63:0] start_bytes,
    input  logic [   WARPS*32-1:0] start_valid,
    input  logic [       SUBS-1:0] hold,          // sub-partitions that may not start now
    input  logic [      WARPS-1:0] fired,         // timers that have fired with effect in this cycle
    // The instruction that starts in this cycle.
    output logic                   go,
    output logic [            7:0] go_warp,
    output logic [            2:0] go_class,
    output logic [           63:0] go_due,
    output logic [    PAYLOAD-1:0] go_payload,
    output logic                   go_asks,
    output logic [           31:0] go_ns,
    output logic                   go_sleeps,
    output logic                   go_exits,
    output logic                   busy,
    input  logic [            7:0] dbg_warp,
    input  logic [         3135:0] dbg_before,    // output of the preceding pipelines
    output logic [         3135:0] dbg_state
);
  localparam int N = WARPS / SUBS;
  localparam int K = (SUBS - INDEX + PIPELINES - 1) / PIPELINES;
  localparam int R = K * N;
  localparam int RW = R > 1 ? $clog2(R) : 1;
  localparam int WW = WARPS > 1 ? $clog2(WARPS) : 1;
  // ActivePC, eight masks, turn, in a trap handler, index, return address, which B registers have been written.
  localparam int STATE = 64 + 8 * 32 + 1 + 1 + 32 + 64 + 16;

  logic [STATE-1:0] state_of[1 << RW];
  logic [511:0] bregs_of[1 << RW];
  logic [WARPS-1:0] known, live, woken;
  logic [R*64-1:0] entry_of, bytes_of;
  logic [R*32-1:0] first_of;
  logic [63:0] free_at;

  function automatic [RW-1:0] place_of(input [7:0] w);
    place_of = RW'((w % 8'(SUBS)) / 8'(PIPELINES) * 8'(N) + w / 8'(SUBS));
  endfunction

  // Class of an operation, pins.md "Straps": branch, barrier, sync, yield, move.
  function automatic [2:0] class_of(input [7:0] op, input [3:0] form);
    case (op)
      8'h05, 8'h08, 8'h0b: class_of = 3'd1;
      8'h09, 8'h0c: class_of = 3'd2;
      8'h0a, 8'h0d: class_of = 3'd3;
      8'h07: class_of = form == 4'd0 ? 3'd4 : 3'd1;
      default: class_of = 3'd0;
    endcase
  endfunction

  // The meaning of a warp's row: the state of a start that nothing has followed, minus what the timer has cleared.
  function automatic [STATE-1:0] meaning(input [STATE-1:0] row, input is_known, input is_live, input is_woken,
                                         input [63:0] entry, input [31:0] first);
    logic [15:0] written;
    logic [63:0] trap_return, pc;
    logic [31:0] trap_index, v, a, y, s, x, w, wb, t;
    logic in_trap, turn;
    begin
      {written, trap_return, trap_index, in_trap, turn, t, wb, w, x, s, y, a, v, pc} = row;
      if (is_live) begin
        if (is_woken) {s, w, wb} = 96'd0;
        meaning = {
          written, trap_return, trap_index, in_trap, turn, t & v, wb & v, w & v, x & v, s & v, y & v, a & v, v, pc
        };
      end else if (is_known) begin
        meaning = {{(STATE - 128) {1'b0}}, first, first, entry};
      end else begin
        meaning = '0;
      end
    end
  endfunction

  // ---- The instruction that starts ----

  logic [7:0] warp;
  logic [63:0] pc, scalar;
  logic [127:0] insn;
  logic [31:0] guard, guard_pp;
  logic [2047:0] operands;
  logic queued;
  wire free = now >= free_at;

  if (K == 1) begin : g_own
    // With a pipeline of its own: a request starts in the cycle of its transfer.
    localparam int S = INDEX;
    always_comb begin
      req_ready = '0;
      req_ready[S] = free && !hold[S];
    end
    assign go = req_valid[S] && req_ready[S];
    assign warp = req_warp[S*8+:8];
    assign pc = req_pc[S*64+:64];
    assign insn = req_insn[S*128+:128];
    assign guard = req_guard[S*32+:32];
    assign guard_pp = req_guard_pp[S*32+:32];
    assign operands = req_vector[S*2048+:2048];
    assign scalar = req_scalar[S*64+:64];
    assign queued = 1'b0;
    wire unused = &{1'b0, req_valid, req_warp, req_pc, req_insn, req_guard, req_guard_pp, req_vector, req_scalar, hold};
  end else begin : g_shared
    bru_queue #(
        .SUBS(SUBS),
        .WARPS(WARPS),
        .PIPELINES(PIPELINES),
        .INDEX(INDEX)
    ) queue (
        .clk,
        .rst,
        .req_valid,
        .req_warp,
        .req_pc,
        .req_insn,
        .req_guard,
        .req_guard_pp,
        .req_vector,
        .req_scalar,
        .hold,
        .free,
        .ready(req_ready),
        .busy(queued),
        .go,
        .warp,
        .pc,
        .insn,
        .guard,
        .guard_pp,
        .operands,
        .scalar
    );
  end

  // ---- Its state ----

  logic [RW-1:0] place;
  logic [WARPS-1:0] warp_bit;
  logic [STATE-1:0] row;
  logic [63:0] held_pc, trap_return, program_bytes;
  logic [31:0] valid, active, yielded, asleep, switches, waiting, waiting_bar, turned, breg, trap_index;
  logic [15:0] written;
  logic turn, in_trap;
  wire [3:0] breg_number = insn[87:84];

  always_comb begin
    place = place_of(warp);
    row = '0;
    program_bytes = 64'd0;
    warp_bit = '0;
    if (go) begin
      warp_bit[warp[WW-1:0]] = 1'b1;
      row = meaning(state_of[place], (known & warp_bit) != '0, (live & warp_bit) != '0,
                    ((woken | fired) & warp_bit) != '0, entry_of[place*64+:64], first_of[place*32+:32]);
      program_bytes = bytes_of[place*64+:64];
    end
    {written, trap_return, trap_index, in_trap, turn} = row[STATE-1:320];
    {turned, waiting_bar, waiting, switches, asleep, yielded, active, valid, held_pc} = row[319:0];
    breg = 32'd0;
    if (go && written[breg_number]) breg = bregs_of[place][breg_number*32+:32] & valid;
  end

  logic state_we, breg_we, turn_n, in_trap_n, split, passed;
  logic [63:0] pc_n, trap_return_n, value, fault_value;
  logic [31:0] valid_n, active_n, yielded_n, asleep_n, switches_n, waiting_n, waiting_bar_n, turned_n, breg_n;
  logic [31:0] trap_index_n, executed, write_lanes, jumped;
  logic [1:0] outcome;
  logic [3:0] told, fault;
  logic [2:0] release_kind;
  logic [4:0] fault_lane;

  bru_step #(
      .PLACES(1 << RW),
      .RW(RW)
  ) step (
      .clk,
      .go,
      .place,
      .pc,
      .insn,
      .guard,
      .guard_pp,
      .lanes(operands),
      .scalar,
      .program_bytes,
      .cfg_nanosleep_sets_yield,
      .cfg_trap_enable,
      .cfg_trap_handler,
      .held_pc,
      .valid,
      .active,
      .yielded,
      .asleep,
      .switches,
      .waiting,
      .waiting_bar,
      .turned,
      .turn,
      .breg,
      .in_trap,
      .trap_index,
      .trap_return,
      .state_we,
      .pc_n,
      .valid_n,
      .active_n,
      .yielded_n,
      .asleep_n,
      .switches_n,
      .waiting_n,
      .waiting_bar_n,
      .turned_n,
      .turn_n,
      .breg_we,
      .breg_n,
      .in_trap_n,
      .trap_index_n,
      .trap_return_n,
      .sleep(go_asks),
      .sleep_ns(go_ns),
      .outcome,
      .executed,
      .write_lanes,
      .value,
      .told,
      .jumped,
      .split,
      .passed,
      .release_kind,
      .fault,
      .fault_lane,
      .fault_value,
      .dbg_read(dbg_mine),
      .dbg_place(seen_place),
      .dbg_parked(seen[95:64] & ~seen[127:96]),
      .dbg_before(dbg_before[2111:64]),
      .dbg_rpc(seen_rpc)
  );

  // ---- Its outcome ----

  logic [15:0] latency, interval;
  assign go_warp = warp;
  assign go_class = class_of(insn[7:0], insn[11:8]);
  assign latency = cfg_latency[go_class*16+:16];
  assign interval = cfg_interval[go_class*16+:16];
  assign go_due = now + {48'd0, latency};
  assign go_sleeps = outcome == 2'd1;
  assign go_exits = outcome == 2'd2;
  // Taken apart in bru.sv in the same order.
  assign go_payload = {
    outcome, pc_n, active_n, executed, write_lanes, value, active, told, jumped, split, passed, release_kind, fault,
    fault_lane, fault_value
  };
  assign busy = queued;

  logic [15:0] written_n;
  always_comb begin
    written_n = written;
    if (breg_we) written_n[breg_number] = 1'b1;
  end

  logic [WARPS-1:0] mine;  // warps whose state is here
  always_comb for (int w = 0; w < WARPS; w++) mine[w] = w % SUBS % PIPELINES == INDEX;

  always_ff @(posedge clk) begin
    if (state_we)
      state_of[place] <= {
        written_n, trap_return_n, trap_index_n, in_trap_n, turn_n, turned_n, waiting_bar_n, waiting_n, switches_n,
        asleep_n, yielded_n, active_n, valid_n, pc_n
      };
    if (breg_we) bregs_of[place][breg_number*32+:32] <= breg_n;
    if ((start & mine) != '0)
      for (int k = 0; k < K; k++)
        for (int i = 0; i < N; i++)
          if (start[i*SUBS+INDEX+k*PIPELINES]) begin
            entry_of[(k*N+i)*64+:64] <= start_entry;
            bytes_of[(k*N+i)*64+:64] <= start_bytes;
            first_of[(k*N+i)*32+:32] <= start_valid[(i*SUBS+INDEX+k*PIPELINES)*32+:32];
          end
    if (rst) begin
      known <= '0;
      live <= '0;
      woken <= '0;
      free_at <= 64'd0;
    end else begin
      known <= known | (start & mine);
      live <= (live | (state_we ? warp_bit : '0)) & ~start;
      woken <= (woken | (fired & mine)) & ~(state_we ? warp_bit : '0) & ~start;
      if (go) free_at <= now + {48'd0, interval};
    end
  end

  // ---- Debug port: handed from pipeline to pipeline; the warp's own replaces zeros by its state ----

  logic [STATE-1:0] seen;
  logic [RW-1:0] seen_place;
  logic [WW-1:0] seen_warp;
  logic [2047:0] seen_rpc;
  logic dbg_mine;
  always_comb begin
    seen = '0;
    seen_warp = dbg_warp[WW-1:0];
    seen_place = place_of(dbg_warp);
    dbg_mine = 32'(dbg_warp) < WARPS && 32'(dbg_warp) % SUBS % PIPELINES == INDEX;
    if (dbg_mine)
      seen = meaning(state_of[seen_place], known[seen_warp], live[seen_warp], woken[seen_warp] || fired[seen_warp],
                     entry_of[seen_place*64+:64], first_of[seen_place*32+:32]);
  end
  // Lowest field first: ActivePC, RPC, eight masks, B, in a trap handler, index, return address.
  always_comb begin
    dbg_state[63:0] = dbg_before[63:0];
    dbg_state[2111:64] = seen_rpc;
    dbg_state[3135:2112] = dbg_before[3135:2112];
    if (dbg_mine) begin
      dbg_state[63:0] = seen[63:0];
      dbg_state[2367:2112] = seen[319:64];
      for (int b = 0; b < 16; b++)
        dbg_state[2368+b*32+:32] = seen[STATE-16+b] ? bregs_of[seen_place][b*32+:32] & seen[95:64] : 32'd0;
      dbg_state[3135:2880] = {128'd0, seen[417:354], seen[353:322], 31'd0, seen[321]};
    end
  end
endmodule
