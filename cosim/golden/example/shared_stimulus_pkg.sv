// Random accesses to a shared memory.
package shared_stimulus_pkg;
  import smsim_golden_pkg::*;
  import bench_pkg::*;

  localparam int BYTES = 4096;
  localparam int BANKS = 32;

  class Stimulus;
    // A row of 16 bytes: anywhere, in one bank, among few; seldom out of range.
    function bit [31:0] row(input int pattern, input int slot);
      if (Random::below(100) == 0) return 32'(BYTES) + 32'(Random::below(8)) * 16;
      case (pattern)
        0: return 32'(Random::below(BYTES / 16)) * 16;
        1: return 32'(slot % 32) * 32'(4 * BANKS);
        2: return 32'(slot) * 16;
        default: return 32'(Random::below(4)) * 16;
      endcase
    endfunction

    // A value that arithmetic may trip over, or any.
    function bit [63:0] value();
      case (Random::below(8))
        0: return '0;
        1: return '1;
        2: return 64'h7f800000_7f800000;
        3: return 64'h7ff00000_00000000;
        4: return 64'(Random::below(16));
        default: return Random::next();
      endcase
    endfunction

    function void draw(output shared_request_t q);
      int pattern;
      q = '0;
      pattern = int'(Random::below(4));
      q.kind = Random::chance(45) ? 0 : Random::chance(60) ? 1 : 2;
      q.slots = Random::lanes() | 32'd1 << Random::below(32);
      if (q.kind == 2) begin
        q.element = Random::below(6);
        q.op = q.element < 4 ? Random::below(10) : Random::chance(80) ? 0 : 8;
      end
      for (int s = 0; s < 32; s++) begin
        q.address[s] = row(pattern, s);
        q.enable[s] = Random::chance(50) ? 32'hffff : 32'(16'(Random::word())) | 32'd1 << Random::below(16);
        q.data[s] = {value(), value()};
        if (q.kind == 2) begin
          q.address[s] = q.address[s] + (q.element == 2 || q.element == 3 || q.element == 5 ? 8 * Random::below(2)
                                                                                         : 4 * Random::below(4));
          q.enable[s] = q.element == 2 || q.element == 3 || q.element == 5 ? 32'hff : 32'hf;
        end
      end
    endfunction
  endclass
endpackage
