// Responses of one sub-partition: one in-order channel for each of the five classes (pins.md "Branch unit",
// Response). Offers are chosen one cycle ahead, so that outputs come from registers. A warp may have several
// instructions under way: after one that cannot change which threads execute what, it continues at once.
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
    output logic                 full,          // nothing may start in this cycle
    output logic                 busy
);
  localparam int N = WARPS / SUBS;

  logic [4:0] waits, filled;
  wire [63:0] next = now + 64'd1;

  for (genvar c = 0; c < 5; c++) begin : g_class
    logic mine, direct, take;
    logic [PAYLOAD+71:0] head;
    logic out_valid;
    logic [7:0] out_warp;
    logic [PAYLOAD-1:0] out_payload;

    assign mine = push && push_class == c[2:0];
    // An offer of this cycle is not offered again in the next cycle.
    wire empty = !out_valid || ready[c];
    assign take = empty && waits[c] && head[PAYLOAD+8+:64] <= next;
    assign direct = empty && !waits[c] && mine && push_due <= next;

    bru_fifo #(
        .WIDTH(PAYLOAD + 72),
        .DEPTH(2 * N)
    ) waiting (
        .clk,
        .rst,
        .push(mine && !direct),
        .data({push_due, push_payload, push_warp}),
        .pop (take),
        .some(waits[c]),
        .full(filled[c]),
        .head(head)
    );

    always_ff @(posedge clk) begin
      if (rst) out_valid <= 1'b0;
      else if (empty) out_valid <= take || direct;
      if (take) {out_payload, out_warp} <= head[PAYLOAD+7:0];
      else if (direct) {out_payload, out_warp} <= {push_payload, push_warp};
    end

    assign valid[c] = out_valid;
    assign warp[c*8+:8] = out_warp;
    assign payload[c*PAYLOAD+:PAYLOAD] = out_payload;
  end

  assign full = filled != 5'd0;
  assign busy = (valid | waits) != 5'd0;
endmodule
