// Small bench of the branch unit with the engine token_stack: a few rules on one warp. It shows that the block works
// at all and prints what it does; the comparison with the model checks every rule.
#include "Vbru_token_stack.h"
#include "stack_bench.h"

namespace {

enum Op : unsigned {
    kExit = 6,
    kWarpsync = 0xc,
    kBra = 0xd0,
    kBrx,
    kJmp,
    kJmx,
    kSsy,
    kPbk,
    kPcnt,
    kPret,
    kSync,
    kBrk,
    kCont,
    kRet,
    kCal
};
enum Form : unsigned { kX, kR, kI };
enum Kind : unsigned { kTokenSync, kTokenDiv, kTokenRet, kTokenBrk, kTokenCont };

using Unit = Bench<Vbru_token_stack>;

// An instruction whose label is `target`.
Response to(Unit &b, Op op, uint64_t target, uint32_t guard = kAll, uint32_t test = kAll) {
    return b.run(0, Insn(op, kI).field(32, 24, target - b.pc - 16), guard, test);
}
uint32_t depth(Unit &b) {
    return b.state(0, 5);
}

void if_else() {
    Unit b;
    b.start(0, kAll);
    Response r = to(b, kSsy, 0x80);
    CHECK(r.channel == 1 * kSubs && r.cycle == r.asked + 3 && depth(b) == 1);
    CHECK(b.entry(0, 0, 0) == kTokenSync && b.entry(0, 0, 1) == kAll && b.entry(0, 0, 2) == 0x80);
    r = to(b, kBra, 0x40, 0xffff, 0xff); // guard and condition test
    CHECK(r.event == 1 && r.split && r.executed == 0xff && r.active == 0xffffff00u && r.pc == 0x20);
    CHECK(b.entry(0, 1, 0) == kTokenDiv && b.entry(0, 1, 1) == 0xff && b.entry(0, 1, 2) == 0x40);
    r = b.run(0, Insn(kSync, kX), 0x0fffffffu); // some of them
    CHECK(r.event == 2 && !r.passed && r.active == 0xf0000000u && r.pc == 0x30 && depth(b) == 2);
    r = b.run(0, Insn(kSync, kX));
    CHECK(!r.passed && r.active == 0xff && r.pc == 0x40 && depth(b) == 1);
    r = b.run(0, Insn(kSync, kX));
    CHECK(r.passed && r.active == kAll && r.pc == 0x80 && depth(b) == 0);
}

void groups() {
    for (unsigned order = 0; order < 2; ++order) {
        Unit b;
        b.top.cfg_order = order;
        b.start(0, 0xf);
        const uint32_t targets[] = {0x60, 0x10, 0x40, 0x60}; // thread 1 jumps to the next instruction
        for (unsigned t = 0; t < 4; ++t)
            b.vector(0, t, targets[t]);
        const Response r = b.run(0, Insn(kJmx, kR));
        CHECK(r.jumped == 0xf && r.active == (order != 0 ? 9u : 2u) && depth(b) == 2);
        CHECK(b.entry(0, 1, 1) == (order != 0 ? 4u : 9u) && b.entry(0, 0, 1) == (order != 0 ? 2u : 4u));
    }
}

void loop() {
    Unit b;
    b.start(0, 0xf);
    to(b, kPbk, 0x100);
    to(b, kPcnt, 0x80);
    to(b, kSsy, 0x60);
    to(b, kBra, 0x50, 3);                     // threads 0 and 1 wait
    Response r = b.run(0, Insn(kBrk, kX), 4); // thread 2 leaves the tokens above that of PBK
    CHECK(r.active == 8 && depth(b) == 4 && b.entry(0, 2, 1) == 0xb && b.entry(0, 1, 1) == 0xb &&
          b.entry(0, 0, 1) == 0xf);
    r = b.run(0, Insn(kCont, kX));
    CHECK(!r.passed && r.active == 3 && r.pc == 0x50 && b.entry(0, 2, 1) == 3);
    r = b.run(0, Insn(kBrk, kX));
    CHECK(r.passed && r.active == 8 && r.pc == 0x80 && depth(b) == 1);
    r = b.run(0, Insn(kBrk, kX));
    CHECK(r.passed && r.active == 0xf && r.pc == 0x100 && depth(b) == 0);
}

void calls() {
    Unit b;
    b.top.cfg_call_limit = 1;
    b.start(0, 0xf);
    Response r = to(b, kCal, 0x100, 3);
    CHECK(r.active == 3 && r.pc == 0x100 && b.entry(0, 0, 0) == kTokenRet && b.entry(0, 0, 1) == 0xf);
    r = to(b, kCal, 0x200);
    CHECK(r.jumped == 0 && r.pc == 0x110 && depth(b) == 1);
    to(b, kPret, 0x120);
    CHECK(b.state(0, 4) == 1 && depth(b) == 1);
    r = b.run(0, Insn(kBra, kI).field(32, 24, 0x40).field(81, 1, 1)); // .LMT
    CHECK(r.jumped == 0 && r.pc == 0x130);
    r = b.run(0, Insn(kRet, kX));
    CHECK(r.passed && r.active == 0xf && r.pc == 0x10);
    to(b, kPret, 0x120);
    CHECK(b.state(0, 4) == 0 && depth(b) == 1);
}

void exits() {
    Unit b;
    b.start(0, 0xf);
    to(b, kSsy, 0x80);
    to(b, kBra, 0x40, 3);
    Response r = b.run(0, Insn(kExit, kX)); // threads 2 and 3
    CHECK(r.event == 7 && r.active == 3 && r.pc == 0x40 && b.state(0, 3) == 3 && b.entry(0, 0, 1) == 3);
    r = b.run(0, Insn(kExit, kX));
    CHECK(r.outcome == 2 && b.state(0, 3) == 0);
}

void spills() {
    Unit b;
    b.top.cfg_depth = 1;
    b.top.cfg_spill = 1;
    b.top.cfg_spill_cycles = 30;
    b.start(0, 0xf);
    Response r = to(b, kSsy, 0x80);
    CHECK(r.cycle == r.asked + 3);
    r = to(b, kPbk, 0x80);
    CHECK(r.cycle == r.asked + 33 && depth(b) == 2);
    r = b.run(0, Insn(kBrk, kX));
    CHECK(r.cycle == r.asked + 34 && depth(b) == 1);
    b.top.cfg_spill = 0;
    r = to(b, kSsy, 0x80);
    CHECK(r.fault == 13 && depth(b) == 1);
}

void exceptions() {
    Unit b;
    b.start(0, 0xf);
    CHECK(b.run(0, Insn(kSync, kX)).fault == 16);
    CHECK(b.run(0, Insn(kBrk, kX), 0).fault == 0); // no thread
    to(b, kPbk, 0x80);
    CHECK(b.run(0, Insn(kSync, kX)).fault == 17);
    to(b, kCal, 0x100);
    CHECK(b.run(0, Insn(kBrk, kX)).fault == 17);
    Response r = to(b, kBra, 0x1000, 4);
    CHECK(r.fault == 1 && r.lane == 2 && r.fault_value == 0x1000 && r.active == 0xf);
    r = to(b, kSsy, 0x1000);
    CHECK(r.fault == 1 && r.lane == 0 && depth(b) == 2);
    r = b.run(0, Insn(kWarpsync, kI).field(32, 32, 7), 6);
    CHECK(r.fault == 18 && r.lane == 1);
    CHECK(b.run(0, Insn(kWarpsync, kI).field(32, 32, 2), 6).fault == 3);
    CHECK(b.run(0, Insn(kWarpsync, kI).field(32, 32, 6), 6).fault == 0);
}

} // namespace

int main(int argc, char **argv) {
    Verilated::commandArgs(argc, argv);
    if_else();
    groups();
    loop();
    calls();
    exits();
    spills();
    exceptions();
    std::printf("token_stack: %s\n", failures ? "FAILED" : "all checks hold");
    return failures != 0;
}
