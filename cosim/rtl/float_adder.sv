// Sum of two IEEE 754 binary numbers, rounded to nearest even, combinational.
//
// Subnormal operands and results are kept. Every NaN result is the canonical one: all bits 1 but the
// sign (pins.md, Shared memory, Effect). EXPONENT = 8, MANTISSA = 23 gives F32, 11 and 52 give F64.
module float_adder #(
    parameter int EXPONENT = 8,
    parameter int MANTISSA = 23
) (
    input  logic                       enable,  // otherwise the sum is 0; saves simulation time
    input  logic [EXPONENT+MANTISSA:0] a,
    input  logic [EXPONENT+MANTISSA:0] b,
    output logic [EXPONENT+MANTISSA:0] sum
);
  localparam int E = EXPONENT;
  localparam int M = MANTISSA;
  localparam int W = 1 + E + M;
  // Significand: a place for the carry, the hidden bit, the fraction, and guard, round and sticky bit.
  localparam int S     = M + 5;
  localparam int STEPS = $clog2(S);

  logic [W-1:0] high;                 // the operand of larger magnitude
  logic [W-2:0] low;                  // magnitude of the other one
  logic         minus;                // magnitudes are subtracted
  logic [E-1:0] high_exponent, low_exponent, shift;
  logic [S-1:0] high_significand, low_significand, aligned, raw;
  logic         sticky;
  logic [E-1:0] exponent;
  logic         up;
  logic         high_special, high_nan;   // exponent all ones

  always_comb begin
    sum              = '0;
    high             = '0;
    low              = '0;
    minus            = 1'b0;
    high_exponent    = '0;
    low_exponent     = '0;
    shift            = '0;
    high_significand = '0;
    low_significand  = '0;
    aligned          = '0;
    raw              = '0;
    sticky           = 1'b0;
    exponent         = '0;
    up               = 1'b0;
    high_special     = 1'b0;
    high_nan         = 1'b0;
    if (enable) begin
      high  = a[W-2:0] >= b[W-2:0] ? a : b;
      low   = a[W-2:0] >= b[W-2:0] ? b[W-2:0] : a[W-2:0];
      minus = a[W-1] != b[W-1];

      // A subnormal number has the exponent of the smallest normal one and no hidden bit.
      high_exponent    = high[W-2:M] == 0 ? {{(E-1){1'b0}}, 1'b1} : high[W-2:M];
      low_exponent     = low[W-2:M] == 0 ? {{(E-1){1'b0}}, 1'b1} : low[W-2:M];
      high_significand = {1'b0, high[W-2:M] != 0, high[M-1:0], 3'b000};
      low_significand  = {1'b0, low[W-2:M] != 0, low[M-1:0], 3'b000};

      // Align. Bits shifted out on the right are kept as one sticky bit.
      shift   = high_exponent - low_exponent;
      aligned = low_significand >> shift;
      sticky  = (aligned << shift) != low_significand;
      aligned[0] = aligned[0] | sticky;
      raw = minus ? high_significand - aligned : high_significand + aligned;

      // Normalise: shift one to the right, or left until the hidden bit is set or the number is subnormal.
      exponent = high_exponent;
      if (raw[S-1]) begin
        raw      = {1'b0, raw[S-1:2], raw[1] | raw[0]};
        exponent = exponent + 1'b1;
      end else begin
        for (int k = STEPS - 1; k >= 0; k--) begin
          if ((raw >> (S - 1 - (1 << k))) == 0 && 32'(exponent) > (1 << k)) begin
            raw      = raw << (1 << k);
            exponent = exponent - E'(1 << k);
          end
        end
      end

      // Round; a carry out of the fraction runs into the exponent, from the largest number to infinity.
      up = raw[2] & (raw[3] | raw[1] | raw[0]);
      sum[W-2:0] = {raw[S-2] ? exponent : {E{1'b0}}, raw[S-3:3]} + {{(W-2){1'b0}}, up};
      if (sum[W-2:M] == '1) sum[M-1:0] = '0;
      sum[W-1] = raw == 0 ? a[W-1] & b[W-1] : high[W-1];

      high_special = high[W-2:M] == '1;
      high_nan     = high_special && (high[M-1:0] != 0 || (minus && low[W-2:M] == '1));
      if (high_special) sum = high;
      if (high_nan) sum = {1'b0, {(W-1){1'b1}}};
    end
  end
endmodule
