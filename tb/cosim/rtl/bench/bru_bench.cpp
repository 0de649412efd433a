// Small bench of the branch unit: a few rules on one warp, with the real sleep timer. It shows that the block works at
// all and prints what it does; the comparison with the model checks every rule.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

#include "Vbru_top.h"
#include "verilated.h"

namespace {

constexpr unsigned kSubs = 4;
constexpr unsigned kAll = 0xffffffffu;

enum Op : unsigned {
    kBra = 1,
    kBrx,
    kCall,
    kRet,
    kLepc,
    kExit,
    kBmov,
    kBssy,
    kBsync,
    kYield,
    kBreak,
    kWarpsync,
    kNanosleep,
    kRtt,
    kTrap,
    kSyscall
};
enum Form : unsigned { kX, kR, kI, kU, kC };

int failures = 0;

void check(bool holds, const char *text, int line) {
    if (holds)
        return;
    std::printf("line %d: %s\n", line, text);
    ++failures;
}
#define CHECK(x) check(x, #x, __LINE__)

struct Insn {
    uint32_t word[4] = {};
    Insn(unsigned op, unsigned form) { word[0] = op | form << 8 | 7u << 12; }
    Insn &field(unsigned lsb, unsigned width, uint64_t value) {
        for (unsigned i = 0; i < width; ++i)
            if (value >> i & 1)
                word[(lsb + i) / 32] |= 1u << (lsb + i) % 32;
        return *this;
    }
    Insn &offset(int64_t bytes) { return field(32, 50, static_cast<uint64_t>(bytes / 16)); }
    Insn &imm(uint32_t v) { return field(32, 32, v); }
    Insn &breg(unsigned b) { return field(84, 4, b); }
};

struct Response {
    unsigned channel = 0, warp = 0, outcome = 0, event = 0, release = 0, fault = 0, lane = 0;
    bool split = false, passed = false;
    uint64_t pc = 0, value = 0, fault_value = 0, cycle = 0;
    uint32_t active = 0, executed = 0, lanes = 0, jumped = 0;
};

// One unit, its timer, and a driver that sends one instruction at a time.
class Bench {
  public:
    Bench() {
        top.cfg_branch_latency = 4;
        top.cfg_barrier_latency = 3;
        top.cfg_sync_latency = 5;
        top.cfg_yield_latency = 6;
        top.cfg_move_latency = 2;
        top.cfg_branch_interval = top.cfg_barrier_interval = top.cfg_sync_interval = 1;
        top.cfg_yield_interval = top.cfg_move_interval = 1;
        top.cfg_nanosleep_sets_yield = 1;
        top.cfg_ns_cycles = 3;
        top.cfg_ns_time = 2;
        top.cfg_granularity = 1;
        top.rsp_ready = 0xfffff;
        top.wake_ready = ~0ull;
        top.dbg_warp = 255;
        top.rst = 1;
        tick();
        top.rst = 0;
    }

    // Outputs of this cycle are inspected before the edge that ends it.
    void tick() {
        top.now = now;
        top.clk = 0;
        top.eval();
        if (watch)
            watch();
        woken |= top.wake_valid & top.wake_ready;
        top.clk = 1;
        top.eval();
        ++now;
        top.start = 0;
    }

    void start(unsigned warp, uint32_t valid, uint64_t entry = 0, uint64_t bytes = 0x1000) {
        top.start = 1ull << warp;
        top.start_entry = entry;
        top.start_bytes = bytes;
        top.start_valid[warp] = valid;
        tick();
        pc = entry;
    }

    void vector(unsigned sub, unsigned lane, uint64_t v) {
        top.req_vector[sub * 64 + lane * 2] = static_cast<uint32_t>(v);
        top.req_vector[sub * 64 + lane * 2 + 1] = static_cast<uint32_t>(v >> 32);
    }

    Response run(unsigned warp, const Insn &insn, uint32_t guard = kAll, uint64_t scalar = 0) {
        const unsigned s = warp % kSubs;
        top.req_valid = 1u << s;
        reinterpret_cast<uint8_t *>(&top.req_warp)[s] = static_cast<uint8_t>(warp);
        put64(top.req_pc, s, pc);
        for (int i = 0; i < 4; ++i)
            top.req_insn[s * 4 + i] = insn.word[i];
        top.req_guard[s] = guard;
        top.req_guard_pp[s] = kAll;
        put64(top.req_scalar, s, scalar);
        for (bool taken = false; !taken;) {
            top.now = now;
            top.clk = 0;
            top.eval();
            taken = top.req_ready >> s & 1;
            tick();
        }
        top.req_valid = 0;
        Response r;
        for (int i = 0; i < 1000; ++i) {
            top.now = now;
            top.clk = 0;
            top.eval();
            const unsigned valid = top.rsp_valid;
            if (valid & top.rsp_ready) {
                r = read(__builtin_ctz(valid));
                r.cycle = now;
                tick();
                pc = r.pc;
                return r;
            }
            tick();
        }
        CHECK(!"no response");
        return r;
    }

