// Barrier unit of a streaming multiprocessor: 16 barriers for each CTA slot (bcu.md), with the pins of pins.md.
//
// A request is reduced to what the operation needs (bcu_operands) and waits in the queue of its sub-partition. One
// operation at a time is served (bcu_service): the oldest one whose time has come. Starts and exits of warps are
// noted at the edge and take effect in the next cycle, before the operation of that cycle. Completed barriers are
// handed to bcu_release; ack and move go through queues of results.
//
// Where the specification is silent:
// - The effect of start and exit of cycle n is part of cycle n + 1: the debug port shows it from cycle n + 2 on
//   (pins.md, Debug port: "before what this cycle does").
// - If several warps exit together, each one counts separately (bcu.md "exit of a warp re-evaluates"): a
//   barrier completes also if only some of these exits reach the number of warps.
// - The first start of a CTA slot without live warps makes its barriers idle; a further start adds warps.
// - busy stays high while the unit is not free for the next service, because that depends on time.
// - ack and move have room for 4 * WARPS results each; a service waits while either is full. With one operation of
//   a warp under way at a time this cannot happen.
// - dbg_cta and dbg_warp out of range read zero.
module bcu #(
    parameter int SUBS  = 4,
    parameter int WARPS = 64,
    parameter int CTAS  = 32,
    parameter int DEPTH = 32
) (
    input  logic                 clk,
    input  logic                 rst,
    input  logic [15:0]          cfg_arrival_latency,
    input  logic [15:0]          cfg_interval,
    input  logic [15:0]          cfg_release_latency,
    input  logic [15:0]          cfg_release_interval,
    input  logic [15:0]          cfg_move_latency,
    input  logic [SUBS-1:0]      req_valid,
    output logic [SUBS-1:0]      req_ready,
    input  logic [SUBS*8-1:0]    req_warp,
    input  logic [SUBS*128-1:0]  req_insn,
    input  logic [SUBS*32-1:0]   req_pmask,
    input  logic [SUBS*32-1:0]   req_pp,
    input  logic [SUBS*1024-1:0] req_vector_a,
    input  logic [SUBS*1024-1:0] req_vector_b,
    output logic                 ack_valid,
    input  logic                 ack_ready,
    output logic [7:0]           ack_warp,
    output logic [1:0]           ack_outcome,
    output logic [3:0]           ack_fault,
    output logic                 move_valid,
    input  logic                 move_ready,
    output logic [7:0]           move_warp,
    output logic [31:0]          move_value,
    output logic                 move_predicate,
    output logic                 move_writes,
    output logic                 move_undefined,
    output logic [WARPS-1:0]     go_valid,
    input  logic [WARPS-1:0]     go_ready,
    input  logic [WARPS-1:0]     start,
    input  logic [7:0]           start_cta,
    input  logic [7:0]           start_warps,
    input  logic [WARPS*8-1:0]   start_index,
    input  logic [WARPS-1:0]     exit,
    output logic                 busy,
    input  logic [7:0]           dbg_cta,
    output logic [16*32-1:0]     dbg_barriers,
    output logic [16*WARPS-1:0]  dbg_blocked,
    input  logic [7:0]           dbg_warp,
    output logic [31:0]          dbg_word
);
  localparam int WB      = WARPS > 1 ? $clog2(WARPS) : 1;
  localparam int CB      = CTAS > 1 ? $clog2(CTAS) : 1;
  localparam int RECORD  = 72;         // an operation in the queue
  localparam int RESULTS = 4 * WARPS;

  // ---- Time -------------------------------------------------------------------------------------------------------
  logic [47:0] now;
  always_ff @(posedge clk) begin
    if (rst) now <= '0;
    else now <= now + 48'd1;
  end

  // ---- Queues of requests -----------------------------------------------------------------------------------------
  logic [SUBS-1:0]        head_valid, head_empty, pop;
  logic [SUBS*RECORD-1:0] head;
  logic [SUBS*48-1:0]     head_stamp;

  for (genvar s = 0; s < SUBS; s++) begin : g_sub
    logic [2:0]  action;
    logic [1:0]  redop;
    logic        of_warp, empty, all_true, any_true, full;
    logic [3:0]  id, fault;
    logic [6:0]  expected;
    logic [5:0]  number_true;
    logic [31:0] value;

    bcu_operands operands (
        .valid(req_valid[s]), .insn(req_insn[s*128 +: 128]), .pmask(req_pmask[s*32 +: 32]), .pp(req_pp[s*32 +: 32]),
        .vector_a(req_vector_a[s*1024 +: 1024]), .vector_b(req_vector_b[s*1024 +: 1024]),
        .action, .of_warp, .empty, .id, .expected, .redop, .fault, .all_true, .any_true, .number_true, .value);

    timed_queue #(.WIDTH(RECORD), .PLACES(DEPTH)) requests (
        .clk, .rst, .now, .delay({1'b0, cfg_arrival_latency}),
        .push(req_valid[s] && req_ready[s]),
        .push_data({req_warp[s*8 +: 8], action, of_warp, empty, id, expected, redop, fault, all_true, any_true,
                    number_true, 2'b00, value}),
        .full, .empty(head_empty[s]), .head_valid(head_valid[s]), .head_data(head[s*RECORD +: RECORD]),
        .head_stamp(head_stamp[s*48 +: 48]), .pop(pop[s]));

    assign req_ready[s] = !full;
  end

  // ---- Choice: first transferred; within one cycle the lowest warp slot ---------------------------------------------
  logic              serve;
  logic [47:0]       best_stamp;
  logic [RECORD-1:0] best;
  logic [15:0]       not_free;  // cycles until the next service
  logic              ack_full, move_full;

  always_comb begin
    pop        = '0;
    best       = '0;
    best_stamp = '0;
    serve      = 1'b0;
    if (head_valid != 0 && not_free == 0 && !ack_full && !move_full) begin
      for (int s = 0; s < SUBS; s++) begin
        if (head_valid[s] &&
            (!serve || head_stamp[s*48 +: 48] < best_stamp ||
             (head_stamp[s*48 +: 48] == best_stamp &&
              head[s*RECORD + RECORD - 8 +: 8] < best[RECORD-8 +: 8]))) begin
          pop        = '0;
          pop[s]     = 1'b1;
          best       = head[s*RECORD +: RECORD];
          best_stamp = head_stamp[s*48 +: 48];
          serve      = 1'b1;
        end
      end
    end
  end

  always_ff @(posedge clk) begin
    if (rst) not_free <= '0;
    else if (serve) not_free <= cfg_interval - 16'd1;
    else if (not_free != 0) not_free <= not_free - 16'd1;
  end

  logic [7:0]    op_warp;
  logic [2:0]    op_action;
  logic [1:0]    op_redop, op_spare;
  logic          op_of_warp, op_empty, op_all_true, op_any_true;
  logic [3:0]    op_id, op_fault;
  logic [6:0]    op_expected;
  logic [5:0]    op_number_true;
  logic [31:0]   op_value;
  logic [WB-1:0] op_slot;
  assign {op_warp, op_action, op_of_warp, op_empty, op_id, op_expected, op_redop, op_fault, op_all_true, op_any_true,
          op_number_true, op_spare, op_value} = best;
  assign op_slot = op_warp[WB-1:0];

  // ---- State --------------------------------------------------------------------------------------------------------
  logic [511:0]         words[0:CTAS-1];      // 16 barriers of each CTA, layout of [B-1]
  logic [CTAS*8-1:0]    cta_warps, cta_exited;
  logic [CTAS-1:0]      cta_live;             // some warp has not exited
  logic [31:0]          copies[0:WARPS-1];    // WarpBarState
  logic [WARPS*CB-1:0]  warp_cta;
  logic [WARPS*8-1:0]   warp_index;
  logic [WARPS*4-1:0]   warp_barrier;         // where the warp is blocked, if it is
  logic [WARPS-1:0]     known, blocked;
  // The events of the previous cycle.
  logic [WARPS-1:0]     starting, exiting;
  logic [CB-1:0]        starting_cta;
  logic [7:0]           starting_warps;
  logic [WARPS*8-1:0]   starting_index;

  always_ff @(posedge clk) begin
    if (rst) begin
      starting <= '0;
      exiting  <= '0;
    end else begin
      starting <= start;
      exiting  <= exit;
      if (start != 0) begin
        starting_cta   <= start_cta[CB-1:0];
        starting_warps <= start_warps;
        starting_index <= start_index;
      end
    end
  end

  // ---- Exits: every barrier of the CTA that waits for all its warps ----
  logic [WARPS-1:0]   leaving;
  logic [CTAS*8-1:0]  exits;          // of this cycle
  logic [CTAS-1:0]    ended;          // the last warp has exited
  logic [CTAS*16-1:0] done_by_exit;
  logic [WARPS-1:0]   freed_by_exit;

  assign leaving = exiting & known;

  always_comb begin
    exits         = '0;
    ended         = '0;
    done_by_exit  = '0;
    freed_by_exit = '0;
    if (leaving != 0) begin
      for (int c = 0; c < CTAS; c++) begin
        for (int w = 0; w < WARPS; w++) begin
          if (leaving[w] && warp_cta[w*CB +: CB] == CB'(c)) exits[c*8 +: 8] = exits[c*8 +: 8] + 8'd1;
        end
        if (exits[c*8 +: 8] != 0) begin
          ended[c] = cta_exited[c*8 +: 8] + exits[c*8 +: 8] >= cta_warps[c*8 +: 8];
          for (int b = 0; b < 16; b++) begin
            // count > 0, expected == 0, and one of the intermediate sums of count and exits is the number of warps.
            done_by_exit[c*16+b] =
                words[c][b*32 +: 7] != 0 && words[c][b*32+7 +: 7] == 0 &&
                9'(words[c][b*32 +: 7]) + 9'(cta_exited[c*8 +: 8]) < 9'(cta_warps[c*8 +: 8]) &&
                9'(words[c][b*32 +: 7]) + 9'(cta_exited[c*8 +: 8]) + 9'(exits[c*8 +: 8]) >= 9'(cta_warps[c*8 +: 8]);
          end
        end
      end
      if (done_by_exit != 0) begin
        for (int w = 0; w < WARPS; w++) begin
          freed_by_exit[w] = blocked[w] && !leaving[w] &&
                             done_by_exit[{warp_cta[w*CB +: CB], warp_barrier[w*4 +: 4]}];
        end
      end
    end
  end

  // ---- Starts, after the exits of the same cycle --------------------------------------------------------------------
  logic [CTAS*8-1:0]   cta_warps_now, cta_exited_now;
  logic [CTAS-1:0]     cta_live_now;
  logic [CTAS-1:0]     cleared;       // all barriers of the CTA become idle
  logic [WARPS*CB-1:0] warp_cta_now;
  logic [WARPS*8-1:0]  warp_index_now;

  always_comb begin
    cta_warps_now  = cta_warps;
    cta_exited_now = cta_exited;
    cta_live_now   = cta_live & ~ended;
    cleared        = ended;
    warp_cta_now   = warp_cta;
    warp_index_now = warp_index;
    if (leaving != 0) begin
      for (int c = 0; c < CTAS; c++) cta_exited_now[c*8 +: 8] = cta_exited[c*8 +: 8] + exits[c*8 +: 8];
    end
    if (starting != 0) begin
      for (int c = 0; c < CTAS; c++) begin
        if (starting_cta == CB'(c)) begin
          cta_warps_now[c*8 +: 8] = starting_warps;
          if (!cta_live_now[c]) begin
            cta_exited_now[c*8 +: 8] = '0;
            cleared[c]               = 1'b1;
          end
          cta_live_now[c] = 1'b1;
        end
      end
      for (int w = 0; w < WARPS; w++) begin
        if (starting[w]) begin
          warp_cta_now[w*CB +: CB] = starting_cta;
          warp_index_now[w*8 +: 8] = starting_index[w*8 +: 8];
        end
      end
    end
  end

  // ---- Service ------------------------------------------------------------------------------------------------------
  logic [CB-1:0]    op_cta;
  logic [31:0]      op_word, op_copy;
  logic [WARPS-1:0] blocked_now, members;  // members: blocked at the barrier of the operation
  logic [WARPS-1:0] freed_by_service;
  logic             write, warp_write, block, complete, complete_self, ack, move;
  logic [31:0]      next_word, done_word, result_value;
  logic [3:0]       fault;
  logic             result_predicate, result_writes, result_undefined;

  assign blocked_now = blocked & ~freed_by_exit & ~leaving & ~starting;

  always_comb begin
    op_cta  = '0;
    op_word = '0;
    op_copy = '0;
    members = '0;
    if (serve) begin
      op_cta = warp_cta_now[op_slot*CB +: CB];
      if (!cleared[op_cta] && !done_by_exit[{op_cta, op_id}]) op_word = words[op_cta][op_id*32 +: 32];
      if (!starting[op_slot]) op_copy = copies[op_slot];
      if (blocked_now != 0) begin
        for (int w = 0; w < WARPS; w++) begin
          members[w] = blocked_now[w] && warp_cta[w*CB +: CB] == op_cta && warp_barrier[w*4 +: 4] == op_id;
        end
      end
    end
  end

  bcu_service service (
      .valid(serve), .action(op_action), .of_warp(op_of_warp), .empty(op_empty), .expected(op_expected),
      .redop(op_redop), .early_fault(op_fault), .all_true(op_all_true), .any_true(op_any_true),
      .number_true(op_number_true), .value(op_value), .word(op_word), .warp_word(op_copy), .occupied(members != 0),
      .warps(cta_warps_now[op_cta*8 +: 8]), .exited(cta_exited_now[op_cta*8 +: 8]),
      .write, .next_word, .warp_write, .block, .complete, .complete_self, .done_word, .ack, .fault, .move,
      .move_value(result_value), .move_predicate(result_predicate), .move_writes(result_writes),
      .move_undefined(result_undefined));

  always_comb begin
    freed_by_service = '0;
    if (complete) freed_by_service = members;
    if (complete_self) freed_by_service[op_slot] = 1'b1;
  end

  // ---- State at the end of the cycle --------------------------------------------------------------------------------
  // Every row has only one assignment, which simulates fastest.
  function automatic logic [511:0] next_row(input logic [511:0] row, input logic [15:0] idle, input logic set,
                                            input logic [3:0] id, input logic [31:0] value);
    next_row = row;
    for (int b = 0; b < 16; b++) begin
      if (set && id == 4'(b)) next_row[b*32 +: 32] = value;
      else if (idle[b]) next_row[b*32 +: 32] = '0;
    end
  endfunction

  for (genvar c = 0; c < CTAS; c++) begin : g_cta
    logic written;
    assign written = write && op_cta == CB'(c);
    always_ff @(posedge clk) begin
      if (rst || written || cleared[c] || exits[c*8 +: 8] != 0)
        words[c] <= next_row(words[c], {16{rst || cleared[c]}} | done_by_exit[c*16 +: 16], written && !rst, op_id,
                             next_word);
    end
  end

  // Only a BAR.RED leaves its word in the warps; a barrier of kind RED has no other warps.
  logic [WARPS-1:0] copy_touched;
  always_comb begin
    copy_touched = starting | freed_by_exit;
    if (serve) begin
      if (done_word[15:14] == 2'd2) copy_touched = copy_touched | freed_by_service;
      if (warp_write) copy_touched[op_slot] = 1'b1;
    end
  end

  for (genvar w = 0; w < WARPS; w++) begin : g_copy
    logic [31:0] left;  // by an exit
    logic        by_service;
    always_comb begin
      left = copies[w];
      if (freed_by_exit[w] && words[warp_cta[w*CB +: CB]][warp_barrier[w*4 +: 4]*32+14 +: 2] == 2'd2)
        left = words[warp_cta[w*CB +: CB]][warp_barrier[w*4 +: 4]*32 +: 32];
    end
    assign by_service = freed_by_service[w] && done_word[15:14] == 2'd2;
    always_ff @(posedge clk) begin
      if (rst || copy_touched[w])
        copies[w] <= rst ? '0 : by_service ? done_word : warp_write && op_slot == WB'(w) ? op_value :
                     starting[w] ? '0 : left;
    end
  end

  always_ff @(posedge clk) begin
    if (rst) begin
      known        <= '0;
      blocked      <= '0;
      cta_live     <= '0;
      cta_warps    <= '0;
      cta_exited   <= '0;
      warp_cta     <= '0;
      warp_index   <= '0;
      warp_barrier <= '0;
    end else begin
      if ((starting | leaving) != 0) begin
        known      <= (known & ~leaving) | starting;
        cta_live   <= cta_live_now;
        cta_warps  <= cta_warps_now;
        cta_exited <= cta_exited_now;
        warp_cta   <= warp_cta_now;
        warp_index <= warp_index_now;
      end
      blocked <= blocked_now & ~freed_by_service;
      if (block) begin
        blocked[op_slot]              <= 1'b1;
        warp_barrier[op_slot*4 +: 4]  <= op_id;
      end
    end
  end

  // ---- Answers and releases -----------------------------------------------------------------------------------------
  logic [13:0] ack_head;
  logic [42:0] move_head;
  logic [16:0] move_delay;
  logic        ack_empty, move_empty, release_busy;
  logic [47:0] ack_stamp, move_stamp;

  assign move_delay = cfg_move_latency > cfg_arrival_latency ? {1'b0, cfg_move_latency - cfg_arrival_latency} : 17'd1;

  timed_queue #(.WIDTH(14), .PLACES(RESULTS)) acks (
      .clk, .rst, .now, .delay(17'd1), .push(ack), .push_data({op_warp, block ? 2'd3 : 2'd0, fault}),
      .full(ack_full), .empty(ack_empty), .head_valid(ack_valid), .head_data(ack_head), .head_stamp(ack_stamp),
      .pop(ack_valid && ack_ready));
  assign {ack_warp, ack_outcome, ack_fault} = ack_head;

  timed_queue #(.WIDTH(43), .PLACES(RESULTS)) moves (
      .clk, .rst, .now, .delay(move_delay), .push(move),
      .push_data({op_warp, result_value, result_predicate, result_writes, result_undefined}),
      .full(move_full), .empty(move_empty), .head_valid(move_valid), .head_data(move_head), .head_stamp(move_stamp),
      .pop(move_valid && move_ready));
  assign {move_warp, move_value, move_predicate, move_writes, move_undefined} = move_head;

  // A warp released by exits keeps its old CTA; a warp released by the service may have started in this very cycle.
  bcu_release #(.WARPS(WARPS), .CB(CB)) releases (
      .clk, .rst, .cfg_release_latency, .cfg_release_interval, .by_exit(freed_by_exit), .by_service(freed_by_service),
      .warp_cta, .warp_barrier, .warp_index(warp_index_now), .go_valid, .go_ready, .busy(release_busy));

  assign busy = head_empty != '1 || !ack_empty || !move_empty || release_busy || (starting | exiting) != 0 ||
                not_free != 0;

  // ---- Debug port ---------------------------------------------------------------------------------------------------
  always_comb begin
    dbg_barriers = '0;
    dbg_blocked  = '0;
    if ({24'd0, dbg_cta} < CTAS) begin
      dbg_barriers = words[dbg_cta[CB-1:0]];
      if (blocked != 0) begin
        for (int w = 0; w < WARPS; w++) begin
          if (blocked[w] && warp_cta[w*CB +: CB] == dbg_cta[CB-1:0]) begin
            for (int b = 0; b < 16; b++) begin
              if (warp_barrier[w*4 +: 4] == 4'(b)) dbg_blocked[b*WARPS+w] = 1'b1;
            end
          end
        end
      end
    end
    dbg_word = {24'd0, dbg_warp} < WARPS ? copies[dbg_warp[WB-1:0]] : '0;
  end

  // Slots have 8 bits; the ages that the queues of results report are not needed.
  wire unused = &{1'b0, start_cta, op_warp, op_spare, ack_stamp, move_stamp};
endmodule
