// Instructions of the other engine that the stack engines share: LEPC, NANOSLEEP, RTT, TRAP and SYSCALL
// (docs/branch-unit.md). Combinational; nothing is computed while `go` is low. With an exception the caller keeps the
// state unchanged.
module common_step (
    input  logic          go,
    input  logic [  63:0] pc,
    input  logic [ 127:0] insn,
    input  logic [  31:0] pmask,
    input  logic [2047:0] lanes,
    input  logic [  63:0] scalar,
    input  logic          cfg_trap_enable,
    input  logic [  63:0] cfg_trap_handler,
    input  logic          in_trap,
    input  logic [  31:0] trap_index,
    input  logic [  63:0] trap_return,
    output logic          mine,            // the instruction is one of these
    output logic [  63:0] pc_n,
    output logic          in_trap_n,
    output logic [  31:0] trap_index_n,
    output logic [  63:0] trap_return_n,
    output logic          asks,            // the warp sleeps for ns nanoseconds, more than 0
    output logic [  31:0] ns,
    output logic [  31:0] write_lanes,
    output logic [  63:0] value,
    output logic [   3:0] told,
    output logic [   4:0] fault,
    output logic [   4:0] fault_lane,
    output logic [  63:0] fault_value
);
  localparam logic [7:0] LEPC = 8'h05, NANOSLEEP = 8'h0d, RTT = 8'h0e, TRAP = 8'h0f, SYSCALL = 8'h10;
  localparam logic [3:0] FORM_R = 4'd1, FORM_I = 4'd2, FORM_C = 4'd4;
  localparam logic [4:0] ILLEGAL_TRAP = 5'd5, TRAPPED = 5'd6;
  localparam logic [3:0] EV_NANOSLEEP = 4'd5, EV_SYSCALL = 4'd8;

  // Index of the lowest set bit; undefined for an empty mask.
  function automatic [4:0] first_of(input [31:0] m);
    first_of = 5'd0;
    for (int t = 31; t >= 0; t--) if (m[t]) first_of = t[4:0];
  endfunction

  wire [7:0] op = insn[7:0];
  wire [3:0] form = insn[11:8];
  wire [31:0] common = form == FORM_I ? insn[63:32] : scalar[31:0] ^ {32{insn[97]}};
  wire [63:0] offset = form == FORM_C ? 64'd0 : {{10{insn[81]}}, insn[81:32], 4'd0};
  wire unused = &{1'b0, insn[31:12], insn[96:82], insn[127:98], scalar[63:32]};

  logic [4:0] lowest;
  assign lowest = first_of(pmask);

  always_comb begin
    mine = 1'b0;
    pc_n = pc + 64'd16;
    in_trap_n = in_trap;
    trap_index_n = trap_index;
    trap_return_n = trap_return;
    asks = 1'b0;
    ns = 32'hffffffff;
    write_lanes = 32'd0;
    value = 64'd0;
    told = 4'd0;
    fault = 5'd0;
    fault_lane = 5'd0;
    fault_value = 64'd0;
    if (go)
      case (op)
        LEPC: begin
          mine = 1'b1;
          write_lanes = pmask;
          value = pc + offset;
        end
        NANOSLEEP: begin
          mine = 1'b1;
          if (form == FORM_R) begin
            for (int t = 0; t < 32; t++) if (pmask[t] && lanes[t*64+:32] < ns) ns = lanes[t*64+:32];
          end else begin
            ns = common;
          end
          asks = pmask != 32'd0 && ns != 32'd0;
          if (asks) told = EV_NANOSLEEP;
        end
        RTT: begin
          mine = 1'b1;
          if (pmask != 32'd0) begin
            if (!in_trap) begin
              fault = ILLEGAL_TRAP;
              fault_lane = lowest;
            end
            in_trap_n = 1'b0;
            pc_n = trap_return;
          end
        end
        TRAP: begin
          mine = 1'b1;
          if (pmask != 32'd0) begin
            trap_index_n = form == FORM_R ? lanes[lowest*64+:32] : common;
            if (!cfg_trap_enable) fault = TRAPPED;
            else if (in_trap) fault = ILLEGAL_TRAP;
            if (fault != 5'd0) begin
              fault_lane = lowest;
              fault_value = {32'd0, trap_index_n};
            end
            in_trap_n = 1'b1;
            trap_return_n = pc + 64'd16;
            pc_n = cfg_trap_handler;
          end
        end
        SYSCALL: begin
          mine = 1'b1;
          if (pmask != 32'd0) told = EV_SYSCALL;
        end
        default: ;
      endcase
  end
endmodule
