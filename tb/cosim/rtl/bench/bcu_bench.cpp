// Self-checking bench of bcu.sv: each rule of bcu.md and of the chapter "Barrier unit" of pins.md once.
//
// Every answer is logged with its cycle; a test states what it expects, in cycles counted from the transfer of the
// request, and at the end no answer may be left over.
#include "Vbcu.h"
#include "verilated.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <vector>

namespace {

constexpr unsigned kSubs = 4, kWarps = 64;
constexpr unsigned kBar = 0x20, kRed = 0x21, kB2R = 0x22, kResult = 0x23, kR2B = 0x24;
constexpr unsigned kX = 0, kR = 1, kI = 2, kRI = 5, kRRI = 6, kRIR = 7;
constexpr unsigned kSync = 0, kArv = 1;          // mode of BAR
constexpr unsigned kAnd = 0, kOr = 1, kPopc = 2; // redop
constexpr unsigned kCount = 7, kOperand = 8, kMismatch = 9, kOverflow = 10, kBusy = 11;

enum class From { kAck, kMove, kGo };

struct Event {
    From from;
    uint64_t cycle;
    unsigned warp, outcome, fault;
    uint32_t value;
    bool predicate, writes, undefined;
};

struct Op {
    unsigned op = kBar, form = kI, id = 0, count = 0, mode = 0;
    uint32_t pmask = ~0u, pp = 0;
    std::function<uint32_t(unsigned)> a, b; // registers, by lane
};

struct Bench {
    VerilatedContext context;
    Vbcu *d = new Vbcu(&context);
    uint64_t n = 0;
    std::vector<Event> log;
    const char *test = "";
    unsigned arrival = 5, interval = 3, latency = 4, step = 2, move = 9, checks = 0;

    void check(bool ok, const char *what) {
        checks++;
        if (ok)
            return;
        std::printf("bcu_bench: %s: %s is wrong, cycle %llu\n", test, what, static_cast<unsigned long long>(n));
        for (const Event &e : log)
            std::printf("  left: kind %d cycle %llu warp %u outcome %u fault %u value %08x predicate %d writes %d\n",
                        static_cast<int>(e.from), static_cast<unsigned long long>(e.cycle), e.warp, e.outcome, e.fault,
                        e.value, e.predicate, e.writes);
        std::exit(1);
    }

    void begin(const char *name) {
        test = name;
        d->cfg_arrival_latency = static_cast<uint16_t>(arrival);
        d->cfg_interval = static_cast<uint16_t>(interval);
        d->cfg_release_latency = static_cast<uint16_t>(latency);
        d->cfg_release_interval = static_cast<uint16_t>(step);
        d->cfg_move_latency = static_cast<uint16_t>(move);
        d->ack_ready = d->move_ready = 1;
        d->go_ready = ~0ull;
        d->rst = 1;
        cycle();
        cycle();
        d->rst = 0;
        log.clear();
        d->eval();
        check(!d->busy && !d->ack_valid && !d->move_valid && !d->go_valid, "state after reset");
    }

    // One cycle. Requests stay until their transfer, events last one cycle.
    void cycle() {
        d->eval();
        unsigned taken = d->req_valid & d->req_ready;
        if (d->ack_valid && d->ack_ready)
            log.push_back({From::kAck, n, d->ack_warp, d->ack_outcome, d->ack_fault, 0, false, false, false});
        if (d->move_valid && d->move_ready)
            log.push_back({From::kMove, n, d->move_warp, 0, 0, d->move_value, d->move_predicate != 0,
                           d->move_writes != 0, d->move_undefined != 0});
        for (unsigned w = 0; w < kWarps; w++) {
            if (d->go_valid >> w & d->go_ready >> w & 1)
                log.push_back({From::kGo, n, w, 0, 0, 0, false, false, false});
        }
        d->clk = 1;
        d->eval();
        d->clk = 0;
        d->req_valid &= ~taken;
        d->start = d->exit = 0;
        n++;
    }

    void offer(unsigned warp, const Op &o) {
        unsigned s = warp % kSubs;
        check(!(d->req_valid >> s & 1), "bench: one request of a sub-partition at a time");
        reinterpret_cast<uint8_t *>(&d->req_warp)[s] = static_cast<uint8_t>(warp);
        d->req_insn[s * 4] = o.op | o.form << 8;
        d->req_insn[s * 4 + 1] = o.id << 8 | o.count << 12;
        d->req_insn[s * 4 + 2] = o.mode << 16;
        d->req_insn[s * 4 + 3] = 0;
        d->req_pmask[s] = o.pmask;
        d->req_pp[s] = o.pp;
        for (unsigned l = 0; l < 32; l++) {
            d->req_vector_a[s * 32 + l] = o.a ? o.a(l) : 0;
            d->req_vector_b[s * 32 + l] = o.b ? o.b(l) : 0;
        }
        d->req_valid |= static_cast<uint8_t>(1u << s);
    }

