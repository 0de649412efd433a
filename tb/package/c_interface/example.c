#include <inttypes.h>
#include <stdio.h>

#include "smsim_c.h"

/* Each of 32 threads adds an argument to its number. */
static const char *const add = ".kernel add\n"
                               "    S2R R0, SR_TID.X;\n"
                               "    MOV R1, 0x4;\n"
                               "    IMAD.WIDE.U32 R[2:3], R0, R1, c[0x0][0x160];\n"
                               "    LDG R4, [R[2:3]];\n"
                               "    IADD3 R4, R4, c[0x0][0x168], RZ;\n"
                               "    STG [R[2:3]], R4;\n"
                               "    EXIT;\n";

static void count(void *user, const smsim_executed *instruction) {
    ++*(unsigned *)user;
    (void)instruction;
}

static int failed(const char *what) {
    fprintf(stderr, "%s: %s\n", what, smsim_error());
    return 1;
}

int main(void) {
    const char *settings[] = {"ibuffer.depth=4"};
    smsim_config *config;
    if (smsim_config_create(NULL, settings, 1, &config) != SMSIM_OK) {
        return failed("configuration");
    }
    smsim_program *program;
    if (smsim_program_assemble(config, add, "add.sasm", &program) != SMSIM_OK) {
        return failed("program");
    }
    unsigned executed = 0;
    const smsim_observer observer = {&executed, count};
    smsim_session *session;
    if (smsim_session_create(config, &observer, &session) != SMSIM_OK) {
        return failed("session");
    }

    const uint64_t numbers = 0x10000000; /* any address past the first page */
    uint32_t values[32] = {0};
    if (smsim_session_map(session, numbers, sizeof values, "numbers") != SMSIM_OK ||
        smsim_session_write(session, numbers, values, sizeof values) != SMSIM_OK) {
        return failed("memory");
    }
    const smsim_argument arguments[] = {{numbers, 8}, {7, 4}};
    smsim_launch launch = {0};
    launch.grid[0] = launch.grid[1] = launch.grid[2] = 1;
    launch.block[0] = 32;
    launch.block[1] = launch.block[2] = 1;
    launch.arguments = arguments;
    launch.argument_count = 2;
    smsim_result result;
    if (smsim_session_launch(session, program, &launch, &result) != SMSIM_OK) {
        return failed("launch");
    }
    if (!result.completed) {
        fprintf(stderr, "%s\n", result.exception);
        return 1;
    }
    if (smsim_session_read(session, numbers, values, sizeof values) != SMSIM_OK) {
        return failed("memory");
    }
    printf("%" PRIu64 " cycles, %" PRIu64 " warp instructions, the first number is %" PRIu32 "\n", result.cycles,
           result.warp_instructions, values[0]);

    smsim_session_destroy(session);
    smsim_program_destroy(program);
    smsim_config_destroy(config);
    return executed == result.warp_instructions && values[0] == 7 ? 0 : 1;
}
