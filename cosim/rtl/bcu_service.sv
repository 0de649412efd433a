// One operation of the barrier unit on one barrier: from the barrier's word to its next word and the answer.
//
// Pure combinational logic. The word has the layout of bcu.md State [B-1], which is also how the unit stores it:
// arrived 0..6, expected 7..13, kind 14..15, redop 16..17, logical result 18, population count 19..31.
module bcu_service (
    input  logic        valid,      // an operation is served in this cycle; otherwise all outputs are 0
    input  logic [2:0]  action,
    input  logic        of_warp,
    input  logic        empty,
    input  logic [6:0]  expected,
    input  logic [1:0]  redop,
    input  logic [3:0]  early_fault,  // found with the operands
    input  logic        all_true,
    input  logic        any_true,
    input  logic [5:0]  number_true,
    input  logic [31:0] value,
    input  logic [31:0] word,       // of the barrier
    input  logic [31:0] warp_word,  // WarpBarState of the warp
    input  logic        occupied,   // warps are blocked at the barrier
    input  logic [7:0]  warps,      // of the CTA
    input  logic [7:0]  exited,
    output logic        write,      // the barrier becomes next_word
    output logic [31:0] next_word,
    output logic        warp_write,  // R2B.WARP: the warp's copy becomes value
    output logic        block,      // the warp is blocked at the barrier
    output logic        complete,   // the barrier completes: its blocked warps go ...
    output logic        complete_self,  // ... and so does this one
    output logic [31:0] done_word,  // the word at completion
    output logic        ack,
    output logic [3:0]  fault,
    output logic        move,
    output logic [31:0] move_value,
    output logic        move_predicate,
    output logic        move_writes,
    output logic        move_undefined
);
  localparam logic [2:0] NOTHING = 3'd0, ARV = 3'd1, SYNC = 3'd2, RED = 3'd3, B2R = 3'd4, RESULT = 3'd5, R2B = 3'd6;
  localparam logic [1:0] IDLE = 2'd0, KIND_SYNC = 2'd1, KIND_RED = 2'd2;
  localparam logic [1:0] OP_AND = 2'd0, OP_OR = 2'd1, OP_POPC = 2'd2;
  localparam logic [3:0] BARRIER_MISMATCH = 4'd9, BARRIER_OVERFLOW = 4'd10, BARRIER_BUSY = 4'd11;

  logic [1:0]  kind;
  logic        idle;
  logic [7:0]  arrived;
  logic [31:0] arrival_word;
  logic [13:0] population;
  logic        too_many;  // for the fields of the word; only after an R2B.BAR
  logic        is_result;

  always_comb begin
    write          = 1'b0;
    next_word      = '0;
    warp_write     = 1'b0;
    block          = 1'b0;
    complete       = 1'b0;
    complete_self  = 1'b0;
    ack            = 1'b0;
    fault          = '0;
    move           = 1'b0;
    move_value     = '0;
    move_predicate = 1'b0;
    move_writes    = 1'b0;
    move_undefined = 1'b0;
    kind           = action == RED ? KIND_RED : KIND_SYNC;
    idle           = word[15:14] == IDLE;
    arrived        = idle ? 8'd1 : {1'b0, word[6:0]} + 8'd1;
    arrival_word   = {16'd0, kind, expected, arrived[6:0]};
    population     = '0;
    too_many       = arrived[7];
    is_result      = warp_word[15:14] == KIND_RED && warp_word[17:16] <= OP_POPC;
    if (valid) begin
      if (action == RED) begin
        arrival_word[31:16] = idle ? {13'd0, redop == OP_AND, redop} : word[31:16];
        if (redop == OP_AND) arrival_word[18] = arrival_word[18] & all_true;
        if (redop == OP_OR) arrival_word[18] = arrival_word[18] | any_true;
        if (redop == OP_POPC) begin
          population          = {1'b0, arrival_word[31:19]} + {8'd0, number_true};
          arrival_word[31:19] = population[12:0];
          too_many            = too_many || population[13];
        end
      end
      case (action)
        ARV, SYNC, RED: begin
          if (early_fault != 0) fault = early_fault;
          else if (!idle && (word[15:14] != kind || word[13:7] != expected ||
                             (action == RED && word[17:16] != redop)))
            fault = BARRIER_MISMATCH;
          else if (too_many || (expected != 0 && arrived > {1'b0, expected})) fault = BARRIER_OVERFLOW;
          else begin
            // [B-6]: arrivals and exits count whole warps.
            complete      = expected == 0 ? {1'b0, arrived} + {1'b0, exited} == {1'b0, warps}
                                          : arrived == {1'b0, expected};
            complete_self = complete && action != ARV;
            block         = !complete && action != ARV;
            write         = 1'b1;
            next_word     = complete ? '0 : arrival_word;
          end
          ack = !complete_self;
        end
        B2R: begin
          move        = 1'b1;
          move_writes = !empty;
          if (!empty) move_value = of_warp ? warp_word : word;
        end
        RESULT: begin
          // Kind and reduction of the copy show whether a BAR.RED left it.
          move        = 1'b1;
          move_writes = !empty;
          if (!empty && is_result) begin
            if (warp_word[17:16] == OP_POPC) move_value = {19'd0, warp_word[31:19]};
            else move_predicate = warp_word[18];
          end
          move_undefined = !empty && !is_result;
        end
        R2B: begin
          if (!empty && !of_warp && (early_fault != 0 || occupied)) begin
            fault = early_fault != 0 ? early_fault : BARRIER_BUSY;
            ack   = 1'b1;
          end else begin
            move       = 1'b1;
            warp_write = !empty && of_warp;
            write      = !empty && !of_warp;
            // barrier-unit.md: fields unused by the kind and the reduction are dropped.
            if (value[15:14] == IDLE) next_word = '0;
            else if (value[15:14] == KIND_SYNC) next_word = {16'd0, value[15:0]};
            else if (value[17:16] == OP_POPC) next_word = {value[31:19], 1'b0, value[17:0]};
            else next_word = {13'd0, value[18:0]};
          end
        end
        default: ack = 1'b1;  // NOTHING: an arrival with an empty pmask
      endcase
    end
    done_word = arrival_word;
  end

  wire unused = &{1'b0, NOTHING};
endmodule