    // Transfers one request; the answer is that of the following wait.
    uint64_t send(unsigned warp, const Op &o) {
        offer(warp, o);
        uint64_t t = n;
        cycle();
        return t;
    }

    void quiet() {
        for (unsigned i = 0; i < 2; i++) {
            do
                cycle();
            while (d->busy);
        }
    }

    Event take(From from, unsigned warp) {
        for (size_t i = 0; i < log.size(); i++) {
            if (log[i].from != from || log[i].warp != warp)
                continue;
            Event e = log[i];
            log.erase(log.begin() + static_cast<long>(i));
            checks++;
            return e;
        }
        check(false, "an expected answer is missing: it");
        return {};
    }

    void ack(uint64_t at, unsigned warp, unsigned outcome, unsigned fault = 0) {
        Event e = take(From::kAck, warp);
        check(e.cycle == at, "cycle of ack");
        check(e.fault == fault, "fault of ack");
        if (fault == 0)
            check(e.outcome == outcome, "outcome of ack");
    }
    void go(uint64_t at, unsigned warp) { check(take(From::kGo, warp).cycle == at, "cycle of go"); }
    void nothing_left() { check(log.empty(), "number of answers"); }

    void start_cta(unsigned cta, std::vector<unsigned> warps, unsigned first_index = 0) {
        for (unsigned i = 0; i < warps.size(); i++) {
            d->start |= 1ull << warps[i];
            reinterpret_cast<uint8_t *>(&d->start_index[0])[warps[i]] = static_cast<uint8_t>(first_index + i);
        }
        d->start_cta = static_cast<uint8_t>(cta);
        d->start_warps = static_cast<uint8_t>(warps.size());
        cycle();
    }

    // Sends a single operation and expects a fault, or none and an ack.
    void alone(unsigned warp, const Op &o, unsigned outcome, unsigned fault = 0) {
        uint64_t t = send(warp, o);
        quiet();
        ack(t + arrival + 1, warp, outcome, fault);
        nothing_left();
    }
    Event read(unsigned warp, const Op &o) {
        uint64_t t = send(warp, o);
        quiet();
        Event e = take(From::kMove, warp);
        check(e.cycle == t + (move > arrival ? move : arrival + 1), "cycle of move");
        nothing_left();
        return e;
    }
    uint32_t barrier(unsigned cta, unsigned id) {
        d->dbg_cta = static_cast<uint8_t>(cta);
        d->eval();
        return d->dbg_barriers[id];
    }
    bool blocked(unsigned cta, unsigned id, unsigned warp) {
        d->dbg_cta = static_cast<uint8_t>(cta);
        d->eval();
        unsigned bit = id * kWarps + warp;
        return d->dbg_blocked[bit / 32] >> (bit % 32) & 1;
    }
    uint32_t copy(unsigned warp) {
        d->dbg_warp = static_cast<uint8_t>(warp);
        d->eval();
        return d->dbg_word;
    }
};

std::function<uint32_t(unsigned)> all(uint32_t v) {
    return [v](unsigned) { return v; };
}

Op bar(unsigned mode, unsigned id, unsigned count) {
    Op o;
    o.mode = mode;
    o.id = id;
    o.count = count;
    return o;
}

Op red(unsigned redop, unsigned id, unsigned count, uint32_t pp, uint32_t pmask = ~0u) {
    Op o = bar(redop, id, count);
    o.op = kRed;
    o.pp = pp;
    o.pmask = pmask;
    return o;
}

Op move_op(unsigned op, unsigned mode, unsigned id, uint32_t value = 0) {
    Op o = bar(mode, id, 0);
    o.op = op;
    o.form = op == kB2R ? kI : op == kResult ? kX : kRI;
    o.a = all(value);
    return o;
}

} // namespace

