// A small queue in order of arrival, used wherever something waits in the branch unit.
// The head is visible in the cycle after its push. The caller never pushes into a full queue.
module bru_fifo #(
    parameter int WIDTH = 8,
    parameter int DEPTH = 4  // rounded up to a power of two
) (
    input  logic             clk,
    input  logic             rst,
    input  logic             push,
    input  logic [WIDTH-1:0] data,
    input  logic             pop,
    output logic             some,  // not empty
    output logic             full,
    output logic [WIDTH-1:0] head
);
  localparam int AW = DEPTH > 1 ? $clog2(DEPTH) : 1;

  logic [WIDTH-1:0] place[1 << AW];
  logic [AW:0] first, last;

  assign some = first != last;
  assign full = first == {~last[AW], last[AW-1:0]};
  assign head = place[first[AW-1:0]];

  always_ff @(posedge clk) begin
    if (push) place[last[AW-1:0]] <= data;
    if (rst) begin
      first <= '0;
      last  <= '0;
    end else begin
      if (push) last <= last + 1'b1;
      if (pop) first <= first + 1'b1;
    end
  end
endmodule
