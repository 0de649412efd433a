// The golden model of smsim by DPI-C: libsmsim_golden.so does what branch unit, barrier unit, sleep timer and shared memory do,
// for a scoreboard in any simulator. smsim_golden.h documents the functions, whose names there begin with `smsim_golden_`;
// docs/pins.md documents the fields. A structure here is that of the header as a packed vector.
//
// Functions return a status, 0 for success; else error() returns the reason, and outputs have no meaning. Calls take no
// simulated time. Types have two states: check for unknown values before a call.
package smsim_golden_pkg;

  // ---- All units --------------------------------------------------------------------------------------------------

  localparam int unsigned VERSION_MAJOR = 1;
  localparam int unsigned VERSION_MINOR = 0;

  import "DPI-C" smsim_golden_version = function int unsigned version();
  import "DPI-C" smsim_golden_error = function string error();
  import "DPI-C" smsim_golden_fault_name = function string fault_name(input int unsigned code);
  import "DPI-C" smsim_golden_operation = function string operation(input bit [127:0] insn);

  // Whether the library can serve this package.
  function automatic bit version_fits();
    version_fits = version() / 1000 == VERSION_MAJOR && int'(version() % 1000) >= int'(VERSION_MINOR);
  endfunction

  // ---- Branch unit ------------------------------------------------------------------------------------------------

  typedef struct packed {
    bit [31:0]       guard_pp;
    bit [31:0]       guard;
    bit [127:0]      insn;
    bit [31:0][63:0] vectors;  // by lane
    bit [63:0]       scalar;
    bit [63:0]       pc;
  } bru_request_t;

  typedef struct packed {
    bit [31:0] channel;
    bit [31:0] sleep_ns;
    bit [31:0] fault_lane;
    bit [31:0] fault;
    bit [31:0] release_kind;
    bit [31:0] passed;
    bit [31:0] split;
    bit [31:0] jumped;
    bit [31:0] told;         // rsp_event
    bit [31:0] active;
    bit [31:0] write_lanes;
    bit [31:0] executed;
    bit [31:0] next_active;
    bit [31:0] outcome;
    bit [63:0] fault_value;
    bit [63:0] value;
    bit [63:0] next_pc;
  } bru_response_t;

  // The fields of dbg_state in its order; its upper bits are zero.
  typedef struct packed {
    bit [63:0]       trap_return;
    bit [31:0]       trap_index;
    bit [31:0]       in_trap;
    bit [15:0][31:0] b;
    bit [31:0]       turn;
    bit [31:0]       wait_bar;
    bit [31:0]       waiting;
    bit [31:0]       switch_set;
    bit [31:0]       sleep;
    bit [31:0]       yield;
    bit [31:0]       active;
    bit [31:0]       valid;
    bit [31:0][63:0] rpc;
    bit [63:0]       active_pc;
  } bru_state_t;

  import "DPI-C" smsim_golden_dpi_bru_create = function chandle bru_create(
      input int unsigned warps, input int unsigned nanosleep_sets_yield, input int unsigned trap_enable,
      input longint unsigned trap_handler, input int unsigned election, input int unsigned branch_order);
  import "DPI-C" smsim_golden_bru_destroy = function void bru_destroy(input chandle unit);
  import "DPI-C" smsim_golden_bru_start = function int bru_start(
      input chandle unit, input int unsigned warp, input longint unsigned entry, input longint unsigned bytes,
      input int unsigned valid);
  import "DPI-C" smsim_golden_dpi_bru_step = function int bru_step(
      input chandle unit, input int unsigned warp, input bit [$bits(bru_request_t)-1:0] request,
      output bit [$bits(bru_response_t)-1:0] response);
  import "DPI-C" smsim_golden_bru_expired = function int bru_expired(input chandle unit, input int unsigned warp);
  import "DPI-C" smsim_golden_dpi_bru_read_state = function int bru_read_state(
      input chandle unit, input int unsigned warp, output bit [$bits(bru_state_t)-1:0] state);

  // ---- Barrier unit -----------------------------------------------------------------------------------------------

  localparam int unsigned ACK = 0;
  localparam int unsigned MOVE = 1;
  localparam int unsigned RELEASED = 2;

  typedef struct packed {
    bit [31:0][31:0] vector_b;
    bit [31:0][31:0] vector_a;
    bit [31:0]       pp;
    bit [31:0]       pmask;
    bit [127:0]      insn;
  } bcu_request_t;

  typedef struct packed {
    bit [31:0] undefined;
    bit [31:0] writes;
    bit [31:0] predicate;
    bit [31:0] value;
    bit [31:0] fault;
    bit [31:0] blocked;
    bit [31:0] kind;       // ACK, MOVE, RELEASED
  } bcu_answer_t;

  typedef struct packed {
    bit [127:0][7:0] barrier;
    bit [127:0][7:0] warp;
    bit [31:0]       count;
  } bcu_release_t;

  typedef struct packed {
    bit [31:0] word;
    bit [31:0] barrier;
    bit [31:0] blocked;
    bit [31:0] number;
    bit [31:0] cta;
    bit [31:0] resident;
  } bcu_warp_t;

  import "DPI-C" smsim_golden_dpi_bcu_create = function chandle bcu_create(
      input int unsigned warps, input int unsigned ctas);
  import "DPI-C" smsim_golden_bcu_destroy = function void bcu_destroy(input chandle unit);
  import "DPI-C" smsim_golden_bcu_start = function int bcu_start(
      input chandle unit, input int unsigned warp, input int unsigned cta, input int unsigned number,
      input int unsigned warps);
  import "DPI-C" smsim_golden_bcu_exit = function int bcu_exit(
      input chandle unit, input int unsigned warp, output bit [$bits(bcu_release_t)-1:0] released);
  import "DPI-C" smsim_golden_bcu_operate = function int bcu_operate(
      input chandle unit, input int unsigned warp, input bit [$bits(bcu_request_t)-1:0] request,
      output bit [$bits(bcu_answer_t)-1:0] answer, output bit [$bits(bcu_release_t)-1:0] released);
  import "DPI-C" smsim_golden_bcu_read_words = function int bcu_read_words(
      input chandle unit, input int unsigned cta, output bit [511:0] words);
  import "DPI-C" smsim_golden_bcu_read_warp = function int bcu_read_warp(
      input chandle unit, input int unsigned warp, output bit [$bits(bcu_warp_t)-1:0] state);

  // ---- Sleep timer ------------------------------------------------------------------------------------------------

  import "DPI-C" smsim_golden_dpi_timer_create = function chandle timer_create(
      input int unsigned warps, input int unsigned granularity);
  import "DPI-C" smsim_golden_timer_destroy = function void timer_destroy(input chandle timer);
  import "DPI-C" smsim_golden_timer_request = function int timer_request(
      input chandle timer, input int unsigned warp, input longint unsigned now, input longint unsigned cycles,
      output longint unsigned expiry);
  import "DPI-C" smsim_golden_timer_stop = function int timer_stop(
      input chandle timer, input int unsigned warp, input longint unsigned at);
  import "DPI-C" smsim_golden_timer_expire = function int timer_expire(
      input chandle timer, input longint unsigned last, output int unsigned expired, output int unsigned warp,
      output longint unsigned cycle);
  import "DPI-C" smsim_golden_timer_read = function int timer_read(
      input chandle timer, input int unsigned warp, input longint unsigned now, output int unsigned running,
      output longint unsigned expiry);

  // ---- Shared memory ----------------------------------------------------------------------------------------------

  typedef struct packed {
    bit [31:0][127:0] data;
    bit [31:0][31:0]  enable;
    bit [31:0][31:0]  address;
    bit [31:0]        element;  // type
    bit [31:0]        op;
    bit [31:0]        slots;
    bit [31:0]        kind;
  } shared_request_t;

  typedef struct packed {
    bit [31:0][127:0] data;
    bit [31:0][31:0]  pass;
    bit [31:0]        passes;
  } shared_response_t;

  import "DPI-C" smsim_golden_dpi_shared_create = function chandle shared_create(
      input int unsigned bytes, input int unsigned banks);
  import "DPI-C" smsim_golden_shared_destroy = function void shared_destroy(input chandle memory);
  import "DPI-C" smsim_golden_shared_access = function int shared_access(
      input chandle memory, input bit [$bits(shared_request_t)-1:0] request,
      output bit [$bits(shared_response_t)-1:0] response);
  // Up to 16 bytes, the first one lowest.
  import "DPI-C" smsim_golden_shared_peek = function int shared_peek(
      input chandle memory, input int unsigned address, input int unsigned count, output bit [127:0] bytes);
  import "DPI-C" smsim_golden_shared_poke = function int shared_poke(
      input chandle memory, input int unsigned address, input int unsigned count, input bit [127:0] bytes);

  // ---- Comparison -------------------------------------------------------------------------------------------------
  // Each field that differs, with both values, in one line; empty if all fields with a meaning are equal.

  function automatic string field(input string so_far, input string name, input bit [63:0] model, input bit [63:0] device);
    field = so_far;
    if (model != device) begin
      if (so_far != "") field = {so_far, "; "};
      field = {field, $sformatf("%s: model 0x%0h, device 0x%0h", name, model, device)};
    end
  endfunction

  // Ignores the fields `sleep_ns` and `channel` of a device's response: no pin shows them.
  function automatic string bru_difference(input bru_response_t model, input bru_response_t device);
    string d;
    d = field("", "fault", 64'(model.fault), 64'(device.fault));
    if (model.fault != 0) begin
      if (device.fault == model.fault) begin
        d = field(d, "fault_lane", 64'(model.fault_lane), 64'(device.fault_lane));
        d = field(d, "fault_value", model.fault_value, device.fault_value);
      end
    end else if (device.fault == 0) begin
      d = field(d, "outcome", 64'(model.outcome), 64'(device.outcome));
      if (model.outcome != 2) d = field(d, "next_pc", model.next_pc, device.next_pc);
      d = field(d, "next_active", 64'(model.next_active), 64'(device.next_active));
      d = field(d, "executed", 64'(model.executed), 64'(device.executed));
      d = field(d, "write_lanes", 64'(model.write_lanes), 64'(device.write_lanes));
      if (model.write_lanes != 0) d = field(d, "value", model.value, device.value);
      d = field(d, "active", 64'(model.active), 64'(device.active));
      d = field(d, "event", 64'(model.told), 64'(device.told));
      if (model.told == 1) begin
        d = field(d, "jumped", 64'(model.jumped), 64'(device.jumped));
        d = field(d, "split", 64'(model.split), 64'(device.split));
      end
      if (model.told == 2) begin
        d = field(d, "passed", 64'(model.passed), 64'(device.passed));
        d = field(d, "release", 64'(model.release_kind), 64'(device.release_kind));
      end
    end
    bru_difference = d;
  endfunction

  // Compares the state of a warp with threads; without threads the state has no meaning.
  function automatic string bru_state_difference(input bru_state_t model, input bru_state_t device);
    string d;
    d = field("", "ValidMask", 64'(model.valid), 64'(device.valid));
    if (model.valid != 0) begin
      d = field(d, "ActivePC", model.active_pc, device.active_pc);
      d = field(d, "ActiveMask", 64'(model.active), 64'(device.active));
      d = field(d, "YieldMask", 64'(model.yield), 64'(device.yield));
      d = field(d, "SleepMask", 64'(model.sleep), 64'(device.sleep));
      d = field(d, "SwitchMask", 64'(model.switch_set), 64'(device.switch_set));
      d = field(d, "WaitMask", 64'(model.waiting), 64'(device.waiting));
      d = field(d, "WaitBarMask", 64'(model.wait_bar), 64'(device.wait_bar));
      d = field(d, "TurnMask", 64'(model.turn), 64'(device.turn));
      for (int i = 0; i < 16; i++) d = field(d, $sformatf("B%0d", i), 64'(model.b[i]), 64'(device.b[i]));
      for (int t = 0; t < 32; t++)
        if (model.valid[t] && !model.active[t]) d = field(d, $sformatf("RPC of thread %0d", t), model.rpc[t], device.rpc[t]);
      d = field(d, "in a trap handler", 64'(model.in_trap), 64'(device.in_trap));
      if (model.in_trap != 0) begin
        d = field(d, "index of its TRAP", 64'(model.trap_index), 64'(device.trap_index));
        d = field(d, "return address", model.trap_return, device.trap_return);
      end
    end
    bru_state_difference = d;
  endfunction

  // Compares two acks, or two moves.
  function automatic string bcu_difference(input bcu_answer_t model, input bcu_answer_t device);
    string d;
    d = field("", "kind of answer", 64'(model.kind), 64'(device.kind));
    if (model.kind == device.kind) begin
      if (model.kind == ACK) begin
        d = field(d, "fault", 64'(model.fault), 64'(device.fault));
        if (model.fault == 0) d = field(d, "blocked", 64'(model.blocked), 64'(device.blocked));
      end
      if (model.kind == MOVE) begin
        d = field(d, "writes", 64'(model.writes), 64'(device.writes));
        d = field(d, "undefined", 64'(model.undefined), 64'(device.undefined));
        if (model.writes != 0) begin
          d = field(d, "value", 64'(model.value), 64'(device.value));
          d = field(d, "predicate", 64'(model.predicate), 64'(device.predicate));
        end
      end
    end
    bcu_difference = d;
  endfunction
endpackage