    Response read(unsigned c) {
        Response r;
        r.channel = c;
        r.warp = top.rsp_warp[c / 4] >> c % 4 * 8 & 255;
        r.outcome = bits(top.rsp_outcome, c, 2);
        r.pc = get64(top.rsp_next_pc, c);
        r.active = top.rsp_next_active[c];
        r.executed = top.rsp_executed[c];
        r.lanes = top.rsp_write_lanes[c];
        r.value = get64(top.rsp_value, c);
        r.event = bits(top.rsp_event, c, 4);
        r.jumped = top.rsp_jumped[c];
        r.split = top.rsp_split >> c & 1;
        r.passed = top.rsp_passed >> c & 1;
        r.release = bits(top.rsp_release, c, 3);
        r.fault = bits(top.rsp_fault, c, 4);
        r.lane = bits(top.rsp_fault_lane, c, 5);
        r.fault_value = get64(top.rsp_fault_value, c);
        return r;
    }

    // Mask number k of the debug port: ValidMask, ActiveMask, Yield, Sleep, Switch, Wait, WaitBar, Turn, then B0 to
    // B15.
    uint32_t mask(unsigned warp, unsigned k) {
        top.dbg_warp = static_cast<uint8_t>(warp);
        top.eval();
        const uint32_t m = top.dbg_state[2 + 64 + k];
        top.dbg_warp = 255;
        return m;
    }

    template <class W> static unsigned bits(const W &words, unsigned c, unsigned width) {
        unsigned v = 0;
        for (unsigned i = 0; i < width; ++i) {
            const unsigned bit = c * width + i;
            if constexpr (std::is_integral_v<W>)
                v |= static_cast<unsigned>(words >> bit & 1) << i;
            else
                v |= (words[bit / 32] >> bit % 32 & 1) << i;
        }
        return v;
    }
    template <class W> static uint64_t get64(const W &words, unsigned i) {
        return words[i * 2] | static_cast<uint64_t>(words[i * 2 + 1]) << 32;
    }
    template <class W> static void put64(W &words, unsigned i, uint64_t v) {
        words[i * 2] = static_cast<uint32_t>(v);
        words[i * 2 + 1] = static_cast<uint32_t>(v >> 32);
    }

