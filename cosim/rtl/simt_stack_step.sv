// The effect of one instruction of the engine simt_stack on the state of one warp: combinational, no timing. Written
// from the rules of that engine and pins.md alone, so that a comparison in lockstep with the C++ model is meaningful.
// Nothing is computed while `go` is low.
//
// Where the rules leave a choice:
// - Exceptions of a branch, in order: IllegalTarget, BadReconvergence, StackOverflow; of a jump of
//   all DivergentTarget comes first.
// - The SETRPC that sets `rpc` reports whether it is a JOIN (`join`), since the unit sees no other instructions.
module simt_stack_step #(
    parameter int DEPTH = 64
) (
    input  logic          go,
    // Instruction and operands.
    input  logic [  63:0] pc,
    input  logic [ 127:0] insn,
    input  logic [  31:0] guard,
    input  logic [  31:0] guard_pp,
    input  logic [2047:0] lanes,
    input  logic [1023:0] lanes_b,
    input  logic [  63:0] scalar,
    input  logic          join_there,     // SETRPC: a JOIN is at its target
    input  logic [  63:0] program_bytes,
    input  logic [   1:0] cfg_order,
    input  logic [  15:0] cfg_depth,
    input  logic          cfg_trap_enable,
    input  logic [  63:0] cfg_trap_handler,
    // State of the warp.
    input  logic [  31:0] mask,
    input  logic [  63:0] rpc,
    input  logic          rpc_join,       // a JOIN is at rpc
    input  logic [  15:0] depth,
    input  logic [ 159:0] top,            // {rpc, pc, mask}
    input  logic          in_trap,
    input  logic [  31:0] trap_index,
    input  logic [  63:0] trap_return,
    // Next state.
    output logic [  63:0] pc_n,
    output logic [  31:0] mask_n,
    output logic [  63:0] rpc_n,
    output logic          rpc_join_n,
    output logic          pop,
    output logic          push,           // {rpc, rpc, mask} and above it {rpc, waits_pc, waits}
    output logic [  63:0] waits_pc,
    output logic [  31:0] waits,
    output logic          in_trap_n,
    output logic [  31:0] trap_index_n,
    output logic [  63:0] trap_return_n,
    // Response; next PC and next ActiveMask are pc_n and mask_n.
    output logic          asks,
    output logic [  31:0] ns,
    output logic [   1:0] outcome,
    output logic [  31:0] executed,
    output logic [  31:0] write_lanes,
    output logic [  63:0] value,
    output logic [   3:0] told,
    output logic [  31:0] jumped,
    output logic          split,
    output logic          passed,
    output logic [   4:0] fault,
    output logic [   4:0] fault_lane,
    output logic [  63:0] fault_value
);
  localparam logic [7:0] BRA = 8'h01, BRX = 8'h02, CALL = 8'h03, RET = 8'h04, WARPSYNC = 8'h0c, NANOSLEEP = 8'h0d;
  localparam logic [7:0] VBEQ = 8'hc0, VBNE = 8'hc1, VBLT = 8'hc2, VBGE = 8'hc3, VBLTU = 8'hc4, VBGEU = 8'hc5;
  localparam logic [7:0] SETRPC = 8'hc6, JOIN = 8'hc7, ENDPRG = 8'hc9;
  localparam logic [3:0] FORM_R = 4'd1, FORM_C = 4'd4;
  localparam logic [1:0] COND_U = 2'd1;
  localparam logic [1:0] FALLTHROUGH_FIRST = 2'd1, TAKEN_FIRST = 2'd2;

  // Codes of pins.md.
  localparam logic [4:0] ILLEGAL_TARGET = 5'd1, ILLEGAL_INSTRUCTION = 5'd2, BAD_RECONVERGENCE = 5'd12;
  localparam logic [4:0] STACK_OVERFLOW = 5'd13, STACK_LEAK = 5'd14, DIVERGENT_TARGET = 5'd15;
  localparam logic [1:0] SLEEPS = 2'd1, EXITED = 2'd2;
  localparam logic [3:0] EV_BRANCH = 4'd1, EV_SYNC = 4'd2, EV_EXIT = 4'd7;

  // Index of the lowest set bit; undefined for an empty mask.
  function automatic [4:0] ffs(input [31:0] m);
    ffs = 5'd0;
    for (int t = 31; t >= 0; t--) if (m[t]) ffs = t[4:0];
  endfunction

  function automatic [5:0] ones(input [31:0] m);
    ones = 6'd0;
    for (int t = 0; t < 32; t++) ones = ones + {5'd0, m[t]};
  endfunction

  // The register's contribution to the target of a thread: BRX a signed word, CALL and RET 64 bits.
  function automatic [63:0] addend(input brx, input [63:0] v);
    addend = brx ? {{32{v[31]}}, v[31:0]} : v;
  endfunction

  wire [7:0] op = insn[7:0];
  wire [3:0] form = insn[11:8];
  wire absolute = insn[82];
  wire [63:0] next = pc + 64'd16;
  wire is_branch = op == VBEQ || op == VBNE || op == VBLT || op == VBGE || op == VBLTU || op == VBGEU;
  wire is_brx = op == BRX;
  wire is_jump = op == BRA || is_brx || op == CALL || op == RET;
  wire own_targets = is_jump && op != BRA && form == FORM_R;
  wire has_pp = is_jump || op == WARPSYNC || op == NANOSLEEP;
  wire [31:0] pmask = mask & guard & (has_pp ? guard_pp : 32'hffffffff);
  wire unused = &{1'b0, insn[31:12], insn[127:98], insn[97:96]};

  logic [4:0] leader;
  assign leader = ffs(mask);

  // Targets: of SETRPC <32,32>, of VBEQ and similar <64,32>, of jumps <32,50>, in instructions from the next one; a
  // register or constant adds to the latter.
  logic [63:0] offset, target;
  logic [31:0] elsewhere;
  logic illegal;
  always_comb begin
    offset = {{10{insn[81]}}, insn[81:32], 4'd0};
    if (form == FORM_C) offset = 64'd0;
    if (op == SETRPC) offset = {{28{insn[63]}}, insn[63:32], 4'd0};
    if (is_branch) offset = {{28{insn[95]}}, insn[95:64], 4'd0};
    target = offset;
    if (op == BRA || is_brx || !is_jump || !absolute) target = target + next;
    elsewhere = 32'd0;
    if (go && own_targets) begin
      for (int t = 0; t < 32; t++)
        elsewhere[t] = mask[t] && addend(is_brx, lanes[t*64+:64]) != addend(is_brx, lanes[leader*64+:64]);
      target = target + addend(is_brx, lanes[leader*64+:64]);
    end else if (is_jump && op != BRA) begin
      target = target + addend(is_brx, scalar);
    end
    illegal = target[3:0] != 4'd0 || target >= program_bytes;
  end

  // Threads whose condition holds.
  logic [31:0] taken, fall, a, b;
  always_comb begin
    taken = 32'd0;
    a = 32'd0;
    b = 32'd0;
    if (go && is_branch)
      for (int t = 0; t < 32; t++) begin
        a = lanes[t*64+:32];
        b = lanes_b[t*32+:32];
        case (op)
          VBEQ: taken[t] = a == b;
          VBNE: taken[t] = a != b;
          VBLT: taken[t] = $signed(a) < $signed(b);
          VBGE: taken[t] = $signed(a) >= $signed(b);
          VBLTU: taken[t] = a < b;
          default: taken[t] = a >= b;
        endcase
      end
    taken = taken & mask;
    fall = mask & ~taken;
  end

  logic taken_first;
  always_comb
    case (cfg_order)
      FALLTHROUGH_FIRST: taken_first = 1'b0;
      TAKEN_FIRST: taken_first = 1'b1;
      default: taken_first = ones(taken) <= ones(fall);
    endcase

  wire [15:0] room = cfg_depth < 16'(DEPTH) ? cfg_depth : 16'(DEPTH);
  wire [63:0] top_rpc = top[159:96];
  wire [63:0] top_pc = top[95:32];
  wire [31:0] top_mask = top[31:0];

  logic c_mine, c_in_trap, c_asks;
  logic [63:0] c_pc, c_trap_return, c_value, c_fault_value;
  logic [31:0] c_trap_index, c_ns, c_write_lanes;
  logic [3:0] c_told;
  logic [4:0] c_fault, c_fault_lane;
  common_step shared (
      .go,
      .pc,
      .insn,
      .pmask,
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

  logic [31:0] jumping;  // BRX, CALL, RET: all or none
  assign jumping = op == BRA && insn[83:82] == COND_U && pmask != mask ? 32'd0 : pmask;

  always_comb begin
    pc_n = next;
    mask_n = mask;
    rpc_n = rpc;
    rpc_join_n = rpc_join;
    pop = 1'b0;
    push = 1'b0;
    waits_pc = next;
    waits = 32'd0;
    in_trap_n = in_trap;
    trap_index_n = trap_index;
    trap_return_n = trap_return;
    asks = 1'b0;
    ns = c_ns;
    outcome = 2'd0;
    executed = pmask;
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
    end else if (go && is_branch) begin
      told = EV_BRANCH;
      jumped = taken;
      if (taken != 32'd0 && illegal) begin
        fault = ILLEGAL_TARGET;
        fault_lane = ffs(taken);
        fault_value = target;
      end else if (fall == 32'd0) begin
        pc_n = target;
      end else if (taken != 32'd0) begin
        split = 1'b1;
        push = 1'b1;
        if (!rpc_join) fault = BAD_RECONVERGENCE;
        else if (depth + 16'd2 > room) fault = STACK_OVERFLOW;
        if (taken_first) begin
          pc_n = target;
          mask_n = taken;
          waits = fall;
        end else begin
          mask_n = fall;
          waits_pc = target;
          waits = taken;
        end
      end
    end else if (go && is_jump) begin
      told = EV_BRANCH;
      jumped = jumping;
      if (jumping != 32'd0) begin
        if (jumping != mask) begin
          fault = DIVERGENT_TARGET;
          fault_lane = ffs(jumping[leader] ? mask & ~jumping : jumping);
        end else if (elsewhere != 32'd0) begin
          fault = DIVERGENT_TARGET;
          fault_lane = ffs(elsewhere);
        end else if (illegal) begin
          fault = ILLEGAL_TARGET;
          fault_lane = leader;
          fault_value = target;
        end
        pc_n = target;
      end
    end else if (go) begin
      case (op)
        SETRPC: begin
          rpc_n = target;
          rpc_join_n = join_there;
        end
        JOIN: begin
          told = EV_SYNC;
          if (depth != 16'd0 && top_rpc == pc) begin
            pop = 1'b1;
            mask_n = top_mask;
            pc_n = top_pc;
          end else begin
            passed = 1'b1;
          end
        end
        ENDPRG: begin
          told = EV_EXIT;
          outcome = EXITED;
          mask_n = 32'd0;
          pc_n = pc;
          if (depth != 16'd0) fault = STACK_LEAK;
        end
        WARPSYNC: ;  // the present threads have met
        default: fault = ILLEGAL_INSTRUCTION;
      endcase
    end

    if (fault != 5'd0) begin
      // Precise: this instruction has no effect.
      pc_n = pc;
      mask_n = mask;
      rpc_n = rpc;
      rpc_join_n = rpc_join;
      push = 1'b0;
      in_trap_n = in_trap;
      trap_index_n = trap_index;
      trap_return_n = trap_return;
      outcome = 2'd0;
      told = 4'd0;
      jumped = 32'd0;
      split = 1'b0;
    end
  end
endmodule