int main() {
    Bench t;
    uint64_t s;

    t.begin("operand forms");
    {
        t.start_cta(3, {9, 4, 17, 30}); // numbers 0..3 in the CTA
        Op forms[4] = {bar(kSync, 11, 64), {}, {}, {}};
        forms[1].form = kR, forms[1].a = all(0xfffffff0 | 11), forms[1].b = all(0xfffff000 | 64);
        forms[2].form = kRRI, forms[2].a = all(11), forms[2].count = 64;
        forms[3].form = kRIR, forms[3].a = all(0xabcde000 | 64), forms[3].id = 11;
        for (unsigned first = 0; first < 4; first++) {
            for (unsigned second = 0; second < 4; second++) {
                t.alone(4, forms[first], 3);
                t.check(t.barrier(3, 11) == (1u | 2u << 7 | 1u << 14), "word of a waiting barrier");
                t.check(t.blocked(3, 11, 4) && !t.blocked(3, 11, 9), "blocked set");
                s = t.send(9, forms[second]) + t.arrival;
                t.quiet();
                t.go(s + t.latency, 9); // number 0 goes first
                t.go(s + t.latency + t.step, 4);
                t.nothing_left();
                t.check(t.barrier(3, 11) == 0 && !t.blocked(3, 11, 4), "idle barrier");
            }
        }
        Op both = red(kOr, 0, 0, 1);
        both.form = kR;
        both.a = all(0xffff0000 | 96 << 4 | 5); // [B-4]
        Op rri = red(kOr, 0, 96, 0), rir = red(kOr, 5, 0, 0);
        rri.form = kRRI, rri.a = all(5);
        rir.form = kRIR, rir.a = all(96);
        t.alone(4, both, 3);
        t.alone(17, rri, 3);
        s = t.send(30, rir) + t.arrival;
        t.quiet();
        t.go(s + t.latency, 4);
        t.go(s + t.latency + t.step, 17);
        t.go(s + t.latency + 2 * t.step, 30);
        t.nothing_left();
        uint32_t word = 3u | 3u << 7 | 2u << 14 | 1u << 16 | 1u << 18;
        t.check(t.copy(4) == word && t.copy(17) == word && t.copy(30) == word && t.copy(9) == 0, "WarpBarState");
    }

    t.begin("exceptions");
    {
        t.start_cta(0, {0, 1, 2});
        t.alone(0, bar(kSync, 1, 33), 0, kCount);
        t.alone(0, bar(kArv, 1, 0), 0, kCount);
        t.alone(0, red(kAnd, 1, 40, 0), 0, kCount);
        Op o;
        o.form = kR;
        o.a = [](unsigned l) { return l; };
        o.b = all(33);
        t.alone(0, o, 0, kOperand); // read before its value is checked
        o.pmask = 0x10001;          // lanes 0 and 16 agree in the bits used
        o.b = all(64);
        t.alone(0, o, 3);
        t.check(t.barrier(0, 0) == (1u | 2u << 7 | 1u << 14), "word");
        t.alone(1, bar(kSync, 0, 96), 0, kMismatch);
        t.alone(1, red(kAnd, 0, 64, 0), 0, kMismatch);
        t.check(t.barrier(0, 0) == (1u | 2u << 7 | 1u << 14), "word after an exception");
        t.alone(1, move_op(kR2B, 1, 0, 0), 0, kBusy);
        t.alone(1, bar(kArv, 2, 32 * 3), 0);
        t.alone(1, red(kOr, 3, 64, 0), 3);
        t.alone(2, red(kAnd, 3, 64, 0), 0, kMismatch);
        t.read(2, move_op(kR2B, 1, 4, 2u | 2u << 7 | 1u << 14)); // full: no test for completion
        t.check(t.barrier(0, 4) == (2u | 2u << 7 | 1u << 14), "R2B does not complete");
        t.alone(2, bar(kSync, 4, 64), 0, kOverflow);
        Op none = bar(kSync, 0, 33);
        none.pmask = 0;
        t.alone(2, none, 0); // no effect, no exception
    }

    t.begin("reductions");
    {
        t.start_cta(31, {60, 61});
        struct {
            unsigned op;
            uint32_t p0, m0, p1, m1;
            uint32_t value;
            bool predicate;
        } table[] = {{kAnd, ~0u, ~0u, 0x0f, 0x0f, 0, true},    {kAnd, 0xfffffffe, ~0u, ~0u, ~0u, 0, false},
                     {kOr, 0xf0, 0x0f, 0x100, 0xff, 0, false}, {kOr, 0x10, 0x10, 0, ~0u, 0, true},
                     {kPopc, ~0u, ~0u, 0xff, 0x3c, 36, false}, {kPopc, 0, ~0u, 0, ~0u, 0, false}};
        for (auto &r : table) {
            t.alone(61, red(r.op, 15, 0, r.p0, r.m0), 3);
            s = t.send(60, red(r.op, 15, 0, r.p1, r.m1)) + t.arrival;
            t.quiet();
            t.go(s + t.latency, 60);
            t.go(s + t.latency + t.step, 61);
            for (unsigned w : {60u, 61u}) {
                Event e = t.read(w, move_op(kResult, 0, 0));
                t.check(e.writes && !e.undefined && e.value == r.value && e.predicate == r.predicate, "B2R.RESULT");
            }
        }
        t.alone(60, bar(kSync, 2, 0), 3); // SYNC does not change the copies
        s = t.send(61, bar(kSync, 2, 0)) + t.arrival;
        t.quiet();
        t.go(s + t.latency, 60);
        t.go(s + t.latency + t.step, 61);
        t.check(t.copy(60) == (2u | 2u << 14 | 2u << 16), "copy after BAR.SYNC");
    }

    t.begin("exits");
    {
        t.start_cta(2, {0, 1, 2, 3});
        t.start_cta(5, {8, 9});
        t.alone(2, bar(kSync, 1, 0), 3);
        t.alone(1, red(kPopc, 7, 0, ~0u), 3);
        t.alone(8, bar(kSync, 1, 0), 3);
        t.d->exit = 1ull << 0;
        t.cycle();
        t.quiet();
        t.nothing_left();
        t.alone(3, bar(kArv, 1, 64), 0, kMismatch);
        t.alone(3, red(kPopc, 7, 0, 1), 3);
        t.d->exit = 1ull << 9; // the other CTA: the exit completes its barrier
        s = t.n + 1;
        t.cycle();
        t.quiet();
        t.go(s + t.latency, 8);
        t.nothing_left();
        t.check(t.barrier(2, 7) == (2u | 2u << 14 | 2u << 16 | 33u << 19), "population count");
        t.read(8, move_op(kR2B, 1, 6, 1u | 1u << 14));
        t.alone(8, bar(kArv, 3, 32 * 9), 0);
        t.d->exit = 1ull << 8; // the last warp of its CTA
        t.cycle();
        t.quiet();
        t.check(t.barrier(5, 6) == 0 && t.barrier(5, 3) == 0, "barriers of a CTA that has ended");
        t.start_cta(5, {40, 41, 42, 43, 44});
        t.alone(40, red(kAnd, 9, 0, ~0u), 3);
        t.alone(42, red(kAnd, 9, 0, ~0u), 3);
        t.read(44, move_op(kR2B, 1, 10, 4u | 1u << 14));
        t.alone(44, bar(kArv, 11, 32 * 4), 0);
        t.d->exit = 1ull << 41 | 1ull << 43 | 1ull << 44; // together; barrier 10 completes at the first of them
        s = t.n + 1;
        t.cycle();
        t.quiet();
        t.go(s + t.latency, 40);
        t.go(s + t.latency + t.step, 42);
        t.nothing_left();
        t.check(t.barrier(5, 10) == 0 && t.barrier(5, 11) != 0, "exits that come together");
        t.check(t.copy(42) == (2u | 2u << 14 | 1u << 18), "result of a reduction that an exit completes");
        t.alone(40, bar(kSync, 12, 0), 3);
        s = t.send(42, bar(kSync, 12, 32)) + t.arrival;
        while (t.n != s - 1)
            t.cycle();
        t.d->exit = 1ull << 45; // unknown warp: nothing
        t.cycle();
        t.quiet();
        t.ack(s + 1, 42, 0, kMismatch);
        s = t.send(42, bar(kSync, 12, 0)) + t.arrival;
        t.quiet();
        t.go(s + t.latency, 40);
        t.go(s + t.latency + t.step, 42);
        t.nothing_left();
    }

    t.begin("exit and service in one cycle");
    {
        t.start_cta(1, {0, 1, 2});
        t.alone(0, bar(kSync, 5, 64), 3);
        s = t.send(1, bar(kArv, 5, 64)) + t.arrival; // an ARV completes: the others are released, it gets an ack
        t.quiet();
        t.ack(s + 1, 1, 0);
        t.go(s + t.latency, 0);
        t.nothing_left();
        t.alone(0, bar(kSync, 5, 0), 3);
        t.alone(1, bar(kArv, 5, 0), 0, kCount);
        t.read(1, move_op(kR2B, 1, 6, 0));
        t.alone(2, red(kOr, 6, 0, 0), 3);
        s = t.send(1, bar(kSync, 6, 32)) + t.arrival;
        t.quiet();
        t.ack(s + 1, 1, 0, kMismatch);
        // An exit completes the barrier; the operation of that cycle finds it idle and completes it alone.
        t.start_cta(7, {20, 21, 22, 23});
        t.alone(20, bar(kSync, 5, 0), 3);
        t.read(23, move_op(kR2B, 1, 4, 0));
        t.alone(21, bar(kSync, 5, 0), 3);
        t.read(22, move_op(kR2B, 1, 4, 3u | 1u << 14));
        t.alone(23, bar(kSync, 3, 64), 3);
        s = t.send(22, bar(kArv, 3, 64)) + t.arrival;
        t.quiet();
        t.ack(s + 1, 22, 0);
        t.go(s + t.latency, 23);
        s = t.send(23, bar(kSync, 4, 32)) + t.arrival;
        while (t.n != s - 1)
            t.cycle();
        t.d->exit = 1ull << 22;
        t.cycle();
        t.quiet();
        t.go(s + t.latency, 23);
        t.nothing_left();
        t.check(t.barrier(7, 4) == 0, "barrier after both");
    }

    t.begin("save and restore");
    {
        t.start_cta(4, {0, 1, 2, 3});
        Event e = t.read(0, move_op(kResult, 0, 0));
        t.check(e.writes && e.undefined && e.value == 0 && !e.predicate, "result before any BAR.RED");
        t.alone(0, red(kPopc, 8, 96, 0x7), 3);
        e = t.read(1, move_op(kB2R, 1, 8));
        uint32_t saved = 1u | 3u << 7 | 2u << 14 | 2u << 16 | 3u << 19;
        t.check(e.writes && e.value == saved, "B2R.BAR");
        t.read(1, move_op(kR2B, 1, 9, saved));
        t.alone(1, red(kPopc, 9, 96, 1), 3);
        s = t.send(2, red(kPopc, 9, 96, 3)) + t.arrival;
        t.quiet();
        t.go(s + t.latency, 1);
        t.go(s + t.latency + t.step, 2);
        t.check(t.read(1, move_op(kResult, 0, 0)).value == 6, "a restored reduction goes on");
        saved = t.read(1, move_op(kB2R, 0, 0)).value;
        t.check(saved == (3u | 3u << 7 | 2u << 14 | 2u << 16 | 6u << 19), "B2R.WARP");
        Op r2b = move_op(kR2B, 0, 0);
        r2b.pmask = 0xff00;
        r2b.a = [saved](unsigned l) { return l == 8 ? saved : 0; }; // the lowest thread of pmask
        e = t.read(3, r2b);
        t.check(!e.writes, "R2B writes no register");
        e = t.read(3, move_op(kResult, 0, 0));
        t.check(e.value == 6 && !e.undefined, "a restored result");
        Op none = move_op(kB2R, 1, 8);
        none.pmask = 0;
        e = t.read(3, none);
        t.check(!e.writes, "B2R of no thread");
        none = move_op(kR2B, 1, 8);
        none.pmask = 0;
        t.read(3, none); // no effect, not BarrierBusy
        t.read(3, move_op(kR2B, 1, 10, 0xffff0000 | 1u << 14 | 5));
        t.check(t.barrier(4, 10) == (1u << 14 | 5), "bits 16..31 of kind 1");
        t.read(3, move_op(kR2B, 1, 10, 0xffff3fff));
        t.check(t.barrier(4, 10) == 0, "an idle barrier reads 0");
    }

    t.begin("words that R2B brings");
    {
        t.start_cta(0, {0, 1});
        const uint32_t noise = 0xffff0000;
        t.read(0, move_op(kR2B, 1, 1, (noise & ~(3u << 16)) | kOr << 16 | 2u << 14 | 1));
        t.check(t.barrier(0, 1) == (1u << 18 | kOr << 16 | 2u << 14 | 1),
                "a logical reduction has no population count");
        t.read(0, move_op(kR2B, 1, 1, (noise & ~(3u << 16)) | kPopc << 16 | 2u << 14 | 1));
        t.check(t.barrier(0, 1) == (0x1fffu << 19 | kPopc << 16 | 2u << 14 | 1), "and a count no logical result");
        t.alone(0, move_op(kR2B, 1, 1, 3u << 14), 0, kOperand);
        t.alone(0, move_op(kR2B, 1, 1, 3u << 16 | 2u << 14), 0, kOperand);
        t.alone(0, red(kPopc, 1, 0, 1), 0, kOverflow); // 8192 threads
        t.check(t.barrier(0, 1) == (0x1fffu << 19 | kPopc << 16 | 2u << 14 | 1), "word after an exception");
        t.read(0, move_op(kR2B, 1, 2, 1u << 14 | 127));
        t.alone(0, bar(kSync, 2, 0), 0, kOverflow);                     // 128 warps
        t.read(0, move_op(kR2B, 0, 0, 3u << 16 | 2u << 14 | 1u << 18)); // any word for a warp
        const Event e = t.read(0, move_op(kResult, 0, 0));
        t.check(e.writes && e.undefined && e.value == 0 && !e.predicate, "reduction 3 has no result");
    }

    t.begin("order and stalls");
    {
        t.start_cta(0, {0, 1, 2, 3, 4, 5, 6, 7});
        t.offer(4, bar(kArv, 0, 256));
        t.offer(1, bar(kArv, 0, 256));
        t.offer(6, bar(kArv, 0, 256));
        t.offer(3, bar(kArv, 0, 256));
        s = t.n + t.arrival;
        t.cycle();
        t.offer(0, bar(kArv, 0, 256)); // after them, though lowest
        t.cycle();
        t.quiet();
        t.ack(s + 1, 1, 0);
        t.ack(s + 1 + t.interval, 3, 0);
        t.ack(s + 1 + 2 * t.interval, 4, 0);
        t.ack(s + 1 + 3 * t.interval, 6, 0);
        t.ack(s + 1 + 4 * t.interval, 0, 0);
        t.nothing_left();
        // ack, move and go are held up; what is due meanwhile follows in consecutive cycles.
        t.d->ack_ready = t.d->move_ready = 0;
        t.d->go_ready = 0;
        t.send(1, bar(kArv, 1, 256));
        t.send(2, bar(kSync, 2, 64));
        t.send(3, move_op(kB2R, 1, 0));
        t.send(4, move_op(kB2R, 1, 1));
        t.send(5, bar(kSync, 2, 64));
        for (unsigned i = 0; i < 100; i++)
            t.cycle();
        t.check(t.d->busy && t.log.empty(), "busy with held results");
        t.d->go_ready = 1ull << 5;
        t.cycle();
        t.go(t.n - 1, 5);
        t.d->go_ready = ~0ull;
        t.cycle();
        t.go(t.n - 1, 2);
        t.d->ack_ready = t.d->move_ready = 1;
        s = t.n;
        t.quiet();
        t.ack(s, 1, 0);
        t.ack(s + 1, 2, 3);
        Event e = t.take(From::kMove, 3);
        t.check(e.cycle == s && e.value == (5u | 8u << 7 | 1u << 14), "first held move");
        e = t.take(From::kMove, 4);
        t.check(e.cycle == s + 1 && e.value == (1u | 8u << 7 | 1u << 14), "second held move");
        t.nothing_left();
    }

    t.arrival = 1, t.interval = 1, t.latency = 1, t.step = 0, t.move = 1;
    t.begin("shortest times");
    {
        t.start_cta(0, {0, 1, 2, 3});
        for (unsigned round = 0; round < 2; round++) {
            for (unsigned w = 0; w < 4; w++)
                t.offer(w, bar(kSync, 0, 0));
            s = t.n + 1;
            t.quiet();
            for (unsigned w = 0; w < 3; w++)
                t.ack(s + w + 1, w, 3);
            for (unsigned w = 0; w < 4; w++)
                t.go(s + 3 + t.latency + w * t.step, w);
            t.nothing_left();
            t.step = 1;
            t.d->cfg_release_interval = 1;
        }
        t.read(0, move_op(kB2R, 1, 0));
    }

    t.arrival = 200;
    t.begin("full queue");
    {
        t.start_cta(0, {0, 1});
        unsigned accepted = 0;
        for (unsigned i = 0; i < 50; i++) {
            if (!(t.d->req_valid & 1))
                t.offer(0, bar(kArv, 0, 4064));
            t.d->eval();
            accepted += t.d->req_ready & 1;
            t.cycle();
        }
        t.check(accepted == 32, "places of the queue");
    }

    std::printf("bcu_bench: %u checks, %llu cycles, all as expected\n", t.checks, static_cast<unsigned long long>(t.n));
    delete t.d;
    return 0;
}
