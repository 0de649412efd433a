// Operands of one request to the barrier unit: what the instruction requests.
//
// All of this is a function of the request alone, so it is done where the request is accepted, and the queue holds 64
// bits instead of the registers of 32 lanes. The exceptions BarrierOperand and BarrierCount are found here; those that
// depend on the barrier are found at service.
//
// Order of the two (bcu.md Operands is silent): an operand is read before its value is checked, so BarrierOperand of
// either register precedes BarrierCount.
// R2B: its value is read from the lowest thread of pmask and may differ between threads (bcu.md B2R, R2B); [B-2] is
// taken to apply to barrier ids and counts only. R2B.BAR of a word that is no state of a barrier, kind 3 or reduction 3,
// is BarrierOperand (barrier-unit.md).
module bcu_operands (
    input  logic          valid,     // otherwise the outputs have no meaning
    input  logic [127:0]  insn,
    input  logic [31:0]   pmask,
    input  logic [31:0]   pp,
    input  logic [1023:0] vector_a,
    input  logic [1023:0] vector_b,
    output logic [2:0]    action,    // see below
    output logic          of_warp,   // B2R.WARP, R2B.WARP: the warp's copy, not a barrier
    output logic          empty,     // pmask is empty
    output logic [3:0]    id,
    output logic [6:0]    expected,  // count / 32
    output logic [1:0]    redop,     // 0 AND, 1 OR, 2 POPC
    output logic [3:0]    fault,     // 7 BarrierCount, 8 BarrierOperand
    output logic          all_true,  // AND of the contributions
    output logic          any_true,  // OR
    output logic [5:0]    number_true,
    output logic [31:0]   value      // R2B
);
  // Values of action, the same in bcu_service.
  localparam logic [2:0] NOTHING = 3'd0, ARV = 3'd1, SYNC = 3'd2, RED = 3'd3, B2R = 3'd4, RESULT = 3'd5, R2B = 3'd6;
  localparam logic [7:0] OP_BAR = 8'h20, OP_BAR_RED = 8'h21, OP_B2R = 8'h22, OP_RESULT = 8'h23, OP_R2B = 8'h24;
  localparam logic [3:0] FORM_R = 4'd1, FORM_RRI = 4'd6, FORM_RIR = 4'd7;
  localparam logic [3:0] BARRIER_COUNT = 4'd7, BARRIER_OPERAND = 4'd8;

  logic [15:0] used_a;  // the bits of the registers that the form uses
  logic [11:0] used_b;
  logic [31:0] lowest_a;
  logic [11:0] lowest_b;
  logic        differ;
  logic [11:0] count;
  logic        bar, red;

  // Guard, destination, control fields: not handled by this unit.
  wire unused = &{1'b0, insn, vector_b};

  always_comb begin
    bar         = insn[7:0] == OP_BAR;
    red         = insn[7:0] == OP_BAR_RED;
    action      = NOTHING;
    of_warp     = !insn[80];
    empty       = pmask == 0;
    id          = insn[43:40];
    count       = insn[55:44];
    redop       = insn[81:80];
    fault       = '0;
    all_true    = (pp | ~pmask) == 32'hffffffff;
    any_true    = (pp & pmask) != 0;
    number_true = '0;
    value       = '0;
    used_a      = '0;
    used_b      = '0;
    lowest_a    = '0;
    lowest_b    = '0;
    differ      = 1'b0;
    if (valid && !empty) begin
      for (int l = 31; l >= 0; l--) begin
        if (pmask[l]) begin
          lowest_a = vector_a[l*32 +: 32];
          lowest_b = vector_b[l*32 +: 12];
        end
        number_true = number_true + 6'(pp[l] && pmask[l]);
      end
      value = lowest_a;

      if (insn[7:0] == OP_R2B && !of_warp && (value[15:14] == 2'd3 || value[17:14] == {2'd3, 2'd2}))
        fault = BARRIER_OPERAND;

      // bcu.md Operands, [B-3] (one register: count 0), [B-4] (BAR.RED R: one register for both).
      if (bar || red) begin
        case (insn[11:8])
          FORM_R: begin
            id     = lowest_a[3:0];
            count  = red ? lowest_a[15:4] : lowest_b;
            used_a = red ? 16'hffff : 16'h000f;
            used_b = red ? 12'h000 : 12'hfff;
          end
          FORM_RRI: begin
            id     = lowest_a[3:0];
            used_a = 16'h000f;
          end
          FORM_RIR: begin
            count  = lowest_a[11:0];
            used_a = 16'h0fff;
          end
          default: ;
        endcase
        for (int l = 0; l < 32; l++) begin
          if (pmask[l] && (((vector_a[l*32 +: 16] ^ lowest_a[15:0]) & used_a) != 0 ||
                           ((vector_b[l*32 +: 12] ^ lowest_b) & used_b) != 0))
            differ = 1'b1;
        end
        if (differ) fault = BARRIER_OPERAND;
        else if (count[4:0] != 0 || (bar && insn[80] && count == 0)) fault = BARRIER_COUNT;
      end
    end

    // An arrival with an empty pmask has no effect; a move with an empty one is still answered as a move.
    if (bar && !empty) action = insn[80] ? ARV : SYNC;
    if (red && !empty) action = RED;
    if (insn[7:0] == OP_B2R) action = B2R;
    if (insn[7:0] == OP_RESULT) action = RESULT;
    if (insn[7:0] == OP_R2B) action = R2B;
    expected = count[11:5];
  end
endmodule
