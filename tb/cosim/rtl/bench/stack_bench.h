// The common part of the benches of the stack engines' branch units: one instruction at a time, and the state after
// it.
#pragma once

#include <cstdint>
#include <cstdio>

#include "verilated.h"

constexpr unsigned kSubs = 4;
constexpr unsigned kAll = 0xffffffffu;

inline int failures = 0;

inline void check(bool holds, const char *text, int line) {
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
};

struct Response {
    unsigned channel = 0, outcome = 0, event = 0, fault = 0, lane = 0;
    bool split = false, passed = false, refuses = false;
    uint64_t pc = 0, value = 0, fault_value = 0, cycle = 0, asked = 0;
    uint32_t active = 0, executed = 0, jumped = 0;
};

// One unit and a driver that sends one instruction at a time. The bench sets the straps of its engine.
template <class Top> class Bench {
  public:
    Bench() {
        top.cfg_branch_latency = 4;
        top.cfg_barrier_latency = 3;
        top.cfg_sync_latency = 5;
        top.cfg_yield_latency = 6;
        top.cfg_move_latency = 2;
        top.cfg_branch_interval = top.cfg_barrier_interval = top.cfg_sync_interval = 1;
        top.cfg_yield_interval = top.cfg_move_interval = 1;
        top.cfg_ns_cycles = top.cfg_ns_time = 1;
        top.cfg_depth = 32;
        top.rsp_ready = 0xfffff;
        top.timer_ready = 0xf;
        top.wake_ready = ~0ull;
        top.dbg_warp = 255;
        top.rst = 1;
        tick();
        top.rst = 0;
    }

    void settle() {
        top.now = now;
        top.clk = 0;
        top.eval();
    }
    void tick() {
        settle();
        woken |= top.wake_valid;
        top.clk = 1;
        top.eval();
        ++now;
        top.start = 0;
        top.expiry = 0;
    }

    void start(unsigned warp, uint32_t valid, uint64_t bytes = 0x1000) {
        top.start = 1ull << warp;
        top.start_entry = 0;
        top.start_bytes = bytes;
        top.start_valid[warp] = valid;
        tick();
        pc = 0;
    }

    // The register of a lane, as the warp's sub-partition provides it.
    void vector(unsigned warp, unsigned lane, uint32_t v) { top.req_vector[warp % kSubs * 64 + lane * 2] = v; }

    Response run(unsigned warp, const Insn &insn, uint32_t guard = kAll, uint32_t guard_pp = kAll) {
        const unsigned s = warp % kSubs;
        top.req_valid = 1u << s;
        reinterpret_cast<uint8_t *>(&top.req_warp)[s] = static_cast<uint8_t>(warp);
        top.req_pc[s * 2] = static_cast<uint32_t>(pc);
        for (int i = 0; i < 4; ++i)
            top.req_insn[s * 4 + i] = insn.word[i];
        top.req_guard[s] = guard;
        top.req_guard_pp[s] = guard_pp;
        uint64_t asked = 0;
        for (bool taken = false; !taken;) {
            settle();
            taken = top.req_ready >> s & 1;
            asked = now;
            tick();
        }
        top.req_valid = 0;
        for (int i = 0; i < 1000; ++i) {
            settle();
            if (top.rsp_valid != 0) {
                Response r = read(static_cast<unsigned>(__builtin_ctz(top.rsp_valid)));
                r.cycle = now;
                r.asked = asked;
                tick();
                if (r.fault == 0)
                    pc = r.pc;
                return r;
            }
            tick();
        }
        CHECK(!"no response");
        return {};
    }

    // Word `k` of the state at the debug port, and of entry `index` of the stack.
    uint32_t state(unsigned warp, unsigned k) {
        return seen(warp, 0, [&] { return top.dbg_state[k]; });
    }
    uint32_t entry(unsigned warp, unsigned index, unsigned k) {
        return seen(warp, index, [&] { return top.dbg_entry[k]; });
    }

    Top top;
    uint64_t now = 100, pc = 0, woken = 0;

  private:
    template <class Get> uint32_t seen(unsigned warp, unsigned index, Get get) {
        top.dbg_warp = static_cast<uint8_t>(warp);
        top.dbg_index = static_cast<uint16_t>(index);
        top.eval();
        const uint32_t word = get();
        top.dbg_warp = 255;
        return word;
    }
    Response read(unsigned c) {
        Response r;
        r.channel = c;
        r.outcome = bits(top.rsp_outcome, c, 2);
        r.pc = get64(top.rsp_next_pc, c);
        r.active = top.rsp_next_active[c];
        r.executed = top.rsp_executed[c];
        r.value = get64(top.rsp_value, c);
        r.event = bits(top.rsp_event, c, 4);
        r.jumped = top.rsp_jumped[c];
        r.split = top.rsp_split >> c & 1;
        r.passed = top.rsp_passed >> c & 1;
        r.refuses = top.rsp_refuses >> c & 1;
        r.fault = bits(top.rsp_fault, c, 5);
        r.lane = bits(top.rsp_fault_lane, c, 5);
        r.fault_value = get64(top.rsp_fault_value, c);
        return r;
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
};
