// What a shared memory must deliver: the data of each slot, pass by pass, in the cycle that docs/pins.md defines, and at the
// end all its bytes. The first difference ends the run.
package shared_scoreboard_pkg;
  import smsim_golden_pkg::*;
  import bench_pkg::*;
  import shared_stimulus_pkg::*;

  localparam int MOST = 100;  // responses that a channel may have pending; the unit has room for more

  // The response of a pass.
  typedef struct packed {
    bit [63:0]        due;
    bit [15:0]        tag;
    bit               done;   // the access is complete
    bit [31:0]        slots;
    bit [31:0][127:0] data;
    bit [31:0]        kind;
  } owed_t;

  class Scoreboard;
    bit [63:0] now;            // the present cycle; the bench sets it
    bit [63:0] ready_from;     // the next request may be taken from this cycle on
    bit [63:0] progress;       // cycle in which something last happened
    bit [63:0] from[2];        // by channel: the earliest next response
    bit [15:0] latency, atomic_latency, tag;
    int unsigned executed;     // accesses
    chandle model;
    owed_t plain[$], atomic[$];

    // Reports a difference with all that is needed to find the place again, and ends the run.
    function void mismatch(input owed_t o, input string what);
      $display("MISMATCH in cycle %0d: %s", now, what);
      $display("  access %0d: response with tag %0d to kind %0d (0 read, 1 write, 2 atomic), due in cycle %0d, slots 0x%h",
               executed, o.tag, o.kind, o.due, o.slots);
      $fatal(1, "the device differs from the golden model");
    endfunction

    // A call of the golden model that cannot fail here.
    function void must(input int status);
      if (status != 0) $fatal(1, "golden model: %s", error());
    endfunction

    function void create();
      model = shared_create(BYTES, BANKS);
      if (model == null) $fatal(1, "golden model: %s", error());
    endfunction

    // Resets the device with other latencies; its bytes stay.
    function void reset();
      latency = 16'(1 + Random::below(8));
      atomic_latency = 16'(Random::below(6));
      plain.delete();
      atomic.delete();
      from[0] = 0;
      from[1] = 0;
      ready_from = 0;
      progress = now;
    endfunction

    function bit has_room();
      return plain.size() < MOST && atomic.size() < MOST;
    endfunction

    // A request is transferred: it takes effect at once, and the responses of its passes become pending.
    function void take(input shared_request_t q);
      shared_response_t r;
      owed_t o;
      if (ready_from > now) begin
        o = '0;
        mismatch(o, $sformatf("a request is taken before cycle %0d", ready_from));
      end
      must(shared_access(model, q, r));
      for (int p = 1; p <= int'(r.passes); p++) begin
        o = '0;
        o.tag = tag;
        o.kind = q.kind;
        o.due = now + 64'(p - 1) + 64'(latency) + (q.kind == 2 ? 64'(atomic_latency) : 64'd0);
        o.done = p == int'(r.passes);
        for (int s = 0; s < 32; s++)
          if (q.slots[s] && r.pass[s] == 32'(p)) begin
            o.slots[s] = 1'b1;
            o.data[s] = r.data[s];
          end
        if (o.slots != '0 && q.kind == 2) atomic.push_back(o);
        if (o.slots != '0 && q.kind != 2) plain.push_back(o);
      end
      ready_from = now + 64'(r.passes);
      progress = now;
      executed++;
      tag++;
      Coverage::hit(q.kind == 2 ? $sformatf("atomic op %0d type %0d", q.op, q.element) : $sformatf("kind %0d", q.kind));
      Coverage::hit(r.passes == 1 ? "one pass" : r.passes < 8 ? "two passes and more" : "eight passes and more");
    endfunction

    // Checks a channel in this cycle: 0 reads and writes, 1 atomics.
    function void respond(input int c, input bit valid, input bit ready, input bit [15:0] told, input bit done,
                          input bit [31:0] slots, input bit [31:0][127:0] data);
      owed_t o;
      bit owes, due;
      owes = c == 0 ? plain.size() != 0 : atomic.size() != 0;
      o = '0;
      if (owes && c == 0) o = plain[0];
      if (owes && c == 1) o = atomic[0];
      due = owes && o.due <= now && from[c] <= now;
      if (valid && !due) mismatch(o, "a response that is not due");
      if (!valid && due) mismatch(o, "no response");
      if (valid && ready) begin
        if (told != o.tag) mismatch(o, $sformatf("tag: model %0d, device %0d", o.tag, told));
        if (slots != o.slots) mismatch(o, $sformatf("slots: model 0x%h, device 0x%h", o.slots, slots));
        if (done != o.done) mismatch(o, $sformatf("last: model %0d, device %0d", o.done, done));
        for (int s = 0; s < 32; s++)
          if (o.slots[s] && o.kind == 0 && data[s] != o.data[s])
            mismatch(o, $sformatf("data of slot %0d: model 0x%h, device 0x%h", s, o.data[s], data[s]));
          else if (o.slots[s] && o.kind == 2 && data[s][63:0] != o.data[s][63:0])
            mismatch(o, $sformatf("old value of slot %0d: model 0x%h, device 0x%h", s, o.data[s][63:0], data[s][63:0]));
        if (c == 0) void'(plain.pop_front());
        else void'(atomic.pop_front());
        from[c] = now + 1;
        progress = now;
      end
    endfunction

    // Checks 16 bytes; only when nothing is under way.
    function void check_row(input bit [31:0] address, input bit [127:0] device);
      bit [127:0] here;
      owed_t o;
      must(shared_peek(model, address, 16, here));
      o = '0;
      if (here != device) mismatch(o, $sformatf("bytes at 0x%h: model 0x%h, device 0x%h", address, here, device));
    endfunction
  endclass
endpackage
