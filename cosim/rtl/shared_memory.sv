// Shared memory of a streaming multiprocessor: banks of 4-byte words, with the pins of pins.md.
//
// An access is served in passes, one per cycle, the first in the cycle of its transfer. In a pass each bank reads and
// writes one word. The waiting words are examined in the order of slots: the first one that wants a bank gets it, and
// with it every later one of the same word (broadcast; of writes to one byte the last slot's stays). An atomic gets
// its banks only if no earlier slot still waits for one of them. This yields the passes that pins.md numbers in
// advance, because a bank gives its passes to words in the order of their first appearance.
//
// The effect of an access is spread over its passes, but the next access is admitted only after the last of them, and
// words of one access that touch the same bytes share a pass (reads and writes) or are served in the order of slots
// (atomics). So every access sees the earlier accesses as if each had happened at its transfer. Only the debug port
// shows the difference: between transfer and last pass it shows the effect of the passes so far.
//
// Where the specification is silent:
// - BANKS is a power of two, at least 4, so that the words of 16 bytes are in different banks.
// - Atomics take their words from address and type; req_enable is ignored.
// - An access without slots in use takes one cycle and has no response.
// - A response to a write has data 0, as do slots that are not complete with the pass.
// - There is room for RESPONSES responses of each channel between pass and transfer, even if the latency has not
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
  localparam int GROUPS = BANKS / 4;                     // 16 bytes are in the four banks of one group
  localparam int GB     = GROUPS > 1 ? $clog2(GROUPS) : 1;
  localparam int ROWS   = (BYTES / 4 + BANKS - 1) / BANKS;
  localparam int RB     = ROWS > 1 ? $clog2(ROWS) : 1;
  localparam logic [1:0] READ = 2'd0, ATOMIC = 2'd2;

  // A line is an address / 16.
  function automatic logic [GB-1:0] group_of(input logic [31:0] line);
    group_of = GB'(line % GROUPS);
  endfunction

  function automatic logic [RB-1:0] row_of(input logic [31:0] line);
    row_of = RB'(line / GROUPS);
  endfunction

  // ---- Time -------------------------------------------------------------------------------------------------------
  logic [47:0] now;
  always_ff @(posedge clk) begin
    if (rst) now <= '0;
    else now <= now + 48'd1;
  end

  // ---- The access under way -----------------------------------------------------------------------------------------
  logic [SLOTS-1:0]     waiting;        // slots with words that wait for a pass
  logic [1:0]           held_kind;
  logic [15:0]          held_tag;
  logic [SLOTS*32-1:0]  held_address;
  logic [SLOTS*16-1:0]  held_enable;
  logic [SLOTS*128-1:0] held_data;
  logic [3:0]           held_op;
  logic [2:0]           held_type;
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

  // ---- Requests of the slots ----------------------------------------------------------------------------------------
  // Every bank serves the first slot that requests it.
  // Signals for every slot or bank are unpacked arrays here and below: a simulator passes their elements one by one,
  // whereas it would reassemble a wide vector from its parts again and again.
  logic [3:0]       slot_left[0:SLOTS-1];    // words that wait for a pass; of slots in waiting
  logic [3:0]       slot_want[0:SLOTS-1];    // words
  logic [31:0]      slot_line[0:SLOTS-1];
  logic [BANKS-1:0] slot_banks[0:SLOTS-1];   // the banks of these words
  logic [BANKS-1:0] slot_owns[0:SLOTS-1];    // those of them that it gets
  logic [SLOTS-1:0] in_range;
  logic [BANKS-1:0] claimed;

  for (genvar i = 0; i < SLOTS; i++) begin : g_want
    logic [31:0] address;
    logic [3:0]  want;
    logic [15:0] enable;
    assign enable = req_enable[i*16 +: 16];
    always_comb begin
      address = '0;
      want    = '0;
      if (active) begin
        address = first ? req_address[i*32 +: 32] : held_address[i*32 +: 32];
        if (!first) want = waiting[i] ? slot_left[i] : '0;
        else if (req_slots[i]) begin
          if (kind == ATOMIC) want = (wide ? 4'b0011 : 4'b0001) << address[3:2];
          else want = {|enable[15:12], |enable[11:8], |enable[7:4], |enable[3:0]};
        end
      end
    end
    always_comb begin
      slot_want[i]  = want;
      slot_line[i]  = {4'd0, address[31:4]};
      slot_banks[i] = BANKS'(want) << {group_of({4'd0, address[31:4]}), 2'b00};
    end
    assign in_range[i] = address < BYTES;
  end

  always_comb begin
    claimed = '0;
    for (int i = 0; i < SLOTS; i++) begin
      slot_owns[i] = slot_banks[i] & ~claimed;
      claimed      = claimed | slot_banks[i];
    end
  end

  // ---- Banks --------------------------------------------------------------------------------------------------------
  logic [31:0]   bank_line[0:BANKS-1];     // of the owner
  logic [31:0]   bank_old[0:BANKS-1];
  logic [31:0]   bank_shown[0:BANKS-1];
  logic [3:0]    slot_write[0:SLOTS-1];    // words to be written in this pass
  logic [127:0]  slot_data[0:SLOTS-1];     // data to write
  logic [15:0]   slot_bytes[0:SLOTS-1];
  logic          shown;                    // the debug port's request is in range
  logic [RB-1:0] shown_row;
  logic [31:0]   shown_line;
  logic [GB-1:0] shown_group;

  assign shown       = dbg_address < BYTES;
  assign shown_line  = {4'd0, dbg_address[31:4]};
  assign shown_row   = row_of(shown_line);
  assign shown_group = group_of(shown_line);
  assign dbg_data    = {bank_shown[{shown_group, 2'd3}], bank_shown[{shown_group, 2'd2}],
                        bank_shown[{shown_group, 2'd1}], bank_shown[{shown_group, 2'd0}]};

  for (genvar b = 0; b < BANKS; b++) begin : g_bank
    logic [31:0]   cells[0:ROWS-1];
    logic [31:0]   line, data;
    logic [3:0]    bytes;
    logic [RB-1:0] row;

    always_comb begin
      line = '0;
      if (claimed[b]) begin
        for (int i = 0; i < SLOTS; i++) begin
          if (slot_owns[i][b]) line = slot_line[i];
        end
      end
    end

    assign row = row_of(line);
    always_comb begin
      bank_line[b] = line;
      bank_old[b]  = cells[row];
    end
    always_comb bank_shown[b] = shown ? cells[shown_row] : '0;

    // If two slots write one byte, the last slot's stays.
    always_comb begin
      data  = '0;
      bytes = '0;
      if (claimed[b] && kind != READ) begin
        for (int i = 0; i < SLOTS; i++) begin
          if (slot_banks[i][b] && slot_write[i][b%4]) begin
            for (int y = 0; y < 4; y++) begin
              if (slot_bytes[i][(b%4)*4+y]) begin
                bytes[y]       = 1'b1;
                data[y*8 +: 8] = slot_data[i][(b%4)*32+y*8 +: 8];
              end
            end
          end
        end
      end
    end

    always_ff @(posedge clk) begin
      if (bytes != 0 && !rst) begin
        for (int y = 0; y < 4; y++) begin
          if (bytes[y]) cells[row][y*8 +: 8] <= data[y*8 +: 8];
        end
      end
    end
  end

  // ---- Slots: which words are served, what is read, and what is written ---------------------------------------------
  logic [SLOTS-1:0] remaining;               // slots with words for later passes
  logic [SLOTS-1:0] complete;                // slots with their last words in this pass
  logic [127:0]     slot_read[0:SLOTS-1];    // reads: the slot's data up to this pass, bytes not enabled 0
  logic [63:0]      slot_old[0:SLOTS-1];     // atomics: the old value

  for (genvar i = 0; i < SLOTS; i++) begin : g_slot
    logic [3:0]    want, get;
    logic [31:0]   line;
    logic [GB-1:0] group;
    logic [15:0]   enable;
    logic [127:0]  given, old_quad, read, data;
    logic [127:0]  gathered;                 // data read in earlier passes
    logic [63:0]   old, operand, compare, value;
    logic          atomic;

    assign want  = slot_want[i];
    assign line  = slot_line[i];
    assign group = group_of(line);

    always_comb begin
      get      = '0;
      enable   = '0;
      given    = '0;
      old_quad = '0;
      read     = '0;
      old      = '0;
      operand  = '0;
      compare  = '0;
      atomic   = 1'b0;
      if (want != 0) begin
        // An atomic shares nothing; reads and writes share the word that its bank serves.
        if (kind == ATOMIC) begin
          if (slot_owns[i] == slot_banks[i]) get = want;
        end else begin
          for (int k = 0; k < 4; k++) get[k] = want[k] && bank_line[{group, 2'(k)}] == line;
        end
        if (get != 0) begin
          enable = first ? req_enable[i*16 +: 16] : held_enable[i*16 +: 16];
          if (kind != READ) given = first ? req_data[i*128 +: 128] : held_data[i*128 +: 128];
          if (in_range[i])
            old_quad = {bank_old[{group, 2'd3}], bank_old[{group, 2'd2}], bank_old[{group, 2'd1}],
                        bank_old[{group, 2'd0}]};
          if (kind == READ) begin
            if (!first) read = gathered;
            for (int y = 0; y < 16; y++) begin
              if (enable[y] && get[y/4]) read[y*8 +: 8] = old_quad[y*8 +: 8];
            end
          end
          if (kind == ATOMIC) begin
            atomic  = 1'b1;
            enable  = 16'hffff;
            operand = given[63:0];
            compare = given[127:64];
            if (wide) old = get[0] ? old_quad[63:0] : old_quad[127:64];
            else begin
              for (int k = 0; k < 4; k++) begin
                if (get[k]) old[31:0] = old_quad[k*32 +: 32];
              end
            end
          end
        end
      end
    end

    atomic_unit alu (.enable(atomic), .op, .kind(value_type), .old, .operand, .compare, .value);

    always_comb begin
      data = given;
      if (atomic) data = wide ? {2{value}} : {4{value[31:0]}};
    end

    assign complete[i]  = want != 0 && get == want;
    assign remaining[i] = (want & ~get) != 0;
    always_comb begin
      slot_read[i]  = read;
      slot_old[i]   = old;
      slot_write[i] = in_range[i] ? get : '0;
      slot_bytes[i] = enable;
      slot_data[i]  = data;
    end

    always_ff @(posedge clk) begin
      if (remaining[i]) begin
        slot_left[i] <= want & ~get;
        gathered     <= first || get != 0 ? read : gathered;
      end
    end
  end

  // ---- The access between its passes --------------------------------------------------------------------------------
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
          plain_data[i*128 +: 128] = slot_read[i];
          atomic_data[i*64 +: 64]  = slot_old[i];
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
