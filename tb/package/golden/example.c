/* Steps a warp through an if/else with the golden model of the branch unit. */
#include <smsim_golden.h>
#include <stdio.h>

/* Ends the program where a call fails. */
static int failed(int status) {
    if (status != SMSIM_GOLDEN_OK) {
        fprintf(stderr, "%s\n", smsim_golden_error());
    }
    return status != SMSIM_GOLDEN_OK;
}

int main(void) {
    /* The words in the device's instruction memory, with their addresses, and which guards are true. */
    static const struct {
        uint64_t pc;
        uint32_t insn[4];
        uint32_t guard;
    } program[] = {
        {0x00, {0x00007208u, 0x00000004u, 0x00000000u, 0x00fc0000u}, 0xffffffffu}, /* BSSY B0, join */
        {0x10, {0x00007001u, 0x00000002u, 0x00000000u, 0x00fc001cu}, 0x0000ffffu}, /* BRA other: 16 threads */
        {0x30, {0x00007001u, 0x00000001u, 0x00000000u, 0x00fc001cu}, 0xffffffffu}, /* BRA join */
        {0x50, {0x00007009u, 0x00000000u, 0x00000000u, 0x00fc0000u}, 0xffffffffu}, /* join: BSYNC B0 */
        {0x50, {0x00007009u, 0x00000000u, 0x00000000u, 0x00fc0000u}, 0xffffffffu}, /* the other threads */
        {0x60, {0x00007006u, 0x00000000u, 0x00000000u, 0x00fc001cu}, 0xffffffffu}, /* EXIT */
    };
    smsim_golden_bru *unit;
    unsigned i;
    if (smsim_golden_version() / 1000 != SMSIM_GOLDEN_VERSION_MAJOR || smsim_golden_version() < SMSIM_GOLDEN_VERSION) {
        fprintf(stderr, "the library is too old, or too new\n");
        return 1;
    }
    if (failed(smsim_golden_bru_create(NULL, &unit)) || failed(smsim_golden_bru_start(unit, 0, 0, 0x70, 0xffffffffu))) {
        return 1;
    }
    for (i = 0; i < sizeof program / sizeof program[0]; ++i) {
        smsim_golden_bru_request request = {0};
        smsim_golden_bru_response response;
        smsim_golden_bru_state state;
        unsigned word;
        request.pc = program[i].pc;
        for (word = 0; word < 4; ++word) {
            request.insn[word] = program[i].insn[word];
        }
        request.guard = program[i].guard;
        request.guard_pp = 0xffffffffu;
        if (failed(smsim_golden_bru_step(unit, 0, &request, &response)) ||
            failed(smsim_golden_bru_read_state(unit, 0, &state))) {
            return 1;
        }
        /* Compare this with the device. */
        printf("0x%02x %-5s active %08x -> 0x%02x %08x  B0 %08x\n", (unsigned)request.pc,
               smsim_golden_operation(request.insn), (unsigned)response.active, (unsigned)response.next_pc,
               (unsigned)response.next_active, (unsigned)state.b[0]);
    }
    smsim_golden_bru_destroy(unit);
    return 0;
}
