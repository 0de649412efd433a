// The effect of one instruction of the branch unit on the state of one warp: combinational, no timing.
// Inputs are the state, the instruction and its operands; outputs are the next state and the response. All sixteen
// operations are here, without timing, which is in bru_pipeline.sv, bru_responses.sv and bru_sleep.sv. Only the RPCs,
// the bulk of the state, are kept here, in a memory with one row for each warp, and so need no wide ports.
//
// Nothing is computed while `go` is low; this keeps simulation fast and, in hardware, operands quiet.
//
// Where bru.md leaves a choice:
// - A BSYNC or WARPSYNC that only parks threads (parking rule) counts as progress: threads with a false guard have passed,
//   and the bound of 33 syncs without progress rests on each of them adding threads to WaitMask.
// - With an exception the state stays, but the effect of other units' instructions (ActivePC is req_pc, progress) is
//   kept: it precedes the instruction.
// - TRAP, RTT and SYSCALL act for the warp if the guard of some active thread is true, otherwise they do nothing. The
//   index of TRAP in a register is that of the lowest such thread.
// - A second TRAP reports its own index with IllegalTrap, an RTT outside a handler 0. RTT leaves index and return
//   address unchanged.
// - The handler's address and the return address are not checked here: a fetch there would fail.
// - SyncDeadlock and inconsistent masks of WARPSYNC name the lowest active thread.
// - A warp whose last thread has exited keeps ActivePC at its EXIT.
module bru_step #(
    parameter int PLACES = 16,
    parameter int RW = 4
) (
    input  logic          clk,
    input  logic          go,
    input  logic [RW-1:0] place,          // of the warp in the memory of RPC
    // Instruction and operands.
    input  logic [  63:0] pc,
    input  logic [ 127:0] insn,
    input  logic [  31:0] guard,
    input  logic [  31:0] guard_pp,
    input  logic [2047:0] lanes,
    input  logic [  63:0] scalar,
    input  logic [  63:0] program_bytes,
    input  logic          cfg_nanosleep_sets_yield,
    input  logic          cfg_trap_enable,
    input  logic [  63:0] cfg_trap_handler,
    // State of the warp; masks are inside valid.
    input  logic [  63:0] held_pc,
    input  logic [  31:0] valid,
    input  logic [  31:0] active,
    input  logic [  31:0] yielded,
    input  logic [  31:0] asleep,
    input  logic [  31:0] switches,
    input  logic [  31:0] waiting,
    input  logic [  31:0] waiting_bar,
    input  logic [  31:0] turned,
    input  logic          turn,           // nothing was executed since a YIELD or NANOSLEEP switched
    input  logic [  31:0] breg,           // the B register that the instruction names
    input  logic          in_trap,
    input  logic [  31:0] trap_index,
    input  logic [  63:0] trap_return,
    // Next state. The caller cuts every mask to valid_n.
    output logic          state_we,
    output logic [  63:0] pc_n,
    output logic [  31:0] valid_n,
    output logic [  31:0] active_n,
    output logic [  31:0] yielded_n,
    output logic [  31:0] asleep_n,
    output logic [  31:0] switches_n,
    output logic [  31:0] waiting_n,
    output logic [  31:0] waiting_bar_n,
    output logic [  31:0] turned_n,
    output logic          turn_n,
    output logic          breg_we,
    output logic [  31:0] breg_n,
    output logic          in_trap_n,
    output logic [  31:0] trap_index_n,
    output logic [  63:0] trap_return_n,
    // Sleep: threads have gone to sleep for sleep_ns nanoseconds, more than 0.
    output logic          sleep,
    output logic [  31:0] sleep_ns,
    // Response; next PC and next ActiveMask are pc_n and active_n.
    output logic [   1:0] outcome,
    output logic [  31:0] executed,
    output logic [  31:0] write_lanes,
    output logic [  63:0] value,
    output logic [   3:0] told,           // rsp_event
    output logic [  31:0] jumped,
    output logic          split,
    output logic          passed,
    output logic [   2:0] release_kind,
    output logic [   3:0] fault,
    output logic [   4:0] fault_lane,
    output logic [  63:0] fault_value,
    // RPC of a warp for the debug port; `dbg_before` is passed on while nothing is read here.
    input  logic          dbg_read,
    input  logic [RW-1:0] dbg_place,
    input  logic [  31:0] dbg_parked,
    input  logic [2047:0] dbg_before,
    output logic [2047:0] dbg_rpc
);
  logic [2047:0] rpc_of[PLACES];

  // Operations and forms: instruction-set.md.
  localparam logic [7:0] BRA = 8'h01, BRX = 8'h02, CALL = 8'h03, RET = 8'h04, LEPC = 8'h05, EXIT = 8'h06;
  localparam logic [7:0] BMOV = 8'h07, BSSY = 8'h08, BSYNC = 8'h09, YIELD = 8'h0a, BREAK = 8'h0b, WARPSYNC = 8'h0c;
  localparam logic [7:0] NANOSLEEP = 8'h0d, RTT = 8'h0e, TRAP = 8'h0f, SYSCALL = 8'h10;
  localparam logic [3:0] FORM_X = 4'd0, FORM_R = 4'd1, FORM_I = 4'd2, FORM_U = 4'd3, FORM_C = 4'd4;
  localparam logic [1:0] COND_NONE = 2'd0, COND_U = 2'd1, COND_DIV = 2'd2, COND_CONV = 2'd3;

  // Codes of pins.md.
  localparam logic [3:0] ILLEGAL_TARGET = 4'd1, ILLEGAL_INSTRUCTION = 4'd2, WARPSYNC_MEMBERSHIP = 4'd3;
  localparam logic [3:0] SYNC_DEADLOCK = 4'd4, ILLEGAL_TRAP = 4'd5, TRAPPED = 4'd6;
  localparam logic [1:0] SLEEPS = 2'd1, EXITED = 2'd2;
  localparam logic [3:0] EV_BRANCH = 4'd1, EV_SYNC = 4'd2, EV_YIELD = 4'd3, EV_YIELD_ALONE = 4'd4, EV_NANOSLEEP = 4'd5;
  localparam logic [3:0] EV_PARKED = 4'd6, EV_EXIT = 4'd7, EV_SYSCALL = 4'd8;
  localparam logic [2:0] BY_COMPLETE = 3'd1, BY_YIELD = 3'd2, BY_SLEEP = 3'd3, BY_TURN = 3'd4, BY_BLOCKED = 3'd5;

  // Index of the lowest set bit; undefined for an empty mask.
  function automatic [4:0] ffs(input [31:0] m);
    logic [15:0] h;
    logic [7:0] q;
    logic [3:0] n;
    logic [1:0] p;
    logic [4:0] i;
    begin
      i[4] = m[15:0] == 16'd0;
      h = i[4] ? m[31:16] : m[15:0];
      i[3] = h[7:0] == 8'd0;
      q = i[3] ? h[15:8] : h[7:0];
      i[2] = q[3:0] == 4'd0;
      n = i[2] ? q[7:4] : q[3:0];
      i[1] = n[1:0] == 2'd0;
      p = i[1] ? n[3:2] : n[1:0];
      i[0] = p == 2'd2;
      ffs = i;
    end
  endfunction

  // The register's contribution to the target of a thread: BRX a signed word, CALL and RET 64 bits.
  function automatic [63:0] addend(input brx, input [63:0] v);
    addend = brx ? {{32{v[31]}}, v[31:0]} : v;
  endfunction

  function automatic illegal_target(input [63:0] target, input [63:0] bytes);
    illegal_target = target[3:0] != 4'd0 || target >= bytes;
  endfunction

  // Fields: encoding.md.
  wire [7:0] op = insn[7:0];
  wire [3:0] form = insn[11:8];
  wire [31:0] immediate = insn[63:32];
  wire [1:0] cond = insn[83:82];
  wire absolute = insn[82];
  wire clear = insn[82];
  wire [63:0] offset = form == FORM_C ? 64'd0 : {{10{insn[81]}}, insn[81:32], 4'd0};
  // Registers, predicates, barrier numbers and control fields are read by other units.
  wire unused = &{1'b0, insn[31:12], insn[96:85], insn[127:98]};

  wire is_jump = op == BRA || op == BRX || op == CALL || op == RET;
  wire has_pp = is_jump || op == EXIT || op == YIELD || op == BREAK || op == WARPSYNC || op == NANOSLEEP;
  wire is_sync = op == BSYNC || op == WARPSYNC;
  wire parks = is_sync || op == YIELD || op == NANOSLEEP;
  wire is_brx = op == BRX;
  // The one value of forms I, U and C of WARPSYNC, NANOSLEEP and TRAP, `~` applied.
  wire invert = insn[97] && form != FORM_I;
  wire [31:0] common = (form == FORM_I ? immediate : scalar[31:0]) ^ {32{invert}};

  wire sleepy = op == NANOSLEEP;
  wire u_invert = insn[84];
  wire [31:0] u = scalar[31:0] ^ {32{u_invert}};

  // ---- Before the instruction ----

  // pins.md "ActivePC, and what other units have executed": another PC is progress and ends a turn.
  wire moved = pc != held_pc;
  wire [31:0] wait0 = moved ? 32'd0 : waiting;
  wire [31:0] bar0 = moved ? 32'd0 : waiting_bar;
  wire turn0 = turn && !moved;
  wire [63:0] next = pc + 64'd16;
  wire [31:0] gate = guard & (has_pp ? guard_pp : 32'hffffffff);
  wire [31:0] pmask = active & gate;
  wire parked = parks && pmask != active;
  wire [4:0] leader = ffs(active);

  // Threads that are here: at(ActivePC), awake (D-6), for WARPSYNC with a true guard (D-15).
  logic [31:0] here, arrive;
  always_comb begin
    here = 32'd0;
    if (go && is_sync && !parked)
      for (int t = 0; t < 32; t++) here[t] = rpc_of[place][t*64+:64] == pc;
    arrive = active | (here & valid & ~asleep & (op == WARPSYNC ? gate : 32'hffffffff));
  end

  // Targets: `target` for all, or with own_targets the register of each thread added to it. Which are illegal, and
  // which threads have another target than the lowest active one.
  wire own_targets = is_jump && op != BRA && form == FORM_R;
  logic [63:0] target;
  logic [31:0] illegal, elsewhere;
  always_comb begin
    target = 64'd0;
    illegal = 32'd0;
    elsewhere = 32'd0;
    if (go && is_jump) begin
      target = offset + (op == BRA || is_brx || !absolute ? next : 64'd0);
      if (op != BRA && form != FORM_R) target = target + addend(is_brx, scalar);
      if (own_targets) begin
        for (int t = 0; t < 32; t++) begin
          illegal[t] = illegal_target(target + addend(is_brx, lanes[t*64+:64]), program_bytes);
          elsewhere[t] = active[t] && addend(is_brx, lanes[t*64+:64]) != addend(is_brx, lanes[leader*64+:64]);
        end
      end else begin
        illegal = {32{illegal_target(target, program_bytes)}};
      end
    end
  end

  // WARPSYNC form R: threads in their own mask, the masks of the threads that are here, and the first ready group. It
  // is found at its lowest thread, whose mask has no lower threads, and all members hold that mask (D-16).
  logic [31:0] in_own, wanted, ready_group, held, same;
  always_comb begin
    in_own = 32'd0;
    wanted = 32'd0;
    ready_group = 32'd0;
    held = 32'd0;
    same = 32'd0;
    if (go && op == WARPSYNC && form == FORM_R && !parked) begin
      for (int t = 0; t < 32; t++) begin
        held = (lanes[t*64+:32] ^ {32{invert}}) & valid;
        in_own[t] = held[t];
        wanted = wanted | (arrive[t] ? held : 32'd0);
        if (ready_group == 32'd0 && arrive[t] && held[t] && ffs(held) == t[4:0] && (held & ~arrive) == 32'd0) begin
          for (int o = 0; o < 32; o++) same[o] = ((lanes[o*64+:32] ^ {32{invert}}) & valid) == held;
          ready_group = (held & ~same) == 32'd0 ? held : 32'd0;
        end
      end
    end
  end

  // NANOSLEEP: the shortest time of the active threads (D-11), by a tree of minima.
  function automatic [31:0] shortest_of(input [31:0] among, input [2047:0] values);
    logic [1023:0] v;
    begin
      for (int t = 0; t < 32; t++) v[t*32+:32] = among[t] ? values[t*64+:32] : 32'hffffffff;
      for (int half = 16; half > 0; half = half / 2)
        for (int t = 0; t < half; t++)
          v[t*32+:32] = v[(t+half)*32+:32] < v[t*32+:32] ? v[(t+half)*32+:32] : v[t*32+:32];
      shortest_of = v[31:0];
    end
  endfunction

  logic [31:0] shortest;
  always_comb begin
    shortest = common;
    if (go && sleepy && form == FORM_R) shortest = shortest_of(active, lanes);
  end

  // ---- The instruction ----

  logic [63:0] d_pc, d_trap_return, d_fault_value, rpc_base;
  logic [31:0] d_valid, d_active, d_yielded, d_asleep, d_switches, d_waiting, d_waiting_bar, d_turned, d_breg;
  logic [31:0] d_trap_index, d_write_lanes, d_jumped, rpc_lanes_we, elect_pool;
  logic d_turn, d_breg_we, d_in_trap, d_sleep, d_split, d_passed, elect, widen, rejoin;
  logic [1:0] d_outcome;
  logic [2:0] d_release_kind;
  logic [3:0] d_told, d_fault;
  logic [4:0] d_fault_lane;

  logic [31:0] j, b, bad, candidates, fresh, pool, group, others;
  logic div, found;

  always_comb begin
    j = 32'd0;
    b = 32'd0;
    bad = 32'd0;
    candidates = 32'd0;
    fresh = 32'd0;
    pool = 32'd0;
    group = 32'd0;
    others = 32'd0;
    div = 1'b0;
    found = 1'b0;
    // Default unless the instruction overrides it: the same threads continue, and this was progress.
    d_pc = next;
    d_valid = valid;
    d_active = active;
    d_yielded = yielded;
    d_asleep = asleep;
    d_switches = switches;
    d_waiting = 32'd0;
    d_waiting_bar = 32'd0;
    d_turned = turned;
    d_turn = 1'b0;
    d_breg_we = 1'b0;
    d_breg = 32'd0;
    d_in_trap = in_trap;
    d_trap_index = trap_index;
    d_trap_return = trap_return;
    d_sleep = 1'b0;
    d_outcome = 2'd0;
    d_write_lanes = 32'd0;
    d_told = 4'd0;
    d_jumped = 32'd0;
    d_split = 1'b0;
    d_passed = 1'b0;
    d_release_kind = 3'd0;
    d_fault = 4'd0;
    d_fault_lane = 5'd0;
    d_fault_value = 64'd0;
    value = 64'd0;
    rpc_lanes_we = 32'd0;
    rpc_base = pc;
    elect = 1'b0;
    elect_pool = 32'd0;
    widen = 1'b0;
    rejoin = 1'b0;

    if (go) begin
      d_fault_lane = ffs(pmask);
      if (parked) begin
        // Parking rule. Without any true guard no thread is parked and the instruction is skipped.
        rpc_lanes_we = pmask;
        d_active = active & ~pmask;
        if (pmask != 32'd0) d_told = EV_PARKED;
      end else begin
        if (is_sync) d_told = EV_SYNC;
        case (op)
          // bru.md "Branches".
          BRA, BRX, CALL, RET: begin
            d_told = EV_BRANCH;
            if (op == BRA && form == FORM_U) begin
              if ((u & valid & ~active) != 32'd0) div = 1'b1;
              else if (pmask != 32'd0 && pmask != active) div = (active & ~pmask & u) != 32'd0;
              if (cond == COND_DIV) j = pmask != 32'd0 && div ? active : 32'd0;
              else if (cond == COND_CONV) j = pmask != 32'd0 && !div ? active : 32'd0;
              else d_fault = ILLEGAL_INSTRUCTION;
            end else if (op == BRA) begin
              div = pmask != valid;
              case (cond)
                COND_NONE: j = pmask;
                COND_U: j = pmask == active ? active : 32'd0;
                COND_DIV: j = div ? pmask : 32'd0;
                COND_CONV: j = div ? 32'd0 : pmask;
              endcase
            end else begin
              j = pmask;
            end

            bad = j & illegal;
            if (bad != 32'd0) begin
              d_fault = ILLEGAL_TARGET;
              d_fault_lane = ffs(bad);
              d_fault_value = target + (own_targets ? addend(is_brx, lanes[ffs(bad)*64+:64]) : 64'd0);
            end
            d_jumped = j;
            rpc_base = target;
            if (j == active) begin
              d_pc = target + (own_targets ? addend(is_brx, lanes[leader*64+:64]) : 64'd0);
              rpc_lanes_we = elsewhere;
              d_active = active & ~elsewhere;
            end else if (j != 32'd0) begin
              // Fall through first.
              rpc_lanes_we = j;
              d_active = active & ~j;
            end
            d_split = d_active != active;
          end

          // D-13: with its offset.
          LEPC: begin
            d_write_lanes = pmask;
            value = pc + offset;
          end

          EXIT: begin
            d_told = EV_EXIT;
            d_valid = valid & ~pmask;
            d_active = active & ~pmask;
            if (d_active == 32'd0) begin
              if (d_valid == 32'd0) begin
                d_outcome = EXITED;
                d_pc = pc;
              end else begin
                elect = 1'b1;
                elect_pool = d_valid;
                widen = 1'b1;
              end
            end
          end

          BMOV: begin
            if (form == FORM_X) begin
              d_write_lanes = pmask;
              value = {32'd0, breg};
              d_breg_we = clear && pmask != 32'd0;
            end else begin
              d_breg_we = pmask != 32'd0;
              d_breg = lanes[ffs(pmask)*64+:32] & valid;
            end
          end

          BSSY: begin
            d_breg_we = 1'b1;
            d_breg = breg | pmask;
          end

          BREAK: begin
            d_breg_we = 1'b1;
            d_breg = breg & ~pmask;
          end

          BSYNC: begin
            b = breg & ~arrive;  // D-7
            d_breg_we = 1'b1;
            d_breg = b;
            candidates = valid & ~arrive & ~yielded & ~asleep & ~wait0;  // BSYNC 4
            if (b == 32'd0) begin  // BSYNC 2
              d_passed = 1'b1;
              d_release_kind = BY_COMPLETE;
            end else if (turn0 && (active & turned) != 32'd0) begin  // BSYNC 3, D-14
              d_passed = 1'b1;
              d_release_kind = BY_TURN;
            end else begin
              if (turn0) d_turned = turned | active;
              if (candidates == 32'd0) begin  // BSYNC 4, release
                d_passed = 1'b1;
                if ((b & asleep) != 32'd0) d_release_kind = BY_SLEEP;
                else if ((b & yielded) != 32'd0) d_release_kind = BY_YIELD;
                else d_release_kind = BY_BLOCKED;
              end else begin
                // switch(m) is an election: its candidates are awake and have not yielded.
                elect = 1'b1;
                elect_pool = (candidates & b) != 32'd0 ? candidates & b : candidates;
                rpc_lanes_we = active;
                rpc_base = pc;
                d_waiting = wait0 | active;
                d_waiting_bar = bar0 | active;
              end
            end
            if (d_passed) begin  // D-18
              d_active = arrive;
              d_yielded = yielded & ~arrive;
              d_turned = d_turned & ~arrive;
            end
          end

          WARPSYNC: begin
            if (form == FORM_R) begin
              bad = active & ~in_own;
              pool = wanted & ~arrive;
              group = ready_group;
              found = ready_group != 32'd0;
            end else begin
              group = common & valid;
              bad = active & ~group;
              pool = group & ~arrive;
              found = pool == 32'd0;
            end

            if (bad != 32'd0) begin
              d_fault = WARPSYNC_MEMBERSHIP;
              d_fault_lane = ffs(bad);
            end else if (found) begin
              d_passed = 1'b1;
              d_active = group;
              rpc_lanes_we = active & ~group;
              rpc_base = pc;
            end else if (pool == 32'd0) begin
              d_fault = WARPSYNC_MEMBERSHIP;
            end else begin
              // Block, D-17.
              rpc_lanes_we = active;
              rpc_base = pc;
              d_waiting = wait0 | active;
              d_waiting_bar = bar0;
              fresh = valid & ~d_waiting & ~asleep;
              if ((pool & fresh) != 32'd0) elect_pool = pool & fresh;
              else if ((fresh & ~arrive) != 32'd0) elect_pool = fresh & ~arrive;
              else if ((pool & bar0 & ~asleep) != 32'd0) elect_pool = pool & bar0 & ~asleep;
              else if ((bar0 & ~asleep) != 32'd0) elect_pool = bar0 & ~asleep;
              else elect_pool = asleep;
              elect = 1'b1;
              widen = form == FORM_R;
              rejoin = form == FORM_R;
              if (elect_pool == 32'd0) d_fault = SYNC_DEADLOCK;
            end
          end

          YIELD, NANOSLEEP: begin
            if (sleepy) begin
              d_sleep = shortest != 32'd0;
              if (d_sleep) begin
                d_told = EV_NANOSLEEP;
                d_asleep = asleep | active;  // D-12
              end
            end
            others = valid & ~active;
            if (sleepy && !d_sleep) begin
              d_told = 4'd0;  // a NOP
            end else if (others == 32'd0) begin
              if (sleepy) d_outcome = SLEEPS;
              else d_told = EV_YIELD_ALONE;
            end else begin
              if (!sleepy) d_told = EV_YIELD;
              d_switches = (switches & others) == 32'd0 ? others : switches & others;  // YIELD 1
              elect_pool = d_switches;  // YIELD 2, D-9
              if ((d_switches & ~asleep) == 32'd0 && (others & ~asleep) != 32'd0) elect_pool = others;
              rpc_lanes_we = active;  // YIELD 3, D-10
              rpc_base = next;
              if (!sleepy || cfg_nanosleep_sets_yield) d_yielded = yielded | active;
              elect = 1'b1;  // YIELD 4
              widen = 1'b1;
              d_turn = 1'b1;
            end
          end

          RTT: begin
            if (pmask != 32'd0) begin
              if (!in_trap) d_fault = ILLEGAL_TRAP;
              d_in_trap = 1'b0;
              d_pc = trap_return;
            end
          end

          TRAP: begin
            if (pmask != 32'd0) begin
              d_trap_index = form == FORM_R ? lanes[ffs(pmask)*64+:32] : common;
              d_fault_value = {32'd0, d_trap_index};
              if (!cfg_trap_enable) d_fault = TRAPPED;
              else if (in_trap) d_fault = ILLEGAL_TRAP;
              d_in_trap = 1'b1;
              d_trap_return = next;
              d_pc = cfg_trap_handler;
            end
          end

          SYSCALL: if (pmask != 32'd0) d_told = EV_SYSCALL;

          default: d_fault = ILLEGAL_INSTRUCTION;
        endcase
      end
    end
  end

  // ---- Elect, and the state after an exception ----

  logic [31:0] awake, pref, match, rest;
  logic all_asleep;
  logic [63:0] elected_pc;
  always_comb begin
    awake = d_active;
    all_asleep = 1'b0;
    pref = 32'd0;
    match = 32'd0;
    rest = 32'd0;
    elected_pc = 64'd0;

    state_we = go && (d_fault == 4'd0 || moved);
    pc_n = d_pc;
    valid_n = d_valid;
    active_n = d_active;
    yielded_n = d_yielded;
    asleep_n = d_asleep;
    switches_n = d_switches;
    waiting_n = d_waiting;
    waiting_bar_n = d_waiting_bar;
    turned_n = d_turned;
    turn_n = d_turn;
    breg_we = d_breg_we;
    breg_n = d_breg;
    in_trap_n = d_in_trap;
    trap_index_n = d_trap_index;
    trap_return_n = d_trap_return;
    sleep = d_sleep;
    sleep_ns = shortest;
    outcome = d_outcome;
    executed = pmask;
    write_lanes = d_write_lanes;
    told = d_told;
    jumped = d_jumped;
    split = d_split;
    passed = d_passed;
    release_kind = d_release_kind;
    fault = d_fault;
    fault_lane = 5'd0;
    fault_value = 64'd0;

    if (d_fault != 4'd0) begin
      // Precise: this instruction has no effect.
      fault_lane = d_fault_lane;
      if (d_fault == ILLEGAL_TARGET || d_fault == ILLEGAL_TRAP || d_fault == TRAPPED) fault_value = d_fault_value;
      pc_n = pc;
      valid_n = valid;
      active_n = active;
      yielded_n = yielded;
      asleep_n = asleep;
      switches_n = switches;
      waiting_n = wait0;
      waiting_bar_n = bar0;
      turned_n = turned;
      turn_n = turn0;
      breg_we = 1'b0;
      in_trap_n = in_trap;
      trap_index_n = trap_index;
      trap_return_n = trap_return;
      sleep = 1'b0;
      outcome = 2'd0;
      told = 4'd0;
      write_lanes = 32'd0;
      jumped = 32'd0;
      split = 1'b0;
      passed = 1'b0;
      release_kind = 3'd0;
    end else if (elect) begin
      // bru.md "Elect".
      awake = elect_pool & ~d_asleep;
      all_asleep = awake == 32'd0;  // Elect 1, D-3
      if (all_asleep) awake = elect_pool;
      pref = (awake & ~d_yielded) != 32'd0 ? awake & ~d_yielded : awake;  // Elect 2
      elected_pc = rpc_of[place][ffs(pref)*64+:64];
      for (int t = 0; t < 32; t++) match[t] = rpc_of[place][t*64+:64] == elected_pc;
      pc_n = elected_pc;  // Elect 3
      if (widen) begin
        // D-4; threads that WARPSYNC has just parked join if the elected PC is theirs.
        active_n = (d_valid & ~active & match & (all_asleep ? 32'hffffffff : ~d_asleep))
            | (rejoin && elected_pc == pc ? active : 32'd0);
      end else begin
        active_n = pref & match;
      end
      if (all_asleep) outcome = SLEEPS;  // Elect 4
      if (d_turn) begin  // YIELD 5
        rest = valid & ~active_n;
        switches_n = (d_switches & rest) == 32'd0 ? rest : d_switches & rest;
      end
    end
  end

  // PCs of the threads that are parked or jump: one for all, or individual targets.
  function automatic [2047:0] merged(input [2047:0] old, input [31:0] which, input [63:0] base, input own, input brx,
                                     input [2047:0] values);
    for (int t = 0; t < 32; t++)
      merged[t*64+:64] = which[t] ? base + (own ? addend(brx, values[t*64+:64]) : 64'd0) : old[t*64+:64];
  endfunction

  always_ff @(posedge clk)
    if (go && rpc_lanes_we != 32'd0 && d_fault == 4'd0)
      rpc_of[place] <= merged(rpc_of[place], rpc_lanes_we, rpc_base, own_targets, is_brx, lanes);

  // Debug port: RPC of threads that are active or have exited has no meaning and reads zero.
  always_comb begin
    dbg_rpc = dbg_before;
    if (dbg_read)
      for (int t = 0; t < 32; t++) dbg_rpc[t*64+:64] = dbg_parked[t] ? rpc_of[dbg_place][t*64+:64] : 64'd0;
  end
endmodule
