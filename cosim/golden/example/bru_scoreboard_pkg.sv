// What a branch unit must deliver: each response with its cycle, the state of each warp, requests to the sleep timer, and
// wakes. The golden model defines what; docs/pins.md defines when. The first difference ends the run.
package bru_scoreboard_pkg;
  import smsim_golden_pkg::*;
  import bench_pkg::*;

  localparam int SUBS = 4;
  localparam int WARPS = 16;
  localparam int CHANNELS = 5 * SUBS;
  localparam int W = $clog2(WARPS);
  localparam int MOST = 4;                      // instructions of a warp under way
  localparam int PLACES = MOST * WARPS / SUBS;  // responses that a channel may have pending

  // An instruction that was transferred.
  typedef struct packed {
    bit [7:0]      warp;
    bit [63:0]     pc;
    bit [127:0]    insn;
    bit [63:0]     taken;     // cycle of its transfer
    bit [63:0]     due;       // cycle of its response
    bru_response_t response;
  } flight_t;

  // A request to the timer.
  typedef struct packed {
    bit [7:0]  warp;
    bit [63:0] cycles;
    bit        again;
  } ask_t;

  // The straps that affect more than timing, and the figures.
  typedef struct packed {
    bit [4:0][15:0] latency;
    bit [4:0][15:0] interval;
    bit             sets_yield;
    bit             trap_enable;
    bit [63:0]      trap_handler;
    bit [31:0]      ns_cycles;
    bit [31:0]      ns_time;
  } straps_t;

  class Scoreboard;
    bit [63:0] now;                     // the present cycle; the bench sets it
    bit [63:0] progress;                // cycle in which something last happened
    int unsigned executed;              // instructions
    straps_t straps;
    chandle model, timer;
    flight_t flights[CHANNELS*PLACES];  // by channel, in rings: responses that the device owes
    int head[CHANNELS], owes[CHANNELS]; // place of the first, and how many
    bit [63:0] free_from[CHANNELS];     // the next response of the channel may be valid from this cycle on
    ask_t asks[$];                      // requests to the timer that it owes
    int in_unit[WARPS];                 // instructions of the warp that are not answered
    bit [WARPS-1:0] running, jumps, asleep, fired, expects, changed;
    bit [63:0] expected[WARPS];         // cycle of the expiry that the device expects
    flight_t last[WARPS];               // the last instruction that the warp has executed

    // Reports a difference with all that is needed to find the place again, and ends the run.
    function void mismatch(input int unsigned warp, input flight_t f, input string what);
      $display("MISMATCH in cycle %0d, warp %0d: %s", now, warp, what);
      $display("  instruction %0d: %s, word 0x%h, at 0x%0h, transferred in cycle %0d", executed, operation(f.insn),
               f.insn, f.pc, f.taken);
      $fatal(1, "the device differs from the golden model");
    endfunction

    // A call of the golden model that cannot fail here.
    function void must(input int status);
      if (status != 0) $fatal(1, "golden model: %s", error());
    endfunction

    // Resets device and model, with these straps.
    function void reset(input straps_t s);
      straps = s;
      bru_destroy(model);
      timer_destroy(timer);
      model = bru_create(WARPS, 32'(s.sets_yield), 32'(s.trap_enable), s.trap_handler, 0, 0);
      timer = timer_create(WARPS, 1);
      if (model == null || timer == null) $fatal(1, "golden model: %s", error());
      for (int c = 0; c < CHANNELS; c++) begin
        head[c] = 0;
        owes[c] = 0;
        free_from[c] = 0;
      end
      asks.delete();
      for (int i = 0; i < WARPS; i++) in_unit[i] = 0;
      running = '0;
      jumps = '0;
      asleep = '0;
      fired = '0;
      expects = '0;
      changed = '0;
      progress = now;
    endfunction

    function bit may_start(input int w);
      return !running[w] && in_unit[w] == 0;
    endfunction

    // A warp starts; the timer of the slot's previous warp may still run.
    function void start(input int w, input bit [63:0] entry, input bit [63:0] bytes, input bit [31:0] valid,
                        input bit stop);
      must(bru_start(model, w, entry, bytes, valid));
      if (stop) must(timer_stop(timer, w, now + 1));
      running[w] = 1'b1;
      jumps[w] = 1'b0;
      asleep[w] = 1'b0;
      fired[w] = 1'b0;
    endfunction

    function bit may_send(input int w);
      return running[w] && !asleep[w] && in_unit[w] < (jumps[w] ? 1 : MOST);
    endfunction

    function void read_state(input int w, output bru_state_t s);
      must(bru_read_state(model, w, s));
    endfunction

    // A request is transferred: the model executes it, and the device owes the response.
    function void take(input int w, input bru_request_t q, input bit waits);
      flight_t f;
      bit [63:0] cycles, ends;
      bru_response_t r;
      ask_t a;
      int c;
      must(bru_step(model, w, q, r));
      f.warp = 8'(w);
      f.pc = q.pc;
      f.insn = q.insn;
      f.taken = now;
      f.due = now + 64'(straps.latency[r.channel[2:0]]);
      f.response = r;
      c = int'(r.channel) * SUBS + w % SUBS;
      flights[c*PLACES+(head[c]+owes[c])%PLACES] = f;
      owes[c]++;
      last[w] = f;
      executed++;
      progress = now;
      in_unit[w]++;
      changed[w] = 1'b1;
      fired[w] = 1'b0;
      jumps[w] = waits;
      note(f, in_unit[w]);
      if (r.fault == 0 && r.outcome == 2) expects[w] = 1'b0;
      // NANOSLEEP: pins.md "Sleep".
      if (r.sleep_ns != 0) begin
        cycles = (64'(r.sleep_ns) * 64'(straps.ns_cycles) + 64'(straps.ns_time) - 1) / 64'(straps.ns_time);
        ends = f.due + cycles;
        if (!(expects[w] && expected[w] <= ends)) begin
          expects[w] = 1'b1;
          expected[w] = ends;
          a.warp = 8'(w);
          a.cycles = cycles;
          a.again = 1'b0;
          asks.push_back(a);
        end
      end
    endfunction

    function void note(input flight_t f, input int under_way);
      Coverage::hit({"operation ", operation(f.insn), $sformatf(" form %0d", f.insn[11:8])});
      Coverage::hit($sformatf("event %0d", f.response.told));
      Coverage::hit({"exception ", fault_name(f.response.fault)});
      if (f.response.told == 2) Coverage::hit($sformatf("release %0d", f.response.release_kind));
      if (f.response.fault == 0) Coverage::hit($sformatf("outcome %0d", f.response.outcome));
      if (under_way > 1) Coverage::hit("several of a warp under way");
    endfunction

    // Checks a channel: each response must be valid from its cycle on, and not before.
    function void respond(input int c, input bit valid, input bit ready, input bit [7:0] warp,
                          input bru_response_t device);
      flight_t f;
      bit owed;
      int w;
      string d;
      f = flights[c*PLACES+head[c]];
      owed = owes[c] != 0 && f.due <= now && free_from[c] <= now;
      if (valid && !owed)
        mismatch(32'(warp), last[warp[W-1:0]], $sformatf("a response in channel %0d that is not due", c));
      if (!valid && owed)
        mismatch(32'(f.warp), f, $sformatf("no response in channel %0d, due in cycle %0d", c, f.due));
      if (valid && ready) begin
        w = int'(f.warp);
        if (warp != f.warp) mismatch(w, f, $sformatf("response of warp %0d", warp));
        d = bru_difference(f.response, device);
        if (d != "") mismatch(w, f, d);
        head[c] = (head[c] + 1) % PLACES;
        owes[c]--;
        free_from[c] = now + 1;
        progress = now;
        in_unit[w]--;
        if (f.response.fault == 0 && f.response.outcome == 1) asleep[w] = 1'b1;
        if (f.response.fault == 0 && f.response.outcome == 2) running[w] = 1'b0;
      end
    endfunction

    // A request to the timer, which the device must owe; the timer runs in the golden model.
    function void ask(input int w, input bit [63:0] cycles);
      bit [63:0] unused;
      int at;
      at = -1;
      for (int i = asks.size() - 1; i >= 0; i--) if (asks[i].warp == 8'(w) && asks[i].cycles == cycles) at = i;
      if (at < 0) mismatch(w, last[w], $sformatf("the timer is asked for %0d cycles", cycles));
      asks.delete(at);
      must(timer_request(timer, w, now, cycles, unused));
      progress = now;
    endfunction

    // Runs the timer of a warp for other reasons, so that it expires too early, or without a sleeping warp.
    function void disturb(input int w, input bit [63:0] cycles);
      bit [63:0] unused;
      must(timer_request(timer, w, now, cycles, unused));
    endfunction

    // The timers that expire in the next cycle.
    function bit [WARPS-1:0] expiries();
      int unsigned some, w;
      bit [63:0] at;
      bit [WARPS-1:0] told;
      told = '0;
      must(timer_expire(timer, now + 1, some, w, at));
      while (some != 0) begin
        told[w[W-1:0]] = 1'b1;
        must(timer_expire(timer, now + 1, some, w, at));
      end
      return told;
    endfunction

    // An expiry is signalled in this cycle and acts after the instruction of this cycle: pins.md "Sleep".
    function void expire(input int w);
      bit waits;
      ask_t a;
      progress = now;
      if (!expects[w]) begin
        Coverage::hit("expiry without effect");
      end else if (now + 1 >= expected[w]) begin
        must(bru_expired(model, w));
        expects[w] = 1'b0;
        fired[w] = 1'b1;
        changed[w] = 1'b1;
        Coverage::hit("timer fires");
      end else begin
        waits = 1'b0;
        for (int i = 0; i < asks.size(); i++) waits = waits | (asks[i].again && asks[i].warp == 8'(w));
        a.warp = 8'(w);
        a.cycles = expected[w] > now + 2 ? expected[w] - (now + 2) : 64'd1;
        a.again = 1'b1;
        if (!waits) asks.push_back(a);
        Coverage::hit("timer asked again");
      end
    endfunction

    // A wake is transferred.
    function void wake(input int w);
      if (!asleep[w] || !fired[w]) mismatch(w, last[w], "a wake of a warp that does not sleep");
      asleep[w] = 1'b0;
      progress = now;
      Coverage::hit("wake");
    endfunction

    // Checks the state of a warp if it may have changed in the previous cycle.
    function void check_state(input int w, input bru_state_t device);
      bru_state_t s;
      string d;
      read_state(w, s);
      d = bru_state_difference(s, device);
      if (d != "") mismatch(w, last[w], d);
      changed[w] = 1'b0;
    endfunction

    // Checks the end: nothing more is sent, and everything has had time to finish.
    function void check_end();
      for (int c = 0; c < CHANNELS; c++)
        if (owes[c] != 0)
          mismatch(32'(flights[c*PLACES+head[c]].warp), flights[c*PLACES+head[c]], "never answered");
      for (int w = 0; w < WARPS; w++) if (asleep[w]) mismatch(w, last[w], "the warp sleeps, and is not woken");
      if (asks.size() != 0) mismatch(32'(asks[0].warp), last[asks[0].warp[W-1:0]], "the timer is not asked");
    endfunction
  endclass
endpackage
