// Responses of one sub-partition: for each of the five classes a channel of its own (pins.md "Branch unit", Response).
// Contents and cycle wait in one place for each warp, which has at most one instruction in the
// unit; the channels keep the
// order of warps only. What a channel offers is chosen one cycle ahead, so that outputs come from registers.
module bru_responses #(
    parameter int SUBS = 4,
    parameter int WARPS = 64,
    parameter int PAYLOAD = 8
) (
    input  logic                 clk,
    input  logic                 rst,
    input  logic [         63:0] now,
    // An instruction starts in this cycle.
    input  logic                 push,
    input  logic [          7:0] push_warp,
    input  logic [          2:0] push_class,
    input  logic [         63:0] push_due,      // cycle in which its response is due
    input  logic [  PAYLOAD-1:0] push_payload,
    // Channels by class.
    output logic [          4:0] valid,
    input  logic [          4:0] ready,
    output logic [        5*8-1:0] warp,
    output logic [5*PAYLOAD-1:0] payload,
    output logic                 busy
);
  localparam int N = WARPS / SUBS;
  localparam int IW = N > 1 ? $clog2(N) : 1;

  function automatic [IW-1:0] place_of(input [7:0] w);
    place_of = IW'(w / 8'(SUBS));
  endfunction

  logic [PAYLOAD-1:0] held[1 << IW];
  logic [63:0] due[1 << IW];
  logic [4:0] waits;
  wire [63:0] next = now + 64'd1;

  always_ff @(posedge clk)
    if (push) begin
      held[place_of(push_warp)] <= push_payload;
      due[place_of(push_warp)]  <= push_due;
    end

  for (genvar c = 0; c < 5; c++) begin : g_class
    logic mine, direct, take, full;
    logic [7:0] head;
    logic out_valid;
    logic [7:0] out_warp;

    assign mine = push && push_class == c[2:0];
    // Nothing is offered in the next cycle by what is offered now.
    wire empty = !out_valid || ready[c];
    assign take = empty && waits[c] && due[place_of(head)] <= next;
    assign direct = empty && !waits[c] && mine && push_due <= next;

    bru_fifo #(
        .WIDTH(8),
        .DEPTH(N)
    ) order (
        .clk,
        .rst,
        .push(mine && !direct),
        .data(push_warp),
        .pop (take),
        .some(waits[c]),
        .full(full),
        .head(head)
    );
    wire unused = full;  // never full: one place for each warp

    always_ff @(posedge clk) begin
      if (rst) out_valid <= 1'b0;
      else if (empty) out_valid <= take || direct;
      if (take) out_warp <= head;
      else if (direct) out_warp <= push_warp;
    end

    assign valid[c] = out_valid;
    assign warp[c*8+:8] = out_warp;
    always_comb begin
      if (out_valid) payload[c*PAYLOAD+:PAYLOAD] = held[place_of(out_warp)];
      else payload[c*PAYLOAD+:PAYLOAD] = '0;
    end
  end

  assign busy = (valid | waits) != 5'd0;
endmodule
