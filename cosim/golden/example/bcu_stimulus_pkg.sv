// Random operations for the barrier unit.
package bcu_stimulus_pkg;
  import smsim_golden_pkg::*;
  import bench_pkg::*;

  // An arrival on which the warps of a CTA agree.
  typedef struct packed {
    bit        red;    // BAR.RED
    bit [1:0]  redop;
    bit [3:0]  id;
    bit [11:0] count;  // threads; 0: all
  } arrival_t;

  class Stimulus;
    // An instruction word: operation, form and no operand; PT as guard, no scoreboards.
    function void start_word(output bit [127:0] w, input bit [7:0] op, input bit [3:0] form);
      w = 128'(op) | 128'(form) << 8 | 128'd7 << 12 | 128'd7 << 114 | 128'd7 << 117;
    endfunction

    // The next arrival for the warps of a CTA that has `living` alive warps.
    function arrival_t meeting(input int living);
      arrival_t a;
      a.red = Random::chance(50);
      a.redop = 2'(Random::below(3));
      a.id = 4'(Random::below(6));
      a.count = Random::chance(60) ? 12'd0 : 12'(32 * (1 + Random::below(32'(living))));
      return a;
    endfunction

    // Registers of all lanes: `value` in the bits `used` for the lanes of pmask, and anything in other bits and lanes.
    function void registers(input bit [31:0] value, input bit [31:0] used, input bit [31:0] pmask,
                            output bit [31:0][31:0] lanes);
      bit [31:0] odd;
      odd = Random::chance(3) ? 32'd1 << Random::below(32) : '0;  // a thread that does not agree
      for (int l = 0; l < 32; l++) begin
        lanes[l] = Random::word();
        if (pmask[l] && !odd[l]) lanes[l] = (lanes[l] & ~used) | (value & used);
      end
    endfunction

    // An arrival; `arv`: the warp does not wait.
    function void arrive(input arrival_t a, input bit arv, output bcu_request_t q);
      bit [127:0] w;
      bit [3:0] form;
      bit [31:0][31:0] first, second;
      case (Random::below(4))
        0: form = 4'd1;
        1: form = 4'd6;
        2: form = 4'd7;
        default: form = 4'd2;
      endcase
      q.pmask = Random::chance(95) ? Random::lanes() | 32'd1 << Random::below(32) : '0;
      q.pp = Random::chance(30) ? '1 : Random::word();
      start_word(w, a.red ? 8'h21 : 8'h20, form);
      if (a.red) begin
        w[81:80] = a.redop;
        w[100:98] = 3'd7;
      end else w[80] = arv;
      registers(Random::word(), '1, q.pmask, first);
      registers(Random::word(), '1, q.pmask, second);
      case (form)
        4'd1: begin
          w[39:32] = 8'(Random::below(256));
          if (a.red) registers({16'd0, a.count, a.id}, 32'hffff, q.pmask, first);
          else begin
            w[31:24] = 8'(Random::below(256));
            registers({28'd0, a.id}, 32'hf, q.pmask, first);
            registers({20'd0, a.count}, 32'hfff, q.pmask, second);
          end
        end
        4'd6: begin
          w[39:32] = 8'(Random::below(256));
          w[55:44] = a.count;
          registers({28'd0, a.id}, 32'hf, q.pmask, first);
        end
        4'd7: begin
          w[43:40] = a.id;
          w[39:32] = 8'(Random::below(256));
          registers({20'd0, a.count}, 32'hfff, q.pmask, first);
        end
        default: begin
          w[43:40] = a.id;
          w[55:44] = a.count;
        end
      endcase
      q.insn = w;
      q.vector_a = first;
      q.vector_b = second;
    endfunction

    // B2R, B2R.RESULT, R2B. Barriers are overwritten only where no warps meet, with few exceptions.
    function void move(output bcu_request_t q);
      bit [127:0] w;
      bit [31:0] word;
      bit [31:0][31:0] value;
      q.pmask = Random::lanes();
      q.pp = Random::word();
      case (Random::below(3))
        0: begin
          start_word(w, 8'h22, 4'd2);
          w[80] = Random::chance(60);
          w[43:40] = 4'(Random::below(16));
        end
        1: begin
          start_word(w, 8'h23, 4'd0);
          w[108:106] = 3'd7;
        end
        default: begin
          start_word(w, 8'h24, 4'd5);
          w[80] = Random::chance(50);
          w[43:40] = 4'(Random::chance(5) ? Random::below(6) : 8 + Random::below(8));
          w[31:24] = 8'(Random::below(256));
        end
      endcase
      if (w[7:0] != 8'h24) w[23:16] = 8'(Random::below(256));
      word = {13'd0, 19'(Random::word())};
      // A barrier of SYNC that has almost all that it expects, or more.
      if (Random::chance(50)) word = 32'h4000 | (1 + Random::below(4)) << 7 | (1 + Random::below(5));
      registers(word, '1, q.pmask, value);
      q.insn = w;
      q.vector_a = value;
      for (int l = 0; l < 32; l++) value[l] = Random::word();
      q.vector_b = value;
    endfunction

    // Whether a warp sends nothing after this operation until it goes on.
    function bit waits(input bit [127:0] insn);
      return insn[7:0] == 8'h21 || (insn[7:0] == 8'h20 && !insn[80]);
    endfunction
  endclass
endpackage
