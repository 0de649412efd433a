// What a barrier unit must deliver: acks, moves and releases with their cycles, the words of barriers and warps. The values
// come from the golden model; docs/pins.md defines in which order operations are served, and when. The first difference ends
// the run.
package bcu_scoreboard_pkg;
  import smsim_golden_pkg::*;
  import bench_pkg::*;
  import bcu_stimulus_pkg::*;

  localparam int SUBS = 4;
  localparam int WARPS = 16;
  localparam int CTAS = 4;
  localparam int W = $clog2(WARPS);
  localparam int MOST = 3;  // operations of a warp under way

  typedef struct packed {
    bit [15:0] arrival_latency;
    bit [15:0] interval;
    bit [15:0] release_latency;
    bit [15:0] release_interval;
    bit [15:0] move_latency;
  } straps_t;

  // An operation that was transferred.
  typedef struct packed {
    bit [7:0]     warp;
    bit [63:0]    taken;
    bit           waits;    // the warp sends nothing more before it goes on
    bcu_request_t request;
  } operation_t;

  // An answer that is owed.
  typedef struct packed {
    bit [63:0]   due;
    operation_t  operation;
    bcu_answer_t answer;
  } owed_t;

  class Scoreboard;
    bit [63:0] now;                          // the present cycle; the bench sets it
    bit [63:0] progress;                     // cycle in which something last happened
    int unsigned executed;                   // operations
    straps_t straps;
    chandle model;
    operation_t unserved[$];                    // not served yet, in the order of service
    owed_t acks[$], moves[$];
    bit [63:0] free_at, ack_from, move_from; // next service; earliest next answers
    bit [63:0] go_due[WARPS];
    bit [WARPS-1:0] running, waits, go_owed, completes, changed, exiting, starting;
    bit [CTAS-1:0] touched;                  // their words may have changed
    int in_unit[WARPS], acks_owed[WARPS], cta[WARPS], number[WARPS], warps_of[CTAS], living[CTAS];
    arrival_t meets[WARPS];                  // where a warp waits
    operation_t last[WARPS];                 // the last operation that the warp has sent

    // Reports a difference with all that is needed to find the place again, and ends the run.
    function void mismatch(input int unsigned warp, input operation_t o, input string what);
      $display("MISMATCH in cycle %0d, warp %0d: %s", now, warp, what);
      $display("  operation %0d: %s, word 0x%h, pmask 0x%h, transferred in cycle %0d", executed,
               operation(o.request.insn), o.request.insn, o.request.pmask, o.taken);
      $fatal(1, "the device differs from the golden model");
    endfunction

    // A call of the golden model that cannot fail here.
    function void must(input int status);
      if (status != 0) $fatal(1, "golden model: %s", error());
    endfunction

    // Resets device and model, with these straps.
    function void reset(input straps_t s);
      straps = s;
      bcu_destroy(model);
      model = bcu_create(WARPS, CTAS);
      if (model == null) $fatal(1, "golden model: %s", error());
      unserved.delete();
      acks.delete();
      moves.delete();
      free_at = 0;
      ack_from = 0;
      move_from = 0;
      for (int w = 0; w < WARPS; w++) begin
        in_unit[w] = 0;
        acks_owed[w] = 0;
      end
      for (int c = 0; c < CTAS; c++) living[c] = 0;
      running = '0;
      waits = '0;
      go_owed = '0;
      completes = '0;
      changed = '0;
      exiting = '0;
      starting = '0;
      touched = '0;
      progress = now;
    endfunction

    // ---- Events and requests of this cycle ----

    function bit is_free(input int w);
      return !running[w] && in_unit[w] == 0 && !go_owed[w] && !exiting[w];
    endfunction

    function void start(input int w, input int c, input int n, input int of);
      running[w] = 1'b1;
      starting[w] = 1'b1;
      cta[w] = c;
      number[w] = n;
      warps_of[c] = of;
      living[c]++;
    endfunction

    function bit may_exit(input int w);
      return running[w] && in_unit[w] == 0 && !waits[w] && !starting[w];
    endfunction

    function void exit(input int w);
      running[w] = 1'b0;
      exiting[w] = 1'b1;
      living[cta[w]]--;
      Coverage::hit("exit");
    endfunction

    function bit may_send(input int w);
      return running[w] && !waits[w] && in_unit[w] < MOST;
    endfunction

    // The arrival at which another warp of the CTA waits, if one does.
    function bit find_meeting(input int c, output arrival_t a);
      for (int w = 0; w < WARPS; w++)
        if (running[w] && waits[w] && cta[w] == c) begin
          a = meets[w];
          return 1'b1;
        end
      a = '0;
      return 1'b0;
    endfunction

    // Whether no warp of the CTA can do anything any more.
    function bit is_stuck(input int c);
      if (living[c] == 0) return 1'b0;
      for (int w = 0; w < WARPS; w++)
        if (running[w] && cta[w] == c && (!waits[w] || in_unit[w] != 0 || go_owed[w])) return 1'b0;
      return 1'b1;
    endfunction

    // A request is transferred. Within a cycle the lowest warp is served first: call in this order.
    function void take(input int w, input bcu_request_t q, input bit waiting, input arrival_t a);
      operation_t o;
      o.warp = 8'(w);
      o.taken = now;
      o.waits = waiting;
      o.request = q;
      unserved.push_back(o);
      last[w] = o;
      meets[w] = a;
      waits[w] = waiting;
      in_unit[w]++;
      executed++;
      progress = now;
      Coverage::hit({"operation ", operation(q.insn), $sformatf(" form %0d", q.insn[11:8])});
    endfunction

    // ---- What happens in this cycle ----

    // Exits and starts of the cycle before, then the operation that is served in this one.
    function void serve();
      bcu_release_t freed;
      for (int w = 0; w < WARPS; w++)
        if (exiting[w]) begin
          must(bcu_exit(model, w, freed));
          touched[cta[w]] = 1'b1;
          let_go(freed, "barrier completed by an exit");
        end
      for (int w = 0; w < WARPS; w++)
        if (starting[w]) begin
          must(bcu_start(model, w, cta[w], number[w], warps_of[cta[w]]));
          touched[cta[w]] = 1'b1;
          changed[w] = 1'b1;
        end
      exiting = '0;
      starting = '0;
      if (unserved.size() != 0 && free_at <= now && unserved[0].taken + 64'(straps.arrival_latency) <= now) begin
        operation_t o;
        o = unserved.pop_front();
        free_at = now + 64'(straps.interval);
        operate(o);
      end
    endfunction

    function void operate(input operation_t o);
      owed_t owed;
      bcu_answer_t given;
      bcu_release_t freed;
      bit [63:0] left;
      int w;
      w = int'(o.warp);
      must(bcu_operate(model, w, o.request, given, freed));
      owed.operation = o;
      owed.answer = given;
      owed.due = now + 1;
      case (given.kind)
        ACK: begin
          acks.push_back(owed);
          acks_owed[w]++;
          Coverage::hit({"exception ", fault_name(given.fault)});
          if (given.blocked != 0) Coverage::hit("blocked");
        end
        MOVE: begin
          left = 64'd1;
          if (straps.move_latency > straps.arrival_latency)
            left = 64'(straps.move_latency) - 64'(straps.arrival_latency);
          owed.due = now + left;
          moves.push_back(owed);
          if (given.undefined != 0) Coverage::hit("undefined read");
        end
        default: completes[w] = 1'b1;  // its arrival has completed the barrier: `go` is the answer
      endcase
      changed[w] = 1'b1;
      touched[cta[w]] = 1'b1;
      let_go(freed, "barrier completed by an arrival");
    endfunction

    // pins.md "Release": the k-th warp of a barrier, from 0, is due k intervals after the first.
    function void let_go(input bcu_release_t freed, input string why);
      bit [63:0] due;
      int w;
      due = now + 64'(straps.release_latency);
      for (int i = 0; i < int'(freed.count); i++) begin
        w = int'(freed.warp[i]);
        if (i > 0 && freed.barrier[i] != freed.barrier[i-1]) due = now + 64'(straps.release_latency);
        go_owed[w] = 1'b1;
        go_due[w] = due;
        changed[w] = 1'b1;
        due = due + 64'(straps.release_interval);
      end
      if (freed.count != 0) Coverage::hit(why);
      if (freed.count > 1) Coverage::hit("several let go");
    endfunction

    // ---- Answers of the device ----

    function void ack(input bit valid, input bit ready, input int warp, input bcu_answer_t device);
      bit due;
      due = acks.size() != 0 && acks[0].due <= now && ack_from <= now;
      if (valid && !due) mismatch(warp, last[warp%WARPS], "an ack that is not due");
      if (!valid && due) mismatch(int'(acks[0].operation.warp), acks[0].operation, "no ack");
      if (valid && ready) begin
        owed_t o;
        o = acks.pop_front();
        compare(o, warp, device);
        ack_from = now + 1;
        acks_owed[warp]--;
        in_unit[warp]--;
        if (o.operation.waits && o.answer.blocked == 0) waits[warp] = 1'b0;
      end
    endfunction

    function void move(input bit valid, input bit ready, input int warp, input bcu_answer_t device);
      bit due;
      due = moves.size() != 0 && moves[0].due <= now && move_from <= now;
      if (valid && !due) mismatch(warp, last[warp%WARPS], "a move that is not due");
      if (!valid && due) mismatch(int'(moves[0].operation.warp), moves[0].operation, "no move");
      if (valid && ready) begin
        owed_t o;
        o = moves.pop_front();
        compare(o, warp, device);
        move_from = now + 1;
        in_unit[warp]--;
      end
    endfunction

    function void compare(input owed_t owed, input int warp, input bcu_answer_t device);
      string d;
      progress = now;
      if (warp != int'(owed.operation.warp))
        mismatch(int'(owed.operation.warp), owed.operation, $sformatf("answer of warp %0d", warp));
      d = bcu_difference(owed.answer, device);
      if (d != "") mismatch(warp, owed.operation, d);
    endfunction

    function void go(input int w, input bit valid, input bit ready);
      bit due;
      due = go_owed[w] && go_due[w] <= now;
      if (valid && !due) mismatch(w, last[w], "it is let go, and is not due");
      if (!valid && due) mismatch(w, last[w], $sformatf("it is not let go, due in cycle %0d", go_due[w]));
      if (valid && ready) begin
        go_owed[w] = 1'b0;
        if (completes[w]) in_unit[w]--;
        completes[w] = 1'b0;
        waits[w] = 1'b0;
        progress = now;
      end
    endfunction

    // ---- State after this cycle ----

    function void check_words(input int c, input bit [511:0] words, input bit [16*WARPS-1:0] blocked);
      bit [511:0] here;
      bit [16*WARPS-1:0] who;
      bcu_warp_t s;
      must(bcu_read_words(model, c, here));
      who = '0;
      for (int w = 0; w < WARPS; w++) begin
        must(bcu_read_warp(model, w, s));
        if (s.resident != 0 && int'(s.cta) == c && s.blocked != 0) who[int'(s.barrier)*WARPS+w] = 1'b1;
      end
      for (int b = 0; b < 16; b++) begin
        if (here[b*32+:32] != words[b*32+:32])
          mismatch(c, last[0], $sformatf("(CTA) word of barrier %0d: model 0x%h, device 0x%h", b, here[b*32+:32],
                                         words[b*32+:32]));
        if (who[b*WARPS+:WARPS] != blocked[b*WARPS+:WARPS])
          mismatch(c, last[0], $sformatf("(CTA) blocked at barrier %0d: model 0x%h, device 0x%h", b,
                                         who[b*WARPS+:WARPS], blocked[b*WARPS+:WARPS]));
      end
      touched[c] = 1'b0;
    endfunction

    function void check_warp(input int w, input bit [31:0] word);
      bcu_warp_t s;
      must(bcu_read_warp(model, w, s));
      if (s.resident != 0 && s.word != word)
        mismatch(w, last[w], $sformatf("WarpBarState: model 0x%h, device 0x%h", s.word, word));
      changed[w] = 1'b0;
    endfunction
  endclass
endpackage
