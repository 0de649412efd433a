// Wrappers for what DPI-C of SystemVerilog cannot use in smsim_golden.h directly: handles as results, and structures
// with 64-bit numbers, which a simulator keeps as unaligned rows of 32-bit words. smsim_golden_pkg.sv imports these
// functions beside those of the header; no other program calls them.
#include <bit>
#include <cstdint>
#include <cstring>

#include "cosim/golden/smsim_golden.h"

// A structure is the vector of the same fields, lowest first.
static_assert(std::endian::native == std::endian::little);
static_assert(sizeof(smsim_golden_bru_request) == 74 * sizeof(std::uint32_t));
static_assert(sizeof(smsim_golden_bru_response) == 20 * sizeof(std::uint32_t));
static_assert(sizeof(smsim_golden_bru_state) == 94 * sizeof(std::uint32_t));
static_assert(sizeof(smsim_golden_bcu_request) == 70 * sizeof(std::uint32_t));
static_assert(sizeof(smsim_golden_bcu_answer) == 7 * sizeof(std::uint32_t));
static_assert(sizeof(smsim_golden_bcu_release) == 65 * sizeof(std::uint32_t));
static_assert(sizeof(smsim_golden_bcu_warp) == 6 * sizeof(std::uint32_t));
static_assert(sizeof(smsim_golden_shared_request) == 196 * sizeof(std::uint32_t));
static_assert(sizeof(smsim_golden_shared_response) == 161 * sizeof(std::uint32_t));

extern "C" {

/// smsim_golden_bru_create with the options one by one; null on failure.
SMSIM_GOLDEN_API void *smsim_golden_dpi_bru_create(unsigned warps, unsigned nanosleep_sets_yield, unsigned trap_enable,
                                                   unsigned long long trap_handler, unsigned election,
                                                   unsigned branch_order) {
    const smsim_golden_bru_options options{trap_handler, trap_enable,  warps, nanosleep_sets_yield,
                                           election,     branch_order, 0};
    smsim_golden_bru *unit = nullptr;
    smsim_golden_bru_create(&options, &unit);
    return unit;
}

/// smsim_golden_bru_step.
SMSIM_GOLDEN_API int smsim_golden_dpi_bru_step(void *unit, unsigned warp, const std::uint32_t *request,
                                               std::uint32_t *response) {
    smsim_golden_bru_request asked;
    std::memcpy(&asked, request, sizeof asked);
    smsim_golden_bru_response given;
    const int status = smsim_golden_bru_step(static_cast<smsim_golden_bru *>(unit), warp, &asked, &given);
    if (status == SMSIM_GOLDEN_OK) {
        std::memcpy(response, &given, sizeof given);
    }
    return status;
}

/// smsim_golden_bru_read_state.
SMSIM_GOLDEN_API int smsim_golden_dpi_bru_read_state(const void *unit, unsigned warp, std::uint32_t *state) {
    smsim_golden_bru_state read;
    const int status = smsim_golden_bru_read_state(static_cast<const smsim_golden_bru *>(unit), warp, &read);
    if (status == SMSIM_GOLDEN_OK) {
        std::memcpy(state, &read, sizeof read);
    }
    return status;
}

/// smsim_golden_bcu_create; null on failure.
SMSIM_GOLDEN_API void *smsim_golden_dpi_bcu_create(unsigned warps, unsigned ctas) {
    smsim_golden_bcu *unit = nullptr;
    smsim_golden_bcu_create(warps, ctas, &unit);
    return unit;
}

/// smsim_golden_timer_create; null on failure.
SMSIM_GOLDEN_API void *smsim_golden_dpi_timer_create(unsigned warps, unsigned granularity) {
    smsim_golden_timer *timer = nullptr;
    smsim_golden_timer_create(warps, granularity, &timer);
    return timer;
}

/// smsim_golden_shared_create; null on failure.
SMSIM_GOLDEN_API void *smsim_golden_dpi_shared_create(unsigned bytes, unsigned banks) {
    smsim_golden_shared *memory = nullptr;
    smsim_golden_shared_create(bytes, banks, &memory);
    return memory;
}

} // extern "C"
