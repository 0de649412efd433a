// Small bench of the branch unit with the engine simt_stack: a few rules on one warp. It shows that the block works at
// all and prints what it does; the comparison with the model checks every rule.
#include "Vbru_simt_stack.h"
#include "stack_bench.h"

namespace {

enum Op : unsigned {
    kBra = 1,
    kBrx = 2,
    kNanosleep = 0xd,
    kVbeq = 0xc0,
    kVbne,
    kVblt,
    kSetrpc = 0xc6,
    kJoin,
    kEndprg = 0xc9
};
enum Form : unsigned { kX, kR, kI };

using Unit = Bench<Vbru_simt_stack>;

// SETRPC of the JOIN at `target`, or of another instruction.
Response setrpc(Unit &b, unsigned warp, uint64_t target, bool join = true) {
    b.top.req_join = join ? 0xf : 0;
    return b.run(warp, Insn(kSetrpc, kI).field(32, 32, (target - b.pc - 16) / 16));
}
// VBEQ of the threads in `taken` to `target`.
Response branch(Unit &b, unsigned warp, uint32_t taken, uint64_t target) {
    for (unsigned t = 0; t < 32; ++t) {
        b.vector(warp, t, taken >> t & 1);
        b.top.req_vector_b[warp % kSubs * 32 + t] = 1;
    }
    return b.run(warp, Insn(kVbeq, kR).field(64, 32, (target - b.pc - 16) / 16));
}

void if_else() {
    Unit b;
    b.start(5, kAll);
    Response r = setrpc(b, 5, 0x80);
    CHECK(r.channel == 1 * kSubs + 1 && r.pc == 0x10 && b.state(5, 3) == 0x80);
    r = branch(b, 5, 0xff, 0x40); // fewer threads go first
    CHECK(r.event == 1 && r.split && r.jumped == 0xff && r.active == 0xff && r.pc == 0x40 && !r.refuses);
    CHECK(b.state(5, 5) == 2 && b.entry(5, 1, 2) == 0x20 && b.entry(5, 1, 4) == 0xffffff00u);
    CHECK(b.entry(5, 0, 0) == 0x80 && b.entry(5, 0, 2) == 0x80 && b.entry(5, 0, 4) == kAll);
    b.pc = 0x80;
    r = b.run(5, Insn(kJoin, kX));
    CHECK(r.event == 2 && !r.passed && r.active == 0xffffff00u && r.pc == 0x20 && !r.refuses);
    b.pc = 0x80;
    r = b.run(5, Insn(kJoin, kX));
    CHECK(!r.passed && r.active == kAll && r.pc == 0x80 && b.state(5, 5) == 0);
    r = b.run(5, Insn(kJoin, kX));
    CHECK(r.passed && r.active == kAll && r.pc == 0x90);
    r = b.run(5, Insn(kEndprg, kX));
    CHECK(r.outcome == 2 && r.event == 7 && r.active == 0);
}

void uniform_branches_push_nothing() {
    Unit b;
    b.start(4, 0xf);
    Response r = branch(b, 4, kAll, 0x40); // without an rpc
    CHECK(r.fault == 0 && r.pc == 0x40 && r.active == 0xf && !r.split);
    r = branch(b, 4, 0xf0, 0x80);
    CHECK(r.fault == 0 && r.pc == 0x50 && r.jumped == 0 && b.state(4, 5) == 0);
}

void orders() {
    for (unsigned order = 0; order < 3; ++order) {
        Unit b;
        b.top.cfg_order = order;
        b.start(0, 0xff);
        setrpc(b, 0, 0x80);
        const Response r = branch(b, 0, 0x1f, 0x40);
        CHECK(r.active == (order == 2 ? 0x1fu : 0xe0u));
    }
}

void exceptions() {
    Unit b;
    b.top.cfg_depth = 2;
    b.start(1, 0xff);
    setrpc(b, 1, 0x80, false);
    Response r = branch(b, 1, 1, 0x40);
    CHECK(r.fault == 12 && r.active == 0xff && b.state(1, 5) == 0);
    setrpc(b, 1, 0x80);
    r = branch(b, 1, 1, 0x1000);
    CHECK(r.fault == 1 && r.lane == 0 && r.fault_value == 0x1000);
    r = branch(b, 1, 0xf, 0x40);
    CHECK(r.fault == 0 && b.state(1, 5) == 2);
    r = branch(b, 1, 1, 0x60);
    CHECK(r.fault == 13 && b.state(1, 5) == 2);
    CHECK(b.run(1, Insn(kEndprg, kX)).fault == 14);
    b.vector(1, 1, 0x20);
    CHECK(b.run(1, Insn(kBrx, kR)).fault == 15);
    CHECK(b.run(1, Insn(kBrx, kR), 1).fault == 15); // only some would jump
    r = b.run(1, Insn(kBra, kX).field(82, 2, 1).field(32, 50, 4), 3);
    CHECK(r.fault == 0 && r.jumped == 0); // .U
}

void barriers_are_refused_while_a_side_waits() {
    Unit b;
    b.top.cfg_barrier_check = 1;
    b.start(2, 3);
    setrpc(b, 2, 0x40);
    Response r = branch(b, 2, 1, 0x40); // threads that jump are at the JOIN
    CHECK(r.refuses && r.pc == 0x40);
    r = b.run(2, Insn(kJoin, kX));
    CHECK(!r.refuses && r.active == 2);
}

void sleep() {
    Unit b;
    b.start(3, 3);
    b.vector(3, 0, 9);
    b.vector(3, 1, 7);
    const Response r = b.run(3, Insn(kNanosleep, kR));
    CHECK(r.event == 5 && r.outcome == 1 && r.channel == 3 * kSubs + 3);
    b.tick();
    for (uint64_t i = r.cycle + 7 - b.now - 1; i > 0; --i)
        b.tick();
    b.top.expiry = 8;
    b.tick();
    b.tick();
    CHECK(b.woken == 8 && !b.top.busy);
}

} // namespace

int main(int argc, char **argv) {
    Verilated::commandArgs(argc, argv);
    if_else();
    uniform_branches_push_nothing();
    orders();
    exceptions();
    barriers_are_refused_while_a_side_waits();
    sleep();
    std::printf("simt_stack: %s\n", failures ? "FAILED" : "all checks hold");
    return failures != 0;
}