    Vbru_top top;
    uint64_t now = 100, pc = 0, woken = 0;
    std::function<void()> watch;
};

void if_without_else() {
    Bench b;
    b.start(5, kAll);
    Response r = b.run(5, Insn(kBssy, kI).breg(3).imm(4));
    CHECK(r.channel == 1 * kSubs + 1 && r.pc == 0x10 && r.active == kAll);
    CHECK(b.mask(5, 8 + 3) == kAll);
    r = b.run(5, Insn(kBra, kX).offset(0x20), 0xff00ff00u); // the others fall through first
    CHECK(r.event == 1 && r.split && r.jumped == 0xff00ff00u && r.active == 0x00ff00ffu && r.pc == 0x20);
    b.pc = 0x40;
    r = b.run(5, Insn(kBsync, kX).breg(3)); // the target is the BSYNC itself: they have arrived (D-6, D-7)
    CHECK(r.passed && r.release == 1 && r.event == 2 && r.pc == 0x50 && r.active == kAll);
}

void if_else() {
    Bench b;
    b.start(6, kAll);
    b.run(6, Insn(kBssy, kI).breg(0));
    Response r = b.run(6, Insn(kBra, kX).offset(0x40), 0xffff0000u);
    CHECK(r.active == 0x0000ffffu && r.pc == 0x20);
    b.pc = 0x80;
    r = b.run(6, Insn(kBsync, kX).breg(0));
    CHECK(!r.passed && r.active == 0xffff0000u && r.pc == 0x60 && r.outcome == 0);
    CHECK(b.mask(6, 5) == 0x0000ffffu && b.mask(6, 6) == 0x0000ffffu);
    b.pc = 0x80;
    r = b.run(6, Insn(kBsync, kX).breg(0));
    CHECK(r.passed && r.release == 1 && r.active == kAll && r.pc == 0x90 && b.mask(6, 5) == 0);
}

void spin_loop() { // D-14: at its second turn the thread parked at a BSYNC passes
    Bench b;
    b.start(0, 3);
    b.run(0, Insn(kBssy, kI).breg(1));
    Response r = b.run(0, Insn(kBra, kX).offset(0x100), 2); // thread 1 spins at 0x120
    b.pc = 0x80;
    r = b.run(0, Insn(kBsync, kX).breg(1));
    CHECK(!r.passed && r.active == 2 && r.pc == 0x120);
    r = b.run(0, Insn(kYield, kX));
    CHECK(r.event == 3 && r.active == 1 && r.pc == 0x80);
    r = b.run(0, Insn(kBsync, kX).breg(1)); // thread 1 has yielded
    CHECK(r.passed && r.release == 2 && r.active == 1 && r.pc == 0x90);
    CHECK(b.mask(0, 8 + 1) == 2);
}

void yield_alone_and_parked() {
    Bench b;
    b.start(1, 7);
    Response r = b.run(1, Insn(kYield, kX));
    CHECK(r.event == 4 && r.pc == 0x10 && r.channel == 3 * kSubs + 1);
    r = b.run(1, Insn(kYield, kX), 5); // parking rule
    CHECK(r.event == 6 && r.executed == 5 && r.active == 2 && r.pc == 0x20);
    r = b.run(1, Insn(kYield, kX), 0);
    CHECK(r.event == 0 && r.active == 2 && r.pc == 0x30);
}

void warpsync_groups() {
    Bench b;
    b.start(2, 15);
    b.vector(2, 0, 3);
    b.vector(2, 1, 3);
    b.vector(2, 2, 12);
    b.vector(2, 3, 12);
    Response r = b.run(2, Insn(kWarpsync, kR));
    CHECK(r.passed && r.active == 3 && r.pc == 0x10);
    r = b.run(2, Insn(kExit, kX));
    CHECK(r.event == 7 && r.active == 12 && r.pc == 0);
    b.vector(2, 2, 8);
    r = b.run(2, Insn(kWarpsync, kR));
    CHECK(r.fault == 3 && r.lane == 2);
    b.vector(2, 2, 12);
    r = b.run(2, Insn(kWarpsync, kR));
    CHECK(r.passed && r.active == 12 && r.pc == 0x10);
    r = b.run(2, Insn(kWarpsync, kI).imm(4));
    CHECK(r.fault == 3 && r.lane == 3);
}

void sync_deadlock() {
    Bench b;
    b.start(3, 3);
    b.run(3, Insn(kBra, kX).offset(0x40), 2);
    Response r = b.run(3, Insn(kWarpsync, kI).imm(3)); // thread 0 at 0x10 waits for thread 1
    CHECK(!r.passed && r.active == 2 && r.pc == 0x50);
    r = b.run(3, Insn(kWarpsync, kI).imm(3));
    CHECK(r.fault == 4 && r.lane == 1);
}

void nanosleep() {
    Bench b;
    b.start(4, 3);
    for (unsigned t = 0; t < 32; ++t)
        b.vector(0, t, t == 0 ? 9 : t == 1 ? 7 : 1);
    Response r = b.run(4, Insn(kNanosleep, kR));
    CHECK(r.event == 5 && r.outcome == 1 && r.pc == 0x10 && b.mask(4, 3) == 3);
    // 7 ns are ceil(10.5) cycles after the cycle of the response.
    uint64_t at = 0;
    b.watch = [&] {
        if (at == 0 && (b.top.wake_valid >> 4 & 1))
            at = b.now;
    };
    for (int i = 0; i < 30; ++i)
        b.tick();
    CHECK(at == r.cycle + 11);
    CHECK(b.mask(4, 3) == 0 && !b.top.busy);
    r = b.run(4, Insn(kNanosleep, kI).imm(0));
    CHECK(r.event == 0 && r.outcome == 0);

    // A shorter sleep of other threads shortens the timer; a sleeping group is not elected while another is awake.
    b.run(4, Insn(kBra, kX).offset(0x40), 2);
    b.woken = 0;
    r = b.run(4, Insn(kNanosleep, kI).imm(100));
    CHECK(r.event == 5 && r.outcome == 0 && r.active == 2);
    r = b.run(4, Insn(kNanosleep, kI).imm(4));
    CHECK(r.outcome == 1 && r.active == 1);
    at = 0;
    for (int i = 0; i < 30; ++i)
        b.tick();
    CHECK(at == r.cycle + 6);
    CHECK(!b.top.busy);
}

void traps() {
    Bench b;
    b.start(7, 1, 0x40);
    Response r = b.run(7, Insn(kTrap, kI).imm(42));
    CHECK(r.fault == 6 && r.fault_value == 42);
    r = b.run(7, Insn(kRtt, kX));
    CHECK(r.fault == 5 && r.fault_value == 0 && r.pc == 0x40);
    b.top.cfg_trap_enable = 1;
    b.top.cfg_trap_handler = 0x200;
    r = b.run(7, Insn(kTrap, kI).imm(42));
    CHECK(r.fault == 0 && r.pc == 0x200);
    r = b.run(7, Insn(kTrap, kI).imm(43));
    CHECK(r.fault == 5 && r.fault_value == 43);
    r = b.run(7, Insn(kRtt, kX));
    CHECK(r.fault == 0 && r.pc == 0x50);
    r = b.run(7, Insn(kSyscall, kX));
    CHECK(r.event == 8 && r.pc == 0x60);
    r = b.run(7, Insn(kExit, kX));
    CHECK(r.outcome == 2 && r.active == 0 && b.mask(7, 0) == 0);
}

void jumps() {
    Bench b;
    b.start(9, 7, 0, 0x400);
    b.vector(1, 0, 0x100);
    b.vector(1, 1, 0x200);
    b.vector(1, 2, 0x100);
    Response r = b.run(9, Insn(kCall, kR).field(82, 1, 1).offset(0x10));
    CHECK(r.pc == 0x110 && r.active == 5 && r.split && r.jumped == 7);
    b.vector(1, 2, 0x400);
    r = b.run(9, Insn(kRet, kR).field(82, 1, 1));
    CHECK(r.fault == 1 && r.lane == 2 && r.fault_value == 0x400);
    b.vector(1, 2, 0xfffffff8u);
    r = b.run(9, Insn(kBrx, kR));
    CHECK(r.fault == 1 && r.fault_value == 0x118);
    r = b.run(9, Insn(kBra, kU).field(82, 2, 3), 5, 7); // CONV: thread 1 is expected and at another place
    CHECK(r.jumped == 0 && r.pc == 0x120);
    r = b.run(9, Insn(kLepc, kI).offset(-0x20));
    CHECK(r.value == 0x100 && r.lanes == 5);
    r = b.run(9, Insn(kBmov, kR).breg(15));
    CHECK(r.channel == 1 * kSubs + 1 && b.mask(9, 8 + 15) == 0);
    b.vector(1, 0, kAll);
    b.run(9, Insn(kBmov, kR).breg(15));
    r = b.run(9, Insn(kBmov, kX).breg(15).field(82, 1, 1));
    CHECK(r.channel == 4 * kSubs + 1 && r.value == 7 && b.mask(9, 8 + 15) == 0);
}

void stalled(bool shared) { // A response waits unchanged for ready, and the others of its channel wait after it.
    Bench b;
    b.start(0, 1);
    b.start(4, 1);
    b.top.rsp_ready = 0;
    b.top.req_valid = 1;
    const Insn insn(kBssy, kI);
    for (int i = 0; i < 4; ++i)
        b.top.req_insn[i] = insn.word[i];
    b.put64(b.top.req_pc, 0, 0);
    b.top.req_guard[0] = kAll;
    const uint64_t first = b.now;
    b.top.req_warp = 0;
    b.tick();
    b.top.req_warp = 4;
    b.tick();
    b.top.req_valid = 0;
    uint64_t seen = 0;
    b.watch = [&] {
        if (b.top.rsp_valid == 0)
            return;
        if (seen == 0)
            seen = b.now;
        CHECK(b.top.rsp_valid == 1u << kSubs && b.read(kSubs).warp == 0);
    };
    for (int i = 0; i < 10; ++i)
        b.tick();
    CHECK(seen == first + (shared ? 4 : 3)); // a shared pipeline starts one cycle after the transfer
    b.top.rsp_ready = 0xfffff;
    b.tick();
    b.watch = [&] { CHECK(b.top.rsp_valid == 1u << kSubs && b.read(kSubs).warp == 4); };
    b.tick();
    b.watch = [&] { CHECK(b.top.rsp_valid == 0 && !b.top.busy); };
    b.tick();
}

} // namespace

int main(int argc, char **argv) {
    Verilated::commandArgs(argc, argv);
    if_without_else();
    if_else();
    spin_loop();
    yield_alone_and_parked();
    warpsync_groups();
    sync_deadlock();
    nanosleep();
    traps();
    jumps();
    stalled(argc > 1 && std::atoi(argv[1]) < static_cast<int>(kSubs));
    std::printf("bru: %s\n", failures ? "FAILED" : "all checks hold");
    return failures != 0;
}
