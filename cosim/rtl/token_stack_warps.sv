// The warps of one sub-partition under the engine token_stack: their state, and the effect of the starting instruction
// on it (token_stack_step.sv).
//
// Memories have one row for each warp and one write per cycle: a row of tokens is wide, because those that leave a region
// disappear from all tokens above its own. A start, which may concern many warps, only sets registers: `live` says that
// the memories hold a warp's state; before, it is that of its start.
module token_stack_warps #(
    parameter int SUBS = 4,
    parameter int WARPS = 64,
    parameter int SUB = 0,
    parameter int DEPTH = 64,
    parameter int PAYLOAD = 371
) (
    input  logic                clk,
    input  logic                rst,
    input  logic                cfg_order,
    input  logic [        15:0] cfg_depth,
    input  logic                cfg_spill,
    input  logic [        15:0] cfg_spill_cycles,
    input  logic [        31:0] cfg_call_limit,
    input  logic                cfg_trap_enable,
    input  logic [        63:0] cfg_trap_handler,
    // The instruction that starts in this cycle.
    input  logic                go,
    input  logic [         7:0] warp,
    input  logic [        63:0] pc,
    input  logic [       127:0] insn,
    input  logic [        31:0] guard,
    input  logic [        31:0] guard_pp,
    input  logic [      2047:0] lanes,
    input  logic [        63:0] scalar,
    output logic [         2:0] kind,          // its class
    output logic [        63:0] extra,         // cycles in addition to its class
    output logic [ PAYLOAD-1:0] payload,
    output logic                asks,
    output logic [        31:0] ns,
    output logic                exits,
    // Life of warps, state: zeros for a warp that is not of this sub-partition.
    input  logic [   WARPS-1:0] start,
    input  logic [        63:0] start_entry,
    input  logic [        63:0] start_bytes,
    input  logic [WARPS*32-1:0] start_valid,
    input  logic [         7:0] dbg_warp,
    input  logic [        15:0] dbg_index,
    output logic [       191:0] dbg_state,
    output logic [       127:0] dbg_entry
);
  localparam int N = WARPS / SUBS;
  localparam int IW = N > 1 ? $clog2(N) : 1;
  localparam int STATE = 64 + 32 + 32 + 1 + 16 + 1 + 32 + 64;

  logic [STATE-1:0] state_of[1 << IW];
  logic [DEPTH*3-1:0] kinds_of[1 << IW];
  logic [DEPTH*32-1:0] masks_of[1 << IW];
  logic [DEPTH*32-1:0] pcs_of[1 << IW];
  logic [N*64-1:0] entry_of, bytes_of;
  logic [N*32-1:0] first_of;
  logic [N-1:0] known, live;

  function automatic [IW-1:0] place_of(input [7:0] w);
    place_of = IW'(w / 8'(SUBS));
  endfunction

  // Lowest field first: PC, ActiveMask, ValidMask, LMT, tokens, trap.
  function automatic [STATE-1:0] meaning(input [STATE-1:0] row, input is_live, input is_known, input [63:0] entry,
                                         input [31:0] first);
    if (is_live) meaning = row;
    else if (is_known) meaning = {{(STATE - 128) {1'b0}}, first, first, entry};
    else meaning = '0;
  endfunction

  // ---- The state of the warp ----

  logic [IW-1:0] place;
  logic [63:0] held_pc, trap_return;
  logic [31:0] active, valid, trap_index;
  logic [15:0] depth;
  logic lmt, in_trap;
  wire unused = &{1'b0, held_pc, start, start_valid};  // of other sub-partitions

  assign place = place_of(warp);
  assign {trap_return, trap_index, in_trap, depth, lmt, valid, active, held_pc} = go ? meaning(
      state_of[place], live[place], known[place], entry_of[place*64+:64], first_of[place*32+:32]
  ) : '0;

  logic [63:0] pc_n, trap_return_n, value, fault_value;
  logic [31:0] active_n, valid_n, trap_index_n, executed, write_lanes, jumped;
  logic [15:0] depth_n;
  logic [DEPTH*3-1:0] kinds_n;
  logic [DEPTH*32-1:0] masks_n, pcs_n;
  logic lmt_n, tokens_we, in_trap_n, split, passed;
  logic [1:0] outcome;
  logic [3:0] told;
  logic [4:0] fault, fault_lane;

  token_stack_step #(
      .DEPTH(DEPTH)
  ) step (
      .go,
      .pc,
      .insn,
      .guard,
      .guard_pp,
      .lanes,
      .scalar,
      .program_bytes(go ? bytes_of[place*64+:64] : 64'd0),
      .cfg_order,
      .cfg_depth,
      .cfg_spill,
      .cfg_spill_cycles,
      .cfg_call_limit,
      .cfg_trap_enable,
      .cfg_trap_handler,
      .active,
      .valid,
      .lmt,
      .depth,
      .kinds(go ? kinds_of[place] : '0),
      .masks(go ? masks_of[place] : '0),
      .pcs(go ? pcs_of[place] : '0),
      .in_trap,
      .trap_index,
      .trap_return,
      .pc_n,
      .active_n,
      .valid_n,
      .lmt_n,
      .depth_n,
      .tokens_we,
      .kinds_n,
      .masks_n,
      .pcs_n,
      .in_trap_n,
      .trap_index_n,
      .trap_return_n,
      .extra,
      .asks,
      .ns,
      .outcome,
      .executed,
      .write_lanes,
      .value,
      .told,
      .jumped,
      .split,
      .passed,
      .fault,
      .fault_lane,
      .fault_value
  );

  // ---- Its outcome ----

  assign exits = outcome == 2'd2;
  // Taken apart in bru_time.sv in the same order; no arrival at a barrier is rejected.
  assign payload = {
    outcome, pc_n, active_n, executed, write_lanes, value, active, told, jumped, split, passed, 1'b0, fault, fault_lane,
    fault_value
  };

  // Class of an operation, pins.md "Straps".
  always_comb
    case (insn[7:0])
      8'h05, 8'hd4, 8'hd5, 8'hd6, 8'hd7: kind = 3'd1;  // LEPC, SSY, PBK, PCNT, PRET
      8'h0c, 8'hd8: kind = 3'd2;                       // WARPSYNC, SYNC
      8'h0d: kind = 3'd3;                              // NANOSLEEP
      default: kind = 3'd0;
    endcase

  always_ff @(posedge clk) begin
    if (go)
      state_of[place] <= {trap_return_n, trap_index_n, in_trap_n, depth_n, lmt_n, valid_n, active_n, pc_n};
    if (tokens_we) begin
      kinds_of[place] <= kinds_n;
      masks_of[place] <= masks_n;
      pcs_of[place] <= pcs_n;
    end
    if (go) live[place] <= 1'b1;
    if (start != '0)
      for (int i = 0; i < N; i++)
        if (start[i*SUBS+SUB]) begin
          entry_of[i*64+:64] <= start_entry;
          bytes_of[i*64+:64] <= start_bytes;
          first_of[i*32+:32] <= start_valid[(i*SUBS+SUB)*32+:32];
          known[i] <= 1'b1;
          live[i] <= 1'b0;
        end
    if (rst) begin
      known <= '0;
      live <= '0;
    end
  end

  // ---- Debug port ----

  logic [IW-1:0] seen;
  logic [STATE-1:0] shown;
  logic [15:0] seen_depth;
  logic seen_mine;
  assign seen = place_of(dbg_warp);
  assign seen_mine = 32'(dbg_warp) < WARPS && 32'(dbg_warp) % SUBS == SUB;
  assign shown = seen_mine ? meaning(
      state_of[seen], live[seen], known[seen], entry_of[seen*64+:64], first_of[seen*32+:32]
  ) : '0;
  assign seen_depth = shown[144:129];
  wire unused_shown = &{1'b0, shown[STATE-1:145]};
  // Lowest field first: PC, ActiveMask, ValidMask, LMT, tokens.
  assign dbg_state = {16'd0, seen_depth, 31'd0, shown[128], shown[127:0]};
  // The same: kind, mask, pc.
  assign dbg_entry = dbg_index < seen_depth ? {
    32'd0, pcs_of[seen][dbg_index*32+:32], masks_of[seen][dbg_index*32+:32], 29'd0, kinds_of[seen][dbg_index*3+:3]
  } : '0;
endmodule
