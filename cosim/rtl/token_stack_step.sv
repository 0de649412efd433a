// The effect of one instruction of the engine token_stack on the state of one warp: combinational, no timing. Written
// from the rules of that engine and pins.md alone, so that a comparison in lockstep with the C++ model is meaningful.
// Nothing is computed while `go` is low.
//
// A token is in three vectors, indexed from the oldest on: kind (0 SYNC, 1 DIV, 2 RET, 3 BRK, 4 CONT), mask, pc.
// Legal targets are below 4 GiB, so 32 bits of a pc are stored.
//
// Where the rules leave a choice:
// - An illegal target takes precedence over a full stack.
// - WarpSyncDiverged reports the lowest thread whose mask names others.
module token_stack_step #(
    parameter int DEPTH = 64
) (
    input  logic                go,
    // Instruction and operands.
    input  logic [        63:0] pc,
    input  logic [       127:0] insn,
    input  logic [        31:0] guard,
    input  logic [        31:0] guard_pp,
    input  logic [      2047:0] lanes,
    input  logic [        63:0] scalar,
    input  logic [        63:0] program_bytes,
    input  logic                cfg_order,
    input  logic [        15:0] cfg_depth,
    input  logic                cfg_spill,
    input  logic [        15:0] cfg_spill_cycles,
    input  logic [        31:0] cfg_call_limit,
    input  logic                cfg_trap_enable,
    input  logic [        63:0] cfg_trap_handler,
    // State of the warp.
    input  logic [        31:0] active,
    input  logic [        31:0] valid,
    input  logic                lmt,
    input  logic [        15:0] depth,
    input  logic [ DEPTH*3-1:0] kinds,
    input  logic [DEPTH*32-1:0] masks,
    input  logic [DEPTH*32-1:0] pcs,
    input  logic                in_trap,
    input  logic [        31:0] trap_index,
    input  logic [        63:0] trap_return,
    // Next state.
    output logic [        63:0] pc_n,
    output logic [        31:0] active_n,
    output logic [        31:0] valid_n,
    output logic                lmt_n,
    output logic [        15:0] depth_n,
    output logic                tokens_we,
    output logic [ DEPTH*3-1:0] kinds_n,
    output logic [DEPTH*32-1:0] masks_n,
    output logic [DEPTH*32-1:0] pcs_n,
    output logic                in_trap_n,
    output logic [        31:0] trap_index_n,
    output logic [        63:0] trap_return_n,
    // Response; next PC and next ActiveMask are pc_n and active_n.
    output logic [        63:0] extra,         // cycles for tokens moved to memory or back
    output logic                asks,
    output logic [        31:0] ns,
    output logic [         1:0] outcome,
    output logic [        31:0] executed,
    output logic [        31:0] write_lanes,
    output logic [        63:0] value,
    output logic [         3:0] told,
    output logic [        31:0] jumped,
    output logic                split,
    output logic                passed,
    output logic [         4:0] fault,
    output logic [         4:0] fault_lane,
    output logic [        63:0] fault_value
);
  localparam logic [7:0] EXIT = 8'h06, WARPSYNC = 8'h0c, NANOSLEEP = 8'h0d;
  localparam logic [7:0] BRA = 8'hd0, BRX = 8'hd1, JMP = 8'hd2, JMX = 8'hd3, SSY = 8'hd4, PBK = 8'hd5, PCNT = 8'hd6;
  localparam logic [7:0] PRET = 8'hd7, SYNC = 8'hd8, BRK = 8'hd9, CONT = 8'hda, RET = 8'hdb, CAL = 8'hdc;
  localparam logic [3:0] FORM_R = 4'd1, FORM_I = 4'd2, FORM_C = 4'd4;
  localparam logic [2:0] KIND_SYNC = 3'd0, KIND_DIV = 3'd1, KIND_RET = 3'd2, KIND_BRK = 3'd3, KIND_CONT = 3'd4;

  // Codes of pins.md.
  localparam logic [4:0] ILLEGAL_TARGET = 5'd1, ILLEGAL_INSTRUCTION = 5'd2, WARPSYNC_MEMBERSHIP = 5'd3;
  localparam logic [4:0] STACK_OVERFLOW = 5'd13, STACK_UNDERFLOW = 5'd16, TOKEN_MISMATCH = 5'd17;
  localparam logic [4:0] WARPSYNC_DIVERGED = 5'd18;
  localparam logic [1:0] SLEEPS = 2'd1, EXITED = 2'd2;
  localparam logic [3:0] EV_BRANCH = 4'd1, EV_SYNC = 4'd2, EV_EXIT = 4'd7;

  // Index of the lowest set bit; undefined for an empty mask.
  function automatic [4:0] ffs(input [31:0] m);
    ffs = 5'd0;
    for (int t = 31; t >= 0; t--) if (m[t]) ffs = t[4:0];
  endfunction

  wire [7:0] op = insn[7:0];
  wire [3:0] form = insn[11:8];
  wire [63:0] next = pc + 64'd16;
  wire is_branch = op == BRA || op == BRX || op == JMP || op == JMX;
  wire is_push = op == SSY || op == PBK || op == PCNT || op == PRET;
  wire is_call = op == CAL;
  wire leaves = op == SYNC || op == BRK || op == CONT || op == RET || op == EXIT;
  wire own_targets = op == BRX || op == JMX || (is_call && form == FORM_R);
  wire has_pp = is_branch || op == EXIT || op == WARPSYNC || op == NANOSLEEP;
  wire [31:0] p = active & (is_push ? 32'hffffffff : guard) & (has_pp ? guard_pp : 32'hffffffff);
  wire unused = &{1'b0, insn[31:12], insn[79:64], insn[96:82], insn[127:98], scalar[63:32]};

  // ---- Targets ----

  // The register's contribution, and its base: BRX a signed word, relative to the next instruction; JMX, CAL an address.
  logic [63:0] imm24, base, target;
  always_comb begin
    imm24 = {{40{insn[55]}}, insn[55:32]};
    case (op)
      JMP: base = form == FORM_C ? {32'd0, scalar[31:0]} : {32'd0, insn[63:32]};
      JMX: base = {{32{insn[63]}}, insn[63:32]};
      default: base = next + (form == FORM_C ? {{32{scalar[31]}}, scalar[31:0]} : imm24);
    endcase
    if (is_call && form == FORM_R) base = 64'd0;
    target = base;
  end

  function automatic [63:0] addend(input signed_word, input [31:0] v);
    addend = {{32{v[31] && signed_word}}, v};
  endfunction

  // The threads that jump.
  logic [31:0] j;
  always_comb begin
    j = p;
    if (is_branch && insn[81] && lmt) j = 32'd0;
    if ((op == BRA || op == JMP) && insn[80] && p != active) j = 32'd0;
  end

  // Groups: threads that jump form one for each target, identified by its lowest thread (`leaders`); threads that fall
  // through or jump to the next instruction are in `falls`. `group_of`: the threads with the target of each thread.
  function automatic [31:0] like_of(input [2047:0] targets, input [63:0] one);
    for (int t = 0; t < 32; t++) like_of[t] = targets[t*64+:64] == one;
  endfunction

  logic [31:0] illegal, falls, rest, leaders;
  logic [1023:0] group_of;
  logic [2047:0] target_of;
  always_comb begin
    illegal = 32'd0;
    falls = is_call ? 32'd0 : active & ~j;
    leaders = 32'd0;
    group_of = '0;
    target_of = '0;
    rest = 32'd0;
    if (go && (is_branch || is_call) && j != 32'd0) begin
      for (int t = 0; t < 32; t++) begin
        target_of[t*64+:64] = own_targets ? base + addend(op == BRX, lanes[t*64+:32]) : base;
        illegal[t] = j[t] && (target_of[t*64+:4] != 4'd0 || target_of[t*64+:64] >= program_bytes);
      end
      if (is_branch) falls = falls | (j & like_of(target_of, next));
      rest = j & ~falls;
      for (int t = 0; t < 32; t++) begin
        group_of[t*32+:32] = rest & (own_targets ? like_of(target_of, target_of[t*64+:64]) : 32'hffffffff);
        leaders[t] = rest[t] && (group_of[t*32+:32] & ((32'd1 << t) - 32'd1)) == 32'd0;
      end
    end
  end

  // ---- What is pushed: `pushes` tokens {kind, mask, pc}, the uppermost lowest in `pushed` ----

  localparam int TOKEN = 3 + 32 + 32;
  logic [5:0] pushes;
  logic [33*TOKEN-1:0] pushed;
  logic [31:0] first;      // the group that runs next
  logic [63:0] first_pc;
  logic falls_first, at_limit, waits;
  logic [4:0] leader;
  logic [15:0] calls;
  always_comb begin
    calls = 16'd0;
    if (go && (is_call || op == PRET) && cfg_call_limit != 32'd0)
      for (int i = 0; i < DEPTH; i++)
        calls = calls + {15'd0, 16'(i) < depth && kinds[i*3+:3] == KIND_RET};
    at_limit = cfg_call_limit != 32'd0 && {16'd0, calls} == cfg_call_limit;

    pushes = 6'd0;
    pushed = '0;
    waits = 1'b0;
    leader = ffs(leaders);
    falls_first = falls != 32'd0 && (!cfg_order || leaders == 32'd0);
    first = falls_first ? falls : group_of[leader*32+:32];
    first_pc = falls_first ? next : target_of[leader*64+:64];
    if (go && is_push) begin
      pushes = op == PRET && at_limit ? 6'd0 : 6'd1;
      pushed[TOKEN-1:0] = {
        op == SSY ? KIND_SYNC : op == PBK ? KIND_BRK : op == PCNT ? KIND_CONT : KIND_RET, active, target[31:0]
      };
    end else if (go && (is_branch || is_call) && j != 32'd0 && !(is_call && at_limit)) begin
      if (is_call) begin
        pushes = 6'd1;
        pushed[TOKEN-1:0] = {KIND_RET, active, next[31:0]};
      end
      // The group that runs last is the lowest on the stack.
      if (falls != 32'd0 && !falls_first) begin
        pushes = pushes + 6'd1;
        pushed = {pushed[32*TOKEN-1:0], KIND_DIV, falls, next[31:0]};
      end
      for (int t = 31; t >= 0; t--) begin
        waits = leaders[t] && (falls_first || t[4:0] != leader);
        pushes = pushes + {5'd0, waits};
        if (waits) pushed = {pushed[32*TOKEN-1:0], KIND_DIV, group_of[t*32+:32], target_of[t*64+:32]};
      end
    end
  end

  // ---- Leaving: the token that threads leave for, what remains of those above it, and what runs next ----

  logic [2:0] wanted;
  logic found, ret_above, any_left, other_popped, held, hit;
  logic [31:0] goal_mask, left_valid, resumed;
  logic [63:0] resumed_pc;
  logic [15:0] goal, landing;
  logic [DEPTH*32-1:0] left_masks;
  always_comb begin
    case (op)
      BRK: wanted = KIND_BRK;
      CONT: wanted = KIND_CONT;
      RET: wanted = KIND_RET;
      default: wanted = KIND_SYNC;
    endcase
    found = 1'b0;
    goal = 16'd0;
    goal_mask = 32'd0;
    ret_above = 1'b0;
    left_masks = masks;
    left_valid = op == EXIT ? valid & ~p : valid;
    any_left = 1'b0;
    other_popped = 1'b0;
    landing = 16'd0;
    resumed = 32'd0;
    resumed_pc = 64'd0;
    held = 1'b0;
    hit = 1'b0;
    if (go && leaves && p != 32'd0) begin
      for (int i = DEPTH - 1; i >= 0; i--) begin
        held = 16'(i) < depth && !found;
        hit = held && op != EXIT && (op == SYNC ? kinds[i*3+:3] != KIND_DIV : kinds[i*3+:3] == wanted);
        goal = hit ? 16'(i) : goal;
        goal_mask = goal_mask | (hit ? masks[i*32+:32] : 32'd0);
        ret_above = ret_above || (held && !hit && kinds[i*3+:3] == KIND_RET);
        // Threads that leave a loop or a function leave the tokens above its own; threads that exit leave all.
        left_masks[i*32+:32] = masks[i*32+:32] & ~(held && !hit && op != SYNC ? p : 32'd0);
        found = found || hit;
      end
      for (int i = DEPTH - 1; i >= 0; i--) begin
        held = 16'(i) < depth && !any_left;
        hit = held && left_masks[i*32+:32] != 32'd0;
        other_popped = other_popped || (hit && kinds[i*3+:3] != KIND_DIV);  // empty ones are ignored
        landing = hit ? 16'(i) : landing;
        resumed = resumed | (hit ? left_masks[i*32+:32] : 32'd0);
        resumed_pc = resumed_pc | (hit ? {32'd0, pcs[i*32+:32]} : 64'd0);
        any_left = any_left || hit;
      end
    end
  end

  // ---- WARPSYNC ----

  logic [31:0] stranger, diverged, named;
  always_comb begin
    stranger = 32'd0;
    diverged = 32'd0;
    named = 32'd0;
    if (go && op == WARPSYNC)
      for (int t = 0; t < 32; t++)
        if (p[t]) begin
          named = form == FORM_I ? insn[63:32]
              : (form == FORM_R ? lanes[t*64+:32] : scalar[31:0]) ^ {32{insn[97]}};
          stranger[t] = !named[t];
          diverged[t] = (named & valid & ~p) != 32'd0;
        end
  end

  logic c_mine, c_in_trap, c_asks;
  logic [63:0] c_pc, c_trap_return, c_value, c_fault_value;
  logic [31:0] c_trap_index, c_ns, c_write_lanes;
  logic [3:0] c_told;
  logic [4:0] c_fault, c_fault_lane;
  common_step shared (
      .go,
      .pc,
      .insn,
      .pmask(p),
      .lanes,
      .scalar,
      .cfg_trap_enable,
      .cfg_trap_handler,
      .in_trap,
      .trap_index,
      .trap_return,
      .mine(c_mine),
      .pc_n(c_pc),
      .in_trap_n(c_in_trap),
      .trap_index_n(c_trap_index),
      .trap_return_n(c_trap_return),
      .asks(c_asks),
      .ns(c_ns),
      .write_lanes(c_write_lanes),
      .value(c_value),
      .told(c_told),
      .fault(c_fault),
      .fault_lane(c_fault_lane),
      .fault_value(c_fault_value)
  );

  // ---- The instruction ----

  // Without spilling at most cfg_depth tokens, with it as many as there are places.
  wire [15:0] room = !cfg_spill && cfg_depth < 16'(DEPTH) ? cfg_depth : 16'(DEPTH);

  always_comb begin
    pc_n = next;
    active_n = active;
    valid_n = valid;
    lmt_n = lmt;
    depth_n = depth;
    in_trap_n = in_trap;
    trap_index_n = trap_index;
    trap_return_n = trap_return;
    asks = 1'b0;
    ns = c_ns;
    outcome = 2'd0;
    executed = p;
    write_lanes = 32'd0;
    value = 64'd0;
    told = 4'd0;
    jumped = 32'd0;
    split = 1'b0;
    passed = 1'b0;
    fault = 5'd0;
    fault_lane = 5'd0;
    fault_value = 64'd0;

    if (go && c_mine) begin
      pc_n = c_pc;
      in_trap_n = c_in_trap;
      trap_index_n = c_trap_index;
      trap_return_n = c_trap_return;
      asks = c_asks;
      if (c_asks) outcome = SLEEPS;
      write_lanes = c_write_lanes;
      value = c_value;
      told = c_told;
      fault = c_fault;
      fault_lane = c_fault_lane;
      fault_value = c_fault_value;
    end else if (go && is_push) begin
      if (pushes != 6'd0 && (target[3:0] != 4'd0 || target >= program_bytes)) begin
        fault = ILLEGAL_TARGET;
        fault_lane = ffs(active);
        fault_value = target;
      end
      if (op == PRET) lmt_n = at_limit;
    end else if (go && (is_branch || is_call)) begin
      told = EV_BRANCH;
      if (j != 32'd0 && !(is_call && at_limit)) begin
        jumped = j;
        if (illegal != 32'd0) begin
          fault = ILLEGAL_TARGET;
          fault_lane = ffs(illegal);
          fault_value = target_of[ffs(illegal)*64+:64];
        end
        pc_n = first_pc;
        active_n = first;
        split = first != active;
      end
    end else if (go && leaves) begin
      if (op == EXIT) told = EV_EXIT;
      else if (p != 32'd0) told = EV_SYNC;
      if (p != 32'd0) begin
        valid_n = left_valid;
        if (op != EXIT && !found) fault = op == SYNC && depth != 16'd0 ? TOKEN_MISMATCH : STACK_UNDERFLOW;
        else if (op == SYNC && kinds_at(goal) != KIND_SYNC) fault = TOKEN_MISMATCH;
        else if ((op == BRK || op == CONT) && ret_above) fault = TOKEN_MISMATCH;
        else if (op != EXIT && (p & ~goal_mask) != 32'd0) fault = TOKEN_MISMATCH;
        else if (active != p) begin
          active_n = active & ~p;
        end else if (any_left) begin
          active_n = resumed;
          pc_n = resumed_pc;
          depth_n = landing;
          passed = op != EXIT && other_popped;
        end else if (left_valid == 32'd0) begin
          outcome = EXITED;
          active_n = 32'd0;
          pc_n = pc;
          depth_n = 16'd0;
        end else begin
          fault = STACK_UNDERFLOW;
        end
      end
    end else if (go && op == WARPSYNC) begin
      if (p != 32'd0) begin
        told = EV_SYNC;
        passed = 1'b1;
      end
      if (stranger != 32'd0) begin
        fault = WARPSYNC_MEMBERSHIP;
        fault_lane = ffs(stranger);
      end else if (diverged != 32'd0) begin
        fault = WARPSYNC_DIVERGED;
        fault_lane = ffs(diverged);
      end
    end else if (go) begin
      fault = ILLEGAL_INSTRUCTION;
    end

    if (pushes != 6'd0) begin
      depth_n = depth + {10'd0, pushes};
      if (fault == 5'd0 && depth_n > room) fault = STACK_OVERFLOW;
    end

    if (fault != 5'd0) begin
      // Precise: this instruction has no effect.
      pc_n = pc;
      active_n = active;
      valid_n = valid;
      lmt_n = lmt;
      depth_n = depth;
      in_trap_n = in_trap;
      trap_index_n = trap_index;
      trap_return_n = trap_return;
      outcome = 2'd0;
      told = 4'd0;
      jumped = 32'd0;
      split = 1'b0;
      passed = 1'b0;
    end
  end

  function automatic [2:0] kinds_at(input [15:0] i);
    kinds_at = kinds[i*3+:3];
  endfunction

  // ---- Tokens ----

  logic [TOKEN-1:0] new_token;
  logic [5:0] from_top;
  always_comb begin
    tokens_we = go && fault == 5'd0 && (pushes != 6'd0 || (leaves && p != 32'd0));
    kinds_n = kinds;
    masks_n = leaves ? left_masks : masks;
    pcs_n = pcs;
    new_token = '0;
    from_top = 6'd0;
    if (tokens_we && pushes != 6'd0)
      for (int i = 0; i < DEPTH; i++) begin
        from_top = 6'(depth_n - 16'd1 - 16'(i));
        new_token = pushed[from_top*TOKEN+:TOKEN];
        kinds_n[i*3+:3] = 16'(i) >= depth && 16'(i) < depth_n ? new_token[66:64] : kinds[i*3+:3];
        masks_n[i*32+:32] = 16'(i) >= depth && 16'(i) < depth_n ? new_token[63:32] : masks[i*32+:32];
        pcs_n[i*32+:32] = 16'(i) >= depth && 16'(i) < depth_n ? new_token[31:0] : pcs[i*32+:32];
      end
  end

  // Tokens beyond cfg_depth are in memory: tokens move there or back as their number changes.
  function automatic [15:0] in_memory(input [15:0] tokens, input [15:0] places);
    in_memory = tokens > places ? tokens - places : 16'd0;
  endfunction
  logic [15:0] outside, outside_n, moved;
  always_comb begin
    outside = in_memory(depth, cfg_depth);
    outside_n = in_memory(depth_n, cfg_depth);
    moved = outside_n > outside ? outside_n - outside : outside - outside_n;
    extra = go && cfg_spill ? {48'd0, moved} * {48'd0, cfg_spill_cycles} : 64'd0;
  end
endmodule
