// The operation of one atomic: computes the new value from the old value and the operands (pins.md, Shared memory).
//
// 32-bit values are in bits 0..31. Integers wrap. INC and DEC are unsigned, MIN and MAX follow the type. F32 and
// F64 support ADD and EXCH. Any other pair of operation and type leaves the old value; pins.md does not name one.
module atomic_unit (
    input  logic        enable,   // otherwise the new value is 0
    input  logic [3:0]  op,       // 0 ADD, 1 MIN, 2 MAX, 3 INC, 4 DEC, 5 AND, 6 OR, 7 XOR, 8 EXCH, 9 CAS
    input  logic [2:0]  kind,     // 0 U32, 1 S32, 2 U64, 3 S64, 4 F32, 5 F64
    input  logic [63:0] old,
    input  logic [63:0] operand,
    input  logic [63:0] compare,
    output logic [63:0] value
);
  localparam logic [3:0] ADD = 4'd0, MIN = 4'd1, MAX = 4'd2, INC = 4'd3, DEC = 4'd4, AND = 4'd5, OR = 4'd6, XOR = 4'd7,
                         EXCH = 4'd8, CAS = 4'd9;
  localparam logic [2:0] S32 = 3'd1, U64 = 3'd2, S64 = 3'd3, F32 = 3'd4, F64 = 3'd5;

  logic        wide, less, float;
  logic [63:0] x, y, z;   // old, operand, compare, cut to the width
  logic [31:0] sum32;
  logic [63:0] sum64;

  float_adder #(.EXPONENT(8), .MANTISSA(23)) add_f32 (
      .enable(enable && kind == F32 && op == ADD), .a(old[31:0]), .b(operand[31:0]), .sum(sum32));
  float_adder #(.EXPONENT(11), .MANTISSA(52)) add_f64 (
      .enable(enable && kind == F64 && op == ADD), .a(old), .b(operand), .sum(sum64));

  always_comb begin
    wide  = kind == U64 || kind == S64 || kind == F64;
    float = kind == F32 || kind == F64;
    value = '0;
    x     = '0;
    y     = '0;
    z     = '0;
    less  = 1'b0;
    if (enable) begin
      x = wide ? old : {32'd0, old[31:0]};
      y = wide ? operand : {32'd0, operand[31:0]};
      z = wide ? compare : {32'd0, compare[31:0]};
      case (kind)
        S32:     less = $signed(x[31:0]) < $signed(y[31:0]);
        S64:     less = $signed(x) < $signed(y);
        default: less = x < y;
      endcase
      value = x;
      if (float) begin
        if (op == ADD) value = wide ? sum64 : {32'd0, sum32};
        else if (op == EXCH) value = y;
      end else begin
        case (op)
          ADD:     value = x + y;
          MIN:     value = less ? x : y;
          MAX:     value = less ? y : x;
          INC:     value = x >= y ? 64'd0 : x + 64'd1;
          DEC:     value = x == 0 || x > y ? y : x - 64'd1;
          AND:     value = x & y;
          OR:      value = x | y;
          XOR:     value = x ^ y;
          EXCH:    value = y;
          CAS:     value = x == z ? y : x;
          default: value = x;
        endcase
      end
      if (!wide) value[63:32] = '0;
    end
  end
endmodule
