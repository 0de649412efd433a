// Small bench of the sleep timer: the cycle of the expiry, granularity, the earlier of two requests, stop.
#include <cstdint>
#include <cstdio>

#include "Vsleep_timer.h"
#include "verilated.h"

namespace {

int failures = 0;

void check(bool holds, const char *text, int line) {
    if (holds)
        return;
    std::printf("line %d: %s\n", line, text);
    ++failures;
}
#define CHECK(x) check(x, #x, __LINE__)

struct Bench {
    Vsleep_timer top;
    uint64_t now = 1000;

    explicit Bench(uint32_t granularity) {
        top.cfg_granularity = granularity;
        top.rst = 1;
        tick();
        top.rst = 0;
    }
    // One cycle; returns the expiry reported in it.
    uint64_t tick() {
        top.now = now++;
        top.clk = 0;
        top.eval();
        const uint64_t told = top.expiry;
        top.clk = 1;
        top.eval();
        top.req_valid = 0;
        top.stop = 0;
        return told;
    }
    void ask(unsigned warp, uint64_t cycles) {
        const unsigned s = warp % 4;
        top.req_valid |= 1u << s;
        reinterpret_cast<uint8_t *>(&top.req_warp)[s] = static_cast<uint8_t>(warp);
        top.req_cycles[s * 2] = static_cast<uint32_t>(cycles);
        top.req_cycles[s * 2 + 1] = static_cast<uint32_t>(cycles >> 32);
    }
    // The cycle in which the warp's expiry is reported, 0 if in none of the next 50; no other expiry may be reported.
    uint64_t told(unsigned warp) {
        for (int i = 0; i < 50; ++i) {
            const uint64_t cycle = now, bits = tick();
            CHECK((bits & ~(1ull << warp)) == 0);
            if (bits)
                return cycle;
        }
        return 0;
    }
};

} // namespace

int main(int argc, char **argv) {
    Verilated::commandArgs(argc, argv);
    {
        Bench b(1);
        uint64_t n = b.now;
        b.ask(37, 10);
        CHECK(b.told(37) == n + 9 && !b.top.busy && b.told(37) == 0);
        n = b.now;
        b.ask(37, 1); // in the cycle of the request itself
        CHECK(b.told(37) == n && !b.top.busy);
        n = b.now;
        b.ask(2, 0);
        CHECK(b.told(2) == n);
        n = b.now;
        b.ask(8, 30);
        b.tick();
        CHECK(b.top.busy);
        b.ask(8, 5); // the earlier of both
        CHECK(b.told(8) == n + 5 && b.told(8) == 0);
        b.ask(8, 3);
        b.tick();
        b.top.stop = 1u << 8;
        CHECK(b.told(8) == 0 && !b.top.busy);
        b.ask(8, ~0ull); // too large: the last cycle
        b.tick();
        b.top.dbg_warp = 8;
        b.top.eval();
        CHECK(b.top.dbg_running && b.top.dbg_expiry == ~0ull);
    }
    {
        Bench b(16);
        b.ask(1, 1);
        const uint64_t at = b.told(1) + 1;
        CHECK(at % 16 == 0 && at >= 1002 && at < 1018);
    }
    std::printf("sleep_timer: %s\n", failures ? "FAILED" : "all checks hold");
    return failures != 0;
}
