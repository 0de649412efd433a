// Random instructions for the branch unit. There is no program to fetch: the next instruction of a warp is drawn when it is
// due.
package bru_stimulus_pkg;
  import smsim_golden_pkg::*;
  import bench_pkg::*;

  localparam bit [63:0] BYTES = 64'd512;  // of the program: few addresses, so that paths meet

  class Stimulus;
    // An instruction word: operation, form and no operand; PT as guards, no scoreboards.
    function void start_word(output bit [127:0] w, input bit [7:0] op, input bit [3:0] form);
      w = 128'(op) | 128'(form) << 8 | 128'd7 << 12 | 128'd7 << 114 | 128'd7 << 117;
    endfunction

    // A target that other threads use, too; rarely an illegal one.
    function bit [63:0] target();
      if (Random::below(60) == 0) return BYTES + 64'(Random::below(4)) * 16;
      return 64'(Random::below(8)) * 32 + (Random::below(60) == 0 ? 64'(Random::below(15)) + 1 : 64'd0);
    endfunction

    // The request that a warp makes next. `s` is its state.
    function void draw(input bru_state_t s, output bru_request_t q);
      bit [127:0] w;
      bit [63:0] t, offset;
      bit [31:0] group, own;
      bit [3:0] form;
      bit absolute, apart;
      int pick;
      q = '0;
      q.pc = s.active_pc;
      if (Random::chance(25)) q.pc = q.pc + 64'(Random::below(3)) * 16 + 16;  // others have executed
      q.guard = Random::lanes();
      q.guard_pp = Random::chance(80) ? '1 : Random::lanes();
      for (int l = 0; l < 32; l++) q.vectors[l] = 64'(Random::below(64));
      q.scalar = Random::next();
      t = target();
      offset = t - (q.pc + 16);
      absolute = Random::chance(50);
      form = 4'(1 + Random::below(4));
      // Masks of WARPSYNC: the active threads, with or without others.
      group = Random::chance(50) ? s.valid : Random::chance(50) ? s.active | Random::word() : s.active;
      if (Random::chance(3)) group = Random::word();
      pick = q.pc >= BYTES - 64 ? 0 : int'(Random::below(100));
      if (pick != 0 && s.switch_set != '0 && Random::chance(30)) begin  // a BSYNC soon after a YIELD
        pick = 60;
        q.pc = s.active_pc;
      end
      case (pick) inside
        [0 : 21]: begin
          if (Random::chance(25)) begin
            start_word(w, 8'h01, 4'd3);
            w[29:24] = 6'd63;
            w[84] = Random::chance(50);
            w[83:82] = Random::chance(50) ? 2'd2 : 2'd3;
            q.scalar = Random::chance(50) ? 64'(s.valid) : Random::next();
          end else begin
            start_word(w, 8'h01, 4'd0);
            w[83:82] = 2'(Random::below(4));
          end
          w[81:32] = offset[53:4];
          if (offset[3:0] != 0) w[81:32] = 50'(t >> 4);  // no odd targets by offset
        end
        [22 : 28]: begin  // BRX
          if (form == 4'd2) form = 4'd1;
          start_word(w, 8'h02, form);
          if (form != 4'd4) begin
            w[31:24] = form == 4'd1 ? 8'd255 : 8'd63;
            w[81:32] = 50'(Random::below(4));
          end
          q.scalar = 64'(32'(offset));
          for (int l = 0; l < 32; l++) q.vectors[l] = 64'(32'((Random::chance(60) ? t : target()) - (q.pc + 16)));
        end
        [29 : 33]: begin  // CALL, RET
          if (form == 4'd2) form = 4'd1;
          start_word(w, Random::chance(50) ? 8'h03 : 8'h04, form);
          if (form != 4'd4) w[31:24] = form == 4'd1 ? 8'd255 : 8'd63;
          w[82] = absolute;
          q.scalar = absolute ? t : offset;
          for (int l = 0; l < 32; l++)
            q.vectors[l] = (Random::chance(60) ? t : target()) - (absolute ? 64'd0 : q.pc + 16);
        end
        [34 : 35]: begin  // LEPC
          start_word(w, 8'h05, 4'd2);
          w[23:16] = 8'd255;
          w[81:32] = 50'(Random::next());
        end
        [36 : 37]: begin  // EXIT
          start_word(w, 8'h06, 4'd0);
          if (Random::chance(70)) q.guard = Random::word() & Random::word();
        end
        [38 : 42]: begin  // BMOV
          start_word(w, 8'h07, {3'd0, Random::chance(40)});
          w[84+:4] = 4'(Random::below(3));
          if (w[8]) begin
            w[31:24] = 8'(Random::below(256));
            for (int l = 0; l < 32; l++) q.vectors[l][31:0] = Random::chance(50) ? s.valid : Random::word();
          end else begin
            w[23:16] = 8'(Random::below(256));
            w[82] = Random::chance(50);
          end
        end
        [43 : 54]: begin  // BSSY
          start_word(w, 8'h08, 4'd2);
          w[84+:4] = 4'(Random::below(3));
          w[63:32] = 32'(offset >> 4);
        end
        [55 : 70]: begin  // BSYNC
          start_word(w, 8'h09, 4'd0);
          w[84+:4] = 4'(Random::below(3));
          if (Random::chance(80)) q.guard = '1;
        end
        [71 : 75]: begin  // YIELD
          start_word(w, 8'h0a, 4'd0);
          if (Random::chance(80)) q.guard = '1;
        end
        [76 : 78]: begin  // BREAK
          start_word(w, 8'h0b, 4'd0);
          w[84+:4] = 4'(Random::below(3));
        end
        [79 : 88]: begin  // WARPSYNC
          start_word(w, 8'h0c, form);
          if (form == 4'd2) w[63:32] = group;
          else w[97] = Random::chance(30);
          if (form == 4'd1) w[39:32] = 8'(Random::below(256));
          if (form == 4'd3) w[37:32] = 6'd63;
          apart = form == 4'd1 && Random::chance(20);  // lanes with even and odd numbers meet among themselves
          for (int l = 0; l < 32; l++) begin
            own = apart ? s.valid & (l % 2 == 0 ? 32'h55555555 : 32'haaaaaaaa) : group;
            if (w[97]) own = ~own;
            q.vectors[l][31:0] = own;
            q.scalar = {32'd0, own};
          end
          if (Random::chance(85)) begin
            q.guard = '1;
            q.guard_pp = '1;
          end
        end
        [89 : 94]: begin  // NANOSLEEP
          start_word(w, 8'h0d, form);
          if (form == 4'd2) w[63:32] = Random::below(100);
          if (form == 4'd1) w[39:32] = 8'(Random::below(256));
          if (form == 4'd3) w[37:32] = 6'd63;
          q.scalar = 64'(Random::below(100));
          if (Random::chance(80)) begin
            q.guard = '1;
            q.guard_pp = '1;
          end
        end
        95: start_word(w, 8'h0e, 4'd0);  // RTT
        [96 : 97]: begin  // TRAP
          if (form == 4'd3) form = 4'd1;
          start_word(w, 8'h0f, form);
          if (form == 4'd1) w[39:32] = 8'(Random::below(256));
          if (form == 4'd2) w[63:32] = Random::word();
        end
        default: start_word(w, 8'h10, 4'd0);  // SYSCALL
      endcase
      w[98+:3] = w[7:0] inside {8'h01, 8'h02, 8'h03, 8'h04, 8'h06, 8'h0a, 8'h0b, 8'h0c, 8'h0d} ? 3'd7 : 3'd0;
      q.insn = w;
    endfunction

    // Whether a warp sends nothing after this instruction until it has the response.
    function bit waits_for_response(input bit [7:0] op);
      return !(op inside {8'h05, 8'h07, 8'h08, 8'h0b, 8'h10});
    endfunction
  endclass
endpackage
