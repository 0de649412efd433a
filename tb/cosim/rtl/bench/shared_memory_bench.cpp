// Self-checking bench of shared_memory.sv: random accesses compared with a small reference.
//
// The reference numbers the passes in advance, as pins.md defines, and performs an access completely at its transfer;
// the RTL finds its passes one by one. Floating-point sums are the host's. Every cycle compares req_ready, busy, and
// both response channels with their cycles under stalled handshakes; the end compares the whole memory.
#include "Vshared_memory.h"
#include "verilated.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <random>
#include <vector>

namespace {

constexpr unsigned kBytes = 102400, kBanks = 32, kSlots = 32;

std::mt19937_64 rng(1);
uint64_t pick(uint64_t n) {
    return rng() % n;
}

struct Access {
    unsigned kind = 0, tag = 0, op = 0, type = 0;
    uint32_t slots = 0, address[kSlots] = {};
    uint16_t enable[kSlots] = {};
    uint32_t data[kSlots][4] = {};
};

struct Response {
    uint64_t due = 0;
    unsigned tag = 0, last = 0;
    uint32_t slots = 0, data[kSlots][4] = {};
};

uint8_t memory[kBytes];

template <typename F, typename U> U add(U a, U b) {
    F x, y;
    std::memcpy(&x, &a, sizeof x);
    std::memcpy(&y, &b, sizeof y);
    volatile F z = x + y;
    F r = z;
    if (r != r)
        return static_cast<U>(~U{0}) >> 1;
    U u;
    std::memcpy(&u, &r, sizeof u);
    return u;
}

template <typename U, typename I> U integer(unsigned op, bool is_signed, U old, U x, U compare) {
    bool less = is_signed ? static_cast<I>(old) < static_cast<I>(x) : old < x;
    switch (op) {
    case 0:
        return old + x;
    case 1:
        return less ? old : x;
    case 2:
        return less ? x : old;
    case 3:
        return old >= x ? 0 : old + 1;
    case 4:
        return old == 0 || old > x ? x : old - 1;
    case 5:
        return old & x;
    case 6:
        return old | x;
    case 7:
        return old ^ x;
    case 8:
        return x;
    default:
        return old == compare ? x : old;
    }
}

uint64_t atomic(unsigned op, unsigned type, uint64_t old, uint64_t x, uint64_t compare) {
    if (type == 4 && op == 0)
        return add<float, uint32_t>(static_cast<uint32_t>(old), static_cast<uint32_t>(x));
    if (type == 5 && op == 0)
        return add<double, uint64_t>(old, x);
    if (type == 0 || type == 1 || type == 4)
        return integer<uint32_t, int32_t>(op, type == 1, static_cast<uint32_t>(old), static_cast<uint32_t>(x),
                                          static_cast<uint32_t>(compare));
    return integer<uint64_t, int64_t>(op, type == 3, old, x, compare);
}

// Performs the access, returns the number of its passes and appends its responses.
unsigned perform(const Access &a, uint64_t t, unsigned latency, std::deque<Response> &out) {
    std::vector<unsigned> given(kBanks, 0);
    std::map<uint32_t, unsigned> placed;
    std::map<unsigned, Response> passes;
    unsigned total = 0;
    for (unsigned i = 0; i < kSlots; i++) {
        if (!(a.slots >> i & 1))
            continue;
        uint32_t word = a.address[i] / 4;
        unsigned done = 0;
        uint32_t result[4] = {};
        bool in_range = a.address[i] < kBytes;
        if (a.kind == 2) {
            unsigned size = a.type == 2 || a.type == 3 || a.type == 5 ? 8 : 4;
            for (unsigned k = 0; k < size / 4; k++)
                done = std::max(done, given[(word + k) % kBanks]);
            done++;
            for (unsigned k = 0; k < size / 4; k++)
                given[(word + k) % kBanks] = done;
            uint64_t old = 0, x, compare, value;
            std::memcpy(&x, a.data[i], 8);
            std::memcpy(&compare, a.data[i] + 2, 8);
            if (in_range)
                std::memcpy(&old, memory + a.address[i], size);
            value = atomic(a.op, a.type, old, x, compare);
            if (in_range)
                std::memcpy(memory + a.address[i], &value, size);
            std::memcpy(result, &old, 8);
        } else {
            for (unsigned k = 0; k < 4; k++) {
                if (!(a.enable[i] >> (4 * k) & 15))
                    continue;
                auto found = placed.find(word + k);
                unsigned pass = found != placed.end() ? found->second : ++given[(word + k) % kBanks];
                placed[word + k] = pass;
                done = std::max(done, pass);
            }
            for (unsigned y = 0; y < 16; y++) {
                if (!(a.enable[i] >> y & 1) || !in_range)
                    continue;
                auto *r = reinterpret_cast<uint8_t *>(result);
                if (a.kind == 0)
                    r[y] = memory[a.address[i] + y];
                else
                    memory[a.address[i] + y] = reinterpret_cast<const uint8_t *>(a.data[i])[y];
            }
        }
        Response &r = passes[done];
        r.slots |= 1u << i;
        std::memcpy(r.data[i], result, 16);
        total = std::max(total, done);
    }
    for (auto &[pass, r] : passes) {
        r.due = t + pass - 1 + latency;
        r.tag = a.tag;
        r.last = pass == total;
        out.push_back(r);
    }
    return total;
}

uint64_t value_for(unsigned type) {
    if (type < 4)
        return pick(2) ? rng() : pick(8);
    // Floating-point numbers that interact: near exponents, subnormals, the largest, infinities, NaNs.
    unsigned mantissa = type == 4 ? 23 : 52, exponent = type == 4 ? 8 : 11;
    uint64_t e = pick(1u << exponent), m = rng() & ((1ull << mantissa) - 1);
    switch (pick(8)) {
    case 0:
        e = 0;
        break;
    case 1:
        e = pick(3);
        break;
    case 2:
        e = (1u << exponent) - 1 - pick(3);
        break;
    case 3:
    case 4:
    case 5:
        e = (1u << (exponent - 1)) + pick(4);
        break;
    case 6:
        e = (1u << (exponent - 1)) + pick(60);
        break;
    default:
        break;
    }
    switch (pick(6)) {
    case 0:
        m = 0;
        break;
    case 1:
        m = (1ull << mantissa) - 1;
        break;
    case 2:
        m = 1ull << pick(mantissa);
        break;
    default:
        break;
    }
    return (pick(2) << (mantissa + exponent)) | (e << mantissa) | m;
}

Access random_access(unsigned tag) {
    Access a;
    a.tag = tag;
    a.kind = static_cast<unsigned>(pick(3));
    a.type = static_cast<unsigned>(pick(6));
    a.op = static_cast<unsigned>(a.type >= 4 ? (pick(4) ? 0 : 8) : pick(10));
    a.slots = pick(3) ? static_cast<uint32_t>(rng()) : ~0u >> pick(32);
    if (a.slots == 0)
        a.slots = 1;
    unsigned size = a.kind != 2 ? 16 : a.type == 2 || a.type == 3 || a.type == 5 ? 8 : 4;
    uint32_t base = static_cast<uint32_t>(pick(kBytes));
    unsigned pattern = static_cast<unsigned>(pick(5));
    for (unsigned i = 0; i < kSlots; i++) {
        uint32_t at = base;
        if (pattern == 0)
            at = base + size * i; // consecutive
        if (pattern == 1)
            at = base + 128 * i; // all in the same banks
        if (pattern == 2)
            at = static_cast<uint32_t>(pick(64)); // a few words, often the same
        if (pattern == 3)
            at = static_cast<uint32_t>(pick(kBytes + 1024)); // anywhere, sometimes out of range
        a.address[i] = at / size * size;
        do
            a.enable[i] = static_cast<uint16_t>(pick(3) ? rng() : 0xffff);
        while (a.enable[i] == 0);
        uint64_t x = value_for(a.type), y = pick(2) ? x : pick(4);
        if (a.kind == 1) {
            x = value_for(4 + static_cast<unsigned>(pick(2)));
            y = value_for(4 + static_cast<unsigned>(pick(2)));
        }
        std::memcpy(a.data[i], &x, 8);
        std::memcpy(a.data[i] + 2, &y, 8);
    }
    return a;
}

} // namespace

