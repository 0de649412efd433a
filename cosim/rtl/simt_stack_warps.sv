// The warps of one sub-partition under the engine simt_stack: their state, and the effect of the starting instruction
// on it (simt_stack_step.sv). A warp's stack is a range of one memory; the unit counts the entries that wait with work
// to do, while which the warp may not arrive at a CTA barrier.
//
// The memory of states has one write per cycle. A start, which may concern many warps, only sets registers: `live` says that
// the memory holds a warp's state; before, it is that of its start.
module simt_stack_warps #(
    parameter int SUBS = 4,
    parameter int WARPS = 64,
    parameter int SUB = 0,
    parameter int DEPTH = 64,
    parameter int PAYLOAD = 371
) (
    input  logic                clk,
    input  logic                rst,
    input  logic [         1:0] cfg_order,
    input  logic [        15:0] cfg_depth,
    input  logic                cfg_barrier_check,
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
    input  logic [      1023:0] lanes_b,
    input  logic [        63:0] scalar,
    input  logic                join_there,
    output logic [         2:0] kind,          // its class
    output logic [ PAYLOAD-1:0] payload,
    output logic                asks,
    output logic [        31:0] ns,
    output logic                exits,
    // Life of warps, state: zeros for a warp that is not of this sub-partition.
    input  logic [   WARPS-1:0] start,
    input  logic [        63:0] start_entry,
    input  logic [        63:0] start_bytes,
    input  logic [WARPS*32-1:0] start_valid,
    input  logic                start_join,
    input  logic [         7:0] dbg_warp,
    input  logic [        15:0] dbg_index,
    output logic [       191:0] dbg_state,
    output logic [       159:0] dbg_entry
);
  localparam int N = WARPS / SUBS;
  localparam int IW = N > 1 ? $clog2(N) : 1;
  localparam int DW = DEPTH > 1 ? $clog2(DEPTH) : 1;
  localparam int STATE = 64 + 32 + 64 + 1 + 16 + 16 + 1 + 32 + 64;

  logic [STATE-1:0] state_of[1 << IW];
  logic [159:0] entries[1 << (IW + DW)];
  logic [N*64-1:0] entry_of, bytes_of;
  logic [N*32-1:0] first_of;
  logic [N-1:0] known, live, join_of;

  function automatic [IW-1:0] place_of(input [7:0] w);
    place_of = IW'(w / 8'(SUBS));
  endfunction

  // Lowest field first: PC, mask, rpc, whether it is a JOIN, entries, those that wait, trap.
  function automatic [STATE-1:0] meaning(input [STATE-1:0] row, input is_live, input is_known, input [63:0] entry,
                                         input [31:0] first, input join_at_0);
    if (is_live) meaning = row;
    else if (is_known) meaning = {{(STATE - 161) {1'b0}}, join_at_0, 64'd0, first, entry};
    else meaning = '0;
  endfunction

  // ---- The state of the warp ----

  logic [IW-1:0] place;
  logic [63:0] held_pc, rpc, trap_return;
  logic [31:0] mask, trap_index;
  logic [15:0] depth, parted;
  logic rpc_join, in_trap;
  logic [DW-1:0] above, upper;
  logic [159:0] top;
  wire unused = &{1'b0, held_pc, start, start_valid};  // of other sub-partitions

  assign place = place_of(warp);
  assign {trap_return, trap_index, in_trap, parted, depth, rpc_join, rpc, mask, held_pc} = go ? meaning(
      state_of[place], live[place], known[place], entry_of[place*64+:64], first_of[place*32+:32], join_of[place]
  ) : '0;
  assign above = depth[DW-1:0];
  assign upper = above - 1'b1;
  assign top = go ? entries[{place, upper}] : '0;

  logic [63:0] pc_n, rpc_n, trap_return_n, waits_pc, value, fault_value;
  logic [31:0] mask_n, waits, trap_index_n, executed, write_lanes, jumped;
  logic rpc_join_n, pop, push, in_trap_n, split, passed;
  logic [1:0] outcome;
  logic [3:0] told;
  logic [4:0] fault, fault_lane;

  simt_stack_step #(
      .DEPTH(DEPTH)
  ) step (
      .go,
      .pc,
      .insn,
      .guard,
      .guard_pp,
      .lanes,
      .lanes_b,
      .scalar,
      .join_there,
      .program_bytes(go ? bytes_of[place*64+:64] : 64'd0),
      .cfg_order,
      .cfg_depth,
      .cfg_trap_enable,
      .cfg_trap_handler,
      .mask,
      .rpc,
      .rpc_join,
      .depth,
      .top,
      .in_trap,
      .trap_index,
      .trap_return,
      .pc_n,
      .mask_n,
      .rpc_n,
      .rpc_join_n,
      .pop,
      .push,
      .waits_pc,
      .waits,
      .in_trap_n,
      .trap_index_n,
      .trap_return_n,
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

  logic [15:0] depth_n, parted_n;
  always_comb begin
    depth_n = depth;
    parted_n = parted;
    if (push) begin
      depth_n = depth + 16'd2;
      if (waits_pc != rpc) parted_n = parted + 16'd1;
    end
    if (pop) begin
      depth_n = depth - 16'd1;
      if (top[95:32] != top[159:96]) parted_n = parted - 16'd1;
    end
  end

  assign exits = outcome == 2'd2;
  // Taken apart in bru_time.sv in the same order.
  assign payload = {
    outcome, pc_n, mask_n, executed, write_lanes, value, mask, told, jumped, split, passed,
    cfg_barrier_check && parted_n != 16'd0, fault, fault_lane, fault_value
  };

  // Class of an operation, pins.md "Straps".
  always_comb
    case (insn[7:0])
      8'h05, 8'hc6: kind = 3'd1;  // LEPC, SETRPC
      8'h0c, 8'hc7: kind = 3'd2;  // WARPSYNC, JOIN
      8'h0d: kind = 3'd3;         // NANOSLEEP
      default: kind = 3'd0;
    endcase

  always_ff @(posedge clk) begin
    if (go)
      state_of[place] <= {
        trap_return_n, trap_index_n, in_trap_n, parted_n, depth_n, rpc_join_n, rpc_n, mask_n, pc_n
      };
    if (push) begin
      entries[{place, above}] <= {rpc, rpc, mask};
      entries[{place, above+1'b1}] <= {rpc, waits_pc, waits};
    end
    if (go) live[place] <= 1'b1;
    if (start != '0)
      for (int i = 0; i < N; i++)
        if (start[i*SUBS+SUB]) begin
          entry_of[i*64+:64] <= start_entry;
          bytes_of[i*64+:64] <= start_bytes;
          first_of[i*32+:32] <= start_valid[(i*SUBS+SUB)*32+:32];
          join_of[i] <= start_join;
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
      state_of[seen], live[seen], known[seen], entry_of[seen*64+:64], first_of[seen*32+:32], join_of[seen]
  ) : '0;
  // Lowest field first: PC, mask, rpc, entries.
  assign seen_depth = shown[176:161];
  assign dbg_state = {16'd0, seen_depth, shown[159:0]};
  wire unused_shown = &{1'b0, shown[STATE-1:177], shown[160]};
  // {rpc, pc, mask} with rpc lowest.
  wire [159:0] entry = entries[{seen, dbg_index[DW-1:0]}];
  assign dbg_entry = dbg_index < seen_depth ? {entry[31:0], entry[95:32], entry[159:96]} : '0;
endmodule
