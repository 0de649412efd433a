// Sleep timers in C++ behind the interface of blocks (cosim/smsim_block.h), like a wrapper around any simulator; with
// SMSIM_FAULT a block that smsim must reject, or that fails.
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#include "cosim/smsim_block.h"

#define FAULT_NONE 0
#define FAULT_VERSION 1
#define FAULT_KIND 2
#define FAULT_NO_EDGE 3
#define FAULT_NO_PORTS 4
#define FAULT_TWO_PORTS 5
#define FAULT_NO_DATA 6
#define FAULT_NO_RESET 7
#define FAULT_UNKNOWN_AT_RESET 8
#define FAULT_FAILS 9
#define FAULT_UNKNOWN_LATER 10
#ifndef SMSIM_FAULT
#define SMSIM_FAULT FAULT_NONE
#endif

namespace {

constexpr unsigned kSubs = 4;
constexpr unsigned kWarps = 64;

struct Timers {
    // pins
    std::uint8_t rst = 0;
    std::uint64_t now = 0;
    std::uint32_t cfg_granularity = 0;
    std::uint8_t req_valid = 0;
    std::uint8_t req_ready = 0;
    std::array<std::uint8_t, kSubs> req_warp{};
    std::array<std::uint64_t, kSubs> req_cycles{};
    std::uint64_t stop = 0;
    std::uint64_t expiry = 0;
    std::uint64_t expiry_unknown = 0;
    std::uint8_t busy = 0;
    std::uint8_t dbg_warp = 0;
    std::uint8_t dbg_running = 0;
    std::uint64_t dbg_expiry = 0;

    std::array<std::uint64_t, kWarps> at{}; // 0: does not run
    std::vector<smsim_block_port> ports;

    /// The timers, including the requests of this cycle.
    std::array<std::uint64_t, kWarps> with_requests() const {
        std::array<std::uint64_t, kWarps> next = at;
        for (unsigned sub = 0; sub < kSubs; ++sub) {
            if (((req_valid >> sub) & 1U) != 0 && req_warp[sub] < kWarps) {
                const std::uint64_t wanted = now + (req_cycles[sub] == 0 ? 1 : req_cycles[sub]);
                const std::uint64_t unit = cfg_granularity == 0 ? 1 : cfg_granularity;
                const std::uint64_t expires = (wanted + unit - 1) / unit * unit;
                std::uint64_t &timer = next[req_warp[sub]];
                timer = timer == 0 || expires < timer ? expires : timer;
            }
        }
        return next;
    }
    void settle() {
        const auto next = with_requests();
        expiry = 0;
        busy = 0;
        for (unsigned warp = 0; warp < kWarps; ++warp) {
            expiry |= next[warp] != 0 && next[warp] == now + 1 ? std::uint64_t{1} << warp : 0;
            busy = at[warp] != 0 ? 1 : busy;
        }
        req_ready = 0xf;
        dbg_running = dbg_warp < kWarps && at[dbg_warp] != 0 ? 1 : 0;
        dbg_expiry = dbg_running != 0 ? at[dbg_warp] : 0;
    }
    void edge() {
        at = with_requests();
        for (unsigned warp = 0; warp < kWarps; ++warp) {
            const bool ends = ((expiry >> warp) & 1U) != 0 || ((stop >> warp) & 1U) != 0;
            at[warp] = ends || rst != 0 ? 0 : at[warp];
        }
        settle();
    }
};

Timers &timers_of(void *block) {
    return *static_cast<Timers *>(block);
}

void *create(const smsim_block_parameter *parameters, std::size_t count, std::uint64_t initial, char *message,
             std::size_t size) {
    for (std::size_t i = 0; i < count; ++i) {
        if (std::strcmp(parameters[i].name, "WARPS") == 0 && parameters[i].value > kWarps) {
            std::snprintf(message, size, "it has %u timers", kWarps);
            return nullptr;
        }
    }
    auto *made = new Timers;
    made->at.fill(initial); // contents of registers before the reset
    const auto add = [made](const char *name, std::uint32_t bits, std::uint32_t input, void *data,
                            void *unknown = nullptr) {
        made->ports.push_back(
            {name, bits, input, static_cast<unsigned char *>(data), static_cast<unsigned char *>(unknown)});
    };
    add(SMSIM_FAULT == FAULT_NO_RESET ? "reset" : "rst", 1, 1, &made->rst);
    add("now", 64, 1, &made->now);
    add("cfg_granularity", 32, 1, &made->cfg_granularity);
    add("req_valid", kSubs, 1, &made->req_valid);
    add("req_ready", kSubs, 0, &made->req_ready);
    add(SMSIM_FAULT == FAULT_TWO_PORTS ? "now" : "req_warp", kSubs * 8, 1, made->req_warp.data());
    add("req_cycles", kSubs * 64, 1, SMSIM_FAULT == FAULT_NO_DATA ? nullptr : made->req_cycles.data());
    add("stop", kWarps, 1, &made->stop);
    add("expiry", kWarps, 0, &made->expiry, &made->expiry_unknown);
    add("busy", 1, 0, &made->busy);
    add("dbg_warp", 8, 1, &made->dbg_warp);
    add("dbg_running", 1, 0, &made->dbg_running);
    add("dbg_expiry", 64, 0, &made->dbg_expiry);
    return made;
}

const smsim_block_port *ports(void *block, std::size_t *count) {
    *count = SMSIM_FAULT == FAULT_NO_PORTS ? 0 : timers_of(block).ports.size();
    return timers_of(block).ports.data();
}

int settle(void *block) {
    timers_of(block).settle();
    if (SMSIM_FAULT == FAULT_UNKNOWN_AT_RESET) {
        timers_of(block).expiry_unknown = 4;
    }
    return 0;
}

[[maybe_unused]] int edge(void *block, std::uint64_t cycle) {
    timers_of(block).edge();
    if (SMSIM_FAULT == FAULT_UNKNOWN_LATER && cycle > 50) {
        timers_of(block).expiry_unknown = 8;
    }
    return SMSIM_FAULT == FAULT_FAILS && cycle > 0 ? 1 : 0;
}

const char *failure(void *) {
    return "the licence of the simulator has expired";
}

void destroy(void *block) {
    delete static_cast<Timers *>(block);
}

} // namespace

extern "C" const smsim_block_interface *smsim_block_library() {
    static const struct smsim_block_interface library = {
        SMSIM_FAULT == FAULT_VERSION ? 99U : SMSIM_BLOCK_VERSION,
        SMSIM_FAULT == FAULT_KIND ? "bcu" : "sleep_timer",
        create,
        ports,
        settle,
#if SMSIM_FAULT == FAULT_NO_EDGE
        nullptr,
#else
        edge,
#endif
        nullptr,
        failure,
        destroy
    };
    return &library;
}
