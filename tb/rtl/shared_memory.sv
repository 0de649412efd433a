// Shared memory of a streaming multiprocessor: banks of 4-byte words, with the pins of pins.md.
//
// An access is served in passes, one a cycle, the first in the cycle of its transfer. In a pass each bank reads and
// writes one word. The words that still wait are looked at in the order of slots: the first one that wants a bank gets
// it, and with it every later one of the same word (broadcast; writes to one byte: the last slot's stays). An atomic
// gets its banks only if no earlier slot still waits for one of them. This yields the passes that pins.md numbers in
// advance, because a bank gives its passes to words in the order in which they first appear.
//
// The effect of an access is spread over its passes, but the next access is let in only behind the last of them, and
// words of one access that touch the same bytes share a pass (reads and writes) or come in the order of slots
// (atomics). So every access sees the accesses before it as if each had happened at its transfer. Only the debug port
// shows the difference: between transfer and last pass it shows what the passes up to now have done.
//
// Where the specification is silent:
// - BANKS is a power of two, at least 4, so that the words of 16 bytes are in different banks.
// - Atomics take their words from address and type; req_enable is not looked at.
// - An access without slots in use takes one cycle and has no response.
// - A response to a write has data 0, and so have slots that are not complete with the pass.
// - There is room for RESPONSES responses of each channel between pass and transfer, also those whose latency has not
//   passed; when one is full, passes wait.
module shared_memory #(
    parameter int BYTES     = 102400,
    parameter int BANKS     = 32,
    parameter int SLOTS     = 32,
    parameter int RESPONSES = 128
) (
    input  logic                 clk,
    input  logic                 rst,
    input  logic [15:0]          cfg_latency,
    input  logic [15:0]          cfg_atomic_latency,
    input  logic                 req_valid,
    output logic                 req_ready,
    input  logic [1:0]           req_kind,
    input  logic [15:0]          req_tag,
    input  logic [SLOTS-1:0]     req_slots,
    input  logic [SLOTS*32-1:0]  req_address,
    input  logic [SLOTS*16-1:0]  req_enable,
    input  logic [SLOTS*128-1:0] req_data,
    input  logic [3:0]           req_op,
    input  logic [2:0]           req_type,
    output logic                 rsp_valid,
    input  logic                 rsp_ready,
    output logic [15:0]          rsp_tag,
    output logic [SLOTS-1:0]     rsp_slots,
    output logic                 rsp_last,
    output logic [SLOTS*128-1:0] rsp_data,
    output logic                 arsp_valid,
    input  logic                 arsp_ready,
    output logic [15:0]          arsp_tag,
    output logic [SLOTS-1:0]     arsp_slots,
    output logic                 arsp_last,
    output logic [SLOTS*128-1:0] arsp_data,
    output logic                 busy,
    input  logic [31:0]          dbg_address,
    output logic [127:0]         dbg_data
);
  localparam int GROUPS = BANKS / 4;                     // 16 bytes lie in the four banks of one group
  localparam int GB     = GROUPS > 1 ? $clog2(GROUPS) : 1;
  localparam int ROWS   = (BYTES / 4 + BANKS - 1) / BANKS;
  localparam int RB     = ROWS > 1 ? $clog2(ROWS) : 1;
  localparam int QUAD   = 28;                            // bits of the number of 16 bytes
  localparam logic [1:0] READ = 2'd0, WRITE = 2'd1, ATOMIC = 2'd2;

  function automatic logic [GB-1:0] group_of(input logic [QUAD-1:0] quad);
    group_of = GB'(quad % QUAD'(GROUPS));
  endfunction

  function automatic logic [RB-1:0] row_of(input logic [QUAD-1:0] quad);
    row_of = RB'(quad / QUAD'(GROUPS));
  endfunction

  // ---- Time -------------------------------------------------------------------------------------------------------
  logic [47:0] now;
  always_ff @(posedge clk) begin
    if (rst) now <= '0;
    else now <= now + 48'd1;
  end

  // ---- The access under way -----------------------------------------------------------------------------------------
  logic [SLOTS*4-1:0]   waiting;        // words that wait for a pass, four of each slot
  logic [1:0]           held_kind;
  logic [15:0]          held_tag;
  logic [SLOTS*32-1:0]  held_address;
  logic [SLOTS*16-1:0]  held_enable;
  logic [SLOTS*128-1:0] held_data;
  logic [3:0]           held_op;
  logic [2:0]           held_type;
  logic [SLOTS*128-1:0] gathered;       // what a read has got in the passes up to now
  logic                 room, first, active;
  logic [1:0]           kind;
  logic [15:0]          tag;
  logic [3:0]           op;
  logic [2:0]           value_type;
  logic                 wide;           // atomic of 64 bits

  assign req_ready  = waiting == 0 && room;
  assign first      = req_valid && req_ready;
  assign active     = first || (waiting != 0 && room);
  assign kind       = first ? req_kind : held_kind;
  assign tag        = first ? req_tag : held_tag;
  assign op         = first ? req_op : held_op;
  assign value_type = first ? req_type : held_type;
  assign wide       = value_type == 3'd2 || value_type == 3'd3 || value_type == 3'd5;

  // ---- Choice of the words of this pass -----------------------------------------------------------------------------
  logic [SLOTS*4-1:0]    served, remaining;
  logic [SLOTS-1:0]      taken, complete;  // slots with words in this pass; slots with their last words in it
  logic [SLOTS-1:0]      in_range;         // in the range of the memory
  logic [SLOTS*QUAD-1:0] slot_quad;
  logic [BANKS-1:0]      claimed;
  logic [BANKS*QUAD-1:0] bank_quad;        // which 16 bytes the bank serves a word of
  // Of the slot that is looked at:
  logic [31:0]           address;
  logic [3:0]            want, get;
  logic [QUAD-1:0]       quad;
  logic [GB-1:0]         group;

  always_comb begin
    served    = '0;
    remaining = '0;
    taken     = '0;
    complete  = '0;
    in_range  = '0;
    slot_quad = '0;
    claimed   = '0;
    bank_quad = '0;
    address   = '0;
    want      = '0;
    get       = '0;
    quad      = '0;
    group     = '0;
    if (active) begin
      for (int i = 0; i < SLOTS; i++) begin
        address = first ? req_address[i*32 +: 32] : held_address[i*32 +: 32];
        quad    = address[31:4];
        group   = group_of(quad);
        get     = '0;
        if (!first) want = waiting[i*4 +: 4];
        else if (!req_slots[i]) want = '0;
        else if (kind == ATOMIC) want = (wide ? 4'b0011 : 4'b0001) << address[3:2];
        else want = {|req_enable[i*16+12 +: 4], |req_enable[i*16+8 +: 4], |req_enable[i*16+4 +: 4],
                     |req_enable[i*16 +: 4]};
        if (want != 0) begin
          slot_quad[i*QUAD +: QUAD] = quad;
          in_range[i]               = address < BYTES;
          for (int g = 0; g < GROUPS; g++) begin
            if (group == GB'(g)) begin
              if (kind == ATOMIC) begin
                if ((want & claimed[g*4 +: 4]) == 0) get = want;
              end else begin
                for (int k = 0; k < 4; k++)
                  get[k] = want[k] && (!claimed[g*4+k] || bank_quad[(g*4+k)*QUAD +: QUAD] == quad);
              end
              for (int k = 0; k < 4; k++) begin
                if (get[k]) bank_quad[(g*4+k)*QUAD +: QUAD] = quad;
              end
              claimed[g*4 +: 4] = claimed[g*4 +: 4] | want;
            end
          end
          served[i*4 +: 4]      = get;
          remaining[i*4 +: 4]   = want & ~get;
          taken[i]              = get != 0;
          complete[i]           = (want & ~get) == 0;
        end
      end
    end
  end

  // ---- Banks --------------------------------------------------------------------------------------------------------
  logic [BANKS*32-1:0] bank_old, bank_new, bank_shown;
  logic [BANKS*4-1:0]  bank_write;   // bytes
  logic                shown;        // the debug port asks for something in range
  logic [RB-1:0]       shown_row;

  assign shown     = dbg_address < BYTES;
  assign shown_row = row_of(dbg_address[31:4]);

  for (genvar b = 0; b < BANKS; b++) begin : g_bank
    logic [31:0]   cells[0:ROWS-1];
    logic [RB-1:0] row;
    assign row                     = row_of(bank_quad[b*QUAD +: QUAD]);
    assign bank_old[b*32 +: 32]    = cells[row];
    assign bank_shown[b*32 +: 32]  = shown ? cells[shown_row] : '0;
    always_ff @(posedge clk) begin
      if (!rst) begin
        for (int y = 0; y < 4; y++) begin
          if (bank_write[b*4+y]) cells[row][y*8 +: 8] <= bank_new[b*32+y*8 +: 8];
        end
      end
    end
  end

  assign dbg_data = bank_shown[group_of(dbg_address[31:4])*128 +: 128];

  // ---- From the banks to the slots ----------------------------------------------------------------------------------
  logic [SLOTS*128-1:0] slot_read;            // reads: what the slot has got with this pass, bytes not enabled 0
  logic [SLOTS*64-1:0]  slot_old, slot_new;   // atomics
  logic [SLOTS*64-1:0]  slot_operand, slot_compare;
  logic [127:0]         quad_old;             // of the slot that is looked at
  logic [15:0]          read_enable;

  always_comb begin
    slot_read    = '0;
    slot_old     = '0;
    slot_operand = '0;
    slot_compare = '0;
    quad_old     = '0;
    read_enable  = '0;
    if (active && kind != WRITE) begin
      for (int i = 0; i < SLOTS; i++) begin
        if (taken[i]) begin
          quad_old    = in_range[i] ? bank_old[group_of(slot_quad[i*QUAD +: QUAD])*128 +: 128] : '0;
          read_enable = first ? req_enable[i*16 +: 16] : held_enable[i*16 +: 16];
          if (kind == ATOMIC) begin
            for (int k = 3; k >= 0; k--) begin
              if (served[i*4+k]) slot_old[i*64 +: 64] = {wide ? quad_old[(k|1)*32 +: 32] : 32'd0, quad_old[k*32 +: 32]};
            end
            slot_operand[i*64 +: 64] = first ? req_data[i*128 +: 64] : held_data[i*128 +: 64];
            slot_compare[i*64 +: 64] = first ? req_data[i*128+64 +: 64] : held_data[i*128+64 +: 64];
          end else begin
            if (!first) slot_read[i*128 +: 128] = gathered[i*128 +: 128];
            for (int y = 0; y < 16; y++) begin
              if (read_enable[y] && served[i*4+y/4]) slot_read[i*128+y*8 +: 8] = quad_old[y*8 +: 8];
            end
          end
        end
      end
    end
  end

  for (genvar i = 0; i < SLOTS; i++) begin : g_slot
    atomic_unit alu (
        .enable(taken[i] && kind == ATOMIC), .op, .kind(value_type), .old(slot_old[i*64 +: 64]),
        .operand(slot_operand[i*64 +: 64]), .compare(slot_compare[i*64 +: 64]), .value(slot_new[i*64 +: 64]));
  end

  // ---- From the slots to the banks ----------------------------------------------------------------------------------
  logic [127:0] write_data;           // of the slot that is looked at
  logic [15:0]  write_enable;

  always_comb begin
    bank_new     = '0;
    bank_write   = '0;
    write_data   = '0;
    write_enable = '0;
    if (active && kind != READ) begin
      for (int i = 0; i < SLOTS; i++) begin
        if (taken[i] && in_range[i]) begin
          if (kind == ATOMIC) begin
            write_enable = 16'hffff;
            write_data   = wide ? {2{slot_new[i*64 +: 64]}} : {4{slot_new[i*64 +: 32]}};
          end else begin
            write_enable = first ? req_enable[i*16 +: 16] : held_enable[i*16 +: 16];
            write_data   = first ? req_data[i*128 +: 128] : held_data[i*128 +: 128];
          end
          for (int g = 0; g < GROUPS; g++) begin
            if (group_of(slot_quad[i*QUAD +: QUAD]) == GB'(g)) begin
              for (int y = 0; y < 16; y++) begin
                if (write_enable[y] && served[i*4+y/4]) begin
                  bank_write[g*16+y]        = 1'b1;
                  bank_new[(g*16+y)*8 +: 8] = write_data[y*8 +: 8];
                end
              end
            end
          end
        end
      end
    end
  end

  always_ff @(posedge clk) begin
    if (rst) waiting <= '0;
    else if (active) waiting <= remaining;
  end

  always_ff @(posedge clk) begin
    if (first && remaining != 0) begin
      held_kind    <= req_kind;
      held_tag     <= req_tag;
      held_address <= req_address;
      held_enable  <= req_enable;
      held_data    <= req_data;
      held_op      <= req_op;
      held_type    <= req_type;
    end
    if (active && remaining != 0 && kind == READ) begin
      if (first) gathered <= slot_read;
      else begin
        for (int i = 0; i < SLOTS; i++) begin
          if (taken[i]) gathered[i*128 +: 128] <= slot_read[i*128 +: 128];
        end
      end
    end
  end

  // ---- Responses ----------------------------------------------------------------------------------------------------
  logic                 plain_full, plain_empty, atomic_full, atomic_empty, last;
  logic [SLOTS*128-1:0] plain_data;
  logic [SLOTS*64-1:0]  atomic_data, atomic_head;
  logic [47:0]          plain_stamp, atomic_stamp;

  assign room = !plain_full && !atomic_full;
  assign last = remaining == 0;
  assign busy = waiting != 0 || !plain_empty || !atomic_empty;

  always_comb begin
    plain_data  = '0;
    atomic_data = '0;
    if (complete != 0) begin
      for (int i = 0; i < SLOTS; i++) begin
        if (complete[i]) begin
          plain_data[i*128 +: 128] = slot_read[i*128 +: 128];
          atomic_data[i*64 +: 64]  = slot_old[i*64 +: 64];
        end
      end
    end
  end

  timed_queue #(.WIDTH(17 + SLOTS * 129), .PLACES(RESPONSES)) plain (
      .clk, .rst, .now, .delay({1'b0, cfg_latency}), .push(complete != 0 && kind != ATOMIC),
      .push_data({tag, last, complete, plain_data}), .full(plain_full), .empty(plain_empty), .head_valid(rsp_valid),
      .head_data({rsp_tag, rsp_last, rsp_slots, rsp_data}), .head_stamp(plain_stamp), .pop(rsp_valid && rsp_ready));

  timed_queue #(.WIDTH(17 + SLOTS * 65), .PLACES(RESPONSES)) atomics (
      .clk, .rst, .now, .delay({1'b0, cfg_latency} + {1'b0, cfg_atomic_latency}),
      .push(complete != 0 && kind == ATOMIC), .push_data({tag, last, complete, atomic_data}), .full(atomic_full),
      .empty(atomic_empty), .head_valid(arsp_valid), .head_data({arsp_tag, arsp_last, arsp_slots, atomic_head}),
      .head_stamp(atomic_stamp), .pop(arsp_valid && arsp_ready));

  always_comb begin
    arsp_data = '0;
    if (arsp_valid) begin
      for (int i = 0; i < SLOTS; i++) arsp_data[i*128 +: 64] = atomic_head[i*64 +: 64];
    end
  end

  wire unused = &{1'b0, plain_stamp, atomic_stamp, dbg_address[3:0]};
endmodule
