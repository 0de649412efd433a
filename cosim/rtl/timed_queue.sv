// A queue whose entries become valid a fixed number of cycles after they are put in.
//
// It is the only kind of storage between the channels of the barrier unit and of the shared memory: requests that age
// until they may be served, and results that are due at a given time. An entry put in at the edge that ends cycle n is
// due in cycle n + delay. Because the delay is the same for all, the entries become due in order, and an entry whose
// time has passed while an earlier one was held up is valid in the cycle after it (pins.md, Channels).
//
// The time has 48 bits. At 1 GHz an entry would have to wait three days to be mistaken for a young one.
module timed_queue #(
    parameter int WIDTH  = 8,
    parameter int PLACES = 32
) (
    input  logic             clk,
    input  logic             rst,
    input  logic [47:0]      now,         // the current cycle
    input  logic [16:0]      delay,       // at least 1, constant
    input  logic             push,        // must not be high while full
    input  logic [WIDTH-1:0] push_data,
    output logic             full,
    output logic             empty,
    output logic             head_valid,  // the oldest entry is due
    output logic [WIDTH-1:0] head_data,
    output logic [47:0]      head_stamp,  // the cycle in which it was put in
    input  logic             pop          // only with head_valid
);
  localparam int PB = PLACES > 1 ? $clog2(PLACES) : 1;
  localparam int NB = $clog2(PLACES + 1);

  logic [WIDTH-1:0] data[0:PLACES-1];
  logic [47:0]      stamp[0:PLACES-1];
  logic [PB-1:0]    first, next;
  logic [NB-1:0]    used;

  assign full       = used == NB'(PLACES);
  assign empty      = used == 0;
  assign head_data  = data[first];
  assign head_stamp = stamp[first];
  assign head_valid = !empty && (now - head_stamp) >= {31'b0, delay};

  always_ff @(posedge clk) begin
    if (push) begin
      data[next]  <= push_data;
      stamp[next] <= now;
    end
  end

  always_ff @(posedge clk) begin
    if (rst) begin
      first <= '0;
      next  <= '0;
      used  <= '0;
    end else begin
      if (push) next <= next == PB'(PLACES - 1) ? '0 : next + 1'b1;
      if (pop) first <= first == PB'(PLACES - 1) ? '0 : first + 1'b1;
      if (push && !pop) used <= used + 1'b1;
      if (pop && !push) used <= used - 1'b1;
    end
  end
endmodule
