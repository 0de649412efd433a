// What the benches share: random numbers that are the same in every simulator, and coverage counters. These are classes because
// simulators copy the code of a plain function into each of its calls, but call a class function.
package bench_pkg;

  // splitmix64.
  class Random;
    static bit [63:0] state;

    static function bit [63:0] next();
      bit [63:0] z;
      state = state + 64'h9e3779b97f4a7c15;
      z = state;
      z = (z ^ (z >> 30)) * 64'hbf58476d1ce4e5b9;
      z = (z ^ (z >> 27)) * 64'h94d049bb133111eb;
      return z ^ (z >> 31);
    endfunction

    static function bit [31:0] word();
      return 32'(next());
    endfunction

    // A number below n, which is at least 1.
    static function int unsigned below(input int unsigned n);
      return 32'(next() % 64'(n));
    endfunction

    // True in `percent` of 100 cases.
    static function bit chance(input int unsigned percent);
      return below(100) < percent;
    endfunction

    // A set of lanes as in real programs: mostly all, sometimes some, one or none.
    static function bit [31:0] lanes();
      case (below(10))
        0, 1, 2, 3, 4: return '1;
        5, 6: return word();
        7: return word() & word() & word();
        8: return 32'd1 << below(32);
        default: return '0;
      endcase
    endfunction
  endclass

  // Counts how often something has happened, by name.
  class Coverage;
    static int unsigned hits[string];

    // Declares that `name` must be covered.
    static function void declare(input string name);
      hits[name] = 0;
    endfunction

    static function void hit(input string name);
      if (hits.exists(name) != 0) hits[name] = hits[name] + 1;
      else hits[name] = 1;
    endfunction

    static function void print();
      string name, never;
      int unsigned covered;
      covered = 0;
      never = "";
      if (hits.first(name) != 0)
        do begin
          if (hits[name] != 0) begin
            covered++;
            $display("%9d  %s", hits[name], name);
          end else never = {never, " '", name, "'"};
        end while (hits.next(name) != 0);
      $display("coverage: %0d of %0d", covered, hits.num());
      if (never != "") $display("never:%s", never);
    endfunction
  endclass
endpackage