int main(int argc, char **argv) {
    unsigned accesses = argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : 20000;
    VerilatedContext context;
    auto *d = new Vshared_memory(&context);
    uint64_t n = 0, checks = 0;
    auto fail = [&](const char *what) {
        std::printf("shared_memory_bench: %s is wrong in cycle %llu\n", what, static_cast<unsigned long long>(n));
        std::exit(1);
    };
    auto edge = [&] {
        d->clk = 1;
        d->eval();
        d->clk = 0;
        n++;
    };
    unsigned tag = 0;
    for (unsigned round = 0; round < 4; round++) {
        unsigned latency = round == 0 ? 1 : 1 + static_cast<unsigned>(pick(30));
        unsigned more = round == 0 ? 0 : static_cast<unsigned>(pick(12));
        d->cfg_latency = static_cast<uint16_t>(latency);
        d->cfg_atomic_latency = static_cast<uint16_t>(more);
        d->req_valid = 0;
        d->rsp_ready = d->arsp_ready = 0;
        d->rst = 1;
        edge();
        edge();
        d->rst = 0;
        std::deque<Response> expected[2];
        uint64_t free_from = n;
        bool offered = false;
        Access a;
        if (round == 0) { // known contents
            for (unsigned y = 0; y < kBytes; y++)
                memory[y] = 0;
        }
        unsigned left = accesses / 4 + (round == 0 ? kBytes / 512 : 0);
        unsigned clear = round == 0 ? kBytes / 512 : 0;
        while (left || offered || !expected[0].empty() || !expected[1].empty() || n < free_from) {
            if (!offered && left && pick(4) && expected[0].size() + expected[1].size() < 60) {
                a = random_access(tag++ & 0xffff);
                if (clear) {
                    a.kind = 1;
                    a.slots = ~0u;
                    clear--;
                    for (unsigned i = 0; i < kSlots; i++) {
                        a.address[i] = clear * 512 + i * 16;
                        a.enable[i] = 0xffff;
                        std::memset(a.data[i], 0, 16);
                    }
                }
                left--;
                offered = true;
                d->req_kind = static_cast<uint8_t>(a.kind);
                d->req_tag = static_cast<uint16_t>(a.tag);
                d->req_op = static_cast<uint8_t>(a.op);
                d->req_type = static_cast<uint8_t>(a.type);
                d->req_slots = a.slots;
                for (unsigned i = 0; i < kSlots; i++) {
                    d->req_address[i] = a.address[i];
                    for (unsigned k = 0; k < 4; k++)
                        d->req_data[i * 4 + k] = a.data[i][k];
                }
                std::memcpy(&d->req_enable[0], a.enable, sizeof a.enable);
            }
            d->req_valid = offered;
            d->rsp_ready = pick(8) != 0;
            d->arsp_ready = pick(8) != 0;
            d->eval();
            if (d->req_ready != (n >= free_from))
                fail("req_ready");
            if (d->busy != (n < free_from || !expected[0].empty() || !expected[1].empty()))
                fail("busy");
            for (unsigned c = 0; c < 2; c++) {
                bool valid = c ? d->arsp_valid : d->rsp_valid;
                bool want = !expected[c].empty() && expected[c].front().due <= n;
                if (valid != want)
                    fail(c ? "arsp_valid" : "rsp_valid");
                if (!valid)
                    continue;
                const Response &r = expected[c].front();
                if ((c ? d->arsp_tag : d->rsp_tag) != r.tag)
                    fail("tag");
                if ((c ? d->arsp_slots : d->rsp_slots) != r.slots)
                    fail("slots");
                if ((c ? d->arsp_last : d->rsp_last) != r.last)
                    fail("last");
                if (std::memcmp(c ? &d->arsp_data[0] : &d->rsp_data[0], r.data, sizeof r.data) != 0)
                    fail("data");
                checks++;
                if (c ? d->arsp_ready : d->rsp_ready)
                    expected[c].pop_front();
            }
            if (offered && d->req_ready) {
                unsigned c = a.kind == 2;
                free_from = n + perform(a, n, latency + (c ? more : 0), expected[c]);
                offered = false;
            }
            edge();
        }
        for (uint32_t at = 0; at < kBytes; at += 16) {
            d->dbg_address = at;
            d->eval();
            if (std::memcmp(&d->dbg_data[0], memory + at, 16) != 0)
                fail("dbg_data");
        }
        d->dbg_address = kBytes;
        d->eval();
        for (unsigned k = 0; k < 4; k++) {
            if (d->dbg_data[k] != 0)
                fail("dbg_data out of range");
        }
        d->dbg_address = ~0u;
    }
    std::printf("shared_memory_bench: %u accesses, %llu responses, %llu cycles, all as expected\n", accesses,
                static_cast<unsigned long long>(checks), static_cast<unsigned long long>(n));
    delete d;
    return 0;
}
